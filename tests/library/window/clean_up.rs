//! Moving files to the system's bin and restoring them.
//!
//! The environment sets the bin, and a test must not change it for the whole process. The test therefore runs itself
//! again with a private bin.

use std::process::Command;

use serde_json::json;
use undertone::error::ErrorCode;

use super::bench::{Bench, song, write};

/// Runs a test of this file with a private bin.
#[cfg(target_os = "linux")]
fn with_a_bin_of_its_own(inner: &str) {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args([&format!("window::clean_up::{inner}"), "--exact", "--ignored", "--test-threads=1"])
        .env("XDG_DATA_HOME", home.path())
        .env("HOME", home.path())
        .env("TMPDIR", home.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn files_go_to_the_bin_and_come_back() {
    with_a_bin_of_its_own("inside_a_bin_of_its_own");
}

#[cfg(target_os = "linux")]
#[test]
fn only_what_is_known_goes_to_the_bin_and_a_copy_is_left() {
    with_a_bin_of_its_own("inside_a_bin_with_copies");
}

#[cfg(unix)]
#[test]
#[ignore = "run by the test above, with a bin of its own"]
fn inside_a_bin_with_copies() {
    let bench = Bench::new();
    let names = ["a.wav", "a copy.wav", "b.wav", "b copy.wav", "c.wav", "c copy.wav", "d.wav", "e.wav", "e copy.wav"];
    for name in names {
        let seed = u64::from(name.as_bytes()[0]);
        write(&bench.music(name), song(seed, 0.0, 1.0), None);
    }
    bench.add_music();
    let id = |name: &str| bench.id(name);
    let bin = |tracks: &[&str], copies: &[&[&str]]| {
        let tracks: Vec<i64> = tracks.iter().map(|name| id(name)).collect();
        let copies: Vec<Vec<i64>> = copies.iter().map(|of_one| of_one.iter().map(|name| id(name)).collect()).collect();
        bench.call("library.bin", json!({ "tracks": tracks, "copies": copies }))
    };
    let why = |outcome: &serde_json::Value| outcome["failures"][0]["failure"]["message"].as_str().unwrap().to_owned();
    let refused = |outcome: serde_json::Value, words: &str| {
        assert_eq!((&outcome["moved"], &outcome["failures"][0]["failure"]["code"]), (&json!([]), &json!("refused")));
        assert!(why(&outcome).contains(words), "{outcome}");
    };
    // The file has been replaced: by one of another size, by a newer one of the same size, by a link, by a folder.
    let (path, kept) = (bench.music("a.wav"), std::fs::read(bench.music("a.wav")).unwrap());
    std::fs::write(&path, b"another recording").unwrap();
    refused(bin(&["a.wav"], &[&["a copy.wav"]]), "has changed");
    assert_eq!(std::fs::read(&path).unwrap(), b"another recording");
    std::fs::write(&path, &kept).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
    refused(bin(&["a.wav"], &[&["a copy.wav"]]), "has changed");
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(bench.music("a copy.wav"), &path).unwrap();
    refused(bin(&["a.wav"], &[&[]]), "a link");
    assert!(bench.music("a copy.wav").exists());
    // The copy is missing, changed, the same file, or also about to be moved.
    std::fs::remove_file(bench.music("b copy.wav")).unwrap();
    refused(bin(&["b.wav"], &[&["b copy.wav"]]), "no copy of it is left");
    std::fs::hard_link(bench.music("b.wav"), bench.music("b copy.wav")).unwrap();
    let modified = std::fs::metadata(bench.music("b.wav")).unwrap().modified().unwrap();
    let rescan = || {
        bench.desk.forget_events();
        bench.call("library.scan", json!({ "folders": [] }));
        bench.wait_for_scan();
    };
    rescan();
    assert_eq!(std::fs::metadata(bench.music("b copy.wav")).unwrap().modified().unwrap(), modified);
    refused(bin(&["b.wav"], &[&["b copy.wav"]]), "same file under another name");
    std::fs::write(bench.music("c copy.wav"), b"RIFF").unwrap();
    refused(bin(&["c.wav"], &[&["c copy.wav"]]), "no copy of it is left");
    let both = bin(&["e.wav", "e copy.wav"], &[&["e copy.wav"], &["e.wav"]]);
    assert_eq!((&both["moved"], both["failures"].as_array().unwrap().len()), (&json!([]), 2), "{both}");
    for name in ["b.wav", "c.wav", "d.wav", "e.wav", "e copy.wav"] {
        assert!(bench.music(name).exists(), "{name}");
    }
    // With an existing copy it is moved. Without a requested copy it is also moved, because the user named it.
    let gone = bin(&["e.wav", "d.wav"], &[&["e copy.wav"], &[]]);
    assert_eq!(gone["moved"], json!([id("e.wav"), id("d.wav")]), "{gone}");
    // A file in the bin with the right name but another size is not the one that was moved.
    let binned = std::path::Path::new(&std::env::var("XDG_DATA_HOME").unwrap()).join("Trash/files/e.wav");
    assert!(binned.exists());
    std::fs::write(&binned, b"other").unwrap();
    let refused = bench.call("library.restore", json!({ "tracks": [id("e.wav")] }));
    assert_eq!((&refused["moved"], &refused["failures"][0]["failure"]["code"]), (&json!([]), &json!("refused")));
    // A dangling link is in its place.
    std::os::unix::fs::symlink("/nowhere/at/all", bench.music("d.wav")).unwrap();
    let refused = bench.call("library.restore", json!({ "tracks": [id("d.wav")] }));
    assert_eq!(refused["failures"][0]["failure"]["code"], "refused");
    std::fs::remove_file(bench.music("d.wav")).unwrap();
    assert_eq!(bench.call("library.restore", json!({ "tracks": [id("d.wav")] }))["moved"], json!([id("d.wav")]));
    assert_eq!(bench.fails("library.bin", json!({ "tracks": [1], "copies": [] })).0, ErrorCode::Invalid);
}

#[test]
#[ignore = "run by the test above, with a bin of its own"]
fn inside_a_bin_of_its_own() {
    let bench = Bench::new();
    write(&bench.music("kept.wav"), song(2, 0.0, 1.0), None);
    write(&bench.music("spare.wav"), song(3, 0.0, 1.0), None);
    std::fs::write(bench.music("broken.wav"), b"RIFF").unwrap();
    write(&bench.music("gone.wav"), song(4, 0.0, 1.0), None);
    bench.add_music();
    let [spare, broken, gone] = ["spare.wav", "broken.wav", "gone.wav"].map(|name| bench.id(name));
    let before = std::fs::read(bench.music("spare.wav")).unwrap();
    std::fs::remove_file(bench.music("gone.wav")).unwrap();

    bench.desk.forget_events();
    let outcome = bench.call("library.bin", json!({ "tracks": [spare, gone, 999_999, broken] }));
    assert_eq!((&outcome["moved"], &outcome["restorable"]), (&json!([spare, broken]), &json!(true)));
    assert_eq!(outcome["bytes"], before.len() + 4);
    let failed: Vec<_> =
        outcome["failures"].as_array().unwrap().iter().map(|failure| failure["name"].clone()).collect();
    assert_eq!(failed, [json!("gone.wav"), json!("999999")]);
    assert!(!bench.music("spare.wav").exists() && bench.music("kept.wav").exists());
    let page = bench.call("library.track", json!({ "track": spare }));
    assert!(page["item"]["state"] == "vanished" && page["binned_at"].is_i64() && page["reachable"] == false, "{page}");
    bench.until("the window to hear of it", || {
        let last = bench.desk.events("library_changed").pop()?;
        (last["library"]["counts"]["vanished"] == 2).then_some(())
    });

    // Another file in its place is not overwritten.
    std::fs::write(bench.music("spare.wav"), b"something new").unwrap();
    let refused = bench.call("library.restore", json!({ "tracks": [spare] }));
    assert_eq!((&refused["moved"], &refused["failures"][0]["failure"]["code"]), (&json!([]), &json!("refused")));
    assert_eq!(std::fs::read(bench.music("spare.wav")).unwrap(), b"something new");
    std::fs::remove_file(bench.music("spare.wav")).unwrap();

    let outcome = bench.call("library.restore", json!({ "tracks": [spare, broken, gone] }));
    assert_eq!(outcome["moved"], json!([spare, broken]));
    assert_eq!(outcome["failures"][0]["name"], "gone.wav", "it never was in the bin");
    assert_eq!(std::fs::read(bench.music("spare.wav")).unwrap(), before);
    let state = |id: i64| bench.call("library.track", json!({ "track": id }))["item"]["state"].clone();
    assert_eq!((state(spare), state(broken)), (json!("done"), json!("failed")), "as they were");
    assert_eq!(bench.fails("library.show_file", json!({ "track": gone })).0, ErrorCode::Invalid);

    // A later scan finds nothing new.
    bench.desk.forget_events();
    bench.call("library.scan", json!({ "folders": [] }));
    let scan = bench.wait_for_scan();
    assert_eq!((&scan["analysed"], &scan["vanished"]), (&json!(0), &json!(1)), "{scan}");
}
