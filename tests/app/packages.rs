//! The installers' file associations match the files that can be opened; they recommend the MP3 encoder, which is
//! loaded on demand.

use std::collections::BTreeSet;

use undertone::audio::{FILE_KINDS, FileKind};
use undertone::document::project::FILE_KIND as PROJECT;

fn kinds() -> Vec<FileKind> {
    FILE_KINDS.iter().copied().chain([PROJECT]).collect()
}

#[test]
fn file_associations_are_the_kinds_that_can_be_opened() {
    let config: serde_json::Value = serde_json::from_str(include_str!("../../src-tauri/tauri.conf.json")).unwrap();
    let associations = config["bundle"]["fileAssociations"].as_array().unwrap();
    let kinds = kinds();
    assert_eq!(associations.len(), kinds.len());
    for (association, kind) in associations.iter().zip(&kinds) {
        assert_eq!(association["name"], kind.name);
        assert_eq!(association["ext"], serde_json::json!(kind.extensions), "{}", kind.name);
        assert_eq!(association["mimeType"], kind.media_types[0], "{}", kind.name);
    }
}

#[test]
fn the_encoder_of_mp3_is_recommended() {
    let config: serde_json::Value = serde_json::from_str(include_str!("../../src-tauri/tauri.conf.json")).unwrap();
    for (package, library) in [("deb", "libmp3lame0"), ("rpm", "lame-libs")] {
        let recommended = config["bundle"]["linux"][package]["recommends"].as_array().unwrap();
        assert!(recommended.contains(&library.into()), "{package}");
    }
}

#[test]
fn the_desktop_entry_lists_every_media_type() {
    let entry = include_str!("../../src-tauri/linux/undertone.desktop");
    let line = entry.lines().find_map(|line| line.strip_prefix("MimeType=")).unwrap();
    let listed: BTreeSet<&str> = line.split_terminator(';').collect();
    let kinds = kinds();
    let wanted = kinds.iter().flat_map(|kind| kind.media_types.iter().copied()).collect();
    assert_eq!(listed, wanted);
}

/// Other media types are known to every system.
#[test]
fn the_media_type_of_projects_is_declared() {
    let declared = include_str!("../../src-tauri/linux/undertone-mime.xml");
    assert!(declared.contains(&format!("type=\"{}\"", PROJECT.media_types[0])));
    for extension in PROJECT.extensions {
        assert!(declared.contains(&format!("<glob pattern=\"*.{extension}\"/>")));
    }
}
