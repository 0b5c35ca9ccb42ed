//! Tracks of documents: their sum, the choice, edits, undo, session, project, and export.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use undertone::audio::encode::{EncodeSettings, Encoder, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat};
use undertone::document::TrackId;
use undertone::effects::Permission;
use undertone::error::ErrorCode;
use undertone::units::SampleRate;

use super::bench::{Bench, again, start};

const RATE: u32 = 48_000;

/// Returns a sample that differs for every channel, frame and file.
fn sample(file: usize, channel: usize, frame: usize) -> f32 {
    let x = (frame * 7 + channel * 131 + file * 977) % 1000;
    x as f32 / 4000.0 - 0.125
}

fn written(bench: &Bench, name: &str, file: usize, channels: usize, frames: usize) -> PathBuf {
    let path = bench.folder.path().join(name);
    let format = AudioFormat::new(SampleRate::new(RATE).expect("a rate"), channels);
    let audio = AudioBuffer::from_channels(
        (0..channels).map(|channel| (0..frames).map(|frame| sample(file, channel, frame)).collect()).collect(),
    );
    let settings = EncodeSettings { sample: SampleFormat::Float32, ..EncodeSettings::default() };
    let mut encoder = Encoder::create(&path, &settings, format, true, &[]).expect("an encoder");
    encoder.write(&audio).expect("written");
    encoder.finish().expect("finished");
    path
}

/// Opens a stereo recording of 4000 frames with a mono one of 6000 frames as its second track.
fn two(bench: &Bench) -> Value {
    let document = bench.open(&written(bench, "one.wav", 0, 2, 4000));
    bench.desk.will_choose(&written(bench, "two.wav", 1, 1, 6000));
    bench.call("editor.import_tracks", json!({ "document": document["id"] }))
}

fn tracks(bench: &Bench, document: &Value, edit: Value) -> Value {
    bench.call("editor.edit_tracks", json!({ "document": document["id"], "edit": edit, "gesture": null }))
}

fn choose(bench: &Bench, document: &Value, choice: Value) -> Value {
    bench.call("editor.choose_track", json!({ "document": document["id"], "choice": choice }))
}

fn chain(bench: &Bench, document: &Value, text: &str) -> Value {
    bench.edit(document, json!({ "kind": "set_chain_text", "text": text }))
}

/// Exports the document as 32 bit float samples and reads them.
fn exported(bench: &Bench, document: &Value, name: &str) -> AudioBuffer {
    let target = bench.folder.path().join(name);
    let mut settings = bench.call("settings.view", json!({}))["export"].clone();
    settings["bits"] = json!("f32");
    settings["dither"] = json!("none");
    bench.desk.will_choose(&target);
    let chosen = bench.call("editor.choose_export", json!({ "document": document["id"], "settings": settings }));
    let asked = json!({ "document": document["id"], "target": chosen, "settings": settings, "tags": null });
    bench.call("editor.export", asked);
    let job = bench.wait_for_job();
    assert_eq!(job["state"], "done", "{job}");
    read(&target)
}

fn read(path: &Path) -> AudioBuffer {
    let mut audio = AudioBuffer::default();
    let file = AudioFile::open(path).expect("a file");
    file.reader().expect("a reader").read(&mut audio, file.info().frames as usize).expect("read");
    audio
}

