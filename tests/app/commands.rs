//! Every command of the window, without a window. A test host answers the dialogs and receives the events.

use serde_json::{Value, json};
use undertone::audio::AudioFile;
use undertone::error::ErrorCode;
use undertone::playback::Side;
use undertone::window::App;

use super::bench::{Bench, start, start_in};

fn ids(view: &Value) -> Vec<u64> {
    view["chain"]["nodes"].as_array().expect("nodes").iter().map(|node| node["id"].as_u64().expect("an id")).collect()
}

#[test]
fn a_new_start_is_empty_and_names_every_effect() {
    let bench = start();
    let startup = bench.call("workspace.startup", json!({}));
    assert_eq!(startup["documents"], json!([]));
    let names: Vec<&str> =
        startup["effects"].as_array().expect("a list").iter().filter_map(|e| e["name"].as_str()).collect();
    for wanted in ["lowpass", "highpass", "bandpass", "bandstop", "peaking", "notch", "low_shelf", "gain", "normalize"]
    {
        assert!(names.contains(&wanted), "{wanted} in {names:?}");
    }
}

#[test]
fn edits_are_steps_of_undo_and_gestures_are_one_step() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let view = bench.edit(&document, json!({ "kind": "add_effect", "effect": "peaking", "after": null }));
    let node = ids(&view)[0];
    for gain in [1.0, 2.0, 3.0] {
        bench.edit(
            &document,
            json!({ "kind": "set_argument", "node": node, "name": "gain", "value": gain, "gesture": 7 }),
        );
    }
    let view = bench.edit(&document, json!({ "kind": "set_bypass", "node": node, "bypass": true }));
    assert_eq!(view["chain_text"], "off(peaking(1 kHz, q=1, gain=3 dB))");
    let undo = |name: &str| bench.call(name, json!({ "document": document["id"] }));
    assert_eq!(undo("editor.undo")["chain_text"], "peaking(1 kHz, q=1, gain=3 dB)");
    assert_ne!(undo("editor.undo")["chain_text"], "peaking(1 kHz, q=1, gain=2 dB)", "one gesture, one step");
    assert_eq!(undo("editor.undo")["chain_text"], "");
    assert_eq!(undo("editor.undo")["chain_text"], "", "nothing more to undo");
    undo("editor.redo");
    assert_eq!(undo("editor.redo")["chain_text"], "peaking(1 kHz, q=1, gain=3 dB)");
    assert_eq!(ids(&undo("editor.redo")), [node], "identity is kept");
}

#[test]
fn a_selected_part_is_edited_before_everything_else() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "highpass(80 Hz)" }));
    let repair = |effect: &str, band: Value| {
        let range = json!({ "start": 12_001, "end": 24_000 });
        json!({ "kind": "add_repair", "effect": effect, "range": range, "band": band })
    };
    let band = json!({ "low_hz": 1000.123, "high_hz": 3000.0 });
    bench.edit(&document, repair("spectral_gain", band.clone()));
    let view = bench.edit(&document, repair("spectral_heal", json!(null)));
    assert_eq!(
        view["chain_text"],
        "spectral_gain(250.021 ms, 500 ms, 1.00012 kHz, 3 kHz, gain=-24 dB) | \
         spectral_heal(250.021 ms, 500 ms, 0 Hz, 24 kHz) | highpass(80 Hz)"
    );
    assert_eq!(view["undo"], "Spectral heal");
    let undone = bench.call("editor.undo", json!({ "document": document["id"] }));
    assert!(undone["chain_text"].as_str().is_some_and(|text| !text.contains("heal")), "{undone}");
    let (code, message) =
        bench.fails("editor.edit", json!({ "document": document["id"], "edit": repair("peaking", band) }));
    assert!(code == ErrorCode::Invalid && message.contains("spectral_heal"), "{message}");
    let long = json!({ "start": 0, "end": 480_000 });
    let edit = json!({ "kind": "add_repair", "effect": "spectral_heal", "range": long, "band": null });
    let (_, message) = bench.fails("editor.edit", json!({ "document": document["id"], "edit": edit }));
    assert!(message == "Heal works on up to 4 s. Select a shorter part.", "{message}");
}

#[test]
fn a_wrong_edit_changes_nothing_and_says_why() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let id = &document["id"];
    let (code, message) = bench.fails(
        "editor.edit",
        json!({ "document": id, "edit": { "kind": "set_chain_text", "text": "hihgpass(80 Hz)" } }),
    );
    assert_eq!(code, ErrorCode::Notation);
    assert!(message.contains("highpass"), "{message}");
    let (code, message) = bench.fails(
        "editor.edit",
        json!({ "document": id, "edit": { "kind": "add_effect", "effect": "reverbb", "after": null } }),
    );
    assert_eq!(code, ErrorCode::Invalid);
    assert!(message.contains("reverbb"), "{message}");
    let check = bench.call("editor.check_chain", json!({ "text": "gain(3 Hz)" }));
    assert_eq!(check["start"], 7);
    assert_eq!(bench.call("editor.undo", json!({ "document": id }))["undo"], Value::Null);
}

