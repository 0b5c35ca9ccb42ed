//! Adding folders, scanning, and the events that the window receives.

use std::sync::Arc;

use serde_json::{Value, json};
use undertone::error::ErrorCode;
use undertone::library::{FILE_NAME, Library};

use super::bench::{Bench, SCANNED, song, write};

/// The number of songs in a scan that a test must meet while it runs: more than can be analysed before a busy machine
/// lets the test check.
const SONGS: u64 = 40;

#[test]
fn an_empty_library_says_what_it_could_show() {
    let bench = Bench::new();
    let library = bench.call("library.view", json!({}));
    assert_eq!(library["folders"], json!([]));
    assert_eq!(library["counts"]["done"], 0);
    assert_eq!((&library["scan"], &library["scanned_elsewhere"]), (&Value::Null, &Value::Null));
    assert_eq!((&library["watched"], &library["watch_problem"]), (&json!(false), &Value::Null));
    assert_eq!(library["dimensions"].as_array().unwrap().len(), 25);
    let column =
        |name: &str| library["columns"].as_array().unwrap().iter().find(|column| column["name"] == name).cloned();
    assert_eq!(column("tempo_bpm").unwrap()["unit"], "BPM");
    assert_eq!(column("name").unwrap()["numeric"], false);
    assert!(library["path"].as_str().unwrap().ends_with(FILE_NAME));
    // A cancelled dialog changes nothing.
    assert_eq!(bench.call("library.add_folders", json!({}))["folders"], json!([]));
    assert_eq!(bench.fails("library.scan", json!({ "folders": [] })).0, ErrorCode::Invalid);
    assert_eq!(bench.fails("library.remove_folder", json!({ "folder": 7 })).0, ErrorCode::Invalid);
}

#[test]
fn a_scan_tells_how_far_it_is_and_what_came_of_it() {
    let bench = &*SCANNED;
    let scans = bench.desk.events("scan");
    let last = &scans.last().unwrap()["scan"];
    assert_eq!((&last["tracks_done"], &last["tracks_total"], &last["failed"]), (&json!(7), &json!(7), &json!(1)));
    assert!(last["realtime_factor"].as_f64().unwrap() > 0.0 && last["time"]["analysis"].as_f64().unwrap() > 0.0);
    assert!(scans.len() > 1 && scans[0]["scan"]["phase"] != "done", "told while it ran: {}", scans.len());
    assert_eq!(scans.last().unwrap()["counts"]["done"], 6);
    let changed = bench.desk.events("library_changed");
    assert_eq!(changed.last().unwrap()["library"]["counts"]["failed"], 1);
    let library = bench.call("library.view", json!({}));
    assert_eq!(library["folders"][0]["tracks"], 7);
    assert!(library["folders"][0]["scanned_at"].as_i64().is_some());
    assert_eq!(library["scan"]["phase"], "done");

    let problems = bench.call("library.problems", json!({}));
    assert_eq!((&problems[0]["name"], problems.as_array().unwrap().len()), (&json!("broken.wav"), 1));
    assert!(!problems[0]["reason"].as_str().unwrap().is_empty());
}

#[test]
fn what_failed_is_tried_again_when_asked() {
    let bench = Bench::new();
    std::fs::write(bench.music("mended.wav"), b"RIFF").unwrap();
    assert_eq!(bench.add_music()["failed"], 1);
    let id = bench.id("mended.wav");
    let before = std::fs::metadata(bench.music("mended.wav")).unwrap();
    bench.desk.forget_events();
    bench.call("library.retry", json!({ "tracks": [id] }));
    assert_eq!(bench.wait_for_scan()["failed"], 1);
    assert_eq!(before.len(), 4);

    write(&bench.music("mended.wav"), song(5, 0.0, 1.0), None);
    bench.desk.forget_events();
    bench.call("library.retry", json!({ "tracks": null }));
    assert_eq!(bench.wait_for_scan()["failed"], 0);
    assert_eq!(bench.call("library.problems", json!({})), json!([]));
}

#[test]
fn dropped_folders_become_part_of_the_library_and_files_are_opened() {
    let bench = Bench::new();
    write(&bench.music("inside/one.wav"), song(5, 0.0, 1.0), None);
    let file = bench.folder.path().join("dropped.wav");
    write(&file, song(6, 0.0, 1.0), None);
    bench.app.open_and_tell(&[bench.music(""), file, bench.folder.path().join("nothing")]);
    let opened = &bench.desk.events("opened")[0]["opened"];
    assert_eq!(opened["documents"][0]["name"], "dropped.wav");
    assert_eq!((&opened["failures"][0]["name"], opened["failures"].as_array().unwrap().len()), (&json!("nothing"), 1));
    let notice = &bench.desk.events("notice")[0]["notice"];
    assert!(notice["message"].as_str().unwrap().contains("music") && notice["level"] == "info", "{notice}");
    assert_eq!(bench.wait_for_scan()["found"], 1);

    // A folder within a folder of the library is only scanned again.
    bench.desk.forget_events();
    bench.app.open_and_tell(&[bench.music("inside")]);
    assert!(bench.desk.events("opened").is_empty(), "no file was dropped");
    assert_eq!(bench.wait_for_scan()["found"], 1);
    assert_eq!(bench.call("library.view", json!({}))["folders"].as_array().unwrap().len(), 1);

    let folder = bench.call("library.view", json!({}))["folders"][0]["id"].clone();
    let library = bench.call("library.remove_folder", json!({ "folder": folder }));
    assert_eq!((&library["folders"], &library["counts"]["done"]), (&json!([]), &json!(0)));
    assert!(bench.music("inside/one.wav").exists(), "no file is touched");
}

