//! Files of the repository, for programs of all its crates.

use std::path::{Path, PathBuf};

pub fn repository() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).expect("the repository").to_path_buf()
}

/// A file or folder of `tests/reference`.
pub fn reference(name: &str) -> PathBuf {
    repository().join("tests/reference").join(name)
}
