//! The page that compares versions, through the window's commands.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::audio::encode::{EncodeSettings, Encoder, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFormat};
use undertone::error::ErrorCode;
use undertone::units::SampleRate;

use crate::bench::{Bench, again, start};

const RATE: u32 = 48_000;

/// Returns two seconds of decaying notes with some noise: no two moments are alike.
fn music(channel: usize) -> Vec<f32> {
    let mut noise = 0x1234_5678_u32;
    let mut next = || {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (f64::from(noise >> 8) / f64::from(1 << 24)) - 0.5
    };
    (0..2 * RATE)
        .map(|n| {
            let note = n / 6000;
            let (t, hz) = (f64::from(n % 6000) / f64::from(RATE), 180.0 + f64::from((note * 7) % 13) * 61.0);
            let tone = (t * hz * std::f64::consts::TAU).sin() * (-8.0 * t).exp();
            (0.3 * tone + 0.04 * next() * (1.0 + channel as f64)) as f32
        })
        .collect()
}

pub fn written(bench: &Bench, name: &str, channels: Vec<Vec<f32>>) -> PathBuf {
    written_at(bench, name, RATE, channels)
}

pub fn written_at(bench: &Bench, name: &str, rate: u32, channels: Vec<Vec<f32>>) -> PathBuf {
    let path = bench.folder.path().join(name);
    let format = AudioFormat::new(SampleRate::new(rate).expect("a rate"), channels.len());
    let settings = EncodeSettings { sample: SampleFormat::Float32, ..EncodeSettings::default() };
    let mut encoder = Encoder::create(&path, &settings, format, true, &[]).expect("an encoder");
    encoder.write(&AudioBuffer::from_channels(channels)).expect("written");
    encoder.finish().expect("finished");
    path
}

pub fn stereo() -> Vec<Vec<f32>> {
    vec![music(0), music(1)]
}

/// Returns the stereo recording with each sample changed, without its first `cut` frames.
pub fn changed(cut: usize, change: impl Fn(usize, f32) -> f32) -> Vec<Vec<f32>> {
    let changed = |channel: Vec<f32>| channel.into_iter().enumerate().skip(cut).map(|(n, s)| change(n, s)).collect();
    stereo().into_iter().map(changed).collect()
}

pub fn add(bench: &Bench, path: &Path) -> Value {
    bench.desk.will_choose(path);
    bench.call("compare.add_files", json!({}))
}

/// Waits until all comparisons are done, and returns the page.
pub fn settled(bench: &Bench) -> Value {
    let end = Instant::now() + Duration::from_mins(2);
    loop {
        let view = bench.call("compare.view", json!({}));
        if view["job"].is_null() && view["waiting"] == false {
            return view;
        }
        assert!(Instant::now() < end, "the comparison did not end: {view}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub fn id(view: &Value, row: usize) -> Value {
    view["versions"][row]["id"].clone()
}

/// Returns a value of a row by the measure's name.
fn reading<'a>(view: &'a Value, row: usize, measure: &str) -> &'a Value {
    let measures = view["measures"].as_array().expect("measures");
    let place = measures.iter().position(|each| each["name"] == measure).expect("the measure");
    &view["versions"][row]["readings"][place]["whole"]
}

/// Returns the first channel of all samples of a sound.
fn samples(bench: &Bench, sound: &Value, frames: u64) -> Vec<f32> {
    let sound = serde_json::from_value(sound.clone()).expect("a sound");
    let bytes = bench.app.compare_samples(sound, 0, frames).expect("samples");
    let count = u32::from_le_bytes(bytes[4..8].try_into().expect("a word")) as usize;
    bytes[16..16 + 4 * count].chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().expect("a word"))).collect()
}

fn largest(samples: &[f32]) -> f32 {
    samples.iter().fold(0.0f32, |most, sample| most.max(sample.abs()))
}

