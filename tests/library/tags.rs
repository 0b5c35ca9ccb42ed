//! Tags written to originals on the command line: only when asked, file by file, and taken back; and exports for other
//! programs. A process that is killed while it writes leaves whole files.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::command_line::{Desk, said, status, told};

/// Returns the bytes of these files.
fn bytes(desk: &Desk, names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|name| std::fs::read(desk.path(name)).expect("read")).collect()
}

fn outcomes(report: &Value) -> Vec<&str> {
    let files = report["files"].as_array().expect("files");
    files.iter().map(|file| file["outcome"].as_str().expect("an outcome")).collect()
}

#[test]
fn tags_are_written_after_a_preview_and_taken_back() {
    let desk = Desk::new();
    let names = ["music/a.flac", "music/b.wav", "music/c.flac"];
    for (seed, name) in (1..).zip(names) {
        desk.song(name, seed, 22_050, (0.0, 12.0));
    }
    assert_eq!(status(&desk.library(&["scan", "music", "--device", "cpu"])), 0);
    let before = bytes(&desk, &names);

    let shown = desk.library(&["tags", "write"]);
    assert_eq!(status(&shown), 0, "{}", said(&shown));
    assert!(told(&shown).contains("REPLAYGAIN_TRACK_GAIN") && told(&shown).contains("none ->"), "{}", told(&shown));
    assert!(said(&shown).contains("3 to change") && said(&shown).contains("Nothing was written"), "{}", said(&shown));
    let preview = desk.library_json(&["tags", "write", "--fields", "loudness"]);
    assert_eq!((&preview["write"], &preview["fields"]), (&Value::Null, &serde_json::json!(["loudness"])));
    assert_eq!(outcomes(&preview), ["changes"; 3]);
    assert!(bytes(&desk, &names) == before, "a preview writes nothing");
    assert_eq!(status(&desk.library(&["tags", "write", "--fields", "mood"])), 2);
    assert_eq!(status(&desk.library(&["tags", "undo"])), 2, "there is nothing to undo");

    // A protected file fails alone.
    let mut permissions = std::fs::metadata(desk.path(names[2])).expect("there").permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(desk.path(names[2]), permissions).expect("set");
    let written = desk.library(&["--json", "tags", "write", "--write"]);
    assert_eq!(status(&written), 1);
    let report: Value = serde_json::from_slice(&written.stdout).expect("JSON");
    assert_eq!(outcomes(&report), ["written", "written", "failed"]);
    assert!(report["files"][2]["error"]["message"].as_str().is_some_and(|text| text.contains("write-protected")));
    let after = bytes(&desk, &names);
    assert!(after[0] != before[0] && after[1] != before[1] && after[2] == before[2]);
    let again = desk.library(&["tags", "write", "format:flac,wav", "--write"]);
    assert!(said(&again).contains("2 unchanged, 1 failed"), "{}", said(&again));

    // The library knows, and the next scan analyses nothing.
    let scan = desk.library_json(&["scan", "--device", "cpu"]);
    assert_eq!((&scan["counts"]["analysed"], &scan["counts"]["changed"]), (&0.into(), &0.into()));
    assert!(told(&desk.library(&["tags", "list"])).contains("2 files"));

    let undone = desk.library_json(&["tags", "undo"]);
    assert_eq!(undone["counts"]["restored"], 2);
    assert!(bytes(&desk, &names) == before, "the originals are back");
    assert_eq!(desk.library_json(&["scan", "--device", "cpu"])["counts"]["changed"], 0);
    assert_eq!(status(&desk.library(&["tags", "undo", "77"])), 1);
    assert_eq!(status(&desk.library(&["tags", "forget", "1"])), 0);
    assert_eq!(desk.library_json(&["tags", "list"])["writes"], serde_json::json!([]));
}

#[test]
fn a_killed_process_leaves_whole_files_and_the_next_tidies_up() {
    let desk = Desk::new();
    let names: Vec<String> = (0..6).map(|seed| format!("music/{seed}.flac")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (seed, name) in (0..).zip(&names) {
        desk.song(name, seed, 22_050, (0.0, 6.0));
    }
    assert_eq!(status(&desk.library(&["scan", "music", "--device", "cpu"])), 0);
    let before = bytes(&desk, &names);
    let folder = desk.path("music");
    for round in 0..8u64 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_undertone"))
            .args(["library", "--library", "music.sqlite", "tags", "write", "--write"])
            .current_dir(folder.parent().expect("a folder"))
            .env("UNDERTONE_CONFIG_DIR", desk.path("config"))
            .env("UNDERTONE_DATA_DIR", desk.path("data"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_millis(40 + 60 * round));
        let _ = child.kill();
        child.wait().expect("it ends");
        for name in &names {
            let info = desk.json(&["info", name, "--json"]);
            assert!(info.get("error").is_none(), "{name} is whole: {info}");
        }
        // The next command that writes puts everything in order.
        let output = desk.library(&["tags", "undo"]);
        assert!(status(&output) == 0 || said(&output).contains("No tags were written"), "{}", said(&output));
        assert!(bytes(&desk, &names) == before, "round {round}");
        let left = std::fs::read_dir(&folder).expect("a folder").count();
        assert_eq!(left, names.len(), "no copies are left");
    }
}

#[test]
fn exports_have_the_names_of_other_programs() {
    let desk = Desk::new();
    desk.song("music/a.flac", 1, 22_050, (0.0, 12.0));
    assert_eq!(status(&desk.library(&["scan", "music", "--device", "cpu"])), 0);
    let read = |name: &str| std::fs::read_to_string(desk.path(name)).expect("read");
    assert_eq!(status(&desk.library(&["export", "beets.csv", "--for", "beets"])), 0);
    assert!(read("beets.csv").starts_with("path,title,artist,album,albumartist"), "{}", read("beets.csv"));
    assert_eq!(status(&desk.library(&["export", "picard.json", "--for", "picard"])), 0);
    let tracks: Value = serde_json::from_str(&read("picard.json")).expect("JSON");
    assert_eq!((&tracks[0]["_filename"], &tracks[0]["_extension"]), (&"a".into(), &"flac".into()));
    assert_eq!(status(&desk.library(&["export", "documents.json", "--for", "acousticbrainz"])), 0);
    let documents: Value = serde_json::from_str(&read("documents.json")).expect("JSON");
    assert_eq!(documents[0]["metadata"]["audio_properties"]["sample_rate"], 22_050);
    assert_eq!(status(&desk.library(&["export", "documents.csv", "--for", "acousticbrainz"])), 2);
    assert_eq!(status(&desk.library(&["export", "x.csv", "--for", "someone"])), 2);
    assert!(!Path::new(&desk.path("x.csv")).exists());
}