/// Runs the command line in the folder. Returns its exit code, its output and its messages.
fn undertone(bench: &Bench, words: &[&str]) -> (i32, String, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_undertone"));
    command.args(words).current_dir(bench.folder.path());
    command.env("UNDERTONE_CONFIG_DIR", bench.folder.path()).env("UNDERTONE_DATA_DIR", bench.folder.path());
    let output = command.output().expect("the command line");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn near(got: f32, want: f64, what: &str) {
    assert!((f64::from(got) - want).abs() < 2e-7, "{what}: {got} instead of {want}");
}

#[test]
fn the_sum_has_every_track_through_its_own_chain_gain_and_pan() {
    let bench = start();
    let document = two(&bench);
    assert_eq!(
        (&document["frames"], &document["channels"]),
        (&json!(6000), &json!(2)),
        "the longest; the first is chosen"
    );
    assert_eq!(document["chosen"], json!({ "track": 1 }));
    let names: Vec<&Value> =
        document["tracks"].as_array().expect("tracks").iter().map(|track| &track["name"]).collect();
    assert_eq!(names, ["one", "two"]);

    chain(&bench, &document, "gain(-6 dB)");
    tracks(&bench, &document, json!({ "kind": "gain", "track": 2, "db": 3.0 }));
    let changed = tracks(&bench, &document, json!({ "kind": "pan", "track": 2, "pan": 1.0 }));
    assert_eq!(changed["undo"], "Change track pan");
    choose(&bench, &document, json!("sum"));
    let sum = chain(&bench, &document, "gain(2 dB)");
    assert_eq!((&sum["channels"], &sum["chosen"]), (&json!(2), &json!("sum")));

    let gain = |db: f64| 10f64.powf(db / 20.0);
    let got = exported(&bench, &document, "sum.wav");
    assert_eq!((got.channels(), got.frames()), (2, 6000));
    for frame in 0..6000 {
        let first = |channel| if frame < 4000 { f64::from(sample(0, channel, frame)) * gain(-6.0) } else { 0.0 };
        let second = f64::from(sample(1, 0, frame)) * gain(3.0);
        near(got.channel(0)[frame], first(0) * gain(2.0), "left");
        near(got.channel(1)[frame], (first(1) + second) * gain(2.0), "right");
    }

    // A mute silences the other track alone; a solo has the same effect from the other track.
    tracks(&bench, &document, json!({ "kind": "mute", "track": 2, "on": true }));
    let muted = exported(&bench, &document, "muted.wav");
    tracks(&bench, &document, json!({ "kind": "mute", "track": 2, "on": false }));
    tracks(&bench, &document, json!({ "kind": "solo", "track": 1, "on": true }));
    let solo = exported(&bench, &document, "solo.wav");
    assert_eq!(muted, solo);
    near(muted.channel(1)[17], f64::from(sample(0, 1, 17)) * gain(-4.0), "alone");
    assert_eq!(muted.channel(0)[5000], 0.0, "as long as the document");
}

#[test]
fn what_a_track_needs_of_its_whole_signal_is_measured_for_the_sum() {
    let bench = start();
    let document = two(&bench);
    choose(&bench, &document, json!({ "track": 2 }));
    chain(&bench, &document, "normalize(-12 dB)");
    tracks(&bench, &document, json!({ "kind": "solo", "track": 2, "on": true }));
    let got = exported(&bench, &document, "normal.wav");
    let peak = got.channel(0).iter().fold(0.0_f32, |peak, x| peak.max(x.abs()));
    near(peak, 10f64.powf(-12.0 / 20.0), "peak");
}

#[test]
fn each_track_is_exported_as_it_enters_the_sum() {
    let bench = start();
    let document = two(&bench);
    chain(&bench, &document, "gain(-6 dB)");
    tracks(&bench, &document, json!({ "kind": "pan", "track": 2, "pan": -1.0 }));
    tracks(&bench, &document, json!({ "kind": "mute", "track": 2, "on": true }));
    let mut settings = bench.call("settings.view", json!({}));
    settings["export"]["bits"] = json!("f32");
    bench.call("settings.set", json!({ "settings": settings }));
    let folder = bench.folder.path().join("stems");
    std::fs::create_dir(&folder).expect("a folder");
    bench.desk.will_choose(&folder);
    bench.call("editor.export_stems", json!({ "document": document["id"] }));
    let job = bench.wait_for_job();
    assert_eq!((&job["state"], &job["done"]), (&json!("done"), &json!(2)), "{job}");
    let one = read(&folder.join("01 one.wav"));
    near(one.channel(1)[100], f64::from(sample(0, 1, 100)) * 10f64.powf(-0.3), "through its chain");
    let two = read(&folder.join("02 two.wav"));
    near(two.channel(0)[100], f64::from(sample(1, 0, 100)), "also while it is muted");
    assert_eq!((two.channel(1)[100], two.frames(), one.frames()), (0.0, 6000, 6000), "panned, and of one length");

    // An existing file is not replaced, and then nothing is written.
    std::fs::remove_file(folder.join("01 one.wav")).expect("removed");
    bench.desk.will_choose(&folder);
    let (code, _) = bench.fails("editor.export_stems", json!({ "document": document["id"] }));
    assert_eq!((code, folder.join("01 one.wav").exists()), (ErrorCode::Refused, false));
}

#[test]
fn edits_are_of_the_chosen_track_and_of_all_if_the_sum_is_chosen() {
    let bench = start();
    let document = two(&bench);
    bench.no_crossfades();
    let select = |start: u64, end: u64| {
        let range = json!({ "start": start, "end": end });
        bench.call("editor.set_selection", json!({ "document": document["id"], "selection": range, "band": null }));
    };
    let delete =
        || bench.call("editor.edit_sound", json!({ "document": document["id"], "edit": { "kind": "delete" } }));
    let lengths = |view: &Value| -> Vec<u64> {
        view["tracks"].as_array().expect("tracks").iter().filter_map(|track| track["frames"].as_u64()).collect()
    };
    bench.call("editor.edit_markers", json!({ "document": document["id"], "edit": { "kind": "add", "start_frame": 3000, "end_frame": null, "name": "here" } }));
    let place = || bench.call("editor.markers", json!({ "document": document["id"] }))[0]["start_frame"].as_u64();
    select(1000, 2000);
    let edited = delete();
    assert_eq!((lengths(&edited), &edited["frames"]), (vec![3000, 6000], &json!(6000)));
    assert_eq!(place(), Some(3000), "it may belong to the other track");
    bench.call("editor.undo", json!({ "document": document["id"] }));

    choose(&bench, &document, json!("sum"));
    select(1000, 2000);
    let edited = delete();
    assert_eq!((lengths(&edited), &edited["chosen"]), (vec![3000, 5000], &json!("sum")));
    assert_eq!(place(), Some(2000), "it moves with the sound of all");
    let got = exported(&bench, &document, "cut.wav");
    near(got.channel(0)[1000], f64::from(sample(0, 0, 2000)) + f64::from(sample(1, 0, 2000)), "after the cut");
    let (code, _) =
        bench.fails("editor.edit_sound", json!({ "document": document["id"], "edit": { "kind": "paste" } }));
    assert_eq!(code, ErrorCode::Invalid);

    // Beyond the end of a shorter track, silence is edited, and removed again at its end.
    choose(&bench, &document, json!({ "track": 1 }));
    select(4000, 4500);
    let edited = bench.call("editor.edit_sound", json!({ "document": document["id"], "edit": { "kind": "silence" } }));
    assert_eq!(lengths(&edited), [3000, 5000]);

    // A part is moved to another track and leaves silence.
    select(0, 500);
    let sent = tracks(&bench, &document, json!({ "kind": "send", "track": 2, "at": 5500 }));
    assert_eq!((lengths(&sent), &sent["chosen"]), (vec![3000, 6000], &json!({ "track": 2 })));
    assert_eq!(sent["selection"], json!({ "start": 5500, "end": 6000 }));
    let got = exported(&bench, &document, "sent.wav");
    near(got.channel(1)[10], f64::from(sample(1, 0, 10)), "what stayed");
    near(got.channel(0)[5510], f64::from(sample(0, 0, 10)), "what came, left");
    near(got.channel(1)[5510], f64::from(sample(0, 1, 10)), "what came, right");
}

#[test]
fn tracks_survive_undo_a_kill_and_a_project() {
    let bench = start();
    let document = two(&bench);
    chain(&bench, &document, "highpass(100 Hz)");
    choose(&bench, &document, json!({ "track": 2 }));
    chain(&bench, &document, "gain(-3 dB)");
    tracks(&bench, &document, json!({ "kind": "rename", "track": 2, "name": "Voice" }));
    let before = exported(&bench, &document, "before.wav");

    let bench = again(bench);
    let document = bench.call("workspace.startup", json!({}))["documents"][0].clone();
    assert_eq!((&document["chosen"], &document["tracks"][1]["name"]), (&json!({ "track": 2 }), &json!("Voice")));
    assert_eq!(document["chain_text"], "gain(-3 dB)");
    assert_eq!(exported(&bench, &document, "restored.wav"), before);

    let project = bench.folder.path().join("song.undertone");
    bench.desk.will_choose(&project);
    let saved = bench.call("workspace.save_project", json!({ "document": document["id"], "choose": false }));
    assert_eq!(saved["project_changed"], false);
    let moved = tracks(&bench, &document, json!({ "kind": "gain", "track": 1, "db": -1.0 }));
    assert_eq!(moved["project_changed"], true);
    bench.call("editor.undo", json!({ "document": document["id"] }));
    let input = undertone::work::export::ExportInput::open(&project, &Permission::ANY).expect("a project");
    let placement = undertone::chain::Placement::cpu();
    let mut sum = AudioBuffer::default();
    let progress = undertone::progress::Progress::new();
    input.reader(&placement, &progress).expect("a sum").read(&mut sum, 6000).expect("read");
    assert_eq!(sum, before, "the rack of the sum is empty");
    // The command line renders all tracks, edits them alike, and lists them.
    for (words, skipped) in [
        (["process", "song.undertone", "-o", "all.wav"].as_slice(), 0),
        (&["edit", "song.undertone", "-o", "all.wav", "--overwrite", "--cut", "0f..1000f", "--crossfade", "0"], 1000),
    ] {
        let words = [words, &["--bits", "f32"]].concat();
        let (code, _, said) = undertone(&bench, &words);
        assert_eq!(code, 0, "{said}");
        let all = read(&bench.folder.path().join("all.wav"));
        assert_eq!(all.frames(), 6000 - skipped);
        near(all.channel(0)[4500 - skipped], f64::from(before.channel(0)[4500]), "of both tracks");
    }
    let (code, listed, _) = undertone(&bench, &["info", "song.undertone"]);
    assert_eq!((code, listed.contains("Voice")), (0, true), "{listed}");

    // Undo goes back to the one plain track of the beginning.
    while bench.call("editor.undo", json!({ "document": document["id"] }))["undo"] != json!(null) {}
    let first = bench.call("editor.undo", json!({ "document": document["id"] }));
    assert_eq!((&first["tracks"], &first["chosen"], &first["frames"]), (&json!([]), &json!(null), &json!(4000)));
}

#[test]
fn pictures_are_of_the_chosen_track_and_of_the_sum() {
    let bench = start();
    let document = two(&bench);
    let peaks = |track: u32| {
        bench.app.track_peaks(
            serde_json::from_value(document["id"].clone()).expect("an id"),
            TrackId(track),
            0.0,
            6000.0,
            10,
        )
    };
    let largest = |bytes: &[u8]| {
        bytes[16..].chunks_exact(4).map(|x| f32::from_le_bytes(x.try_into().expect("four"))).fold(0.0, f32::max)
    };
    // Estimates become exact in the background.
    let loud = |track| {
        (0..200).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            peaks(track).is_ok_and(|bytes| largest(&bytes) > 0.12)
        })
    };
    assert!(loud(1) && loud(2));
    assert!(peaks(3).is_err());
    assert_eq!(u32::from_le_bytes(peaks(2).expect("peaks")[..4].try_into().expect("four")), 1, "it is mono");

    let levels = |bench: &Bench| {
        let range = json!({ "start": 0, "end": 6000 });
        bench.call("editor.levels", json!({ "document": document["id"], "side": "original", "range": range }))["peak_db"]
            .as_f64()
    };
    let one = levels(&bench).expect("a level");
    let sum = choose(&bench, &document, json!("sum"));
    assert!(sum["sound"].as_u64() > document["sound"].as_u64(), "every picture is another one");
    assert!(levels(&bench).expect("a level") > one + 3.0, "the sum is louder than one of its tracks");
}