#[test]
fn the_session_comes_back_with_chain_selection_and_history() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "highpass(80 Hz) | gain(-3 dB)" }));
    bench.call(
        "editor.set_selection",
        json!({ "document": document["id"], "selection": { "start": 100, "end": 2000 } }),
    );
    bench.call(
        "editor.set_view",
        json!({ "document": document["id"], "view": { "start": 10.0, "end": 5000.0 }, "cursor_frame": 77,
                "level_zoom": 16.0 }),
    );
    let Bench { folder, app, .. } = bench;
    // The app is dropped without a shutdown; everything that was acknowledged is on disk.
    drop(app);

    let bench = start_in(folder);
    let startup = bench.call("workspace.startup", json!({}));
    let view = &startup["documents"][0];
    assert_eq!(view["chain_text"], "highpass(80 Hz) | gain(-3 dB)");
    assert_eq!(view["selection"], json!({ "start": 100, "end": 2000 }));
    assert_eq!(view["cursor_frame"], 77);
    assert_eq!(view["view"], json!({ "start": 10.0, "end": 5000.0 }));
    assert_eq!(view["level_zoom"], 16.0);
    assert_eq!(bench.call("editor.undo", json!({ "document": view["id"] }))["chain_text"], "");
}

#[test]
fn a_recording_that_vanished_leaves_its_document_and_can_be_found_again() {
    let bench = start();
    let path = bench.tone("tone.wav");
    bench.open(&path);
    let Bench { folder, app, .. } = bench;
    drop(app);
    let moved = folder.path().join("moved.wav");
    std::fs::rename(&path, &moved).expect("moved");

    let bench = start_in(folder);
    let startup = bench.call("workspace.startup", json!({}));
    let view = &startup["documents"][0];
    assert!(view["sources"][0]["missing"].as_str().is_some_and(|why| why.contains("moved")), "{view}");
    let other = bench.tone("other.flac");
    bench.desk.will_choose(&other.with_file_name("nothing.wav"));
    bench.fails("workspace.locate_source", json!({ "document": view["id"], "source": 0 }));
    bench.desk.will_choose(&moved);
    let found = bench.call("workspace.locate_source", json!({ "document": view["id"], "source": 0 }));
    assert_eq!(found["sources"][0]["missing"], Value::Null);
    assert_eq!(found["sources"][0]["name"], "moved.wav");
}

#[test]
fn the_recording_of_a_document_is_shown_in_its_folder() {
    let bench = start();
    let path = bench.tone("tone.wav");
    let view = bench.open(&path);
    let shown = json!({ "document": view["id"] });
    bench.call("workspace.show_file", shown.clone());
    assert_eq!(bench.desk.answers.lock().expect("unpoisoned").pop_front().as_deref(), Some(path.as_path()));
    std::fs::remove_file(&path).expect("removed");
    bench.fails("workspace.show_file", shown);
    assert!(bench.desk.answers.lock().expect("unpoisoned").is_empty());
}

#[test]
fn files_that_cannot_be_opened_are_named_with_the_reason() {
    let bench = start();
    let broken = bench.folder.path().join("broken.wav");
    std::fs::write(&broken, b"RIFF").expect("written");
    bench.desk.will_choose(&broken);
    let opened = bench.call("workspace.open_dialog", json!({}));
    assert_eq!(opened["documents"], json!([]));
    assert_eq!(opened["failures"][0]["name"], "broken.wav");
    assert_eq!(opened["failures"][0]["failure"]["code"], "malformed");
}

#[test]
fn a_file_opened_twice_is_one_document_and_is_remembered_as_recent() {
    let bench = start();
    let path = bench.tone("tone.wav");
    let first = bench.open(&path);
    assert_eq!(bench.open(&path)["id"], first["id"]);
    let recent = bench.call("workspace.recent", json!({}));
    assert_eq!(recent[0]["name"], "tone.wav");
    bench.call("workspace.close_document", json!({ "document": first["id"] }));
    let again = bench.call("workspace.open_recent", json!({ "id": recent[0]["id"] }));
    assert_ne!(again["documents"][0]["id"], first["id"]);
    assert_eq!(bench.call("workspace.clear_recent", json!({})), json!([]));
}