#[test]
fn versions_are_compared_aligned_and_laid_on_the_reference() {
    let bench = start();
    let view = bench.call("compare.view", json!({}));
    assert_eq!((&view["versions"], &view["reference"], &view["heard"]), (&json!([]), &Value::Null, &Value::Null));

    add(&bench, &written(&bench, "original.wav", stereo()));
    add(&bench, &written(&bench, "copy.wav", stereo()));
    // 700 frames cut, inverted and 6 dB quieter.
    add(&bench, &written(&bench, "other.wav", changed(700, |_, sample| -0.5 * sample)));
    add(&bench, &written(&bench, "noisy.wav", changed(0, |n, s| s + if n % 2 == 0 { 0.01 } else { -0.01 })));
    let view = settled(&bench);
    let states: Vec<&Value> = view["versions"].as_array().expect("rows").iter().map(|row| &row["state"]).collect();
    assert_eq!(states, ["reference", "compared", "compared", "compared"]);
    assert_eq!((&view["reference"], &view["heard"]["version"]), (&id(&view, 0), &id(&view, 0)));

    let aligned = &view["versions"][2]["alignment"];
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!((number(&aligned["offset_s"]) + 700.0 / f64::from(RATE)).abs() < 1e-9, "{aligned}");
    assert_eq!(aligned["polarity"], -1);
    assert!((number(&aligned["gain_db"]) + 6.0206).abs() < 0.01 && number(&aligned["drift_ppm"]) == 0.0, "{aligned}");
    assert!(number(&aligned["confidence"]) > 0.8, "{aligned}");
    // Nothing differs: a ratio is infinite, a distance 0.
    assert_eq!((&reading(&view, 1, "snr")["infinite"], &reading(&view, 1, "l1")["value"]), (&json!(1), &json!(0.0)));
    assert!(reading(&view, 3, "snr")["value"].as_f64().is_some_and(|snr| (5.0..30.0).contains(&snr)));
    assert!(reading(&view, 3, "pesq_wb")["missing"].as_str().is_some_and(|why| !why.is_empty()));

    // Playback and drawing follow the reference's time, frame by frame.
    let (frames, original) = (u64::from(2 * RATE), stereo().remove(0));
    let version = |row: usize| json!({ "kind": "version", "version": id(&view, row) });
    let difference = |row: usize| json!({ "kind": "difference", "version": id(&view, row) });
    assert_eq!(samples(&bench, &version(0), frames), original);
    let laid = samples(&bench, &version(2), frames);
    assert!(laid[..700].iter().all(|&sample| sample == 0.0));
    assert!(laid[700..].iter().zip(&original[700..]).all(|(laid, own)| *laid == 0.5 * own), "inverted back");

    // The difference of a copy is silence; so is, at equal levels, the difference of a shifted, inverted and quieter
    // copy.
    assert_eq!(largest(&samples(&bench, &difference(1), frames)), 0.0);
    assert!(largest(&samples(&bench, &difference(2), frames)) < 1e-5);
    let noise = samples(&bench, &difference(3), frames);
    assert!((largest(&noise) - 0.01).abs() < 1e-3 && noise[1000] * noise[1001] < 0.0);
    // Without matched levels, the difference in level remains.
    bench.call("compare.set_matched", json!({ "matched": false }));
    let left = samples(&bench, &difference(2), frames);
    assert!(left[700..].iter().zip(&original[700..]).all(|(left, own)| (left + 0.5 * own).abs() < 1e-6));
    assert!(left[..700].iter().all(|&sample| sample == 0.0), "what only one of both has is no difference");

    // Played at the loudness of the quietest.
    let gains: Vec<f64> =
        view["versions"].as_array().expect("rows").iter().map(|row| number(&row["gain_db"])).collect();
    assert!(gains[2] == 0.0 && (gains[0] + 6.0).abs() < 0.2 && (gains[0] - gains[1]).abs() < 1e-9, "{gains:?}");

    let curves = bench.call("compare.curves", json!({ "measure": "segmental_snr" }));
    assert!(curves.as_array().is_some_and(|curves| curves.len() >= 2), "{curves}");
    let of_other = bench.call("compare.curves", json!({ "measure": "l1" }));
    let start_s = of_other[1]["start_s"].as_f64().expect("a time");
    assert!(start_s >= 700.0 / f64::from(RATE), "a curve begins where the version does: {start_s}");
}

