//! Closed documents that come back, and project files: saved, opened, located, refused, and rendered by the command
//! line as the window exports them.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::audio::encode::{EncodeSettings, Encoder};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat, Marker, MarkerList};
use undertone::document::session::{MAX_CLOSED, Session, ViewState};
use undertone::document::{
    Clip, ClockSpeed, ContentKey, Document, Fade, FileStamp, FrameRange, History, Source, SourceSummary, project,
};
use undertone::files::Protected;
use undertone::units::SampleRate;
use undertone::window::{App, Event, FileChoice, Host};
use undertone::work::Directories;

/// Answers dialogs from a list.
#[derive(Default)]
struct Desk {
    answers: Mutex<VecDeque<PathBuf>>,
    notices: Mutex<Vec<String>>,
}

impl Desk {
    fn answer(&self) -> Option<PathBuf> {
        self.answers.lock().unwrap().pop_front()
    }
}

impl Host for Desk {
    fn emit(&self, event: Event) {
        if let Event::Notice { notice } = event {
            self.notices.lock().unwrap().push(notice.message);
        }
    }

    fn choose_open(&self, _: &FileChoice) -> Vec<PathBuf> {
        self.answer().into_iter().collect()
    }

    fn choose_save(&self, _: &FileChoice, suggested_name: &str) -> Option<PathBuf> {
        // A folder means the suggested name in that folder.
        self.answer().map(|path| if path.is_dir() { path.join(suggested_name) } else { path })
    }
}

struct Bench {
    folder: tempfile::TempDir,
    desk: Arc<Desk>,
    app: App,
}

fn start_in(folder: tempfile::TempDir) -> Bench {
    let desk = Arc::new(Desk::default());
    let directories = Directories::at(folder.path().join("config"), folder.path().join("data")).unwrap();
    let app = App::new(desk.clone(), directories).unwrap();
    Bench { folder, desk, app }
}

fn start() -> Bench {
    start_in(tempfile::tempdir().unwrap())
}

fn write_tone(path: &Path, hz: f64) {
    let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 2);
    let wave =
        |hz: f64| (0..48_000).map(move |n| (0.5 * (f64::from(n) * hz * std::f64::consts::TAU / 48_000.0).sin()) as f32);
    let audio = AudioBuffer::from_channels(vec![wave(hz).collect(), wave(3.0 * hz).collect()]);
    let mut encoder = Encoder::create(path, &EncodeSettings::default(), format, true, &[]).unwrap();
    encoder.write(&audio).unwrap();
    encoder.finish().unwrap();
}

impl Bench {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn call(&self, name: &str, args: Value) -> Value {
        self.app.call(name, args).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn tone(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_tone(&path, 220.0);
        path
    }

    fn will_choose(&self, path: &Path) {
        self.desk.answers.lock().unwrap().push_back(path.to_path_buf());
    }

    fn open(&self, path: &Path) -> Value {
        self.will_choose(path);
        let opened = self.call("workspace.open_dialog", json!({}));
        assert_eq!(opened["failures"], json!([]));
        opened["documents"][0].clone()
    }

    fn refused(&self, path: &Path) -> String {
        self.will_choose(path);
        let opened = self.call("workspace.open_dialog", json!({}));
        assert_eq!(opened["documents"], json!([]));
        opened["failures"][0]["failure"]["message"].as_str().unwrap().to_owned()
    }

    fn of(&self, name: &str, document: &Value) -> Value {
        self.call(name, json!({ "document": document["id"] }))
    }

    fn text(&self, document: &Value, text: &str) -> Value {
        let edit = json!({ "kind": "set_chain_text", "text": text });
        self.call("editor.edit", json!({ "document": document["id"], "edit": edit }))
    }

    fn save_as(&self, document: &Value, path: &Path) -> Value {
        self.will_choose(path);
        self.call("workspace.save_project", json!({ "document": document["id"], "choose": true }))
    }

    fn save(&self, document: &Value) -> Value {
        self.call("workspace.save_project", json!({ "document": document["id"], "choose": false }))
    }

