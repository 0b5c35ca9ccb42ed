//! Duplicate tracks, and the user's decisions about them.

use serde_json::{Value, json};
use undertone::error::ErrorCode;

use super::bench::{Bench, song, write};

#[test]
fn copies_are_grouped_around_the_best_one() {
    let bench = Bench::new();
    assert_eq!(bench.call("library.duplicates", json!({})), Value::Null);
    write(&bench.music("whole.flac"), song(2, 0.0, 16.0), Some("Miles Davis"));
    write(&bench.music("cut.wav"), song(2, 4.0, 12.0), None);
    write(&bench.music("quiet.wav"), song(2, 0.0, 16.0).iter().map(|x| x / 2.0).collect(), None);
    write(&bench.music("other.wav"), song(3, 0.0, 16.0), None);
    write(&bench.music("again.wav"), song(3, 0.0, 16.0), None);
    write(&bench.music("alone.wav"), song(4, 0.0, 16.0), None);
    bench.add_music();
    let find = || {
        let job = bench.call("library.find_duplicates", json!({}));
        let job = bench.wait_for_job(&job);
        assert_eq!((&job["state"], &job["purpose"]), (&json!("done"), &json!("duplicates")), "{job}");
        bench.call("library.duplicates", json!({}))
    };
    let found = find();
    assert_eq!((&found["tracks"], &found["outdated"]), (&json!(6), &json!(false)));
    let groups = found["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 2, "{found}");
    let spare = |group: &Value| {
        group.as_array().unwrap()[1..].iter().map(|member| member["track"]["bytes"].as_u64().unwrap()).sum::<u64>()
    };
    assert!(spare(&groups[0]) > spare(&groups[1]), "the most to gain first");

    let members = groups[0].as_array().unwrap();
    let of =
        |name: &str| members.iter().find(|member| member["track"]["name"] == name).unwrap_or_else(|| panic!("{name}"));
    assert_eq!(members.len(), 3);
    assert_eq!(members.iter().filter(|member| member["best"] == true).count(), 1);
    assert_eq!(members[0]["best"], true);
    assert_ne!(members[0]["track"]["name"], "cut.wav", "a whole copy is better");
    assert!(!members[0]["reasons"].as_array().unwrap().is_empty());
    // Four seconds are cut from its start, so the best copy starts four seconds earlier.
    let cut = of("cut.wav");
    assert!((cut["offset_s"].as_f64().unwrap() + 4.0).abs() < 0.2, "{cut}");
    assert!((cut["overlap_s"].as_f64().unwrap() - 12.0).abs() < 0.3 && cut["exact"] == false, "{cut}");
    assert_eq!(cut["track"]["name"], members[2]["track"]["name"], "the worst comes last");
    let exact = groups[1].as_array().unwrap();
    assert!(exact.iter().all(|member| member["exact"] == true && member["offset_s"] == 0.0), "{exact:?}");

    decisions(&bench, &found, &find);
}

fn decisions(bench: &Bench, found: &Value, find: &dyn Fn() -> Value) {
    let group = &found["groups"][1];
    let [first, second] = [0, 1].map(|at| group[at]["track"]["id"].as_i64().unwrap());
    let decide = |decision: Value| {
        bench.call("library.decide_duplicates", json!({ "first": second, "second": first, "decision": decision }));
    };
    decide(json!("keep_both"));
    let now = bench.call("library.duplicates", json!({}));
    assert_eq!(now["groups"][1][1]["decision"], "keep_both");
    assert_eq!((&now["groups"][1][0]["decision"], &now["outdated"]), (&Value::Null, &json!(false)));
    decide(Value::Null);
    assert_eq!(bench.call("library.duplicates", json!({}))["groups"][1][1]["decision"], Value::Null);
    let once = json!({ "first": first, "second": first, "decision": "same" });
    assert_eq!(bench.fails("library.decide_duplicates", once).0, ErrorCode::Invalid);

    // Tracks marked as different are not grouped again.
    let group = &found["groups"][0];
    let cut = group[2]["track"]["id"].as_i64().unwrap();
    for at in [0, 1] {
        let other = group[at]["track"]["id"].as_i64().unwrap();
        bench.call("library.decide_duplicates", json!({ "first": cut, "second": other, "decision": "different" }));
    }
    assert_eq!(bench.call("library.duplicates", json!({}))["groups"][0][2]["decision"], "different");
    let again = find();
    let together = |group: &Value| group.as_array().unwrap().iter().any(|member| member["track"]["id"] == cut);
    assert!(!again["groups"].as_array().unwrap().iter().any(together), "{again}");

    // A new track makes the result outdated; a removed track leaves its group.
    std::fs::remove_file(bench.music("again.wav")).unwrap();
    bench.desk.forget_events();
    bench.call("library.scan", json!({ "folders": [] }));
    bench.wait_for_scan();
    let later = bench.call("library.duplicates", json!({}));
    assert_eq!((&later["outdated"], later["groups"].as_array().unwrap().len()), (&json!(true), 1), "{later}");
}

#[test]
fn copies_at_another_speed_are_found() {
    let bench = Bench::new();
    let whole = song(2, 0.0, 16.0);
    let faster: Vec<f32> = (0..(whole.len() as f64 / 1.04) as usize - 1)
        .map(|n| {
            let at = n as f64 * 1.04;
            let (index, part) = (at as usize, at.fract() as f32);
            whole[index] * (1.0 - part) + whole[index + 1] * part
        })
        .collect();
    write(&bench.music("faster.wav"), faster, None);
    write(&bench.music("other.wav"), song(3, 0.0, 16.0), None);
    write(&bench.music("whole.wav"), whole, None);
    bench.add_music();
    let job = bench.call("library.find_duplicates", json!({}));
    assert_eq!(bench.wait_for_job(&job)["state"], "done");
    let found = bench.call("library.duplicates", json!({}));
    let members = found["groups"][0].as_array().unwrap_or_else(|| panic!("{found}"));
    assert_eq!(members.len(), 2, "{found}");
    let [best, other] = [&members[0], &members[1]];
    let speed = if best["track"]["name"] == "whole.wav" { 1.04 } else { 1.0 / 1.04 };
    assert!((other["speed"].as_f64().unwrap() - speed).abs() < 0.003, "{other}");
    assert!(other["offset_s"].as_f64().unwrap().abs() < 0.1, "{other}");
    // A library of an earlier version has no sketches; they are computed once, with the same result.
    let database = rusqlite::Connection::open(bench.database()).unwrap();
    let kept = || -> Vec<(i64, Vec<u8>)> {
        let mut rows = database.prepare("SELECT track_id, data FROM sketch ORDER BY track_id").unwrap();
        rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
    };
    let before = kept();
    assert_eq!(before.len(), 3);
    database.execute("DELETE FROM sketch WHERE track_id <> 1", []).unwrap();
    database.execute("UPDATE sketch SET data = x'0102'", []).unwrap();
    let job = bench.call("library.find_duplicates", json!({}));
    assert_eq!(bench.wait_for_job(&job)["state"], "done");
    assert_eq!(bench.call("library.duplicates", json!({}))["groups"], found["groups"]);
    assert_eq!(kept(), before);
}

#[test]
fn copies_of_a_few_seconds_are_found() {
    let bench = Bench::new();
    for seed in 2..6 {
        write(&bench.music(&format!("{seed}.wav")), song(seed, 0.0, 3.0), None);
    }
    write(&bench.music("quiet.flac"), song(2, 0.0, 3.0).iter().map(|x| x / 2.0).collect(), None);
    write(&bench.music("cut.wav"), song(2, 0.5, 2.5), None);
    bench.add_music();
    let job = bench.call("library.find_duplicates", json!({}));
    assert_eq!(bench.wait_for_job(&job)["state"], "done");
    let found = bench.call("library.duplicates", json!({}));
    let groups = found["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 1, "{found}");
    let mut names: Vec<&str> =
        groups[0].as_array().unwrap().iter().map(|member| member["track"]["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["2.wav", "cut.wav", "quiet.flac"]);
}
