//! The codec grid as the window requests it.

use serde_json::{Value, json};
use undertone::error::ErrorCode;

use crate::bench::{Bench, start};

/// Makes a grid of a folder with two tones and a file that is not audio.
fn filled() -> Bench {
    let bench = start();
    let at = |name: &str| bench.folder.path().join(name);
    for folder in ["set", "set/low", "set/high", "out"] {
        std::fs::create_dir(at(folder)).unwrap();
    }
    bench.sine("set/low/a.wav", 300.0);
    bench.sine("set/high/b.wav", 3000.0);
    std::fs::write(at("set/low/broken.wav"), "RIFF").unwrap();
    bench.desk.will_choose(&at("set"));
    let view = bench.call("codecs.add_folders", json!({}));
    assert_eq!(view["recordings"].as_array().unwrap().len(), 3, "{view}");
    bench.desk.will_choose(&at("out"));
    bench.call("codecs.choose_output", json!({}));
    bench
}

fn set(bench: &Bench, codecs: &str, measures: &[&str]) -> Value {
    bench.call("codecs.set", json!({ "settings": { "codecs": codecs, "measures": measures, "keeps_decoded": true } }))
}

#[test]
fn a_grid_is_run_and_its_sounds_are_opened() {
    let bench = filled();
    set(&bench, "pcm:8,12 flac", &["snr", "l1"]);
    let started = bench.call("codecs.start", json!({}));
    assert_eq!(started["phase"], "running");
    let job = bench.wait_for_job();
    assert_eq!((job["purpose"].as_str(), job["state"].as_str()), (Some("codecs"), Some("done")), "{job}");
    assert_eq!((job["done"].as_u64(), job["total"].as_u64()), (Some(9), Some(9)));
    let view = bench.call("codecs.view", json!({}));
    let results = &view["results"];
    assert_eq!((view["phase"].as_str(), results["cells"].as_u64()), (Some("done"), Some(9)));
    assert_eq!((results["failed"].as_u64(), results["failures"].as_array().unwrap().len()), (Some(3), 3));
    assert_eq!(results["categories"].as_array().unwrap().len(), 2);
    let rows = results["overall"].as_array().unwrap();
    let snr = |row: usize| rows[row]["values"][0]["mean"].as_f64().unwrap();
    assert!((snr(1) - snr(0) - 24.1).abs() < 3.0, "four bits more: {rows:?}");
    assert_eq!((&rows[2]["values"][0], rows[2]["infinite"][0].as_u64()), (&Value::Null, Some(2)));
    let recording = view["recordings"].as_array().unwrap().iter().find(|own| own["name"] == "a.wav").unwrap();
    let cells = bench.call("codecs.cells", json!({ "recording": recording["id"] }));
    assert!(cells.as_array().unwrap().len() == 3 && cells[0]["has_sound"] == true, "{cells}");
    for codec in ["pcm:8", "pcm:8"] {
        let compared = bench.call("codecs.compare", json!({ "recording": recording["id"], "codec": codec }));
        let versions = compared["versions"].as_array().unwrap();
        assert_eq!((versions.len(), &versions[0]["name"]), (2, &json!("a.wav")), "{compared}");
        assert_eq!(compared["reference"], versions[0]["id"]);
    }
    let (code, _) = bench.fails("codecs.compare", json!({ "recording": recording["id"], "codec": "opus:64" }));
    assert_eq!(code, ErrorCode::Invalid);
    bench.call("codecs.show_report", json!({}));
    assert!(bench.folder.path().join("out/report.html").is_file());
}

#[test]
fn what_is_missing_or_wrong_is_told_before_the_start() {
    let bench = start();
    assert!(bench.fails("codecs.start", json!({})).1.contains("No folder for the results"));
    assert_eq!(bench.fails("codecs.show_report", json!({})).0, ErrorCode::Invalid);
    assert_eq!(bench.fails("codecs.cells", json!({ "recording": 1 })).0, ErrorCode::Invalid);
    let bench = filled();
    let view = set(&bench, "opus:64 acc:3", &["snr"]);
    assert!(view["problem"].as_str().unwrap().contains("acc") && view["codecs"] == json!([]), "{view}");
    assert_eq!(bench.fails("codecs.start", json!({})).0, ErrorCode::Invalid);
    set(&bench, "flac", &["loud"]);
    assert!(bench.fails("codecs.start", json!({})).1.contains("loud"));
    let long = json!({ "settings": { "codecs": "x".repeat(70_000), "measures": [], "keeps_decoded": false } });
    assert_eq!(bench.fails("codecs.set", long).0, ErrorCode::Limit);
    set(&bench, "", &["snr"]);
    assert!(bench.fails("codecs.start", json!({})).1.contains("at least one recording and one codec"));
}

#[test]
fn a_cancelled_grid_goes_on_where_it_was() {
    let bench = filled();
    set(&bench, "opus:32,48,64,96,128 vorbis:q0,q1,q2,q3,q4,q5", &["snr", "mel", "stoi"]);
    bench.call("codecs.start", json!({}));
    assert!(bench.fails("codecs.remove", json!({ "recordings": [1] })).1.contains("Cancel them before"));
    bench.call("codecs.cancel", json!({}));
    assert_eq!(bench.wait_for_job()["state"], "cancelled");
    assert_eq!(bench.call("codecs.view", json!({}))["phase"], "cancelled");
    bench.call("codecs.start", json!({}));
    assert_eq!(bench.wait_for_job()["state"], "done");
    let view = bench.call("codecs.view", json!({}));
    assert_eq!((view["phase"].as_str(), view["results"]["failed"].as_u64()), (Some("done"), Some(11)));
    let gone = bench.call("codecs.remove", json!({ "recordings": [1, 2, 3] }));
    assert_eq!(gone["recordings"], json!([]));
}

#[test]
fn a_folder_with_other_things_is_refused_as_a_whole() {
    let bench = filled();
    std::fs::write(bench.folder.path().join("out/mine.txt"), "mine").unwrap();
    set(&bench, "pcm:8", &["snr"]);
    bench.call("codecs.start", json!({}));
    let job = bench.wait_for_job();
    assert_eq!((job["state"].as_str(), job["failure"]["code"].as_str()), (Some("failed"), Some("refused")), "{job}");
    let view = bench.call("codecs.view", json!({}));
    assert_eq!((view["phase"].as_str(), view["failure"]["code"].as_str()), (Some("failed"), Some("refused")));
}
