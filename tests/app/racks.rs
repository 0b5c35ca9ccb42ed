//! The two racks of a document, its groups, and files as parameters, as the window uses them.

use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::window::{App, Event, FileChoice, Host};
use undertone::work::Directories;

/// Answers dialogs from a list.
#[derive(Default)]
struct Desk {
    answers: Mutex<VecDeque<PathBuf>>,
}

impl Host for Desk {
    fn emit(&self, _: Event) {}

    fn choose_open(&self, _: &FileChoice) -> Vec<PathBuf> {
        self.answers.lock().expect("unpoisoned").pop_front().into_iter().collect()
    }
}

struct Bench {
    folder: tempfile::TempDir,
    app: App,
    document: Value,
}

fn app_in(folder: &Path) -> App {
    let directories = Directories::at(folder.join("config"), folder.join("data")).expect("folders");
    App::new(Arc::new(Desk::default()), directories).expect("an app")
}

fn start() -> Bench {
    let folder = tempfile::tempdir().expect("a folder");
    let app = app_in(folder.path());
    let opened = app.call("workspace.open_demo", json!({})).expect("the demo");
    Bench { folder, app, document: opened["documents"][0]["id"].clone() }
}

impl Bench {
    fn call(&self, name: &str, args: Value) -> Value {
        self.app.call(name, args).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn edit(&self, edit: Value) -> Value {
        self.call("editor.edit", json!({ "document": self.document, "edit": edit }))
    }

    fn text(&self, text: &str) -> Value {
        self.edit(json!({ "kind": "set_chain_text", "text": text }))
    }

    fn rack(&self, rack: &str) -> Value {
        self.call("editor.set_rack", json!({ "document": self.document, "rack": rack }))
    }

    fn undo(&self) -> Value {
        self.call("editor.undo", json!({ "document": self.document }))
    }

    fn redo(&self) -> Value {
        self.call("editor.redo", json!({ "document": self.document }))
    }

    fn refused(&self, edit: Value) -> String {
        let args = json!({ "document": self.document, "edit": edit });
        self.app.call("editor.edit", args).expect_err("a failure").to_string()
    }
}

/// Returns the active rack, its chain and the other rack's chain.
fn racks(view: &Value) -> [&str; 3] {
    ["rack", "chain_text", "resting_text"].map(|field| view[field].as_str().expect("words"))
}

#[test]
fn each_rack_keeps_its_chain_and_hearing_the_other_is_no_step_of_undo() {
    let bench = start();
    assert_eq!(racks(&bench.text("highpass(80 Hz)")), ["a", "highpass(80 Hz)", ""]);
    assert_eq!(racks(&bench.rack("b")), ["b", "", "highpass(80 Hz)"]);
    let view = bench.text("gain(-3 dB)");
    assert_eq!(racks(&view), ["b", "gain(-3 dB)", "highpass(80 Hz)"]);
    let revision = view["revision"].clone();
    for rack in ["a", "b", "a", "a", "b"] {
        let view = bench.rack(rack);
        let texts = if rack == "a" { ["highpass(80 Hz)", "gain(-3 dB)"] } else { ["gain(-3 dB)", "highpass(80 Hz)"] };
        assert_eq!(racks(&view), [rack, texts[0], texts[1]]);
        assert_eq!(view["undo"], "Edit chain");
    }
    assert!(bench.rack("b")["revision"].as_u64() > revision.as_u64(), "the window hears that something changed");
    assert_eq!(racks(&bench.undo()), ["b", "", "highpass(80 Hz)"]);
    assert_eq!(racks(&bench.undo()), ["a", "", ""], "what is undone is shown");
    bench.redo();
    assert_eq!(racks(&bench.redo()), ["b", "gain(-3 dB)", "highpass(80 Hz)"]);
}

#[test]
fn what_was_undone_survives_a_look_at_the_other_rack() {
    let bench = start();
    bench.text("highpass(80 Hz)");
    bench.undo();
    assert_eq!(bench.rack("b")["redo"], "Edit chain");
    assert_eq!(racks(&bench.redo()), ["a", "highpass(80 Hz)", ""]);
}

#[test]
fn racks_are_copied_and_exchanged_as_steps_of_undo() {
    let bench = start();
    let first = bench.text("highpass(80 Hz) | gain(-3 dB)");
    let copied = bench.edit(json!({ "kind": "copy_rack" }));
    assert_eq!(racks(&copied), ["a", "highpass(80 Hz) | gain(-3 dB)", "highpass(80 Hz) | gain(-3 dB)"]);
    assert_eq!(copied["undo"], "Copy rack A to B");
    let other = bench.rack("b");
    assert_eq!(other["chain"], first["chain"], "its nodes keep their identity, so that their state is carried over");
    bench.text("lowpass(5 kHz)");
    let swapped = bench.edit(json!({ "kind": "swap_racks" }));
    assert_eq!(racks(&swapped), ["b", "highpass(80 Hz) | gain(-3 dB)", "lowpass(5 kHz)"]);
    assert_eq!(racks(&bench.undo()), ["b", "lowpass(5 kHz)", "highpass(80 Hz) | gain(-3 dB)"]);
    bench.undo();
    assert_eq!(racks(&bench.undo())[1..], ["highpass(80 Hz) | gain(-3 dB)", ""], "the copy is undone");
}

#[test]
fn both_racks_come_back_with_the_session() {
    let bench = start();
    bench.text("highpass(80 Hz)");
    bench.rack("b");
    bench.text("gain(-3 dB)");
    let Bench { folder, app, .. } = bench;
    drop(app);
    let app = app_in(folder.path());
    let startup = app.call("workspace.startup", json!({})).expect("a start");
    assert_eq!(racks(&startup["documents"][0]), ["b", "gain(-3 dB)", "highpass(80 Hz)"]);
}

#[test]
fn groups_are_made_changed_and_dissolved_and_each_is_a_step() {
    let bench = start();
    let view = bench.text("highpass(80 Hz) | gain(-3 dB) | lowpass(5 kHz)");
    let ids: Vec<u64> =
        view["chain"]["nodes"].as_array().expect("nodes").iter().filter_map(|n| n["id"].as_u64()).collect();
    let view = bench.edit(json!({ "kind": "group", "nodes": [ids[1], ids[0]], "group": "parallel" }));
    assert_eq!(view["chain_text"], "(highpass(80 Hz) + gain(-3 dB)) | lowpass(5 kHz)");
    assert_eq!(view["undo"], "Group in parallel");
    let group = view["chain"]["nodes"][0]["id"].clone();
    let view = bench.edit(json!({ "kind": "set_group", "node": group, "group": "series" }));
    assert_eq!(view["chain_text"], "(highpass(80 Hz) | gain(-3 dB)) | lowpass(5 kHz)");
    let view = bench.edit(json!({ "kind": "ungroup", "node": group }));
    assert_eq!(view["chain_text"], "highpass(80 Hz) | gain(-3 dB) | lowpass(5 kHz)");
    assert_eq!(bench.undo()["chain_text"], "(highpass(80 Hz) | gain(-3 dB)) | lowpass(5 kHz)");
    assert!(bench.refused(json!({ "kind": "ungroup", "node": ids[2] })).contains("a group"));
    assert!(bench.refused(json!({ "kind": "group", "nodes": [], "group": "series" })).contains("at least one effect"));
    assert!(
        bench
            .refused(json!({ "kind": "group", "nodes": [ids[0], ids[2]], "group": "series" }))
            .contains("side by side")
    );
}

#[test]
fn effects_are_put_on_the_selection_and_taken_off_it() {
    let bench = start();
    let view = bench.text("highpass(80 Hz) | gain(-3 dB)");
    let ids: Vec<u64> =
        view["chain"]["nodes"].as_array().expect("nodes").iter().filter_map(|n| n["id"].as_u64()).collect();
    let act = json!({ "kind": "act_on_selection", "nodes": ids });
    assert!(bench.refused(act.clone()).contains("Select a part"));
    let (rate, frames) = (view["rate"].as_u64().expect("a rate"), view["frames"].as_u64().expect("frames"));
    let select = |start: u64, end: u64| {
        let selection = json!({ "start": start, "end": end });
        bench.call("editor.set_selection", json!({ "document": bench.document, "selection": selection, "band": null }));
    };
    select(rate / 4, rate / 2);
    let view = bench.edit(act);
    assert_eq!(view["chain_text"], "during(250 ms, 500 ms, highpass(80 Hz) | gain(-3 dB))");
    assert_eq!(view["undo"], "Apply 2 effects to the selection");
    let part = view["chain"]["nodes"][0]["id"].clone();
    // At the end of the recording, the part ends a fade later.
    select(rate / 2, frames);
    let view = bench.edit(json!({ "kind": "act_on_selection", "nodes": [part] }));
    let end = frames as f64 / rate as f64 + 0.01;
    let span = &view["chain"]["nodes"][0]["span"];
    assert_eq!(span["from_s"], 0.5);
    assert!((span["to_s"].as_f64().expect("a time") - end).abs() < 1e-5, "{span}");
    let span = json!({ "from_s": 0.1, "to_s": 0.2, "fade_s": 0.0 });
    let view = bench.edit(json!({ "kind": "set_span", "node": part, "span": span, "gesture": null }));
    assert_eq!(view["chain_text"], "during(100 ms, 200 ms, fade=0 s, highpass(80 Hz) | gain(-3 dB))");
    assert_eq!(view["undo"], "Change times of part");
    let bad = json!({ "from_s": 0.2, "to_s": 0.1, "fade_s": 0.0 });
    assert!(bench.refused(json!({ "kind": "set_span", "node": part, "span": bad, "gesture": null })).contains("end"));
    let whole = json!({ "kind": "set_span", "node": ids[0], "span": span, "gesture": null });
    assert!(bench.refused(whole).contains("whole recording"));
    let view = bench.edit(json!({ "kind": "ungroup", "node": part }));
    assert_eq!(view["chain_text"], "highpass(80 Hz) | gain(-3 dB)");
}

#[test]
fn a_parameter_that_takes_no_file_opens_no_dialog() {
    let bench = start();
    let node = bench.text("gain(-3 dB)")["chain"]["nodes"][0]["id"].clone();
    let args = json!({ "document": bench.document, "node": node, "name": "gain", "folder": false });
    let error = bench.app.call("editor.choose_argument", args).expect_err("a failure").to_string();
    assert!(error.contains("does not take a file"), "{error}");
}

#[test]
fn latency_is_told_for_each_node_that_runs() {
    let bench = start();
    bench.text("highpass(80 Hz) | off(gain(-3 dB))");
    let report = bench.call("editor.chain_report", json!({ "document": bench.document }));
    let told: Vec<_> = report["nodes"].as_array().expect("nodes").iter().map(|node| &node["latency_frames"]).collect();
    assert_eq!(told, [&json!(0), &Value::Null]);
}

#[test]
fn presets_stand_under_their_tasks() {
    let bench = start();
    let presets = bench.call("editor.presets", json!({}));
    let tasks: Vec<&str> =
        presets.as_array().expect("presets").iter().filter_map(|preset| preset["task"].as_str()).collect();
    assert!(tasks.contains(&"Podcast and speech") && tasks.contains(&"Vinyl and tape"), "{tasks:?}");
}

fn asked(view: &Value) -> Vec<&str> {
    view["asked_files"].as_array().expect("files").iter().map(|file| file.as_str().expect("a path")).collect()
}

/// Waits until the first session is unlocked. A thread of a dropped app may still be using it.
fn session_is_free(folder: &Path) {
    let lock = File::open(folder.join("data/session-1.lock")).expect("a lock");
    let end = Instant::now() + Duration::from_secs(20);
    while lock.try_lock().is_err() {
        assert!(Instant::now() < end, "the session is still held");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_chain_that_was_pasted_asks_before_it_reads_files() {
    let bench = start();
    let taps = bench.folder.path().join("taps.txt");
    std::fs::write(&taps, "0.5").expect("written");
    let taps = taps.to_str().expect("Unicode").to_owned();
    let view = bench.text(&format!("gain(-1 dB) | fir(file={taps:?})"));
    assert_eq!(asked(&view), [&taps]);
    assert_eq!(view["chain_problem"]["code"], "refused", "{view}");
    let args = json!({ "document": bench.document, "points": 10, "from_hz": 20, "to_hz": 20_000 });
    let error = bench.app.call("editor.response", args.clone()).expect_err("not read").to_string();
    assert!(error.contains("not allowed yet"), "{error}");

    // The other rack asks too.
    let view = bench.rack("b");
    assert_eq!(asked(&view), [&taps]);
    bench.rack("a");

    let answer = |allow: bool| json!({ "document": bench.document, "files": [taps], "allow": allow });
    let view = bench.call("workspace.answer_files", answer(true));
    assert_eq!((asked(&view).len(), &view["chain_problem"]), (0, &Value::Null));
    let db = bench.call("editor.response", args)["chain_db"][0].as_f64().expect("a level");
    assert!((db + 7.02).abs() < 0.01, "{db}");

    // The answer is kept and applies only to that file.
    let other = bench.folder.path().join("other.txt");
    std::fs::write(&other, "0.5").expect("written");
    let other = other.to_str().expect("Unicode").to_owned();
    let view = bench.text(&format!("gain(-1 dB) | fir(file={other:?}) | fir(file={taps:?})"));
    assert_eq!(asked(&view), [&other]);
    let Bench { folder, app, .. } = bench;
    drop(app);
    session_is_free(folder.path());
    let app = app_in(folder.path());
    let startup = app.call("workspace.startup", json!({})).expect("a start");
    let view = &startup["documents"][0];
    assert_eq!(asked(view), [&other]);

    // A refused file is removed from the chain, as an undo step.
    let args = json!({ "document": view["id"], "files": [other], "allow": false });
    let view = app.call("workspace.answer_files", args).expect("an answer");
    assert!(asked(&view).is_empty());
    assert_eq!(view["chain_text"], format!("gain(-1 dB) | fir(file={taps:?})"));
    let view = app.call("editor.undo", json!({ "document": view["id"] })).expect("undone");
    assert_eq!(asked(&view), [&other]);
}

#[test]
fn presets_ask_too_when_they_are_loaded() {
    let bench = start();
    let taps = bench.folder.path().join("preset-taps.txt");
    std::fs::write(&taps, "0.5").expect("written");
    let taps = taps.to_str().expect("Unicode").to_owned();
    bench.text(&format!("fir(file={taps:?})"));
    let name = json!({ "document": bench.document, "node": null, "name": "foreign", "replace": false });
    bench.call("editor.save_preset", name);
    bench.text("");
    let view = bench.edit(json!({ "kind": "load_preset", "preset": "foreign", "node": null }));
    assert_eq!(asked(&view), [&taps]);
    assert_eq!(view["chain_problem"]["code"], "refused");
}

#[cfg(unix)]
#[test]
fn an_allowed_pipe_neither_blocks_the_window_nor_the_next_start() {
    let bench = start();
    let pipe = bench.folder.path().join("pipe.txt");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("made").success());
    let pipe = pipe.to_str().expect("Unicode").to_owned();
    bench.text(&format!("fir(file={pipe:?})"));
    let view =
        bench.call("workspace.answer_files", json!({ "document": bench.document, "files": [pipe], "allow": true }));
    assert_eq!(view["chain_problem"]["code"], "malformed", "{view}");
    let Bench { folder, app, .. } = bench;
    drop(app);
    app_in(folder.path()).call("workspace.startup", json!({})).expect("a start");
}