    fn notices(&self) -> Vec<String> {
        std::mem::take(&mut self.desk.notices.lock().unwrap())
    }

    /// Ends the app without a shutdown, and starts it again.
    fn restarted(self) -> Self {
        let Self { folder, app, .. } = self;
        drop(app);
        start_in(folder)
    }

    fn undertone(&self, words: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_undertone"))
            .args(words)
            .current_dir(self.folder.path())
            .env("UNDERTONE_CONFIG_DIR", self.path("config"))
            .env("UNDERTONE_DATA_DIR", self.path("data"))
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }
}

/// Selects to frame 2000 in the second channel.
fn select(bench: &Bench, document: &Value, start: u64) -> Value {
    let selection = json!({ "start": start, "end": 2000 });
    bench.call("editor.set_selection", json!({ "document": document["id"], "selection": selection, "channels": [1] }))
}

/// Makes edits that a user would not want to lose.
fn worked_on(bench: &Bench, path: &Path) -> Value {
    let document = bench.open(path);
    bench.text(&document, "highpass(80 Hz)");
    bench.text(&document, "highpass(80 Hz) | gain(-3 dB)");
    bench.call("editor.set_rack", json!({ "document": document["id"], "rack": "b" }));
    bench.text(&document, "lowpass(2 kHz)");
    select(bench, &document, 100);
    bench.call(
        "editor.set_view",
        json!({ "document": document["id"], "view": { "start": 10.0, "end": 5000.0 }, "cursor_frame": 77, "level_zoom": 2.0 }),
    );
    document
}

fn is_worked_on(bench: &Bench, view: &Value, with_history: bool) {
    assert_eq!((&view["chain_text"], &view["rack"]), (&json!("lowpass(2 kHz)"), &json!("b")));
    assert_eq!(view["resting_text"], "highpass(80 Hz) | gain(-3 dB)");
    assert_eq!((&view["selection"], &view["channels_selected"]), (&json!({ "start": 100, "end": 2000 }), &json!([1])));
    assert_eq!(view["view"], json!({ "start": 10.0, "end": 5000.0 }));
    assert_eq!(view["cursor_frame"], 77);
    if with_history {
        assert_eq!(bench.of("editor.undo", view)["chain_text"], "");
        assert_eq!(bench.of("editor.undo", view)["chain_text"], "highpass(80 Hz)");
        assert_eq!(bench.of("editor.redo", view)["resting_text"], "highpass(80 Hz) | gain(-3 dB)");
        bench.of("editor.redo", view);
    } else {
        assert_eq!((&view["undo"], &view["redo"]), (&Value::Null, &Value::Null));
    }
}

#[test]
fn a_closed_document_comes_back_with_all_it_had_by_command_and_by_its_file() {
    let bench = start();
    let path = bench.tone("tone.wav");
    let document = worked_on(&bench, &path);
    assert_eq!(bench.of("workspace.close_document", &document), json!("tone.wav"));
    let opened = bench.call("workspace.reopen_closed", json!({}));
    assert_eq!(opened["last_closed"], Value::Null);
    let again = opened["documents"][0].clone();
    assert_ne!(again["id"], document["id"]);
    is_worked_on(&bench, &again, true);
    assert_eq!(bench.call("workspace.reopen_closed", json!({}))["documents"], json!([]));

    // By opening the file itself, and after an unexpected end of the program.
    bench.of("workspace.close_document", &again);
    let bench = bench.restarted();
    let startup = bench.call("workspace.startup", json!({}));
    assert_eq!((&startup["documents"], &startup["last_closed"]), (&json!([]), &json!("tone.wav")));
    let again =
        bench.call("workspace.open_recent", json!({ "id": startup["recent"][0]["id"] }))["documents"][0].clone();
    is_worked_on(&bench, &again, true);
    // It is one of the open documents from now on.
    let bench = bench.restarted();
    assert_eq!(bench.call("workspace.startup", json!({}))["documents"][0]["chain_text"], "lowpass(2 kHz)");
    assert!(bench.notices().is_empty());
}

#[test]
fn closed_documents_are_reopened_the_latest_first() {
    let bench = start();
    let documents: Vec<Value> = ["a.wav", "b.wav", "c.wav"].map(|name| bench.open(&bench.tone(name))).into();
    for document in &documents {
        bench.of("workspace.close_document", document);
    }
    bench.open(&bench.path("b.wav"));
    for name in ["c.wav", "a.wav"] {
        assert_eq!(bench.call("workspace.reopen_closed", json!({}))["documents"][0]["name"], name);
    }
    assert_eq!(bench.call("workspace.reopen_closed", json!({}))["documents"], json!([]));
}

#[test]
fn a_recording_that_was_changed_since_is_opened_as_it_is_and_the_closed_document_stays() {
    let bench = start();
    let path = bench.tone("tone.wav");
    let document = worked_on(&bench, &path);
    bench.of("workspace.close_document", &document);
    write_tone(&path, 330.0);
    let anew = bench.open(&path);
    assert_eq!((&anew["chain_text"], &anew["sources"][0]["missing"]), (&json!(""), &Value::Null));
    let notices = bench.notices();
    assert!(notices.len() == 1 && notices[0].contains("was changed since it was closed"), "{notices:?}");
    // As when a session is restored: the document is there, and reports the state of its recording.
    let closed = bench.call("workspace.reopen_closed", json!({}))["documents"][0].clone();
    assert_eq!(closed["chain_text"], "lowpass(2 kHz)");
    assert!(closed["sources"][0]["missing"].as_str().unwrap().contains("changed"));
    // If it alone is open, the file can still be opened as a new document.
    bench.of("workspace.close_document", &anew);
    let third = bench.open(&path);
    assert_eq!(third["sources"][0]["missing"], Value::Null);
    // `anew` was not edited, so it is still the same recording.
    assert_eq!(third["chain_text"], "");
}

fn stored(name: &str) -> Document {
    let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 2);
    let summary = SourceSummary { container: "WAV".into(), codec: "PCM".into(), format, frames: 480_000 };
    let content_key = ContentKey::of_parts([name]);
    Document::of_source(Source {
        content_key,
        path: format!("/nowhere/{name}").into(),
        stamp: FileStamp::default(),
        clock: ClockSpeed::NOMINAL,
        summary,
    })
}

