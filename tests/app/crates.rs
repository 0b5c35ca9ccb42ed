//! The crates match `ARCHITECTURE.md`, each uses only crates before it in the table, and the modules of a crate use
//! each other one way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Crates that serve the build; every other crate may use them.
const OF_THE_BUILD: [&str; 2] = ["transforms", "ts-off"];

fn read(path: impl AsRef<Path>) -> String {
    let path = crate::support::repository().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the crates of the table, in its order. Rows of further modules begin with an empty column.
fn in_the_map() -> Vec<String> {
    let map = read("ARCHITECTURE.md");
    let rows =
        map.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2).take_while(|line| !line.is_empty());
    let names = rows.filter_map(|row| row.strip_prefix("| `")?.split('`').next());
    names.map(str::to_owned).collect()
}

/// Returns the crates of this workspace that a manifest names.
fn used(manifest: &str, all: &[String]) -> BTreeSet<String> {
    let named = manifest.lines().filter_map(|line| line.split(['.', ' ']).next());
    named.filter(|name| all.iter().any(|one| one == name)).map(str::to_owned).collect()
}

#[test]
fn each_crate_uses_only_crates_before_it_in_the_map() {
    let all = in_the_map();
    let folder = crate::support::repository().join("crates");
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
        // Profiles name the workspace's crates too.
        let own = own.split("[profile").next().expect("what stands before");
        let upward: Vec<_> = used(own, &all[at..]).into_iter().collect();
        assert!(upward.is_empty(), "{name} uses {upward:?}, which come after it");
    }
}

/// Returns the first module of a crate that a file belongs to, and how many modules deep the file is.
fn module_of(path: &Path, source: &Path) -> (String, usize) {
    let path = path.strip_prefix(source).unwrap().with_extension("");
    let parts: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let deep = parts.len() - usize::from(parts.last().is_some_and(|last| last == "mod"));
    (parts[0].clone(), deep)
}

/// Returns the names in a module that source code imports: those after its path, `crate::` for the root of a crate, or
/// after as many `super::` as the code is deep.
fn imported(code: &str, module: &str, deep: usize) -> BTreeSet<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let first = |text: &str| text.trim_start().split(|c| !is_word(c)).next().unwrap_or_default().to_owned();
    let mut found = BTreeSet::new();
    for root in [module.to_owned(), "super::".repeat(deep)] {
        for (at, _) in code.match_indices(&root) {
            let before = &code[..at];
            if before.ends_with("::") || before.ends_with(is_word) {
                continue;
            }
            let rest = &code[at + root.len()..];
            match rest.strip_prefix('{') {
                None => found.extend([first(rest)]),
                Some(list) => {
                    let list = list.split(';').next().unwrap_or_default();
                    let mut depth = 0;
                    let top = list.split(|c| {
                        depth += i32::from(c == '{') - i32::from(c == '}');
                        depth == 0 && c == ','
                    });
                    found.extend(top.map(first));
                }
            }
        }
    }
    found
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the modules that each module in a folder uses, given the path of that folder in the crate, such as `crate::`. Tests, the re-exports
/// of a crate's root, and modules that only have the types that cross to the window are left out.
fn uses(source: &Path, within: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut files = Vec::new();
    sources(source, &mut files);
    let is_test = |path: &Path| path.iter().any(|part| part == "tests" || part == "tests.rs");
    let modules: BTreeSet<String> = files.iter().map(|path| module_of(path, source).0).collect();
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files.iter().filter(|path| !is_test(path)) {
        let (module, deep) = module_of(path, source);
        if ["lib", "main", "mod", "event"].contains(&module.as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        let code: Vec<&str> = text
            .lines()
            .take_while(|line| !line.starts_with("mod tests {"))
            .filter(|line| !line.trim_start().starts_with("//") && !line.contains("::types::"))
            .collect();
        let names = imported(&code.join("\n"), within, deep);
        uses.entry(module.clone())
            .or_default()
            .extend(names.into_iter().filter(|n| *n != module && modules.contains(n)));
    }
    uses
}

/// Returns a path along `uses` from a module back to itself.
fn circle(uses: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn walk(
        at: &str,
        uses: &BTreeMap<String, BTreeSet<String>>,
        way: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> bool {
        if let Some(begin) = way.iter().position(|module| module == at) {
            way.drain(..begin);
            return true;
        }
        if !done.insert(at.to_owned()) {
            return false;
        }
        way.push(at.to_owned());
        if uses.get(at).into_iter().flatten().any(|next| walk(next, uses, way, done)) {
            return true;
        }
        way.pop();
        false
    }
    let mut done = BTreeSet::new();
    uses.keys().find_map(|module| {
        let mut way = Vec::new();
        walk(module, uses, &mut way, &mut done).then_some(way)
    })
}

#[test]
fn pages_use_each_other_one_way_and_the_command_line_knows_none() {
    let source = crate::support::repository().join("src");
    let pages = uses(&source.join("window"), "crate::window::");
    assert!(pages["compare"].contains("playback"), "uses are found: {pages:?}");
    assert_eq!(circle(&pages), None, "pages of the window that use each other in a circle");
    let faces = uses(&source, "crate::");
    assert!(faces["cli"].contains("work") && !faces["cli"].contains("window"), "{faces:?}");
}

#[test]
fn modules_of_a_crate_use_each_other_one_way() {
    for name in in_the_map() {
        let folder = crate::support::repository();
        let source =
            if name == "undertone" { folder.join("src") } else { folder.join("crates").join(&name).join("src") };
        let uses = uses(&source, "crate::");
        assert!(uses.len() > 1, "{name} has modules");
        assert_eq!(circle(&uses), None, "modules of {name} that use each other in a circle");
    }
    // The search does find cycles.
    let of = |pairs: &[(&str, &str)]| -> BTreeMap<String, BTreeSet<String>> {
        pairs.iter().map(|(from, to)| ((*from).to_owned(), BTreeSet::from([(*to).to_owned()]))).collect()
    };
    assert_eq!(circle(&of(&[("a", "b"), ("b", "c"), ("c", "b")])), Some(vec!["b".to_owned(), "c".to_owned()]));
    let code = "use crate::{alpha::One, beta::{Two, gamma}, delta};\nuse super::super::epsilon;\nuse super::zeta;";
    let names: Vec<String> = imported(code, "crate::", 2).into_iter().collect();
    assert_eq!(names, ["alpha", "beta", "delta", "epsilon"]);
}
