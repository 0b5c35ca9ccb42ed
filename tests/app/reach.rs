//! Keys of commands and their files, formats of times, and generated signals in documents.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use undertone::audio::encode::{EncodeSettings, Encoder};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat, AudioReader, Layout};
use undertone::error::ErrorCode;
use undertone::units::SampleRate;

use super::bench::{Bench, again, start};

fn signal(kind: Value, rate: u32, channels: usize, frames: u64) -> Value {
    json!({ "signal": kind, "format": { "rate": rate, "channels": channels }, "frames": frames, "level_db": -6.0, "seed": 1 })
}

fn sine(rate: u32, channels: usize, frames: u64) -> Value {
    signal(json!({ "kind": "sine", "frequency_hz": 1000.0 }), rate, channels, frames)
}

fn opened(bench: &Bench, path: &Path) -> Value {
    bench.desk.will_choose(path);
    bench.call("workspace.open_dialog", json!({}))["documents"][0].clone()
}

fn generated(bench: &Bench) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(bench.folder.path().join("data/Generated")) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn keys_are_kept_exported_and_imported() {
    let bench = start();
    let mut settings = bench.call("settings.view", json!({}));
    assert_eq!(settings["keys"], json!({ "version": 1, "commands": {} }));
    let keys = json!({ "version": 1, "commands": { "play": ["Space", "Ctrl+Shift+P"], "undo": [] } });
    settings["keys"] = keys.clone();
    settings["time_formats"]["clock"] = json!("film_29_97_drop");
    settings["wheel"]["plain"] = json!("zoom");
    bench.call("settings.set", json!({ "settings": settings }));
    let bench = again(bench);
    let kept = bench.call("settings.view", json!({}));
    assert_eq!(kept["keys"], keys);
    assert_eq!(kept["time_formats"], json!({ "clock": "film_29_97_drop", "selection": "ruler", "cursor": "clock" }));
    assert_eq!(kept["wheel"], json!({ "plain": "zoom", "ctrl": "zoom", "shift": "scroll" }));

    let path = bench.folder.path().join("mine.json");
    bench.desk.will_choose(&path);
    assert_eq!(bench.call("settings.export_keys", json!({ "keys": keys })), json!("mine.json"));
    bench.desk.will_choose(&path);
    let imported = bench.call("settings.import_keys", json!({}));
    assert_eq!(imported, json!({ "name": "mine.json", "keys": keys, "problems": [] }));
    // Both dialogs can be cancelled.
    assert_eq!(bench.call("settings.import_keys", json!({})), Value::Null);
    assert_eq!(bench.call("settings.export_keys", json!({ "keys": keys })), Value::Null);
}

#[test]
fn a_file_of_keys_is_read_entry_by_entry_or_refused() {
    let bench = start();
    let path = bench.folder.path().join("keys.json");
    let import = |text: &str| {
        std::fs::write(&path, text).unwrap();
        bench.desk.will_choose(&path);
        bench.app.call("settings.import_keys", json!({}))
    };
    let text = r#"{"version":1,"commands":{"play":["shift+ctrl+p","Hyper+Q"],"undo":7,"of_the_future":["F9"]}}"#;
    let imported = import(text).unwrap();
    assert_eq!(imported["keys"]["commands"], json!({ "of_the_future": ["F9"], "play": ["Ctrl+Shift+P"] }));
    assert_eq!(imported["problems"].as_array().unwrap().len(), 2);
    for (wrong, why) in [("{", "JSON"), ("[]", "no keys"), (r#"{"version":9,"commands":{"a":["B"]}}"#, "newer")] {
        let error = import(wrong).unwrap_err().sentences();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_generated_signal_is_a_document_that_lasts() {
    let bench = start();
    let opened = bench.call("editor.generate", json!({ "settings": sine(48_000, 2, 48_000) }));
    let document = &opened["documents"][0];
    assert_eq!(
        (&document["name"], &document["frames"], &document["channels"]),
        (&json!("Sine.wav"), &json!(48_000), &json!(2))
    );
    let bench = again(bench);
    assert_eq!(bench.call("workspace.startup", json!({}))["documents"][0]["frames"], 48_000);
    let [path] = generated(&bench).try_into().unwrap();
    let mut audio = AudioBuffer::default();
    AudioFile::open(&path).unwrap().reader().unwrap().read(&mut audio, 48_000).unwrap();
    let expected = |frame: usize| 0.501_187_23 * (std::f64::consts::TAU * 1000.0 * frame as f64 / 48_000.0).sin();
    for frame in [0, 1, 12, 36, 47_999] {
        let got = f64::from(audio.channel(1)[frame]);
        assert!((got - expected(frame)).abs() < 1e-6, "{frame}: {got}");
    }
}

#[test]
fn a_signal_is_inserted_at_the_cursor_as_one_step() {
    let bench = start();
    let document = opened(&bench, &bench.tone("tone.wav"));
    let id = &document["id"];
    let insert =
        |settings: Value| bench.app.call("editor.insert_generated", json!({ "document": id, "settings": settings }));
    bench.call(
        "editor.set_view",
        json!({ "document": id, "view": { "start": 0.0, "end": 48_000.0 }, "cursor_frame": 12_000, "level_zoom": 1.0 }),
    );
    let view = insert(sine(48_000, 2, 6000)).unwrap();
    assert_eq!((&view["frames"], &view["undo"]), (&json!(54_000), &json!("Generate")));
    assert_eq!(view["joins"], json!([12_000, 18_000]));
    assert_eq!(bench.call("editor.undo", json!({ "document": id }))["frames"], 48_000);

    // In place of a selection.
    bench.call(
        "editor.set_selection",
        json!({ "document": id, "selection": { "start": 0, "end": 24_000 }, "band": null }),
    );
    assert_eq!(insert(signal(json!({ "kind": "pink" }), 48_000, 2, 1000)).unwrap()["frames"], 25_000);

    // A signal that cannot be generated leaves neither a file nor a step.
    let (before, steps) =
        (generated(&bench).len(), bench.call("editor.undo", json!({ "document": id }))["redo"].clone());
    for wrong in [sine(44_100, 2, 1000), sine(48_000, 1, 1000), sine(48_000, 2, 0), sine(48_000, 2, u64::MAX)] {
        assert_eq!(insert(wrong).unwrap_err().code(), ErrorCode::Invalid);
    }
    let wrong = signal(json!({ "kind": "sine", "frequency_hz": 24_000.0 }), 48_000, 2, 1000);
    assert_eq!(insert(wrong).unwrap_err().code(), ErrorCode::Invalid);
    assert_eq!(generated(&bench).len(), before);
    assert_eq!(steps, "Generate");

    // The dialog gives the number of channels, and the recording gives their loudspeakers.
    let path = bench.folder.path().join("surround.wav");
    let layout: Layout = "5.1(side)".parse().unwrap();
    let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 6).with_layout(Some(layout));
    let mut encoder = Encoder::create(&path, &EncodeSettings::default(), format, true, &[]).unwrap();
    encoder.write(&AudioBuffer::new(6, 4800)).unwrap();
    encoder.finish().unwrap();
    let document = opened(&bench, &path);
    let args = json!({ "document": document["id"], "settings": sine(48_000, 6, 1000) });
    let view = bench.call("editor.insert_generated", args);
    assert_eq!((&view["frames"], &view["layout"]), (&json!(5800), &json!("5.1(side)")));
}