#[test]
fn only_so_many_closed_documents_are_kept_and_one_process_takes_each() {
    let folder = tempfile::tempdir().unwrap();
    let (mut session, _) = Session::open(folder.path()).unwrap();
    for number in 0..MAX_CLOSED + 5 {
        let name = format!("{number}.wav");
        let key = session.add(&History::new(stored(&name)), ViewState::default()).unwrap();
        session.close(key, &Path::new("/nowhere").join(&name)).unwrap();
    }
    let path = |number: usize| PathBuf::from(format!("/nowhere/{number}.wav"));
    assert!(session.last_closed(Some(&path(4))).unwrap().is_none());
    assert!(session.last_closed(Some(&path(5))).unwrap().is_some());
    assert_eq!(session.last_closed_path().unwrap(), Some(path(MAX_CLOSED + 4)));
    assert!(session.documents().unwrap().0.is_empty());

    let (mut other, _) = Session::open(folder.path()).unwrap();
    let found = session.last_closed(None).unwrap().unwrap();
    let same = other.last_closed(None).unwrap().unwrap();
    session.reopen(&found).unwrap();
    assert!(other.reopen(&same).is_err(), "it was taken");
    assert_eq!(session.documents().unwrap().0.len(), 1);
    assert_eq!(other.last_closed_path().unwrap(), Some(path(MAX_CLOSED + 3)));
}

