//! Exports as the window requests them: the forecast, files that are never replaced, tags, and the file afterwards.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use undertone::audio::encode::{EncodeSettings, Encoder, FileFormat};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat, Layout, Picture, Tags};
use undertone::error::ErrorCode;
use undertone::library::{FILE_NAME, Library};
use undertone::units::SampleRate;

use crate::bench::{Bench, start};
use crate::support::library::{Seen, analyser, options, wav};

fn settings() -> Value {
    json!({ "format": "wav", "bits": "16", "dither": "none", "range": null, "rate": null, "tail": false })
}

fn refusal(bench: &Bench, document: &Value, target: &Path) -> String {
    bench.desk.will_choose(target);
    let before = fs::read(target).expect("a file");
    let (code, message) =
        bench.fails("editor.choose_export", json!({ "document": document["id"], "settings": settings() }));
    assert_eq!(code, ErrorCode::Refused, "{message}");
    assert_eq!(fs::read(target).expect("a file"), before);
    message
}

fn choose(bench: &Bench, document: &Value, settings: &Value, target: &Path) -> Value {
    bench.desk.will_choose(target);
    bench.call("editor.choose_export", json!({ "document": document["id"], "settings": settings }))
}

#[test]
fn each_file_that_is_kept_says_why() {
    let bench = start();
    let [song, other, response, listed] =
        ["song", "other", "response", "listed"].map(|n| bench.tone(&format!("{n}.wav")));
    let document = bench.open(&song);
    bench.open(&other);
    let at = |name: &str| bench.folder.path().join(name);
    let named = |reason: &str| format!("{reason} Choose another name.");
    assert_eq!(refusal(&bench, &document, &other), named("This is the open recording."));
    fs::hard_link(&song, at("hard.wav")).unwrap();
    assert_eq!(refusal(&bench, &document, &at("hard.wav")), named("This is the open recording, by a link: song.wav."));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&song, at("soft.wav")).unwrap();
        assert!(
            refusal(&bench, &document, &at("soft.wav")).starts_with("This is the open recording, by a link: song.wav.")
        );
    }

    // A file that a chain reads, even while the effect is off.
    let node = bench.edit(&document, json!({ "kind": "set_chain_text", "text": "convolve(\"\")" }))["chain"]["nodes"]
        [0]["id"]
        .clone();
    bench.desk.will_choose(&response);
    bench.call(
        "editor.choose_argument",
        json!({ "document": document["id"], "node": node, "name": "file", "folder": false }),
    );
    bench.edit(&document, json!({ "kind": "set_bypass", "node": node, "bypass": true }));
    assert_eq!(refusal(&bench, &document, &response), named("The chain of an open document reads this file."));

    // A file of the batch list, and one that the batch's preset reads.
    bench.desk.will_choose(&listed);
    bench.call("batch.add_files", json!({}));
    assert_eq!(refusal(&bench, &document, &listed), named("This file is in the batch list."));
    bench.call(
        "editor.save_preset",
        json!({ "document": document["id"], "node": null, "name": "room", "replace": false }),
    );
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "" }));
    let mut batch = bench.call("batch.view", json!({}))["settings"].clone();
    batch["chain"] = json!({ "kind": "preset", "name": "room" });
    bench.call("batch.set", json!({ "settings": batch }));
    assert_eq!(refusal(&bench, &document, &response), named("The chain of the batch reads this file."));

    // Other files may be replaced once the user has agreed.
    let free = bench.tone("free.wav");
    assert!(choose(&bench, &document, &settings(), &free).is_number());
}

#[test]
fn projects_and_what_they_are_made_of_are_kept() {
    let bench = start();
    let [song, other] = ["song", "other"].map(|n| bench.tone(&format!("{n}.wav")));
    let (document, mixed) = (bench.open(&song), bench.open(&other));
    let project = bench.folder.path().join("mix.undertone");
    bench.desk.will_choose(&project);
    bench.call("workspace.save_project", json!({ "document": mixed["id"], "choose": true }));
    let reason = "This is the project of an open document. Choose another name.";
    assert_eq!(refusal(&bench, &document, &project), reason);
    assert_eq!(refusal(&bench, &mixed, &project), reason);
    // The document itself may be saved there again.
    bench.call("workspace.save_project", json!({ "document": mixed["id"], "choose": false }));

    // Once closed, it may be replaced, until it is in the batch list.
    bench.call("workspace.close_document", json!({ "document": mixed["id"] }));
    assert!(choose(&bench, &document, &settings(), &other).is_number());
    bench.desk.will_choose(&project);
    bench.call("batch.add_files", json!({}));
    assert_eq!(refusal(&bench, &document, &project), "This file is in the batch list. Choose another name.");
    let reason = "A project among the inputs reads this file. Choose another name.";
    assert_eq!(refusal(&bench, &document, &other), reason);
}

