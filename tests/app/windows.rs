//! Several windows and processes, dialogs that wait, panics, and the end of the program.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::audio::encode::{EncodeSettings, Encoder};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat};
use undertone::error::ErrorCode;
use undertone::playback::Side;
use undertone::units::SampleRate;
use undertone::window::App;

use super::bench::{Bench, app_in, start, start_in};

/// Returns the names of the documents at a start, and of those that are not opened.
fn documents(app: &App) -> (Vec<String>, Vec<String>) {
    let startup = app.call("workspace.startup", json!({})).expect("a start");
    let documents = startup["documents"].as_array().expect("a list").clone();
    let name = |document: &Value| document["name"].as_str().expect("a name").to_owned();
    let missing = documents.iter().filter(|document| document["sources"][0]["missing"].is_string());
    (documents.iter().map(name).collect(), missing.map(name).collect())
}

fn notices(app: &App) -> Vec<String> {
    let startup = app.call("workspace.startup", json!({})).expect("a start");
    let notices = startup["notices"].as_array().expect("a list");
    notices.iter().filter_map(|notice| notice["message"].as_str().map(str::to_owned)).collect()
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_mins(3);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn commands_answer_while_another_process_holds_the_session() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let id = document["id"].clone();
    let database = rusqlite::Connection::open(bench.folder.path().join("data/session.sqlite")).expect("a database");
    database.execute_batch("BEGIN EXCLUSIVE").expect("held");
    let edit = json!({ "document": id, "edit": { "kind": "set_chain_text", "text": "gain(-3 dB)" } });
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| bench.app.call("editor.edit", edit));
        // The edit is visible immediately, and on disk as soon as possible.
        wait_for("the edit is not made", || {
            let points = json!({ "document": id, "points": 2, "from_hz": 20.0, "to_hz": 2000.0 });
            bench.call("editor.response", points)["chain_db"][0].as_f64().is_some_and(|db| db < -2.0)
        });
        for (name, args) in [
            ("settings.view", json!({})),
            ("jobs.view", json!({})),
            ("editor.check_chain", json!({ "text": "gain(1 dB)" })),
            ("playback.set_loop", json!({ "looping": true })),
            ("playback.seek", json!({ "frame": 100 })),
            ("playback.stop", json!({})),
            ("editor.levels", json!({ "document": id, "side": "original", "range": { "start": 0, "end": 100 } })),
        ] {
            bench.call(name, args);
        }
        let handle = serde_json::from_value(id.clone()).expect("a handle");
        bench.app.samples(handle, Side::Original, 0, 100).expect("samples");
        assert!(!waiting.is_finished(), "the edit did not wait, or the others waited for it");
        database.execute_batch("ROLLBACK").expect("let go");
        waiting.join().expect("no panic").expect("kept after all");
    });
    let folder = bench.folder;
    drop(bench.app);
    let startup = start_in(folder).call("workspace.startup", json!({}));
    assert_eq!(startup["documents"][0]["chain_text"], "gain(-3 dB)");
}

#[test]
fn commands_answer_while_a_dialog_is_open() {
    let bench = start();
    let path = bench.tone("tone.wav");
    let (open, gate) = std::sync::mpsc::channel();
    *bench.desk.gate.lock().expect("unpoisoned") = Some(gate);
    std::thread::scope(|scope| {
        let dialog = scope.spawn(|| bench.app.call("workspace.open_dialog", json!({})));
        bench.app.open_and_tell(&[path]);
        let document = bench.call("workspace.startup", json!({}))["documents"][0].clone();
        bench.edit(&document, json!({ "kind": "add_effect", "effect": "gain", "after": null }));
        bench.call("editor.undo", json!({ "document": document["id"] }));
        assert!(!dialog.is_finished());
        open.send(()).expect("heard");
        dialog.join().expect("no panic").expect("an answer");
    });
}