#[test]
fn a_project_is_saved_told_as_changed_and_opened_elsewhere() {
    let bench = start();
    let path = bench.tone("songs/tone.wav");
    let document = worked_on(&bench, &path);
    // The name of a recording gets the extension of a project, and the recording stays unchanged.
    let before = std::fs::read(&path).unwrap();
    let saved = bench.save_as(&document, &path);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(saved["name"], "tone.wav.undertone");
    assert_eq!(saved["project_changed"], false);
    let saved = bench.save_as(&document, &bench.path("songs"));
    assert_eq!(saved["name"], "tone.wav.undertone", "the suggestion");
    let saved = bench.save_as(&document, &bench.path("songs/mix.undertone"));
    assert_eq!(saved["name"], "mix.undertone");
    assert!(!std::fs::read_to_string(bench.path("songs/mix.undertone")).unwrap().contains("songs"), "relative paths");

    let changed = bench.text(&document, "lowpass(3 kHz)");
    assert_eq!(changed["project_changed"], true);
    assert_eq!(bench.of("editor.undo", &document)["project_changed"], false);
    bench.call("editor.set_selection", json!({ "document": document["id"], "selection": { "start": 1, "end": 3 } }));
    let selected = select(&bench, &document, 100);
    assert_eq!(selected["project_changed"], false, "selecting is no change");
    bench.save(&document);

    // A document is restored with its project and the mark of changes.
    bench.text(&document, "lowpass(3 kHz)");
    let bench = bench.restarted();
    let startup = bench.call("workspace.startup", json!({}));
    assert_eq!(startup["documents"][0]["project_changed"], true);
    assert_eq!(startup["documents"][0]["name"], "mix.undertone");
    bench.of("editor.undo", &startup["documents"][0]);
    assert_eq!(bench.open(&bench.path("songs/mix.undertone"))["id"], startup["documents"][0]["id"], "it is open");

    // Another folder, another user: only the file and the recordings that it names.
    let elsewhere = start();
    std::fs::create_dir_all(elsewhere.path("moved")).unwrap();
    for name in ["mix.undertone", "tone.wav"] {
        std::fs::copy(bench.path("songs").join(name), elsewhere.path("moved").join(name)).unwrap();
    }
    let view = elsewhere.open(&elsewhere.path("moved/mix.undertone"));
    assert_eq!((&view["sources"][0]["missing"], &view["project_changed"]), (&Value::Null, &json!(false)));
    is_worked_on(&elsewhere, &view, false);
    // A project of an earlier version, and one whose recording has no such channel, select all channels.
    let text = std::fs::read(elsewhere.path("moved/mix.undertone")).unwrap();
    for (name, version, channels) in [("old", 4, None), ("other", 5, Some(json!([2]))), ("none", 5, Some(json!([])))] {
        let mut project: Value = serde_json::from_slice(&text).unwrap();
        project["version"] = json!(version);
        let document = project["document"].as_object_mut().unwrap();
        assert_eq!(document.remove("channels"), Some(json!([1])));
        document.extend(channels.map(|channels| ("channels".to_owned(), channels)));
        let path = elsewhere.path(&format!("moved/{name}.undertone"));
        std::fs::write(&path, project.to_string()).unwrap();
        let view = elsewhere.open(&path);
        assert_eq!(
            (&view["channels_selected"], &view["chain_text"]),
            (&Value::Null, &json!("lowpass(2 kHz)")),
            "{name}"
        );
    }
    // The recording itself is another document.
    assert_ne!(elsewhere.open(&elsewhere.path("moved/tone.wav"))["id"], view["id"]);
}

#[test]
fn a_project_keeps_its_history_if_the_settings_say_so() {
    let bench = start();
    let mut settings = bench.call("settings.view", json!({}));
    settings["project_history"] = json!(true);
    bench.call("settings.set", json!({ "settings": settings }));
    let document = worked_on(&bench, &bench.tone("tone.wav"));
    bench.save_as(&document, &bench.path("mix.undertone"));
    let elsewhere = start();
    for name in ["mix.undertone", "tone.wav"] {
        std::fs::copy(bench.path(name), elsewhere.path(name)).unwrap();
    }
    let view = elsewhere.open(&elsewhere.path("mix.undertone"));
    is_worked_on(&elsewhere, &view, true);
    assert_eq!(elsewhere.of("editor.undo", &view)["project_changed"], true);
}

