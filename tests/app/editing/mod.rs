//! Edits of open documents: their sound, pictures and exports.

mod lists;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::audio::{AudioBuffer, AudioFile, AudioReader};
use undertone::playback::Side;
use undertone::window::DocumentId;

pub use self::lists::{LENGTHS, Random, heard, value};
use super::bench::{Bench, again, start};

fn select(bench: &Bench, document: &Value, range: Range<u64>) {
    let selection = json!({ "start": range.start, "end": range.end });
    bench.call("editor.set_selection", json!({ "document": document["id"], "selection": selection, "band": null }));
}

fn edit_sound(bench: &Bench, document: &Value, edit: Value) -> Value {
    bench.call("editor.edit_sound", json!({ "document": document["id"], "edit": edit }))
}

fn exported(bench: &Bench, document: &Value, name: &str) -> Vec<f32> {
    left(&exported_file(bench, document, name))
}

/// Exports a document in 32-bit float and returns the file.
pub fn exported_file(bench: &Bench, document: &Value, name: &str) -> PathBuf {
    let settings =
        json!({ "format": "wav", "bits": "f32", "dither": "none", "range": null, "rate": null, "tail": false });
    let target = bench.folder.path().join(name);
    bench.desk.will_choose(&target);
    let chosen = bench.call("editor.choose_export", json!({ "document": document["id"], "settings": settings }));
    bench.call("editor.export", json!({ "document": document["id"], "target": chosen, "settings": settings }));
    let job = bench.wait_for_job();
    assert_eq!(job["state"], "done", "{job}");
    target
}

/// Restarts the program: its document equals `expected`, equals `before` after three undos, and is restored by redo.
pub fn comes_back<T: PartialEq + std::fmt::Debug>(
    bench: Bench,
    export: impl Fn(&Bench, &Value, &str) -> T,
    expected: &T,
    before: &T,
) {
    let bench = again(bench);
    let now = bench.call("workspace.startup", json!({}))["documents"][0].clone();
    assert_eq!(&export(&bench, &now, "restored.wav"), expected);
    for _ in 0..3 {
        bench.call("editor.undo", json!({ "document": now["id"] }));
    }
    assert_eq!(&export(&bench, &now, "undone.wav"), before);
    for _ in 0..3 {
        bench.call("editor.redo", json!({ "document": now["id"] }));
    }
    assert_eq!(&export(&bench, &now, "redone.wav"), expected);
}

fn left(path: &Path) -> Vec<f32> {
    let (mut reader, mut block) = (AudioFile::open(path).unwrap().reader().unwrap(), AudioBuffer::default());
    reader.read(&mut block, 1 << 24).unwrap();
    block.channel(0).to_vec()
}

