//! The scene of the batch: a document with a chain, and a folder of recordings to process.

use std::path::{Path, PathBuf};

use serde_json::json;
use undertone::audio::{Tags, tags};
use undertone::window::App;

use super::scenes::{call, song, write};
use super::session::Desk;

pub fn prepare(folder: &Path, app: &App, _: &Desk) {
    let inputs = folder.join("Recordings");
    std::fs::create_dir_all(inputs.join("notes")).expect("a folder");
    let long = song(20.0);
    for name in ["interview 1.wav", "interview 2.wav", "notes/intro.wav", "notes/outro.wav"] {
        write(&inputs.join(name), &long);
        let title = Path::new(name).file_stem().expect("a name").to_string_lossy().into_owned();
        let items = [("ARTIST".to_owned(), "Ada".into()), ("TITLE".to_owned(), title.into())].into();
        tags::write(&inputs.join(name), &Tags { items, ..Tags::default() }).expect("tags");
    }
    std::fs::write(inputs.join("interview broken.wav"), "not audio").expect("a file");
    call(app, "workspace.open_demo", json!({}));
    call(app, "editor.edit", json!({ "document": 1, "edit": { "kind": "set_chain_text", "text": "gain(-3 dB)" } }));
    // One at a time, so that pausing and cancelling have the same effect on every machine.
    let mut settings = call(app, "batch.view", json!({}))["settings"].clone();
    settings["jobs"] = json!(1);
    call(app, "batch.set", json!({ "settings": settings }));
}

pub fn files(folder: &Path, _: &str) -> Vec<PathBuf> {
    ["interview 1.wav", "interview 2.wav", "interview broken.wav"]
        .map(|name| folder.join("Recordings").join(name))
        .into()
}

pub fn folders(folder: &Path, title: &str) -> Vec<PathBuf> {
    vec![folder.join(if title.contains("Output") { "out" } else { "Recordings" })]
}