#[test]
fn a_closed_project_comes_back_as_it_was_unless_its_file_is_another_now() {
    let bench = start();
    let file = bench.path("mix.undertone");
    let document = worked_on(&bench, &bench.tone("tone.wav"));
    bench.save_as(&document, &file);
    bench.text(&document, "gain(-1 dB)");
    bench.of("workspace.close_document", &document);
    let again = bench.open(&file);
    assert_eq!((&again["chain_text"], &again["project_changed"]), (&json!("gain(-1 dB)"), &json!(true)));
    assert_eq!(again["undo"], "Edit chain");
    bench.of("workspace.close_document", &again);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("2000.0", "2500.0")).unwrap();
    let anew = bench.open(&file);
    assert_eq!((&anew["chain_text"], &anew["project_changed"]), (&json!("lowpass(2.5 kHz)"), &json!(false)));
    assert_eq!(bench.notices().len(), 1);
}

#[test]
fn recordings_of_a_project_that_are_missing_or_changed_are_named_and_located() {
    let bench = start();
    let path = bench.tone("tone.wav");
    let document = bench.open(&path);
    bench.text(&document, "gain(-6 dB)");
    bench.save_as(&document, &bench.path("mix.undertone"));
    bench.of("workspace.close_document", &document);
    let moved = bench.path("moved.wav");
    std::fs::rename(&path, &moved).unwrap();
    let view = bench.open(&bench.path("mix.undertone"));
    assert!(view["sources"][0]["missing"].as_str().unwrap().contains("moved or deleted"));
    let (status, _, said) = bench.undertone(&["process", "mix.undertone", "-o", "out.wav"]);
    assert!(status == 1 && said.contains("tone.wav") && !bench.path("out.wav").exists(), "{said}");
    write_tone(&path, 500.0);
    let (status, _, said) = bench.undertone(&["process", "mix.undertone", "-o", "out.wav"]);
    assert!(status == 1 && said.contains("tone.wav") && said.contains("changed"), "{said}");
    bench.will_choose(&moved);
    let found = bench.call("workspace.locate_source", json!({ "document": view["id"], "source": 0 }));
    assert_eq!((&found["sources"][0]["missing"], &found["project_changed"]), (&Value::Null, &json!(true)));
    bench.save(&view);
    let (status, _, said) = bench.undertone(&["process", "mix.undertone", "-o", "out.wav"]);
    assert_eq!(status, 0, "{said}");
}

#[test]
fn files_that_are_no_projects_and_newer_ones_are_refused_in_words() {
    let bench = start();
    let file = bench.path("mix.undertone");
    let document = bench.open(&bench.tone("tone.wav"));
    bench.save_as(&document, &file);
    let text = std::fs::read_to_string(&file).unwrap();
    let other = bench.path("other.undertone");
    for (from, to, reason) in [
        ("\"version\": 5", "\"version\": 7", "format 7 of Undertone"),
        ("\"project\"", "\"letter\"", "not an Undertone project"),
        ("\"end_frame\": 48000", "\"end_frame\": 48001", "Frames of a clip"),
        ("\"rack\": \"a\"", "\"rack\": \"a\", \"colour\": 3", "colour"),
        ("\"tracks\": [", "\"tracks\": [], \"old\": [", "damaged"),
        ("{", "[", "not an Undertone project"),
    ] {
        assert!(text.contains(from), "{from}");
        std::fs::write(&other, text.replacen(from, to, 1)).unwrap();
        let message = bench.refused(&other);
        assert!(message.contains(reason), "{from}: {message}");
        assert_eq!(bench.undertone(&["info", "other.undertone"]).0, 1);
    }
    std::fs::remove_file(&other).unwrap();
    std::fs::create_dir(&other).unwrap();
    assert!(bench.refused(&other).contains("folder"));
}