/// Returns the minima and maxima of the first channel, once they are exact.
fn peaks(bench: &Bench, document: &Value, start: f64, end: f64, columns: usize) -> Vec<f32> {
    let id = DocumentId(document["id"].as_u64().unwrap() as u32);
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let bytes = bench.app.peaks(id, Side::Original, start, end, columns).unwrap();
        if u32::from_le_bytes(bytes[8..12].try_into().unwrap()) == 1 {
            let values = bytes[16..16 + 8 * columns].chunks_exact(4);
            return values.map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
        }
        assert!(Instant::now() < until, "the waveform does not become exact");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_edited_document_sounds_looks_and_comes_back_as_edited() {
    let bench = start();
    bench.no_crossfades();
    let path = bench.tone("tone.wav");
    let tone = left(&path);
    let document = bench.open(&path);
    // Cut 0.3 s out, paste them at the start and reverse the end.
    select(&bench, &document, 10_000..24_400);
    let view = bench.call("editor.copy_sound", json!({ "document": document["id"], "cut": true }));
    assert_eq!(
        (&view["frames"], &view["selection"], &view["cursor_frame"]),
        (&json!(33_600), &Value::Null, &json!(10_000))
    );
    assert_eq!(view["undo"], "Delete");
    bench.call(
        "editor.set_view",
        json!({ "document": document["id"], "view": { "start": 0, "end": 9000 }, "cursor_frame": 0, "level_zoom": 1 }),
    );
    let view = edit_sound(&bench, &document, json!({ "kind": "paste" }));
    assert_eq!((&view["frames"], &view["selection"]), (&json!(48_000), &json!({ "start": 0, "end": 14_400 })));
    select(&bench, &document, 40_000..48_000);
    edit_sound(&bench, &document, json!({ "kind": "reverse" }));
    let mut expected = [&tone[10_000..24_400], &tone[..10_000], &tone[24_400..]].concat();
    expected[40_000..].reverse();
    assert_eq!(exported(&bench, &document, "edited.wav"), expected);

    // The waveform equals the exported file's: to the sample when zoomed in, to a bucket when zoomed out.
    let again_open = bench.open(&bench.folder.path().join("edited.wav"));
    for (start, end, columns) in [(0.0, 900.0, 300), (14_300.0, 14_500.0, 100), (39_990.5, 40_010.25, 40)] {
        let (edited, file) =
            (peaks(&bench, &document, start, end, columns), peaks(&bench, &again_open, start, end, columns));
        assert_eq!(edited, file, "{start}..{end}");
    }
    let (edited, file) = (peaks(&bench, &document, 0.0, 48_000.0, 60), peaks(&bench, &again_open, 0.0, 48_000.0, 60));
    for (column, (edited, file)) in edited.iter().zip(&file).enumerate() {
        assert!((edited - file).abs() < 0.02, "column {column}: {edited}, {file}");
    }

    // Everything survives a restart, and can be undone and redone.
    comes_back(bench, exported, &expected, &tone);
}

#[test]
fn sound_is_pasted_into_another_document_and_comes_back_by_redo() {
    let bench = start();
    bench.no_crossfades();
    let (one, other) = (bench.open(&bench.tone("one.wav")), bench.open(&bench.sine("other.wav", 700.0)));
    assert_eq!(bench.call("editor.copied_sound", json!({})), Value::Null);
    assert!(
        bench
            .fails("editor.edit_sound", json!({ "document": one["id"], "edit": { "kind": "paste" } }))
            .1
            .starts_with("Nothing has been copied")
    );
    select(&bench, &other, 100..4900);
    bench.call("editor.copy_sound", json!({ "document": other["id"], "cut": false }));
    assert_eq!(bench.call("editor.copied_sound", json!({})), json!(false));
    bench.call("workspace.close_document", json!({ "document": other["id"] }));
    let view = edit_sound(&bench, &one, json!({ "kind": "paste" }));
    assert_eq!((view["sources"].as_array().unwrap().len(), &view["frames"]), (2, &json!(52_800)));
    let (first, second) = (left(&bench.folder.path().join("one.wav")), left(&bench.folder.path().join("other.wav")));
    let expected = [&second[100..4900], &first[..]].concat();
    assert_eq!(exported(&bench, &one, "pasted.wav"), expected);
    bench.call("editor.undo", json!({ "document": one["id"] }));
    let bench = again(bench);
    // The other recording is opened when it is needed again.
    let now = bench.call("workspace.startup", json!({}))["documents"][0].clone();
    bench.call("editor.redo", json!({ "document": now["id"] }));
    assert_eq!(exported(&bench, &now, "again.wav"), expected);
}

#[test]
fn a_file_is_inserted_and_the_selection_moves_to_zero_crossings() {
    let bench = start();
    let document = bench.open(&bench.tone("one.wav"));
    let other = bench.tone("other.wav");
    let insert = || bench.call("editor.insert_file", json!({ "document": document["id"] }));
    assert_eq!(insert()["undo"], Value::Null, "cancelled");
    bench.desk.answers.lock().unwrap().push_back(other.clone());
    select(&bench, &document, 100..4900);
    let view = insert();
    assert_eq!((&view["undo"], &view["frames"]), (&json!("Insert file"), &json!(48_000 - 4800 + 48_000)));
    let (first, second) = (left(&bench.folder.path().join("one.wav")), left(&other));
    let expected = [&first[..100], &second[..], &first[4900..]].concat();
    let found = exported(&bench, &document, "inserted.wav");
    // Joins are cross-faded.
    assert_eq!(found.len(), expected.len());
    assert_eq!(found[2000..40_000], expected[2000..40_000]);
    bench.call("editor.undo", json!({ "document": document["id"] }));

    let path = bench.mono("mono.wav");
    let (document, samples) = (bench.open(&path), left(&path));
    let crosses = |frame: u64| {
        let (before, here) = (samples[frame as usize - 1], samples[frame as usize]);
        here == 0.0 || (here < 0.0) != (before < 0.0)
    };
    select(&bench, &document, 1007..2003);
    let view = bench.call("editor.snap_to_zero", json!({ "document": document["id"] }));
    let [from, to] = ["start", "end"].map(|end| view["selection"][end].as_u64().unwrap());
    assert!(crosses(from) && crosses(to) && from.abs_diff(1007) < 500 && to.abs_diff(2003) < 500, "{from} {to}");
    assert_eq!(view["undo"], Value::Null, "a selection is no step");
}

#[test]
fn repairs_move_with_the_sound_that_they_belong_to() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let text =
        "spectral_gain(from=0.5, to=0.6, low=200, high=400, gain=-20 dB) | fade_in(0.1) | denoise(from=0.1, to=0.3)";
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": text }));
    select(&bench, &document, 0..12_000);
    let view = edit_sound(&bench, &document, json!({ "kind": "delete" }));
    let now = view["chain_text"].as_str().unwrap().to_owned();
    assert!(now.starts_with("spectral_gain(250 ms, 350 ms, 200 Hz, 400 Hz"), "{now}");
    assert!(now.contains("fade_in(100 ms") && now.contains("denoise(to=50 ms)"), "{now}");
    // A repair within removed sound is removed and restored with it.
    select(&bench, &document, 11_000..20_000);
    let view = edit_sound(&bench, &document, json!({ "kind": "delete" }));
    assert!(!view["chain_text"].as_str().unwrap().contains("spectral_gain"), "{view}");
    let view = bench.call("editor.undo", json!({ "document": document["id"] }));
    assert_eq!(view["chain_text"], now);
}

