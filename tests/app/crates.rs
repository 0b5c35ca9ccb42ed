//! The crates are those of `ARCHITECTURE.md`, and each uses only crates before it in its table.

use std::collections::BTreeSet;
use std::path::Path;

/// Crates that serve the build; every other one may use them.
const OF_THE_BUILD: [&str; 2] = ["transforms", "ts-off"];

fn read(path: impl AsRef<Path>) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The crates of the table, in its order. Rows of further modules begin with an empty column.
fn in_the_map() -> Vec<String> {
    let map = read("ARCHITECTURE.md");
    let rows =
        map.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2).take_while(|line| !line.is_empty());
    let names = rows.filter_map(|row| row.strip_prefix("| `")?.split('`').next());
    names.map(str::to_owned).collect()
}

/// The crates of this workspace that a manifest names.
fn used(manifest: &str, all: &[String]) -> BTreeSet<String> {
    let named = manifest.lines().filter_map(|line| line.split(['.', ' ']).next());
    named.filter(|name| all.iter().any(|one| one == name)).map(str::to_owned).collect()
}

#[test]
fn each_crate_uses_only_crates_before_it_in_the_map() {
    let all = in_the_map();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let found: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| !OF_THE_BUILD.contains(&name.as_str()))
        .chain(["undertone".to_owned()])
        .collect();
    assert_eq!(found, all.iter().cloned().collect(), "the crates, and those of ARCHITECTURE.md");
    for (at, name) in all.iter().enumerate() {
        let path = if name == "undertone" { "Cargo.toml".to_owned() } else { format!("crates/{name}/Cargo.toml") };
        let manifest = read(path);
        let own = manifest.split("[dependencies]").nth(1).expect("a list of dependencies");
        let upward: Vec<_> = used(own, &all[at..]).into_iter().collect();
        assert!(upward.is_empty(), "{name} uses {upward:?}, which come after it");
    }
}
