//! Generated sources are current: the TypeScript declarations of the window, and the operators of chains in Rust.

use std::path::Path;

use crate::operators;

fn is_current(path: &str, generated: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folder made");
        std::fs::write(&path, generated).expect("bindings written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == generated, "{} is out of date: run `npm run bindings`", path.display());
}

#[test]
fn bindings_are_current() {
    is_current("ui/src/bindings/index.ts", &undertone::app::bindings::typescript());
}

#[test]
fn bindings_of_operators_are_current() {
    is_current("src/chain/operators/generated.rs", &operators::source());
}
