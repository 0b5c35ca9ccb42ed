//! Every kernel is complete: shader, module, parity test, bench and row.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use undertone::kernels::{TABLE, find};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a folder with this extension, none from folders within it.
fn names(folder: &Path, extension: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let wanted = paths.filter(|path| path.extension().is_some_and(|own| own == extension));
    wanted.map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_shader_belongs_to_one_kernel_and_every_kernel_has_its_shaders() {
    let found = names(&root().join("shaders"), "wgsl");
    assert!(!found.is_empty(), "no shader was found");
    let listed: Vec<&str> = TABLE.iter().flat_map(|kernel| kernel.shaders).copied().collect();
    let unique: BTreeSet<String> = listed.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(unique.len(), listed.len(), "a shader of two kernels");
    assert_eq!(found, unique, "shaders in the folder and in the table");
    assert!(TABLE.iter().all(|kernel| !kernel.shaders.is_empty()));
}

#[test]
fn every_kernel_has_its_module_parity_test_and_bench() {
    assert!(!TABLE.is_empty(), "no kernel was found");
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    for kernel in TABLE {
        let module = root().join("src/kernels").join(kernel.name);
        assert!(module.with_extension("rs").is_file() || module.join("mod.rs").is_file(), "{}: no module", kernel.name);
        let test = root().join("tests/kernels").join(kernel.name).with_extension("rs");
        let text = std::fs::read_to_string(&test).unwrap_or_else(|error| panic!("{}: {error}", test.display()));
        assert!(text.contains("#[test]"), "{}: its parity test tests nothing", kernel.name);
        assert!(root().join("benches").join(kernel.bench).with_extension("rs").is_file(), "{}: no bench", kernel.name);
        assert!(
            manifest.contains(&format!("[[bench]]\nname = \"{}\"", kernel.bench)),
            "{}: bench not declared",
            kernel.name
        );
    }
}

#[test]
fn every_row_says_something() {
    for kernel in TABLE {
        assert_eq!(find(kernel.name), Some(kernel), "names are unique");
        assert!(!kernel.title.is_empty());
        assert!(kernel.tolerance_db < 0.0, "{}: a tolerance of {} dB", kernel.name, kernel.tolerance_db);
        assert!(kernel.bytes_per_sample > 0.0);
    }
    assert_eq!(find("nothing"), None);
}
