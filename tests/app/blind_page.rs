//! Blind tests of the Compare page's versions, through the window's commands.

use serde_json::{Value, json};
use undertone::error::ErrorCode;

use crate::bench::{Bench, start};
use crate::compare::{add, changed, id, settled, stereo, written, written_at};

/// Opens the page with an original, a version with another low end, and one that is 6 dB quieter.
fn compared(bench: &Bench) -> Value {
    add(bench, &written(bench, "original.wav", stereo()));
    add(bench, &written(bench, "noisy.wav", changed(0, |n, s| s + if n % 2 == 0 { 0.01 } else { -0.01 })));
    add(bench, &written(bench, "quiet.wav", changed(500, |_, s| 0.5 * s)));
    settled(bench)
}

fn abx(view: &Value, trials: u32) -> Value {
    let rule = json!({ "kind": "fixed", "trials": trials, "level": 0.05 });
    let passage = json!({ "name": "all", "start_s": 0.25, "end_s": 1.5 });
    let test = json!({ "kind": "abx", "a": 0, "b": 1, "passage": passage, "rule": rule });
    json!({ "listener": "first", "note": "headphones", "versions": [id(view, 0), id(view, 1)], "test": test })
}

fn ranking(view: &Value) -> Value {
    let passages =
        json!([{ "name": "one", "start_s": 0.0, "end_s": 1.0 }, { "name": "two", "start_s": 1.0, "end_s": 2.0 }]);
    let versions = json!([id(view, 1), id(view, 2)]);
    let test = json!({ "kind": "ranking", "low_anchor": true, "mid_anchor": true, "passages": passages });
    json!({ "listener": "", "note": "", "versions": versions, "test": test })
}

fn hear(bench: &Bench, sound: Value) -> Value {
    bench.call("blind.hear", json!({ "sound": sound }))
}

#[test]
fn a_test_of_a_against_b_tells_nothing_until_it_is_over() {
    let bench = start();
    let page = compared(&bench);
    let view = bench.call("blind.start", abx(&page, 6));
    let trial = &view["trial"];
    assert_eq!(
        (&trial["names"], &trial["answered"], &trial["most"]),
        (&json!(["original.wav", "noisy.wav"]), &json!(0), &json!(6))
    );
    assert_eq!((&trial["passage_frames"], &trial["heard"]), (&json!([12_000, 72_000]), &json!({ "kind": "a" })));
    let session = trial["session"].clone();
    let early = bench.fails("blind.report", json!({ "sessions": [session] }));
    assert!(early.1.contains("not over"), "{early:?}");

    let played = bench.call("blind.play", json!({ "from_frame": 0 }));
    assert_eq!(played["comparison"]["sound"], Value::Null, "what is heard is not told");
    for sound in ["x", "b", "x"] {
        assert_eq!(hear(&bench, json!({ "kind": sound }))["trial"]["heard"], json!({ "kind": sound }));
    }
    let refused = bench.fails("blind.hear", json!({ "sound": { "kind": "stimulus", "place": 0 } }));
    assert_eq!(refused.0, ErrorCode::Invalid);
    let view = bench.call("blind.answer", json!({ "said": "x_is_a" }));
    assert_eq!((&view["trial"]["answered"], &view["trial"]["heard"]), (&json!(1), &json!({ "kind": "a" })));

    // The test is left and resumes at the same trial, even after a restart of the page.
    let view = bench.call("blind.leave", json!({}));
    assert_eq!((&view["trial"], &view["sessions"][0]["answered"]), (&Value::Null, &json!(1)));
    bench.call("blind.resume", json!({ "session": session }));
    for _ in 1..6 {
        bench.call("blind.answer", json!({ "said": "x_is_a" }));
    }
    let view = bench.call("blind.view", json!({}));
    assert_eq!((&view["trial"], &view["sessions"][0]["over"]), (&Value::Null, &json!(true)));
    let report = bench.call("blind.report", json!({ "sessions": [session] }));
    let got = &report["sessions"][0]["abx"];
    let trials = got["trials"].as_array().expect("trials");
    let right = trials.iter().filter(|trial| trial["x"] == "A").count();
    assert_eq!((trials.len(), &got["right"]), (6, &json!(right)));
    assert_eq!(trials[0]["switches"], 3);
    assert_eq!(report["sessions"][0]["matched"], true);

    let target = bench.folder.path().join("result.md");
    bench.desk.will_choose(&target);
    assert_eq!(bench.call("blind.export", json!({ "sessions": [session], "format": "markdown" })), json!(true));
    assert!(std::fs::read_to_string(&target).expect("the file").contains("headphones"));
    let view = bench.call("blind.remove", json!({ "session": session }));
    assert_eq!(view["sessions"], json!([]));
}

