//! Watched folders: changes in them are scanned automatically.

use std::sync::Arc;

use serde_json::{Value, json};

use super::bench::{Bench, song, write};

#[test]
fn a_new_file_is_found_and_watching_is_taken_up_again() {
    let bench = Bench::new();
    bench.add_music();
    let library = bench.call("library.watch", json!({ "on": true }));
    assert_eq!((&library["watched"], &library["watch_problem"]), (&json!(true), &Value::Null));
    assert_eq!(bench.call("settings.view", json!({}))["library"]["watch"], true);
    write(&bench.music("new.wav"), song(7, 0.0, 1.0), None);
    let done = |bench: &Bench, wanted: u64| {
        bench.until("the new file", || {
            (bench.call("library.view", json!({}))["counts"]["done"] == wanted).then_some(())
        });
    };
    done(&bench, 1);
    // A folder that is added later is also watched.
    let more = bench.folder.path().join("more");
    std::fs::create_dir(&more).unwrap();
    bench.desk.will_choose(&[&more]);
    bench.call("library.add_folders", json!({}));
    write(&more.join("newer.wav"), song(8, 0.0, 1.0), None);
    write(&more.join("newest.wav"), song(9, 0.0, 1.0), None);
    done(&bench, 3);
    bench.app.shut_down();

    let bench = Bench::in_folder(Arc::clone(&bench.folder));
    assert_eq!(bench.call("library.view", json!({}))["watched"], true);
    // An empty folder would count as a missing drive.
    std::fs::remove_file(more.join("newer.wav")).unwrap();
    bench.until("it to be missed", || (bench.call("library.view", json!({}))["counts"]["vanished"] == 1).then_some(()));
    assert_eq!(bench.call("library.watch", json!({ "on": false }))["watched"], false);
    assert_eq!(bench.call("settings.view", json!({}))["library"]["watch"], false);
}