#[test]
fn another_reference_and_what_is_removed() {
    let bench = start();
    add(&bench, &written(&bench, "a.wav", stereo()));
    add(&bench, &written(&bench, "b.wav", changed(700, |_, sample| 0.5 * sample)));
    let view = settled(&bench);
    let revision = view["timeline"]["revision"].clone();
    let view = bench.call("compare.set_reference", json!({ "version": id(&view, 1) }));
    assert_eq!(view["reference"], id(&view, 1));
    assert_ne!(view["timeline"]["revision"], revision);
    let view = settled(&bench);
    assert_eq!(view["versions"][1]["state"], "reference");
    let offset = view["versions"][0]["alignment"]["offset_s"].as_f64().expect("an offset");
    assert!((offset - 700.0 / f64::from(RATE)).abs() < 1e-9, "{offset}");
    // After changing back, nothing is compared a second time.
    let view = bench.call("compare.set_reference", json!({ "version": id(&view, 0) }));
    assert_eq!((&view["versions"][1]["state"], &view["job"]), (&json!("compared"), &Value::Null));

    let view = bench.call("compare.remove", json!({ "versions": [id(&view, 0)] }));
    assert_eq!((view["versions"].as_array().map(Vec::len), &view["reference"]), (Some(1), &id(&view, 0)));
    let view = bench.call("compare.remove", json!({ "versions": [id(&view, 0)] }));
    assert_eq!((&view["versions"], &view["reference"], &view["timeline"]), (&json!([]), &Value::Null, &Value::Null));
}

#[test]
fn versions_are_measured_at_the_level_of_the_reference() {
    let bench = start();
    add(&bench, &written(&bench, "a.wav", stereo()));
    add(&bench, &written(&bench, "quiet.wav", changed(0, |n, s| 0.25 * (s + if n % 2 == 0 { 0.002 } else { -0.002 }))));
    let as_they_are = settled(&bench);
    assert_eq!(as_they_are["match_level"], false);
    let snr = |view: &Value| reading(view, 1, "snr")["value"].as_f64().expect("a ratio");
    assert!((snr(&as_they_are) - 2.5).abs() < 0.1, "{}", snr(&as_they_are));
    let started = bench.call("compare.measure_at_equal_level", json!({ "on": true }));
    assert_eq!(started["match_level"], true);
    // The playback gain does not depend on how versions are measured.
    assert_eq!(started["versions"][1]["gain_db"], as_they_are["versions"][1]["gain_db"]);
    samples(&bench, &json!({ "kind": "difference", "version": id(&started, 1) }), 100);
    let equal = settled(&bench);
    assert!(snr(&equal) > 20.0, "{}", snr(&equal));
    assert!(reading(&equal, 1, "loudness_difference")["value"].as_f64().is_some_and(|lu| lu.abs() < 0.1));
    let note = |view: &Value| view["versions"][1]["notes"].to_string();
    assert!(
        note(&equal).contains("+12.0") && note(&equal).contains("to the level of the reference"),
        "{}",
        note(&equal)
    );
    // Known readings are not measured again.
    let back = bench.call("compare.measure_at_equal_level", json!({ "on": false }));
    assert_eq!((&back["job"], snr(&back)), (&Value::Null, snr(&as_they_are)));
    bench.call("compare.measure_at_equal_level", json!({ "on": true }));
    let bench = again(bench);
    assert_eq!(bench.call("compare.view", json!({}))["match_level"], true);
}