#[test]
fn a_panic_in_the_background_is_told_and_the_next_command_works() {
    let bench = start();
    let path = bench.tone("tone.wav");
    *bench.desk.panics_at.lock().expect("unpoisoned") = Some("opened");
    bench.app.open_and_tell(std::slice::from_ref(&path));
    let told = bench.desk.events("notice");
    assert!(told[0]["notice"]["message"].as_str().is_some_and(|text| text.contains("on purpose")), "{told:?}");
    assert_eq!(told[0]["notice"]["level"], "error");
    let failed = undertone::window::caught("play", || -> undertone::Result<()> { panic!("with {}", "a reason") });
    let failed = failed.expect_err("a fault");
    assert_eq!(failed.code(), ErrorCode::Internal);
    assert!(failed.to_string().contains("Play crashed: with a reason"), "{failed}");
    *bench.desk.panics_at.lock().expect("unpoisoned") = None;
    bench.app.open_and_tell(&[path]);
    assert_eq!(bench.desk.events("opened").len(), 1);
}

#[test]
fn a_second_window_has_documents_of_its_own_and_none_are_lost() {
    let bench = start();
    let (a, b) = (bench.tone("a.wav"), bench.tone("b.wav"));
    let document = bench.open(&a);
    let (desk, second) = app_in(bench.folder.path());
    assert!(notices(&second).iter().any(|notice| notice.contains("another window")), "nothing says so");
    assert_eq!(documents(&second).0, [""; 0]);
    assert!(notices(&bench.app).is_empty());
    second.open_and_tell(&[b]);
    assert_eq!(desk.events("opened").len(), 1);
    // Edits do not affect the other process; presets and recent files are shared.
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "gain(-3 dB)" }));
    let saved = json!({ "document": document["id"], "node": null, "name": "Common", "replace": false });
    bench.call("editor.save_preset", saved);
    let presets = second.call("editor.presets", json!({})).expect("presets");
    assert!(presets.as_array().expect("a list").iter().any(|preset| preset["name"] == "Common"));
    assert_eq!(bench.call("workspace.recent", json!({}))[0]["name"], "b.wav");
    let (_, third) = app_in(bench.folder.path());
    assert_eq!(documents(&third).0, [""; 0]);
    drop(third);
    // The first process ends. The next takes its place and does not affect the second.
    let folder = bench.folder;
    drop(bench.app);
    let (_, first) = app_in(folder.path());
    assert_eq!(documents(&first).0, ["a.wav"]);
    drop(first);
    drop(second);
    let (_, next) = app_in(folder.path());
    assert_eq!(documents(&next), (vec!["a.wav".to_owned(), "b.wav".to_owned()], Vec::new()));
    assert!(notices(&next).is_empty());
}

#[test]
fn two_windows_on_one_recording_edit_and_export_side_by_side() {
    let bench = start();
    let path = bench.tone("tone.wav");
    let original = std::fs::read(&path).expect("read");
    let first = bench.open(&path);
    let (desk, app) = app_in(bench.folder.path());
    let second = Bench { folder: tempfile::tempdir().expect("a folder"), desk, app };
    let also = second.open(&path);
    bench.edit(&first, json!({ "kind": "set_chain_text", "text": "gain(-6 dB)" }));
    second.edit(&also, json!({ "kind": "set_chain_text", "text": "gain(-12 dB)" }));
    // Both write the same file at the same time. One of the two results remains, complete.
    let target = bench.folder.path().join("out.wav");
    let settings =
        json!({ "format": "wav", "bits": "f32", "dither": "none", "range": null, "rate": null, "tail": false });
    for (window, document) in [(&bench, &first), (&second, &also)] {
        window.desk.will_choose(&target);
        let chosen = window.call("editor.choose_export", json!({ "document": document["id"], "settings": settings }));
        let args = json!({ "document": document["id"], "target": chosen, "settings": settings });
        window.call("editor.export", args);
    }
    for window in [&bench, &second] {
        let job = window.wait_for_job();
        assert_eq!(job["state"], "done", "{job}");
    }
    let file = AudioFile::open(&target).expect("opens");
    assert_eq!(file.info().frames, 48_000);
    let mut audio = AudioBuffer::default();
    file.reader().expect("a reader").read(&mut audio, 48_000).expect("read");
    let peak = audio.channel(0).iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
    assert!((peak - 0.2506).abs() < 1e-3 || (peak - 0.1256).abs() < 1e-3, "{peak}");
    assert_eq!(std::fs::read(&path).expect("read"), original);
    let beside = std::fs::read_dir(bench.folder.path()).expect("a folder").flatten();
    let unfinished: Vec<_> =
        beside.filter(|entry| entry.file_name().to_string_lossy().starts_with(".undertone-unfinished-")).collect();
    assert!(unfinished.is_empty(), "{unfinished:?}");
    // Each process keeps its edit, and the next start has both.
    let folder = bench.folder;
    drop((bench.app, second.app));
    let (_, next) = app_in(folder.path());
    let startup = next.call("workspace.startup", json!({})).expect("a start");
    let restored = startup["documents"].as_array().expect("a list");
    let chains: Vec<&str> = restored.iter().map(|view| view["chain_text"].as_str().expect("text")).collect();
    assert_eq!(chains, ["gain(-6 dB)", "gain(-12 dB)"]);
}