#[test]
fn an_export_writes_the_rendered_samples_and_reports_itself() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "gain(-6 dB)" }));
    let settings = json!({ "format": "wav", "bits": "f32", "dither": "none", "range": { "start": 1000, "end": 9000 }, "rate": null, "tail": false });
    let target = bench.folder.path().join("out.wav");
    bench.desk.will_choose(&target);
    let chosen = bench.call("editor.choose_export", json!({ "document": document["id"], "settings": settings }));
    let args = json!({ "document": document["id"], "target": chosen, "settings": settings });
    bench.call("editor.export", args.clone());
    let job = bench.wait_for_job();
    assert_eq!(job["state"], "done", "{job}");
    assert_eq!(job["result"]["frames"], 8000);
    assert_eq!(job["result"]["device"]["used"], "cpu");
    assert!(!bench.desk.events("job").is_empty());
    assert_eq!(AudioFile::open(&target).expect("opens").info().frames, 8000);
    // A chosen target is valid for one export, which the user confirmed.
    assert_eq!(bench.fails("editor.export", args).0, ErrorCode::Invalid);
}

#[test]
fn an_export_over_its_own_source_is_refused() {
    let bench = start();
    let path = bench.tone("tone.wav");
    let before = std::fs::read(&path).expect("read");
    let document = bench.open(&path);
    let settings =
        json!({ "format": "wav", "bits": "16", "dither": "tpdf", "range": null, "rate": null, "tail": false });
    bench.desk.will_choose(&path);
    let (code, message) =
        bench.fails("editor.choose_export", json!({ "document": document["id"], "settings": settings }));
    assert_eq!(code, ErrorCode::Refused);
    assert_eq!(message, "This is the open recording. Choose another name.");
    assert_eq!(std::fs::read(&path).expect("read"), before);
}

#[test]
fn presets_are_stored_loaded_carried_and_deleted() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "notch(50 Hz, q=30) | gain(2 dB)" }));
    let save = |replace: bool| json!({ "document": document["id"], "node": null, "name": "mine", "replace": replace });
    bench.call("editor.save_preset", save(false));
    let (code, message) = bench.fails("editor.save_preset", save(false));
    assert!(code == ErrorCode::Invalid && message.contains("exists"), "{message}");
    bench.call("editor.save_preset", save(true));

    let file = bench.folder.path().join("carried.undertone-chain");
    bench.desk.will_choose(&file);
    assert_eq!(bench.call("editor.export_preset", json!({ "name": "mine" })), json!(true));
    bench.desk.will_choose(&file);
    let presets = bench.call("editor.import_preset", json!({}));
    assert!(
        presets
            .as_array()
            .expect("a list")
            .iter()
            .any(|p| p["name"] == "carried" && p["text"] == "notch(50 Hz, q=30) | gain(2 dB)")
    );

    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "" }));
    let view = bench.edit(&document, json!({ "kind": "load_preset", "preset": "carried", "node": null }));
    assert_eq!(view["chain_text"], "notch(50 Hz, q=30) | gain(2 dB)");
    bench.call("editor.delete_preset", json!({ "name": "mine" }));
    assert!(bench.app.call("editor.delete_preset", json!({ "name": "Telephone" })).is_err(), "a factory preset stays");
}

#[test]
fn settings_are_kept_and_put_in_range() {
    let bench = start();
    let mut settings = bench.call("settings.view", json!({}));
    settings["theme"] = json!("light");
    settings["cache_mib"] = json!(1);
    settings["device"] = json!("cpu");
    let kept = bench.call("settings.set", json!({ "settings": settings }));
    assert_eq!(kept["cache_mib"], 64);
    let bench = start_in(bench.folder);
    let startup = bench.call("workspace.startup", json!({}));
    assert_eq!(startup["settings"]["theme"], "light");
}

#[test]
fn whatever_a_web_view_sends_is_answered_with_an_error_and_never_a_panic() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let junk = [
        json!(null),
        json!([]),
        json!("x"),
        json!({ "document": 99_999 }),
        json!({ "document": -1 }),
        json!({ "document": document["id"], "more": 1 }),
        json!({ "document": document["id"], "edit": { "kind": "nothing" } }),
        json!({ "document": document["id"], "selection": { "start": 5, "end": 5 } }),
        json!({ "document": document["id"], "view": { "start": 5.0, "end": 1.0 }, "cursor_frame": 0 }),
        json!({ "document": document["id"], "points": 100_000_000, "from_hz": 20, "to_hz": 20_000 }),
        json!({ "document": document["id"], "range": { "start": 10, "end": 1 } }),
        json!({ "document": document["id"], "source": 7 }),
        json!({ "document": document["id"], "target": 1, "settings": {} }),
        json!({ "text": "(".repeat(200_000) }),
        json!({ "id": 4_000_000_000_u32 }),
        json!({ "name": "../../etc/passwd" }),
        json!({ "settings": { "device": 3 } }),
    ];
    for name in App::command_names() {
        for args in &junk {
            let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| bench.app.call(name, args.clone())));
            assert!(answer.is_ok(), "{name} with {args:.100} panicked");
        }
    }
    for name in ["undo", "editor.format_disk", "disk.view"] {
        let (code, said) = bench.fails(name, json!({}));
        assert!(code == ErrorCode::Invalid && said.contains(name), "{said}");
    }
    let id = serde_json::from_value(document["id"].clone()).expect("a handle");
    assert!(bench.app.peaks(id, Side::Original, f64::NAN, 1.0, 10).is_err());
    assert!(bench.app.peaks(id, Side::Original, 0.0, 1.0, usize::MAX).is_err());
    assert!(bench.app.samples(id, Side::Original, 0, u64::MAX).is_err());
    assert_eq!(
        bench.call("editor.undo", json!({ "document": document["id"] }))["chain_text"],
        "",
        "nothing was harmed"
    );
}

