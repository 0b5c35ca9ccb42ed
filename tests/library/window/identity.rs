//! Identifying the track of a clip.

use serde_json::{Value, json};
use undertone::error::ErrorCode;

use super::bench::{Bench, SCANNED, song, write};

fn identified(bench: &Bench, clip: Value) -> Value {
    let job = bench.call("library.identify", json!({ "clip": clip }));
    let job = bench.wait_for_job(&job);
    assert_eq!((&job["state"], &job["purpose"]), (&json!("done"), &json!("identify")), "{job}");
    bench.call("library.identified", json!({}))
}

#[test]
fn a_clip_is_known_by_its_sound() {
    let bench = &*SCANNED;
    let _desk = bench.desk.alone();
    let closed = bench.call("library.identify", json!({ "clip": { "kind": "file" } }));
    assert_eq!(closed, Value::Null, "the dialog was closed");
    let path = bench.folder.path().join("clip.wav");
    write(&path, song(3, 5.0, 8.0), None);
    bench.desk.will_choose(&[&path]);
    let found = identified(bench, json!({ "kind": "file" }));
    assert_eq!((&found["clip"], &found["asked"], &found["outdated"]), (&json!("clip.wav"), &json!(6), &json!(0)));
    assert!((found["duration_s"].as_f64().unwrap() - 8.0).abs() < 0.01);
    let best = &found["tracks"][0];
    assert_eq!(best["track"]["name"], "song 3.flac", "{found}");
    assert!((best["offset_s"].as_f64().unwrap() - 5.0).abs() < 0.2, "{best}");
    assert!(found["peak_db"].as_f64().is_some_and(|db| db < 0.0 && db > -20.0), "{found}");

    // A range of an open document.
    bench.desk.will_choose(&[&bench.music("song 4.flac")]);
    let document = bench.call("workspace.open_dialog", json!({}))["documents"][0]["id"].clone();
    let range = json!({ "start": 22_050 * 4, "end": 22_050 * 12 });
    let found = identified(bench, json!({ "kind": "document", "document": document, "range": range }));
    assert_eq!(found["tracks"][0]["track"]["name"], "song 4.flac", "{found}");
    assert!((found["tracks"][0]["offset_s"].as_f64().unwrap() - 4.0).abs() < 0.2);
    // An unknown clip matches no track, and silence has no level.
    let range = json!({ "start": 0, "end": 22_050_000 });
    let job =
        bench.call("library.identify", json!({ "clip": { "kind": "document", "document": document, "range": range } }));
    assert_eq!(bench.wait_for_job(&job)["failure"]["code"], "invalid");
    let silence = bench.folder.path().join("silence.wav");
    write(&silence, vec![0.0; 22_050 * 5], None);
    bench.desk.will_choose(&[&silence]);
    let found = identified(bench, json!({ "kind": "file" }));
    assert_eq!((&found["tracks"], &found["peak_db"]), (&json!([]), &Value::Null));
    let long = json!({ "clip": { "kind": "microphone", "seconds": 3600.0 } });
    assert_eq!(bench.fails("library.identify", long).0, ErrorCode::Invalid);
}