/// The folder of the child process below.
const CHILD: &str = "UNDERTONE_APP_CHILD";

/// Opens a recording that aborts the process while its waveform is read. Not a test by itself.
#[test]
fn child_that_a_recording_ends() {
    let Some(folder) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let (desk, app) = app_in(&folder);
    wait_for("the other recording is not read", || !desk.events("peaks").is_empty());
    *desk.aborts_at.lock().expect("unpoisoned") = Some("peaks");
    app.open_and_tell(&[folder.join("bad.wav")]);
    std::thread::sleep(Duration::from_mins(1));
}

#[test]
fn a_recording_that_ended_the_program_is_not_opened_again_unasked() {
    let bench = start();
    let good = bench.tone("good.wav");
    // Long enough that the window receives an event about its waveform before it has been read.
    let format = AudioFormat::new(SampleRate::new(48_000).expect("a rate"), 1);
    let bad = bench.folder.path().join("bad.wav");
    let mut encoder = Encoder::create(&bad, &EncodeSettings::default(), format, true, &[]).expect("an encoder");
    encoder.write(&AudioBuffer::from_channels(vec![vec![0.25; 1 << 22]])).expect("written");
    encoder.finish().expect("finished");
    let is_read = |app: &App, index: usize| {
        let startup = app.call("workspace.startup", json!({})).expect("a start");
        startup["documents"][index]["waveform"]["exact_share"] == 1.0
    };
    bench.open(&good);
    wait_for("the waveform is not read", || is_read(&bench.app, 0));
    let folder = bench.folder;
    drop(bench.app);
    let child = || {
        let mut child = std::process::Command::new(std::env::current_exe().expect("this program"));
        child.args(["--exact", "windows::child_that_a_recording_ends", "--test-threads=1"]).env(CHILD, folder.path());
        child.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).status().expect("run")
    };
    assert!(!child().success(), "it was to be ended");
    // The result is the same after repeated starts and kills.
    for _ in 0..2 {
        let (_, app) = app_in(folder.path());
        let told = notices(&app);
        assert!(
            told.iter().any(|notice| notice.contains("bad.wav") && notice.contains("crashed while opening it")),
            "{told:?}"
        );
        assert_eq!(documents(&app), (vec!["good.wav".to_owned(), "bad.wav".to_owned()], vec!["bad.wav".to_owned()]));
    }
    // The user tries again, and the recording can now be read.
    let (_, app) = app_in(folder.path());
    let startup = app.call("workspace.startup", json!({})).expect("a start");
    let id = startup["documents"][1]["id"].clone();
    let view = app.call("workspace.retry_document", json!({ "document": id })).expect("opened");
    assert_eq!(view["sources"][0]["missing"], json!(null));
    wait_for("the waveform is not read", || is_read(&app, 1));
    let handle = serde_json::from_value(id).expect("a handle");
    app.peaks(handle, Side::Original, 0.0, 1000.0, 10).expect("peaks");
    drop(app);
    let (_, app) = app_in(folder.path());
    assert!(notices(&app).is_empty() && documents(&app).1.is_empty());
}

#[test]
fn quitting_asks_the_host_once_and_keeps_the_session() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "gain(-3 dB)" }));
    bench.call("workspace.quit", json!({}));
    assert_eq!(bench.desk.quits.load(std::sync::atomic::Ordering::SeqCst), 1);
    // The host then ends the core, and the next start restores the session.
    bench.app.shut_down();
    drop(bench.app);
    let bench = start_in(bench.folder);
    let startup = bench.call("workspace.startup", json!({}));
    assert_eq!(startup["documents"][0]["chain_text"], "gain(-3 dB)");
}