#[test]
fn the_librarys_only_copy_is_kept_and_another_may_go() {
    let bench = start();
    let document = bench.open(&bench.tone("song.wav"));
    let music = bench.folder.path().join("music");
    let at = |name: &str| -> PathBuf { music.join(name) };
    for (name, seed) in [("only.wav", 1), ("twice.wav", 2), ("again.wav", 2)] {
        wav(&at(name), seed).unwrap();
    }
    let library = Library::open(&bench.folder.path().join("data").join(FILE_NAME)).unwrap().0;
    library.add_root(&music).unwrap();
    library.scan(options(analyser(&Seen::default(), 1, Duration::ZERO))).unwrap().wait().unwrap();
    let reason = "This is the library's only copy of this track. Choose another name.";
    assert_eq!(refusal(&bench, &document, &at("only.wav")), reason);
    fs::hard_link(at("only.wav"), bench.folder.path().join("elsewhere.wav")).unwrap();
    assert!(refusal(&bench, &document, &bench.folder.path().join("elsewhere.wav")).starts_with(reason));
    // A copy with the same sound remains, so that one of the two may be replaced; then the other is the only one.
    let chosen = choose(&bench, &document, &settings(), &at("twice.wav"));
    bench.call("editor.export", json!({ "document": document["id"], "target": chosen, "settings": settings() }));
    assert_eq!(bench.wait_for_job()["state"], "done");
    assert!(refusal(&bench, &document, &at("again.wav")).starts_with(reason));
    // A link to the same file is not a copy.
    fs::hard_link(at("only.wav"), at("linked.wav")).unwrap();
    library.scan(options(analyser(&Seen::default(), 1, Duration::ZERO))).unwrap().wait().unwrap();
    assert!(refusal(&bench, &document, &at("only.wav")).starts_with(reason));
}

#[test]
fn clipping_is_foreseen_as_a_job_and_the_next_export_begins_afresh() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "gain(8.3 dB)" }));
    let mut settings = settings();
    settings["range"] = json!({ "start": 1000, "end": 40_000 });
    let job = bench.call("editor.forecast_export", json!({ "document": document["id"], "settings": settings }));
    assert_eq!(bench.wait_for_job()["state"], "done");
    let found = bench.call("editor.export_forecast", json!({ "job": job }));
    assert!(found["clipped"].as_u64().unwrap() > 0, "{found}");
    assert_eq!(found["frames"], 39_000);
    // The tone has a peak of -6.02 dB; where the range cuts into it, the true peak is a little higher.
    assert_eq!(found["remedy_gain_db"], -2.5, "{found}");
    assert_eq!(bench.call("editor.export_forecast", json!({ "job": 99 })), Value::Null);

    settings["gain_db"] = found["remedy_gain_db"].clone();
    let chosen = choose(&bench, &document, &settings, &bench.folder.path().join("out.wav"));
    let job =
        bench.call("editor.export", json!({ "document": document["id"], "target": chosen, "settings": settings }));
    let done = bench.wait_for_job();
    assert_eq!((&done["result"]["clipped"], &done["result"]["frames"]), (&json!(0), &json!(39_000)), "{done}");
    let kept = bench.call("settings.view", json!({}))["export"].clone();
    assert_eq!((&kept["range"], &kept["gain_db"]), (&Value::Null, &json!(0.0)), "of this export alone");

    bench.call("editor.show_exported", json!({ "job": job }));
    assert_eq!(bench.desk.answers.lock().unwrap().pop_front(), Some(bench.folder.path().join("out.wav")));
    let opened = bench.call("editor.open_exported", json!({ "job": job }));
    assert_eq!(opened["documents"][0]["name"], "out.wav");
    fs::remove_file(bench.folder.path().join("out.wav")).unwrap();
    assert_eq!(bench.fails("editor.show_exported", json!({ "job": job })).0, ErrorCode::Invalid);
}