#[test]
fn what_cannot_be_read_or_compared_says_which_and_why() {
    let bench = start();
    let text = bench.folder.path().join("letter.wav");
    std::fs::write(&text, "Dear reader, this is not a recording.\n").expect("written");
    let view = add(&bench, &text);
    assert_eq!((&view["versions"][0]["state"], &view["reference"]), (&json!("failed"), &Value::Null));
    assert!(view["versions"][0]["failure"]["message"].as_str().is_some_and(|why| why.contains("audio")), "{view}");
    assert_eq!(bench.fails("compare.play", json!({ "from_frame": 0 })).0, ErrorCode::Invalid);

    add(&bench, &written(&bench, "a.wav", stereo()));
    // Silence cannot be aligned.
    add(&bench, &written(&bench, "silence.wav", vec![vec![0.0; 48_000]; 2]));
    let view = settled(&bench);
    assert_eq!(view["reference"], id(&view, 1), "the first that can be read");
    let silent = &view["versions"][2];
    assert_eq!(
        (&silent["state"], &silent["alignment"], &silent["gain_db"]),
        (&json!("compared"), &Value::Null, &Value::Null)
    );
    assert!(silent["notes"].to_string().contains("silent"), "{silent}");
    assert!(reading(&view, 2, "snr")["missing"].as_str().is_some_and(|why| why.contains("silent")));
    let null = json!({ "sound": { "kind": "difference", "version": silent["id"] } });
    let (code, why) = bench.fails("compare.hear", null);
    assert!(code == ErrorCode::Invalid && why.contains("not aligned"), "{why}");
    let own = json!({ "sound": { "kind": "difference", "version": view["reference"] } });
    assert!(bench.fails("compare.hear", own).1.contains("does not differ"));
    bench.fails("compare.hear", json!({ "sound": { "kind": "version", "version": 999 } }));
    bench.fails("compare.set_reference", json!({ "version": id(&view, 0) }));
    bench.fails("compare.set_difference_gain", json!({ "db": 900.0 }));
    bench.fails("compare.curves", json!({ "measure": "loveliness" }));

    // A file that was cut off fails alone.
    let path = written(&bench, "later.wav", stereo());
    let bytes = std::fs::read(&path).expect("read");
    std::fs::write(&path, &bytes[..20]).expect("cut");
    let view = add(&bench, &path);
    assert_eq!(view["versions"][3]["state"], "failed", "{view}");
    assert_eq!(settled(&bench)["versions"][2]["state"], "compared");
    // Once it can be read, another attempt compares it.
    std::fs::write(&path, &bytes).expect("written");
    bench.call("compare.start", json!({}));
    let view = settled(&bench);
    assert_eq!((&view["versions"][3]["state"], &view["versions"][0]["state"]), (&json!("compared"), &json!("failed")));
}

#[test]
fn a_comparison_is_cancelled_and_goes_on_later() {
    let bench = start();
    add(&bench, &written(&bench, "a.wav", stereo()));
    for n in 0..6 {
        add(&bench, &written(&bench, &format!("b{n}.wav"), changed(n * 10, |_, sample| 0.9 * sample)));
    }
    bench.call("compare.cancel", json!({}));
    let end = Instant::now() + Duration::from_mins(1);
    let view = loop {
        let view = bench.call("compare.view", json!({}));
        if view["job"].is_null() {
            break view;
        }
        assert!(Instant::now() < end, "it was not cancelled");
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(view["versions"].as_array().expect("rows").iter().any(|row| row["state"] == "waiting"), "{view}");
    assert_eq!(view["waiting"], true);
    bench.call("compare.start", json!({}));
    let view = settled(&bench);
    assert!(view["versions"].as_array().expect("rows").iter().skip(1).all(|row| row["state"] == "compared"));
}

#[test]
fn the_list_is_there_at_the_next_start_and_nothing_is_compared_unasked() {
    let bench = start();
    add(&bench, &written(&bench, "a.wav", stereo()));
    let view = add(&bench, &written(&bench, "b.wav", changed(700, |_, sample| 0.5 * sample)));
    bench.call("compare.set_reference", json!({ "version": id(&view, 1) }));
    settled(&bench);
    std::fs::remove_file(bench.folder.path().join("a.wav")).expect("removed");
    let bench = again(bench);
    let view = bench.call("compare.view", json!({}));
    let names: Vec<&Value> = view["versions"].as_array().expect("rows").iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["a.wav", "b.wav"]);
    assert_eq!((&view["reference"], &view["job"]), (&id(&view, 1), &Value::Null));
    assert_eq!(view["versions"][0]["state"], "failed", "a file that is gone says so");
    // A damaged list counts as empty.
    std::fs::write(bench.folder.path().join("data/compare.json"), "{\"files\": 7").expect("written");
    let bench = again(bench);
    assert_eq!(bench.call("compare.view", json!({}))["versions"], json!([]));
}

