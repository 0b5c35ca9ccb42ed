//! The interface's TypeScript declarations are those of the core's types.

use std::path::Path;

#[test]
fn bindings_are_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/src/bindings/index.ts");
    let generated = undertone::app::bindings::typescript();
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folder made");
        std::fs::write(&path, &generated).expect("bindings written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == generated, "{} is out of date: run `npm run bindings`", path.display());
}
