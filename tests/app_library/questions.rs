//! Likeness and the map.

use serde_json::{Value, json};
use undertone::error::ErrorCode;

use crate::bench::{Bench, SCANNED, song, write};

fn similar(bench: &Bench, like: Value, weights: Value) -> Vec<Value> {
    let answers = bench.call("similar_tracks", json!({ "like": like, "weights": weights, "count": 10 }));
    answers.as_array().unwrap().clone()
}

#[test]
fn a_copy_is_most_alike_and_says_why_it_differs() {
    let bench = &*SCANNED;
    let like = json!({ "kind": "track", "track": bench.id("song 1.flac") });
    let answers = similar(bench, like.clone(), json!({}));
    assert_eq!(answers.len(), 5, "all analysed but itself");
    assert_eq!(answers[0]["track"]["name"], "quiet 1.wav");
    assert_eq!(answers[0]["contributions"][0]["dimension"], "loudness_lufs");
    let shares: f64 =
        answers[0]["contributions"].as_array().unwrap().iter().map(|part| part["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9);
    // Where loudness counts for nothing, nothing is left between them but rounding.
    let answers = similar(bench, like.clone(), json!({ "loudness_lufs": 0.0 }));
    assert!(answers[0]["score"].as_f64().unwrap() > 0.97, "{}", answers[0]["score"]);
    let wrong = json!({ "like": like, "weights": { "mood": 1.0 }, "count": 3 });
    assert_eq!(bench.fails("similar_tracks", wrong).0, ErrorCode::Invalid);
    let failed = json!({ "kind": "track", "track": bench.id("broken.wav") });
    let (code, message) = bench.fails("similar_tracks", json!({ "like": failed, "weights": {}, "count": 3 }));
    assert!(code == ErrorCode::Invalid && message.contains("not analysed"), "{message}");
}

#[test]
fn what_is_open_can_be_asked_about() {
    let bench = &*SCANNED;
    let _desk = bench.desk.alone();
    let open = |path: &std::path::Path| {
        bench.desk.will_choose(&[path]);
        let opened = bench.call("open_dialog", json!({}));
        json!({ "kind": "document", "document": opened["documents"][0]["id"] })
    };
    // One of the library's own needs no listening, and is not like itself.
    let answers = similar(bench, open(&bench.music("song 2.flac")), json!({}));
    assert!(answers.iter().all(|answer| answer["track"]["name"] != "song 2.flac"), "{answers:?}");
    // One from elsewhere is listened to.
    let elsewhere = bench.folder.path().join("elsewhere.wav");
    write(&elsewhere, song(3, 0.0, 16.0), None);
    let answers = similar(bench, open(&elsewhere), json!({}));
    assert_eq!(answers[0]["track"]["name"], "song 3.flac");
    let nothing = json!({ "kind": "document", "document": 4_000_000 });
    assert_eq!(
        bench.fails("similar_tracks", json!({ "like": nothing, "weights": {}, "count": 1 })).0,
        ErrorCode::Invalid
    );
}

#[test]
fn a_map_is_laid_out_kept_and_known_to_be_outdated() {
    let bench = Bench::new();
    for seed in 1..=4 {
        write(&bench.music(&format!("{seed}.wav")), song(seed, 0.0, 4.0), None);
    }
    assert_eq!(bench.call("library_map", json!({})), Value::Null);
    bench.add_music();
    let job = bench.call("make_map", json!({}));
    let job = bench.wait_for_job(&job);
    assert_eq!((&job["state"], &job["purpose"]), (&json!("done"), &json!("map")), "{job}");
    let map = bench.call("library_map", json!({}));
    assert_eq!(map["ids"].as_array().unwrap().len(), 4);
    for axis in ["x", "y"] {
        let places: Vec<f64> = map[axis].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        assert!(places.iter().all(|place| (0.0..=1.0).contains(place)) && places.contains(&0.0), "{places:?}");
    }
    assert_eq!(map["colours"].as_object().unwrap().len(), 25);
    assert_eq!(map["colours"]["loudness_lufs"].as_array().unwrap().len(), 4);
    assert_eq!(map["outdated"], false);

    // The next start has it still; another track makes it outdated, and continues it.
    let folder = std::sync::Arc::clone(&bench.folder);
    drop(bench);
    let bench = Bench::in_folder(folder);
    assert_eq!(bench.call("library_map", json!({}))["ids"], map["ids"]);
    write(&bench.music("5.wav"), song(5, 0.0, 4.0), None);
    bench.call("scan_library", json!({ "folders": [] }));
    bench.wait_for_scan();
    let old = bench.call("library_map", json!({}));
    assert_eq!((&old["outdated"], old["ids"].as_array().unwrap().len()), (&json!(true), 4));
    let job = bench.call("make_map", json!({}));
    assert_eq!(bench.wait_for_job(&job)["state"], "done");
    let new = bench.call("library_map", json!({}));
    assert_eq!((&new["outdated"], new["ids"].as_array().unwrap().len()), (&json!(false), 5));
}