#[test]
fn saving_harms_no_other_file() {
    let bench = start();
    let first = bench.open(&bench.tone("a.wav"));
    let second = bench.open(&bench.tone("b.wav"));
    bench.save_as(&first, &bench.path("mix.undertone"));
    let save = |document: &Value, path: &Path| {
        bench.will_choose(path);
        bench.app.call("workspace.save_project", json!({ "document": document["id"], "choose": true }))
    };
    let before = std::fs::read(bench.path("mix.undertone")).unwrap();
    assert!(save(&second, &bench.path("mix.undertone")).is_err(), "the project of another document");
    // A recording under the name of a project.
    std::fs::rename(bench.path("b.wav"), bench.path("b.undertone")).unwrap();
    std::os::unix::fs::symlink(bench.path("b.undertone"), bench.path("b.wav")).unwrap();
    assert!(save(&first, &bench.path("b.undertone")).is_err(), "a recording");
    assert_eq!(std::fs::read(bench.path("mix.undertone")).unwrap(), before);
    // Cancelled: nothing is saved, and the document keeps its project.
    let view = bench.call("workspace.save_project", json!({ "document": second["id"], "choose": false }));
    assert_eq!(view["project_changed"], Value::Null);
}

/// A chain with state, whose sound depends on the whole signal, and an edit list of two parts.
const CHAIN: &str = "highpass(80 Hz, order=4) | compressor(-24 dB, ratio=3) | normalize(-3 dB)";