#[test]
fn an_export_over_what_another_document_or_the_chain_reads_is_refused() {
    let bench = start();
    let (song, other, response) = (bench.tone("song.wav"), bench.tone("other.wav"), bench.tone("response.wav"));
    let document = bench.open(&song);
    bench.open(&other);
    let node = bench.edit(&document, json!({ "kind": "set_chain_text", "text": "convolve(\"\")" }))["chain"]["nodes"]
        [0]["id"]
        .clone();
    bench.desk.will_choose(&response);
    let view = bench.call(
        "editor.choose_argument",
        json!({ "document": document["id"], "node": node, "name": "file", "folder": false }),
    );
    assert_eq!((&view["chain_problem"], &view["asked_files"]), (&Value::Null, &json!([])), "the user chose it");
    let link = bench.folder.path().join("link.wav");
    std::fs::hard_link(&other, &link).expect("linked");
    let settings =
        json!({ "format": "wav", "bits": "16", "dither": "tpdf", "range": null, "rate": null, "tail": false });
    for target in [&other, &link, &response] {
        let before = std::fs::read(target).expect("read");
        bench.desk.will_choose(target);
        let (code, _) =
            bench.fails("editor.choose_export", json!({ "document": document["id"], "settings": settings }));
        assert_eq!(code, ErrorCode::Refused, "{}", target.display());
        bench.desk.will_choose(target);
        bench.call(
            "editor.save_preset",
            json!({ "document": document["id"], "node": null, "name": "p", "replace": true }),
        );
        assert_eq!(bench.fails("editor.export_preset", json!({ "name": "p" })).0, ErrorCode::Refused);
        assert_eq!(std::fs::read(target).expect("read"), before);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_unicode_are_opened_exported_and_remembered() {
    use std::os::unix::ffi::OsStrExt;
    let bench = start();
    let named = |bytes: &[u8]| bench.folder.path().join(std::ffi::OsStr::from_bytes(bytes));
    let path = named(b"caf\xe9.wav");
    std::fs::rename(bench.tone("tone.wav"), &path).expect("renamed");
    let document = bench.open(&path);
    assert_eq!(document["name"], "caf\u{fffd}.wav");
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "gain(-6 dB)" }));

    let folder = named(b"d\xe9");
    std::fs::create_dir(&folder).expect("made");
    let target = folder.join(std::ffi::OsStr::from_bytes(b"out\xe9.wav"));
    let settings =
        json!({ "format": "wav", "bits": "16", "dither": "tpdf", "range": null, "rate": null, "tail": false });
    bench.desk.will_choose(&target);
    let chosen = bench.call("editor.choose_export", json!({ "document": document["id"], "settings": settings }));
    bench.call("editor.export", json!({ "document": document["id"], "target": chosen, "settings": settings }));
    let job = bench.wait_for_job();
    assert_eq!(job["state"], "done", "{job}");
    assert_eq!(AudioFile::open(&target).expect("opens").info().frames, 48_000);

    let preset = named(b"p\xe9.undertone-chain");
    bench.call("editor.save_preset", json!({ "document": document["id"], "node": null, "name": "p", "replace": true }));
    bench.desk.will_choose(&preset);
    assert_eq!(bench.call("editor.export_preset", json!({ "name": "p" })), json!(true));
    bench.desk.will_choose(&preset);
    bench.call("editor.import_preset", json!({}));

    bench.call("batch.add_files", json!({}));
    bench.call("workspace.close_document", json!({ "document": document["id"] }));
    let recent = bench.call("workspace.recent", json!({}));
    assert_eq!(recent[0]["name"], "caf\u{fffd}.wav");
    let opened = bench.call("workspace.open_recent", json!({ "id": recent[0]["id"] }));
    assert_eq!(opened["failures"], json!([]));

    let Bench { folder, app, .. } = bench;
    drop(app);
    let bench = start_in(folder);
    let startup = bench.call("workspace.startup", json!({}));
    assert_eq!(startup["documents"][0]["sources"][0]["missing"], Value::Null, "{startup}");
}