#[test]
fn a_paused_scan_waits_and_a_cancelled_one_keeps_what_it_found() {
    let bench = Bench::new();
    for seed in 0..SONGS {
        write(&bench.music(&format!("{seed}.wav")), song(seed, 0.0, 6.0), None);
    }
    bench.desk.will_choose(&[&bench.music("")]);
    let library = bench.call("library.add_folders", json!({}));
    assert!(library["scan"].is_object(), "{library}");
    bench.call("library.pause_scan", json!({}));
    let phase = || bench.call("library.view", json!({}))["scan"]["phase"].clone();
    bench.until("a pause", || (phase() == "paused").then_some(()));
    // While it is paused, another app on the same library sees which process scans, and is refused.
    let other = Bench::in_folder(Arc::clone(&bench.folder));
    let seen = other.call("library.view", json!({}))["scanned_elsewhere"].clone();
    assert!(seen.as_str().unwrap().contains("Undertone"), "{seen}");
    let (code, message) = other.fails("library.scan", json!({ "folders": [] }));
    assert!(code == ErrorCode::Refused && message.contains("is scanning this library"), "{message}");
    assert_eq!(bench.call("library.view", json!({}))["scanned_elsewhere"], Value::Null, "it is its own");

    bench.call("library.cancel_scan", json!({}));
    let scan = bench.wait_for_scan();
    assert_eq!(scan["phase"], "cancelled");
    // The other app learns of the end and can then scan.
    other.until("the end to be seen", || {
        let last = other.desk.events("library_changed").pop()?;
        last["library"]["scanned_elsewhere"].is_null().then_some(())
    });
    other.call("library.scan", json!({ "folders": [] }));
    let scan = other.wait_for_scan();
    assert_eq!(
        (&scan["phase"], &other.call("library.view", json!({}))["counts"]["done"]),
        (&json!("done"), &json!(SONGS))
    );
}

#[test]
fn a_scan_that_is_asked_for_during_another_comes_after_it() {
    let bench = Bench::new();
    write(&bench.music("one.wav"), song(5, 0.0, 4.0), None);
    bench.desk.will_choose(&[&bench.music("")]);
    bench.call("library.add_folders", json!({}));
    let more = bench.folder.path().join("more");
    write(&more.join("two.wav"), song(6, 0.0, 1.0), None);
    bench.desk.will_choose(&[&more]);
    bench.call("library.add_folders", json!({}));
    bench.until("both", || (bench.call("library.view", json!({}))["counts"]["done"] == 2).then_some(()));
}

#[test]
fn shutting_down_in_the_middle_of_a_scan_leaves_the_library_whole() {
    let bench = Bench::new();
    for seed in 0..SONGS {
        write(&bench.music(&format!("{seed}.wav")), song(seed, 0.0, 8.0), None);
    }
    bench.desk.will_choose(&[&bench.music("")]);
    bench.call("library.add_folders", json!({}));
    bench.until("a track in hand", || {
        let scan = bench.call("library.view", json!({}))["scan"].clone();
        (!scan["in_hand"].as_array()?.is_empty()).then_some(())
    });
    bench.app.shut_down();
    let (library, notices) = Library::open(&bench.folder.path().join("data").join(FILE_NAME)).unwrap();
    assert_eq!(notices, Vec::<String>::new());
    assert_eq!(library.check().unwrap(), Vec::<String>::new());
    let status = library.status().unwrap();
    assert_eq!((status.analysing, status.scanned_by, status.failed), (0, None, 0));
    assert_eq!(status.waiting + status.done, SONGS);
    assert!(status.waiting > 0, "it was in the middle");
    assert!(bench.app.call("library.scan", json!({ "folders": [] })).is_err(), "no scan begins any more");
}

#[test]
fn a_library_that_cannot_be_opened_is_an_error_and_tried_again() {
    let bench = Bench::new();
    let path = bench.folder.path().join("data").join(FILE_NAME);
    drop(Library::open(&path).unwrap());
    let version = |version: i64| {
        let database = rusqlite::Connection::open(&path).unwrap();
        let before = database.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)).unwrap();
        database.pragma_update(None, "user_version", version).unwrap();
        before
    };
    let now = version(1000);
    let (code, message) = bench.fails("library.view", json!({}));
    assert!(code == ErrorCode::Refused && message.contains("later version"), "{message}");
    version(now);
    assert_eq!(bench.call("library.view", json!({}))["folders"], json!([]));
}

#[test]
fn a_damaged_library_is_put_aside_and_the_user_is_told() {
    let bench = Bench::new();
    std::fs::write(bench.folder.path().join("data").join(FILE_NAME), "no longer a database").unwrap();
    assert_eq!(bench.call("library.view", json!({}))["folders"], json!([]));
    let notice = &bench.desk.events("notice")[0]["notice"];
    assert!(notice["level"] == "warning" && notice["message"].as_str().unwrap().contains("put aside"), "{notice}");
}