#[test]
fn an_open_document_is_a_version_as_it_is_heard() {
    let bench = start();
    let path = written(&bench, "a.wav", stereo());
    add(&bench, &path);
    let document = bench.open(&path);
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "gain(-6 dB)" }));
    bench.call("compare.add_documents", json!({ "documents": [document["id"]] }));
    // Later edits of the document do not change the version.
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "gain(-30 dB)" }));
    bench.call("workspace.close_document", json!({ "document": document["id"] }));
    let view = settled(&bench);
    let gain = view["versions"][1]["alignment"]["gain_db"].as_f64().expect("a gain");
    assert!((gain + 6.0).abs() < 0.01, "{gain}");
    bench.fails("compare.add_documents", json!({ "documents": [999] }));
}

#[test]
fn a_comparison_is_written_in_every_form() {
    let bench = start();
    add(&bench, &written(&bench, "a.wav", stereo()));
    add(&bench, &written(&bench, "b<i>|b.wav", changed(0, |n, s| s + if n % 2 == 0 { 0.01 } else { -0.01 })));
    assert_eq!(bench.fails("compare.export", json!({ "format": "csv" })).0, ErrorCode::Invalid);
    settled(&bench);
    let write = |format: &str, name: &str| {
        let path = bench.folder.path().join(name);
        bench.desk.will_choose(&path);
        bench.call("compare.export", json!({ "format": format }));
        let job = bench.wait_for_job();
        assert_eq!(job["state"], "done", "{job}");
        std::fs::read_to_string(path).expect("a file")
    };
    let csv = write("csv", "out.csv");
    let mut lines = csv.lines();
    assert!(lines.next().is_some_and(|head| head.starts_with("reference,other,offset_s") && head.ends_with(",notes")));
    assert!(lines.next().is_some_and(|row| row.starts_with("a.wav,b<i>|b.wav,0,0,1,")), "{csv}");
    let json: Value = serde_json::from_str(&write("json", "out.json")).expect("JSON");
    let pair = &json["pairs"][0];
    assert_eq!((&pair["reference"], &pair["other"]), (&json!("a.wav"), &json!("b<i>|b.wav")));
    assert!(pair["measures"]["snr"].is_number() && pair["missing"]["pesq_wb"].is_string());
    assert!(pair["curves"]["segmental_snr"]["values"].is_array());
    let markdown = write("markdown", "out.md");
    assert!(markdown.contains("| b<i>\\|b.wav |"), "{markdown}");
    let html = write("html", "out.html");
    assert!(html.contains("b&lt;i&gt;|b.wav") && !html.contains("<i>|"), "names cannot become elements");
    assert_eq!(html.matches("src=\"data:image/png;base64,iVBOR").count(), 3, "reference, version, difference");
    assert!(html.contains("<svg") && !html.contains("http://") && !html.contains("https://"), "it needs nothing else");
    // No version is overwritten.
    bench.desk.will_choose(&bench.folder.path().join("a.wav"));
    assert_eq!(bench.fails("compare.export", json!({ "format": "csv" })).0, ErrorCode::Refused);
}