#[test]
fn clips_of_a_document_are_listed_and_edited_one_step_each() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let clips = || bench.call("editor.clips", json!({ "document": document["id"] }));
    let edit_clip =
        |clip: usize, edit: Value| edit_sound(&bench, &document, json!({ "kind": "clip", "clip": clip, "edit": edit }));
    assert_eq!(clips().as_array().unwrap().len(), 1);
    bench.call("editor.edit_markers", json!({ "document": document["id"], "edit": { "kind": "add", "start_frame": 40_000, "end_frame": null, "name": "there" } }));
    select(&bench, &document, 10_000..20_000);
    edit_sound(&bench, &document, json!({ "kind": "delete" }));
    let now = clips();
    assert_eq!(
        (&now[0]["frames"], &now[1]["frames"], &now[0]["after"], &now[1]["before"]),
        (&json!(10_000), &json!(28_000), &json!(38_000), &json!(20_000))
    );
    // 5 ms at 48 kHz.
    assert_eq!(
        (&now[1]["fades_before"], &now[1]["fades_after"], &now[1]["crossfade"]["frames"]),
        (&json!(120), &json!(120), &json!(240))
    );
    let steps = [
        (0, json!({ "kind": "fade_in", "frames": 500 }), "Fade clip in"),
        (1, json!({ "kind": "fade_out", "frames": 700 }), "Fade clip out"),
        (1, json!({ "kind": "gain", "db": -4.5 }), "Clip gain"),
        (1, json!({ "kind": "crossfade", "frames": 1000, "shape": "linear" }), "Cross-fade"),
        (0, json!({ "kind": "end", "by": -1000, "closes": true }), "Trim clip"),
        (1, json!({ "kind": "move", "to": 0 }), "Move clip"),
    ];
    for (clip, edit, label) in steps {
        assert_eq!(edit_clip(clip, edit)["undo"], label);
    }
    let now = clips();
    assert_eq!((&now[0]["frames"], &now[1]["frames"]), (&json!(28_000), &json!(9000)));
    assert_eq!((&now[0]["gain_db"], &now[0]["fade_out"], &now[1]["fade_in"]), (&json!(-4.5), &json!(700), &json!(500)));
    // The marker was at 40,000: 10,000 frames before it were deleted, 1000 were trimmed, and 9000 were moved after it.
    assert_eq!(bench.call("editor.markers", json!({ "document": document["id"] }))[0]["start_frame"], 20_000);
    let said = bench.fails("editor.edit_sound", json!({ "document": document["id"], "edit": { "kind": "clip", "clip": 9, "edit": { "kind": "gain", "db": 1 } } })).1;
    assert!(said.starts_with("There is no clip here."), "{said}");
    let crossing =
        bench.call("editor.zero_crossings", json!({ "document": document["id"], "frames": [1007, u64::MAX] }));
    assert_eq!(crossing.as_array().unwrap().len(), 2);

    assert_eq!(edit_clip(1, json!({ "kind": "no_fades" }))["undo"], "Remove clip fades");
    assert_eq!((&clips()[1]["fade_in"], &clips()[1]["fade_out"]), (&json!(0), &json!(0)));
    bench.call("editor.undo", json!({ "document": document["id"] }));

    // Everything survives a restart, and is undone step by step.
    let before = clips();
    let bench = again(bench);
    let now = bench.call("workspace.startup", json!({}))["documents"][0].clone();
    assert_eq!(bench.call("editor.clips", json!({ "document": now["id"] })), before);
    for _ in 0..6 {
        bench.call("editor.undo", json!({ "document": now["id"] }));
    }
    assert_eq!(bench.call("editor.clips", json!({ "document": now["id"] }))[1]["frames"], 28_000);
}