#[test]
fn the_command_line_renders_a_project_as_the_window_exports_it() {
    let bench = start();
    bench.tone("tone.wav");
    // The window does not make edit lists yet, so the file is written by the core.
    let source = project_source(&bench.path("tone.wav"));
    let mut document = Document::of_source(source);
    document.edits.clips = vec![
        Clip { fade_in: Fade::over(500), gain_db: -2.0, ..Clip::whole(0, 30_000) },
        Clip { start_frame: 10_000, ..Clip::whole(0, 40_000) },
    ];
    document.chain = CHAIN.parse().unwrap();
    document.selection = Some(FrameRange { start: 100, end: 900 });
    let file = bench.path("mix.undertone");
    project::write(&file, false, Protected::default(), &History::new(document), ViewState::default(), false).unwrap();

    let view = bench.open(&file);
    assert_eq!((&view["frames"], &view["chain_problem"]), (&json!(60_000), &Value::Null));
    let settings =
        json!({ "format": "wav", "bits": "24", "dither": "tpdf", "range": null, "rate": null, "tail": false });
    bench.will_choose(&bench.path("window.wav"));
    let chosen = bench.call("editor.choose_export", json!({ "document": view["id"], "settings": settings }));
    bench.call("editor.export", json!({ "document": view["id"], "target": chosen, "settings": settings }));
    let end = Instant::now() + Duration::from_mins(1);
    loop {
        let job = bench.call("jobs.view", json!({}))[0].clone();
        if job["state"] != "running" {
            assert_eq!(job["state"], "done", "{job}");
            break;
        }
        assert!(Instant::now() < end, "{job}");
        std::thread::sleep(Duration::from_millis(10));
    }
    let options = ["--bits", "24", "--dither", "tpdf", "--device", "cpu"];
    let (status, _, said) = bench.undertone(&[&["process", "mix.undertone", "-o", "line.wav"], &options[..]].concat());
    assert_eq!(status, 0, "{said}");
    let exported = std::fs::read(bench.path("window.wav")).unwrap();
    assert!(exported.len() > 60_000 * 6);
    assert!(std::fs::read(bench.path("line.wav")).unwrap() == exported, "every bit is the same");

    // Among other inputs, and with a chain after the project's.
    std::fs::create_dir(bench.path("out")).unwrap();
    let mixed = [&["process", "mix.undertone", "tone.wav", "-o", "out", "--json"], &options[..]].concat();
    let (status, told, said) = bench.undertone(&mixed);
    assert_eq!(status, 0, "{said}");
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["files"][0]["frames"], &told["files"][1]["frames"]), (&json!(60_000), &json!(48_000)));
    assert!(std::fs::read(bench.path("out/mix.wav")).unwrap() == exported);
    let (status, told, said) = bench.undertone(
        &[&["process", "mix.undertone", "-o", "quiet.wav", "-c", "gain(-20 dB)", "--json"], &options[..]].concat(),
    );
    assert_eq!(status, 0, "{said}");
    let told: Value = serde_json::from_str(&told).unwrap();
    let peak = told["files"][0]["peak_db"].as_f64().unwrap();
    assert!((peak + 23.0).abs() < 0.01, "{peak}");
    // A recording that the project uses is never an output.
    assert_eq!(bench.undertone(&["process", "mix.undertone", "-o", "tone.wav", "--overwrite"]).0, 1);

    let (status, told, _) = bench.undertone(&["info", "mix.undertone", "--json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    let info = &told["files"][0];
    assert_eq!((status, &info["frames"], &info["tracks"][0]["clips"]), (0, &json!(60_000), &json!(2)));
    assert_eq!((&info["tracks"][0]["rack"], &info["sources"][0]["problem"]), (&json!("a"), &Value::Null));
    assert!(info["tracks"][0]["chain"].as_str().unwrap().starts_with("highpass(80 Hz, order=4)"));
    let (status, said, _) = bench.undertone(&["info", "mix.undertone"]);
    assert!(
        status == 0 && said.contains("Undertone project") && said.contains("tone.wav") && said.contains("compressor"),
        "{said}"
    );
}

#[test]
fn markers_of_a_project_are_shown_changed_and_split_at() {
    let bench = start();
    bench.tone("tone.wav");
    let mut document = Document::of_source(project_source(&bench.path("tone.wav")));
    document.edits.clips = vec![Clip { start_frame: 10_000, ..Clip::whole(0, 40_000) }, Clip::whole(0, 20_000)];
    document.chain = "gain(-20 dB)".parse().unwrap();
    let list = MarkerList::from(vec![Marker::point(20_000, "second"), Marker::region(5000, 9000, "part")]);
    document.markers = (&list).into();
    let file = bench.path("mix.undertone");
    project::write(&file, false, Protected::default(), &History::new(document), ViewState::default(), false).unwrap();

    let (status, told, said) = bench.undertone(&["markers", "mix.undertone", "--json"]);
    assert_eq!(status, 0, "{said}");
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["frames"], &told["markers"][1]["name"]), (&json!(50_000), &json!("second")));
    let (status, _, said) = bench.undertone(&["markers", "mix.undertone", "--export", "labels.txt"]);
    assert_eq!(status, 0, "{said}");
    assert!(std::fs::read_to_string(bench.path("labels.txt")).unwrap().contains("second"));

    // Each part equals that part of the whole rendering.
    let options = ["--bits", "f32"];
    let (status, _, said) =
        bench.undertone(&[&["process", "mix.undertone", "-o", "whole.wav", "--device", "cpu"], &options[..]].concat());
    assert_eq!(status, 0, "{said}");
    let (status, told, said) =
        bench.undertone(&[&["split", "mix.undertone", "-o", "parts", "--json"], &options[..]].concat());
    assert_eq!(status, 0, "{said}");
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["parts"].as_array().unwrap().len(), 2);
    let samples = |name: &str| {
        let (mut reader, mut block) =
            (AudioFile::open(&bench.path(name)).unwrap().reader().unwrap(), AudioBuffer::default());
        reader.read(&mut block, 1 << 20).unwrap();
        block.channel(0).to_vec()
    };
    let whole = samples("whole.wav");
    let parts = std::fs::read_dir(bench.path("parts")).unwrap().flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> = parts.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names[1], "02 second.wav");
    let both: Vec<f32> = names.iter().flat_map(|name| samples(&format!("parts/{name}"))).collect();
    assert_eq!(both, whole);
    let (status, _, said) = bench.undertone(&["split", "mix.undertone", "-o", "silent", "--at", "silence"]);
    assert_eq!(status, 0, "{said}");

    // Other markers go into another project, and its recordings stay in place.
    std::fs::write(bench.path("other.txt"), "0.5\t0.5\tother\n").unwrap();
    let import = ["markers", "mix.undertone", "--import", "other.txt", "-o"];
    let (status, _, said) = bench.undertone(&[&import[..], &["new.wav"]].concat());
    assert!(status != 0 && said.contains("undertone process"), "{said}");
    assert_eq!(bench.undertone(&[&import[..], &["mix.undertone", "--overwrite"]].concat()).0, 1, "the input");
    let (status, _, said) = bench.undertone(&[&import[..], &["new.undertone"]].concat());
    assert_eq!(status, 0, "{said}");
    let read = project::read(&bench.path("new.undertone")).unwrap();
    let now = read.history.document();
    let names: Vec<String> = now.markers.list().iter().map(|marker| marker.name.clone()).collect();
    assert_eq!((names, now.frames()), (vec!["other".to_owned()], 50_000));
    assert_eq!(now.sources[0].path, bench.path("tone.wav"));
}