#[test]
fn tags_are_changed_in_the_exported_file_alone() {
    let bench = start();
    let song = bench.folder.path().join("song.flac");
    let png = |byte: u8| {
        let mut data = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x08\0\0\0\x08\x08\x02\0\0\0".to_vec();
        data.resize(200, byte);
        data
    };
    let mut tags = Tags::default();
    for (name, text) in [("TITLE", "Old"), ("ARTIST", "Someone"), ("MOOD", "calm")] {
        tags.items.insert(name.into(), text.into());
    }
    tags.pictures.push(Picture { mime: "image/png".into(), kind: 3, data: png(1), ..Picture::default() });
    let file = AudioFile::open(&bench.tone("tone.wav")).unwrap();
    let mut audio = undertone::audio::AudioBuffer::default();
    file.reader().unwrap().read(&mut audio, 48_000).unwrap();
    let encode = EncodeSettings { format: FileFormat::Flac, ..EncodeSettings::default() };
    let mut encoder = Encoder::create_tagged(&song, &encode, file.info().audio, false, &[], &tags).unwrap();
    encoder.write(&audio).unwrap();
    encoder.finish().unwrap();
    let before = fs::read(&song).unwrap();

    let document = bench.open(&song);
    let own = bench.call("editor.export_tags", json!({ "document": document["id"] }));
    assert_eq!((&own["items"]["TITLE"], &own["cover"]["mime"]), (&json!("Old"), &json!("image/png")));
    let picture = bench.folder.path().join("new.png");
    fs::write(&picture, png(2)).unwrap();
    bench.desk.will_choose(&picture);
    let cover = bench.call("editor.choose_cover", json!({}));
    assert_eq!(cover[1]["reason"], Value::Null);
    fs::write(&picture, b"no picture").unwrap();
    bench.desk.will_choose(&picture);
    assert_eq!(bench.fails("editor.choose_cover", json!({})).0, ErrorCode::Unsupported);

    let edits = json!({
        "items": { "TITLE": "New", "ARTIST": "", "GENRE": "Jazz" },
        "cover": { "kind": "replace", "cover": cover[0] },
    });
    let plan =
        bench.call("editor.export_plan", json!({ "document": document["id"], "settings": settings(), "tags": edits }));
    assert!(plan["tag_limits"][0].as_str().unwrap().contains("MOOD, the cover"), "{plan}");
    let target = bench.folder.path().join("out.wav");
    let chosen = choose(&bench, &document, &settings(), &target);
    bench.call(
        "editor.export",
        json!({ "document": document["id"], "target": chosen, "settings": settings(), "tags": edits }),
    );
    let job = bench.wait_for_job();
    assert_eq!(job["state"], "done", "{job}");
    assert_eq!(job["result"]["bytes"], plan["bytes"], "the size was exact");
    let written = AudioFile::open(&target).unwrap().info().tags.clone();
    let texts: Vec<(&str, &str)> = written.items.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(texts, [("GENRE", "Jazz"), ("MOOD", "calm"), ("TITLE", "New")]);
    assert_eq!(written.pictures.iter().map(|picture| &picture.data).collect::<Vec<_>>(), [&png(2)]);
    assert_eq!(fs::read(&song).unwrap(), before, "the original is only read");
}

#[test]
fn the_plan_refuses_a_layout_that_the_format_cannot_hold() {
    let bench = start();
    let path = bench.folder.path().join("wide.wav");
    let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 8).with_layout(Layout::from_mask(0xff));
    let mut encoder = Encoder::create(&path, &EncodeSettings::default(), format, false, &[]).unwrap();
    encoder.write(&AudioBuffer::new(8, 4800)).unwrap();
    encoder.finish().unwrap();
    let document = bench.open(&path);
    let plan = |format: &str| {
        let mut settings = settings();
        settings["format"] = json!(format);
        json!({ "document": document["id"], "settings": settings, "tags": { "items": {}, "cover": { "kind": "keep" } } })
    };
    assert_eq!(bench.call("editor.export_plan", plan("flac"))["layout"], "The channels stay 7.1(wide).");
    let (code, message) = bench.fails("editor.export_plan", plan("vorbis"));
    assert_eq!(code, ErrorCode::Unsupported);
    assert!(message.contains("7.1(wide)") && message.contains("it is always 7.1. Choose WAV or FLAC"), "{message}");
    assert_eq!(bench.fails("editor.export_plan", plan("mp3")).0, ErrorCode::Limit);
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "downmix" }));
    assert_eq!(
        bench.call("editor.export_plan", plan("vorbis"))["layout"],
        "The channels become stereo instead of 7.1(wide)."
    );
}