#[test]
fn fades_and_gain_of_a_clip_are_seen_as_they_are_exported() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    select(&bench, &document, 30_000..40_000);
    edit_sound(&bench, &document, json!({ "kind": "delete" }));
    for edit in [json!({ "kind": "fade_in", "frames": 20_000 }), json!({ "kind": "gain", "db": -6 })] {
        edit_sound(&bench, &document, json!({ "kind": "clip", "clip": 0, "edit": edit }));
    }
    let target = bench.folder.path().join("faded.wav");
    exported(&bench, &document, "faded.wav");
    let file = bench.open(&target);
    for (start, end, columns) in [(0.0, 38_000.0, 100), (100.0, 400.0, 60)] {
        let (edited, file) = (peaks(&bench, &document, start, end, columns), peaks(&bench, &file, start, end, columns));
        for (column, (edited, file)) in edited.iter().zip(&file).enumerate() {
            // Beside the join, a column shows the whole of a bucket that belongs to it only in part.
            let is_join = end > 30_000.0 && [78, 79].contains(&(column % columns));
            assert!(is_join || (edited - file).abs() < 0.02, "column {column} of {start}..{end}: {edited}, {file}");
        }
    }
}

#[test]
fn edits_that_cannot_be_say_why() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let said = |edit: Value| bench.fails("editor.edit_sound", json!({ "document": document["id"], "edit": edit })).1;
    for kind in ["delete", "silence", "trim", "duplicate"] {
        assert_eq!(said(json!({ "kind": kind })), "Select a part of the recording first.", "{kind}");
    }
    assert!(said(json!({ "kind": "split" })).starts_with("There is nothing to split here."));
    assert!(said(json!({ "kind": "join" })).starts_with("There is nothing to join here."));
    assert!(said(json!({ "kind": "insert_silence", "frames": u64::MAX })).contains("limited"));
    assert!(said(json!({ "kind": "gain", "db": 500 })).contains("Gain of a clip"));
    let view = edit_sound(&bench, &document, json!({ "kind": "insert_silence", "frames": 4800 }));
    assert_eq!(view["frames"], 52_800);
    let other = bench.open(&bench.mono("mono.wav"));
    select(&bench, &other, 0..100);
    bench.call("editor.copy_sound", json!({ "document": other["id"], "cut": false }));
    // Sound of another format is converted.
    let view = edit_sound(&bench, &document, json!({ "kind": "paste" }));
    assert_eq!(view["frames"], 52_800 - 4800 + 100);
}