fn project_source(path: &Path) -> Source {
    let file = undertone::audio::AudioFile::open(path).unwrap();
    let info = file.info();
    let summary = SourceSummary {
        container: info.format.clone(),
        codec: info.codec.clone(),
        format: info.audio,
        frames: info.frames,
    };
    Source::open(path, summary).unwrap()
}

#[test]
fn files_that_the_chain_of_a_project_names_are_read_where_that_is_allowed() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    std::fs::write(bench.path("taps.txt"), "0.5").unwrap();
    let taps = bench.path("taps.txt").display().to_string();
    bench.text(&document, &format!("fir(file=\"{taps}\")"));
    let saved = bench.save_as(&document, &bench.path("mix.undertone"));
    assert_eq!(saved["asked_files"], json!([taps]), "saving allows nothing");
    let (status, _, said) = bench.undertone(&["process", "mix.undertone", "-o", "out.wav"]);
    assert!(status == 1 && said.contains("taps.txt") && said.contains("--allow-files"), "{said}");
    assert!(!bench.path("out.wav").exists());
    let (status, _, said) = bench.undertone(&["process", "mix.undertone", "-o", "out.wav", "--allow-files"]);
    assert_eq!(status, 0, "{said}");
    bench.of("workspace.close_document", &document);
    assert_eq!(bench.open(&bench.path("mix.undertone"))["asked_files"], json!([taps]));
}

#[test]
fn a_project_and_a_preset_of_this_version_open() {
    let bench = start();
    // Written out, so that a change of a format is seen. The recording is missing.
    let gain = json!({
        "id": 1, "kind": "effect", "effect": "gain", "arguments": { "gain": -3, "clamp": "off" },
        "bypass": false, "mix": 1,
    });
    let project = json!({
        "undertone": "project",
        "version": 5,
        "program": "0.1.0",
        "sources": [{
            "path": "song.wav", "content": "9f3c", "bytes": 288_116, "container": "WAV", "codec": "PCM 24 bit",
            "format": { "rate": 48_000, "channels": 2 }, "frames": 48_000,
        }],
        "document": {
            "tracks": [{
                "clips": [{ "source": 0, "start_frame": 0, "end_frame": 48_000 }],
                "rack": "a",
                "chains": { "a": { "nodes": [gain] }, "b": { "nodes": [] } },
            }],
            "selection": { "start": 100, "end": 2000 },
            "band": null,
            "markers": [{ "id": 1, "start_frame": 500, "end_frame": null, "name": "Verse" }],
        },
        "cursor_frame": 77,
        "view": [10.0, 5000.0],
    });
    std::fs::write(bench.path("song.undertone"), project.to_string()).unwrap();
    let view = bench.open(&bench.path("song.undertone"));
    assert_eq!((&view["chain_text"], &view["frames"]), (&json!("gain(-3 dB)"), &json!(48_000)));
    assert_eq!((&view["selection"], &view["cursor_frame"]), (&json!({ "start": 100, "end": 2000 }), &json!(77)));
    assert_eq!(bench.of("editor.markers", &view)[0]["name"], "Verse");

    let preset = json!({ "version": 2, "chain": { "nodes": [gain] } });
    std::fs::write(bench.path("softer.undertone-chain"), preset.to_string()).unwrap();
    bench.will_choose(&bench.path("softer.undertone-chain"));
    let presets = bench.call("editor.import_preset", json!({}));
    let softer = presets.as_array().unwrap().iter().find(|preset| preset["name"] == "softer");
    assert_eq!(softer.unwrap()["text"], "gain(-3 dB)");
}