#[test]
fn choosing_back_and_forth_changes_nothing() {
    let bench = start();
    let document = two(&bench);
    let state = |choice: Value| {
        let mut view = choose(&bench, &document, choice);
        ["revision", "sound", "waveform"].iter().for_each(|counter| view[*counter] = json!(null));
        view
    };
    let before = state(json!({ "track": 1 }));
    for choice in [json!("sum"), json!({ "track": 2 }), json!("sum")] {
        assert_ne!(state(choice), before);
    }
    assert_eq!(state(json!({ "track": 1 })), before);
    let (code, _) = bench.fails("editor.choose_track", json!({ "document": document["id"], "choice": { "track": 9 } }));
    assert_eq!(code, ErrorCode::Invalid);
    let left = tracks(&bench, &document, json!({ "kind": "delete", "track": 2 }));
    assert_eq!((&left["tracks"], &left["frames"]), (&json!([]), &json!(4000)), "one track has no header");
}

#[test]
fn clips_are_those_of_the_track_in_front() {
    let bench = start();
    bench.no_crossfades();
    let document = two(&bench);
    let edit = |edit: Value| {
        let edit = json!({ "kind": "clip", "clip": 0, "edit": edit });
        bench.call("editor.edit_sound", json!({ "document": document["id"], "edit": edit }))
    };
    let lengths = |view: &Value| [0, 1].map(|track| view["tracks"][track]["frames"].as_u64().expect("a length"));
    choose(&bench, &document, json!({ "track": document["tracks"][0]["id"] }));
    // The first track now ends before the document, whose length is unchanged.
    let view = edit(json!({ "kind": "end", "by": -1000, "closes": false }));
    assert_eq!((lengths(&view), &view["frames"]), ([3000, 6000], &json!(6000)));
    let clips = bench.call("editor.clips", json!({ "document": document["id"] }));
    assert_eq!((clips.as_array().expect("clips").len(), &clips[0]["after"]), (1, &json!(1000)));
    let view = edit(json!({ "kind": "end", "by": 500, "closes": false }));
    assert_eq!(lengths(&view), [3500, 6000]);
    let view = edit(json!({ "kind": "gain", "db": -3 }));
    assert_eq!(view["arranged"], true);
    // The sum has no clips.
    let view = choose(&bench, &document, json!("sum"));
    assert_eq!(view["arranged"], false);
    let edit = json!({ "kind": "clip", "clip": 0, "edit": { "kind": "gain", "db": 1 } });
    let (_, said) = bench.fails("editor.edit_sound", json!({ "document": document["id"], "edit": edit }));
    assert!(said.starts_with("Choose the track of the clip first."), "{said}");
}
