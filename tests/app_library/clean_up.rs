//! Moving files to the system's bin, and bringing them back.
//!
//! The bin is that of the environment, which a test must not change for all others: the test runs itself once more with a
//! bin of its own.

use std::process::Command;

use serde_json::json;
use undertone::error::ErrorCode;

use crate::bench::{Bench, song, write};

const INNER: &str = "clean_up::inside_a_bin_of_its_own";

#[cfg(target_os = "linux")]
#[test]
fn files_go_to_the_bin_and_come_back() {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args([INNER, "--exact", "--ignored", "--test-threads=1"])
        .env("XDG_DATA_HOME", home.path())
        .env("HOME", home.path())
        .env("TMPDIR", home.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
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
    let outcome = bench.call("bin_tracks", json!({ "tracks": [spare, gone, 999_999, broken] }));
    assert_eq!((&outcome["moved"], &outcome["restorable"]), (&json!([spare, broken]), &json!(true)));
    assert_eq!(outcome["bytes"], before.len() + 4);
    let failed: Vec<_> =
        outcome["failures"].as_array().unwrap().iter().map(|failure| failure["name"].clone()).collect();
    assert_eq!(failed, [json!("gone.wav"), json!("999999")]);
    assert!(!bench.music("spare.wav").exists() && bench.music("kept.wav").exists());
    let page = bench.call("library_track", json!({ "track": spare }));
    assert!(page["item"]["state"] == "vanished" && page["binned_at"].is_i64() && page["reachable"] == false, "{page}");
    bench.until("the window to hear of it", || {
        let last = bench.desk.events("library_changed").pop()?;
        (last["library"]["counts"]["vanished"] == 2).then_some(())
    });

    // Another file in its place is not written over.
    std::fs::write(bench.music("spare.wav"), b"something new").unwrap();
    let refused = bench.call("restore_tracks", json!({ "tracks": [spare] }));
    assert_eq!((&refused["moved"], &refused["failures"][0]["failure"]["code"]), (&json!([]), &json!("refused")));
    assert_eq!(std::fs::read(bench.music("spare.wav")).unwrap(), b"something new");
    std::fs::remove_file(bench.music("spare.wav")).unwrap();

    let outcome = bench.call("restore_tracks", json!({ "tracks": [spare, broken, gone] }));
    assert_eq!(outcome["moved"], json!([spare, broken]));
    assert_eq!(outcome["failures"][0]["name"], "gone.wav", "it never was in the bin");
    assert_eq!(std::fs::read(bench.music("spare.wav")).unwrap(), before);
    let state = |id: i64| bench.call("library_track", json!({ "track": id }))["item"]["state"].clone();
    assert_eq!((state(spare), state(broken)), (json!("done"), json!("failed")), "as they were");
    assert_eq!(bench.fails("show_track_file", json!({ "track": gone })).0, ErrorCode::Invalid);

    // A scan finds nothing new in all that.
    bench.desk.forget_events();
    bench.call("scan_library", json!({ "folders": [] }));
    let scan = bench.wait_for_scan();
    assert_eq!((&scan["analysed"], &scan["vanished"]), (&json!(0), &json!(1)), "{scan}");
}