#[test]
fn a_ranking_presents_the_hidden_reference_and_the_anchors_among_the_versions() {
    let bench = start();
    let page = compared(&bench);
    let view = bench.call("blind.start", ranking(&page));
    assert_eq!(view["trial"]["stimuli"], 5);
    bench.call("blind.play", json!({ "from_frame": 0 }));
    for place in 0..5 {
        hear(&bench, json!({ "kind": "stimulus", "place": place }));
    }
    let few = bench.fails("blind.answer", json!({ "said": { "scores": [100.0, 50.0] } }));
    assert!(few.1.contains("5 numbers of 0 to 100"), "{few:?}");
    for _ in 0..2 {
        bench.call("blind.answer", json!({ "said": { "scores": [100.0, 80.0, 60.0, 40.0, 20.0] } }));
    }
    let view = bench.call("blind.view", json!({}));
    let report = bench.call("blind.report", json!({ "sessions": [view["sessions"][0]["id"]] }));
    let names = report["ranking"]["names"].as_array().expect("names").clone();
    let expected = ["original.wav (hidden reference)", "noisy.wav", "quiet.wav", "Anchor 3.5 kHz", "Anchor 7 kHz"];
    assert_eq!(names, expected);
    assert_eq!(report["sessions"][0]["scores"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_test_is_only_resumed_with_the_same_sounds() {
    let bench = start();
    let page = compared(&bench);
    let view = bench.call("blind.start", abx(&page, 8));
    let session = view["trial"]["session"].clone();
    bench.call("blind.leave", json!({}));
    bench.call("compare.remove", json!({ "versions": [id(&page, 1)] }));
    let refused = bench.fails("blind.resume", json!({ "session": session }));
    assert!(refused.1.contains("noisy.wav"), "{refused:?}");
    add(&bench, &written(&bench, "noisy.wav", changed(0, |_, s| 0.9 * s)));
    settled(&bench);
    bench.fails("blind.resume", json!({ "session": session }));
    let view = add(&bench, &written(&bench, "again.wav", changed(0, |n, s| s + if n % 2 == 0 { 0.01 } else { -0.01 })));
    settled(&bench);
    bench.call("blind.resume", json!({ "session": session }));
    let other = id(&view, 1);
    bench.call("blind.leave", json!({}));
    bench.call("compare.set_reference", json!({ "version": other }));
    settled(&bench);
    let refused = bench.fails("blind.resume", json!({ "session": session }));
    assert!(refused.1.contains("original.wav"), "{refused:?}");
}

#[test]
fn a_test_is_resumed_where_its_versions_lay_then() {
    let bench = start();
    let page = compared(&bench);
    let view = bench.call("blind.start", abx(&page, 8));
    let session = view["trial"]["session"].clone();
    bench.call("blind.leave", json!({}));
    // As if another version of the program had aligned it a tenth of a frame differently.
    let folder = bench.folder.path().join("data").join("blind");
    let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let mut stored: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let content = stored["plan"]["versions"][1]["content"].as_str().unwrap().to_owned();
    let mut parts: Vec<String> = content.split('|').map(str::to_owned).collect();
    let offset = parts.iter().position(|part| part == "96000").expect("the length") + 1;
    for (bits, is_resumed) in [(0.1f64.to_bits(), true), ((-0.0f64).to_bits(), true), (f64::NAN.to_bits(), false)] {
        parts[offset] = bits.to_string();
        stored["plan"]["versions"][1]["content"] = json!(parts.join("|"));
        std::fs::write(&file, stored.to_string()).unwrap();
        let resumed = bench.app.call("blind.resume", json!({ "session": session }));
        assert_eq!(resumed.is_ok(), is_resumed, "{bits}: {resumed:?}");
        if is_resumed {
            assert_eq!(bench.call("blind.play", json!({ "from_frame": 0 }))["comparison"]["sound"], Value::Null);
            bench.call("blind.leave", json!({}));
        }
    }
}

#[test]
fn what_cannot_be_tested_says_why() {
    let bench = start();
    let refused = bench.fails("blind.play", json!({ "from_frame": 0 }));
    assert!(refused.1.contains("No blind test runs"), "{refused:?}");
    let page = compared(&bench);
    let mut wish = abx(&page, 8);
    wish["test"]["passage"]["end_s"] = json!(90.0);
    assert!(bench.fails("blind.start", wish).1.contains("within the 2.000 s"));
    assert!(bench.fails("blind.start", abx(&page, 3)).1.contains("5 to 500"));
    let mut same = abx(&page, 8);
    same["versions"] = json!([id(&page, 1), id(&page, 1)]);
    assert!(bench.fails("blind.start", same).1.contains("another version"));
    let mut gone = abx(&page, 8);
    gone["versions"][1] = json!(77);
    assert!(bench.fails("blind.start", gone).1.contains("version"));
    for session in ["", "../session", "9-9", "/etc/passwd"] {
        assert!(bench.fails("blind.resume", json!({ "session": session })).1.contains("blind test"));
    }
    // Anchors need frequencies to remove.
    let low = written_at(&bench, "low.wav", 8000, stereo());
    bench.call("compare.remove", json!({ "versions": [id(&page, 0), id(&page, 1), id(&page, 2)] }));
    add(&bench, &low);
    add(&bench, &written_at(&bench, "low again.wav", 8000, stereo()));
    let page = settled(&bench);
    let mut wish = ranking(&page);
    wish["versions"] = json!([id(&page, 1)]);
    assert!(bench.fails("blind.start", wish).1.contains("3.5 kHz anchor needs a sample rate of 11025 Hz"));

    // A file that is not a session is listed with the reason, and can be removed.
    let folder = bench.folder.path().join("data").join("blind");
    std::fs::write(folder.join("1-0.json"), "{}").expect("a file");
    let view = bench.call("blind.view", json!({}));
    let broken =
        view["sessions"].as_array().expect("sessions").iter().find(|session| session["id"] == "1-0").expect("listed");
    assert!(broken["failure"].as_str().is_some_and(|why| why.contains("no blind test")), "{broken}");
    bench.call("blind.remove", json!({ "session": "1-0" }));
    assert_eq!(
        bench.call("blind.odds", json!({ "rule": { "kind": "fixed", "trials": 16, "level": 0.05 } }))["least_right"],
        12
    );
}
