//! Every command of the window, without a window. A test host answers the dialogs and receives the events.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::app::api::Event;
use undertone::app::{App, Directories, FileChoice, Host};
use undertone::audio::encode::{EncodeSettings, Encoder};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat};
use undertone::error::ErrorCode;
use undertone::playback::Side;
use undertone::units::SampleRate;

/// Answers dialogs from a list and keeps the core's events.
#[derive(Default)]
pub struct Desk {
    pub answers: Mutex<VecDeque<PathBuf>>,
    events: Mutex<Vec<Value>>,
    /// The kind of event at which it panics, or at which it aborts the process.
    panics_at: Mutex<Option<&'static str>>,
    aborts_at: Mutex<Option<&'static str>>,
    /// A dialog waits for this before it answers.
    gate: Mutex<Option<std::sync::mpsc::Receiver<()>>>,
    /// How often it was told to end.
    quits: std::sync::atomic::AtomicU32,
}

impl Desk {
    pub fn will_choose(&self, path: &Path) {
        self.answers.lock().expect("unpoisoned").push_back(path.to_path_buf());
    }

    pub fn events(&self, kind: &str) -> Vec<Value> {
        let events = self.events.lock().expect("unpoisoned");
        events.iter().filter(|event| event["kind"] == kind).cloned().collect()
    }
}

impl Host for Desk {
    fn emit(&self, event: Event) {
        let event = serde_json::to_value(event).expect("JSON");
        let is_at = |kind: &Mutex<Option<&str>>| kind.lock().expect("unpoisoned").is_some_and(|k| event["kind"] == k);
        if is_at(&self.aborts_at) {
            std::process::abort();
        }
        assert!(!is_at(&self.panics_at), "on purpose");
        self.events.lock().expect("unpoisoned").push(event);
    }

    fn choose_open(&self, _: &FileChoice) -> Vec<PathBuf> {
        let gate = self.gate.lock().expect("unpoisoned").take();
        if let Some(gate) = gate {
            gate.recv().expect("opened");
        }
        self.answers.lock().expect("unpoisoned").pop_front().into_iter().collect()
    }

    fn choose_save(&self, _: &FileChoice, _: &str) -> Option<PathBuf> {
        self.answers.lock().expect("unpoisoned").pop_front()
    }

    fn choose_folders(&self, _: &str) -> Vec<PathBuf> {
        self.answers.lock().expect("unpoisoned").pop_front().into_iter().collect()
    }

    fn show_file(&self, path: &Path) -> undertone::Result<()> {
        self.answers.lock().expect("unpoisoned").push_back(path.to_path_buf());
        Ok(())
    }

    fn quit(&self) {
        self.quits.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    }
}

pub struct Bench {
    pub folder: tempfile::TempDir,
    pub desk: Arc<Desk>,
    pub app: App,
}

fn start_in(folder: tempfile::TempDir) -> Bench {
    let (desk, app) = app_in(folder.path());
    Bench { folder, desk, app }
}

fn app_in(folder: &Path) -> (Arc<Desk>, App) {
    let desk = Arc::new(Desk::default());
    let directories = Directories::at(folder.join("config"), folder.join("data")).expect("folders");
    let app = App::new(desk.clone(), directories).expect("an app");
    (desk, app)
}

pub fn start() -> Bench {
    start_in(tempfile::tempdir().expect("a folder"))
}

/// Ends the app as a kill would, and starts it again.
pub fn again(bench: Bench) -> Bench {
    let Bench { folder, app, .. } = bench;
    drop(app);
    start_in(folder)
}

impl Bench {
    pub fn call(&self, name: &str, args: Value) -> Value {
        self.app.call(name, args).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn fails(&self, name: &str, args: Value) -> (ErrorCode, String) {
        let error = self.app.call(name, args).expect_err("a failure");
        (error.code(), error.sentences())
    }

    pub fn tone(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        let format = AudioFormat { rate: SampleRate::new(48_000).expect("a rate"), channels: 2 };
        let samples = |hz: f64| -> Vec<f32> {
            (0..48_000).map(|n| (0.5 * (f64::from(n) * hz * std::f64::consts::TAU / 48_000.0).sin()) as f32).collect()
        };
        let audio = AudioBuffer::from_channels(vec![samples(220.0), samples(1760.0)]);
        let mut encoder = Encoder::create(&path, &EncodeSettings::default(), format, true, &[]).expect("an encoder");
        encoder.write(&audio).expect("written");
        encoder.finish().expect("finished");
        path
    }

    /// Writes a second of a stereo sine.
    pub fn sine(&self, name: &str, hz: f64) -> PathBuf {
        self.written(name, 2, hz)
    }

    /// Writes a second of a mono sine.
    pub fn mono(&self, name: &str) -> PathBuf {
        self.written(name, 1, 500.0)
    }

    fn written(&self, name: &str, channels: usize, hz: f64) -> PathBuf {
        let path = self.folder.path().join(name);
        let format = AudioFormat { rate: SampleRate::new(48_000).expect("a rate"), channels };
        let sine = (0..48_000).map(|n| (0.4 * (f64::from(n) * hz * std::f64::consts::TAU / 48_000.0).sin()) as f32);
        let audio = AudioBuffer::from_channels(vec![sine.collect(); channels]);
        let mut encoder = Encoder::create(&path, &EncodeSettings::default(), format, true, &[]).expect("an encoder");
        encoder.write(&audio).expect("written");
        encoder.finish().expect("finished");
        path
    }

    /// Lets edits join the plain samples.
    pub fn no_crossfades(&self) {
        let mut settings = self.call("settings", json!({}));
        settings["joins"]["crossfade_ms"] = json!(0);
        self.call("set_settings", json!({ "settings": settings }));
    }

    pub fn open(&self, path: &Path) -> Value {
        self.desk.will_choose(path);
        let opened = self.call("open_dialog", json!({}));
        assert_eq!(opened["failures"], json!([]));
        opened["documents"][0].clone()
    }

    pub fn edit(&self, document: &Value, edit: Value) -> Value {
        self.call("edit", json!({ "document": document["id"], "edit": edit }))
    }

    pub fn wait_for_job(&self) -> Value {
        let end = Instant::now() + Duration::from_mins(3);
        loop {
            let jobs = self.call("jobs", json!({}));
            let job = jobs.as_array().expect("a list").last().expect("a job").clone();
            if job["state"] != "running" {
                return job;
            }
            assert!(Instant::now() < end, "the job did not end: {job}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn ids(view: &Value) -> Vec<u64> {
    view["chain"]["nodes"].as_array().expect("nodes").iter().map(|node| node["id"].as_u64().expect("an id")).collect()
}

#[test]
fn a_new_start_is_empty_and_names_every_effect() {
    let bench = start();
    let startup = bench.call("startup", json!({}));
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
    assert_eq!(undo("undo")["chain_text"], "peaking(1 kHz, q=1, gain=3 dB)");
    assert_ne!(undo("undo")["chain_text"], "peaking(1 kHz, q=1, gain=2 dB)", "one gesture, one step");
    assert_eq!(undo("undo")["chain_text"], "");
    assert_eq!(undo("undo")["chain_text"], "", "nothing more to undo");
    undo("redo");
    assert_eq!(undo("redo")["chain_text"], "peaking(1 kHz, q=1, gain=3 dB)");
    assert_eq!(ids(&undo("redo")), [node], "identity is kept");
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
    let undone = bench.call("undo", json!({ "document": document["id"] }));
    assert!(undone["chain_text"].as_str().is_some_and(|text| !text.contains("heal")), "{undone}");
    let (code, message) = bench.fails("edit", json!({ "document": document["id"], "edit": repair("peaking", band) }));
    assert!(code == ErrorCode::Invalid && message.contains("spectral_heal"), "{message}");
    let long = json!({ "start": 0, "end": 480_000 });
    let edit = json!({ "kind": "add_repair", "effect": "spectral_heal", "range": long, "band": null });
    let (_, message) = bench.fails("edit", json!({ "document": document["id"], "edit": edit }));
    assert!(message == "Heal works on up to 4 s. Select a shorter part.", "{message}");
}

#[test]
fn a_wrong_edit_changes_nothing_and_says_why() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let id = &document["id"];
    let (code, message) =
        bench.fails("edit", json!({ "document": id, "edit": { "kind": "set_chain_text", "text": "hihgpass(80 Hz)" } }));
    assert_eq!(code, ErrorCode::Notation);
    assert!(message.contains("highpass"), "{message}");
    let (code, message) = bench
        .fails("edit", json!({ "document": id, "edit": { "kind": "add_effect", "effect": "reverbb", "after": null } }));
    assert_eq!(code, ErrorCode::Invalid);
    assert!(message.contains("reverbb"), "{message}");
    let check = bench.call("check_chain", json!({ "text": "gain(3 Hz)" }));
    assert_eq!(check["problem"]["start"], 7);
    assert_eq!(bench.call("undo", json!({ "document": id }))["undo"], Value::Null);
}

#[test]
fn the_session_comes_back_with_chain_selection_and_history() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "highpass(80 Hz) | gain(-3 dB)" }));
    bench.call("set_selection", json!({ "document": document["id"], "selection": { "start": 100, "end": 2000 } }));
    bench.call(
        "set_view",
        json!({ "document": document["id"], "view": { "start": 10.0, "end": 5000.0 }, "cursor_frame": 77,
                "level_zoom": 16.0 }),
    );
    let Bench { folder, app, .. } = bench;
    // The app is dropped without a shutdown; everything that was acknowledged is on disk.
    drop(app);

    let bench = start_in(folder);
    let startup = bench.call("startup", json!({}));
    let view = &startup["documents"][0];
    assert_eq!(view["chain_text"], "highpass(80 Hz) | gain(-3 dB)");
    assert_eq!(view["selection"], json!({ "start": 100, "end": 2000 }));
    assert_eq!(view["cursor_frame"], 77);
    assert_eq!(view["view"], json!({ "start": 10.0, "end": 5000.0 }));
    assert_eq!(view["level_zoom"], 16.0);
    assert_eq!(bench.call("undo", json!({ "document": view["id"] }))["chain_text"], "");
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
    let startup = bench.call("startup", json!({}));
    let view = &startup["documents"][0];
    assert!(view["sources"][0]["missing"].as_str().is_some_and(|why| why.contains("moved")), "{view}");
    let other = bench.tone("other.flac");
    bench.desk.will_choose(&other.with_file_name("nothing.wav"));
    bench.fails("locate_source", json!({ "document": view["id"], "source": 0 }));
    bench.desk.will_choose(&moved);
    let found = bench.call("locate_source", json!({ "document": view["id"], "source": 0 }));
    assert_eq!(found["sources"][0]["missing"], Value::Null);
    assert_eq!(found["sources"][0]["name"], "moved.wav");
}

#[test]
fn the_recording_of_a_document_is_shown_in_its_folder() {
    let bench = start();
    let path = bench.tone("tone.wav");
    let view = bench.open(&path);
    let shown = json!({ "document": view["id"] });
    bench.call("show_document_file", shown.clone());
    assert_eq!(bench.desk.answers.lock().expect("unpoisoned").pop_front().as_deref(), Some(path.as_path()));
    std::fs::remove_file(&path).expect("removed");
    bench.fails("show_document_file", shown);
    assert!(bench.desk.answers.lock().expect("unpoisoned").is_empty());
}

#[test]
fn files_that_cannot_be_opened_are_named_with_the_reason() {
    let bench = start();
    let broken = bench.folder.path().join("broken.wav");
    std::fs::write(&broken, b"RIFF").expect("written");
    bench.desk.will_choose(&broken);
    let opened = bench.call("open_dialog", json!({}));
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
    let recent = bench.call("recent", json!({}));
    assert_eq!(recent[0]["name"], "tone.wav");
    bench.call("close_document", json!({ "document": first["id"] }));
    let again = bench.call("open_recent", json!({ "id": recent[0]["id"] }));
    assert_ne!(again["documents"][0]["id"], first["id"]);
    assert_eq!(bench.call("clear_recent", json!({})), json!([]));
}

#[test]
fn an_export_writes_the_rendered_samples_and_reports_itself() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "gain(-6 dB)" }));
    let settings = json!({ "format": "wav", "bits": "f32", "dither": "none", "range": { "start": 1000, "end": 9000 }, "rate": null, "tail": false });
    let target = bench.folder.path().join("out.wav");
    bench.desk.will_choose(&target);
    let chosen = bench.call("choose_export", json!({ "document": document["id"], "settings": settings }));
    let args = json!({ "document": document["id"], "target": chosen["id"], "settings": settings });
    bench.call("export", args.clone());
    let job = bench.wait_for_job();
    assert_eq!(job["state"], "done", "{job}");
    assert_eq!(job["result"]["frames"], 8000);
    assert_eq!(job["result"]["device"]["used"], "cpu");
    assert!(!bench.desk.events("job").is_empty());
    assert_eq!(AudioFile::open(&target).expect("opens").info().frames, 8000);
    // A chosen target is valid for one export, to which the user agreed.
    assert_eq!(bench.fails("export", args).0, ErrorCode::Invalid);
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
    let (code, message) = bench.fails("choose_export", json!({ "document": document["id"], "settings": settings }));
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
    bench.call("save_preset", save(false));
    let (code, message) = bench.fails("save_preset", save(false));
    assert!(code == ErrorCode::Invalid && message.contains("exists"), "{message}");
    bench.call("save_preset", save(true));

    let file = bench.folder.path().join("carried.undertone-chain");
    bench.desk.will_choose(&file);
    assert_eq!(bench.call("export_preset", json!({ "name": "mine" })), json!(true));
    bench.desk.will_choose(&file);
    let presets = bench.call("import_preset", json!({}));
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
    bench.call("delete_preset", json!({ "name": "mine" }));
    assert!(bench.app.call("delete_preset", json!({ "name": "Telephone" })).is_err(), "a factory preset stays");
}

#[test]
fn responses_levels_and_pictures_are_answered() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "highpass(80 Hz) | gain(6 dB)" }));
    let response =
        bench.call("response", json!({ "document": document["id"], "points": 64, "from_hz": 20.0, "to_hz": 20000.0 }));
    assert_eq!(response["frequency_hz"].as_array().expect("a list").len(), 64);
    assert_eq!(response["nodes"].as_array().expect("a list").len(), 2);
    let peak = |side: &str| {
        let range = json!({ "start": 0, "end": 48000 });
        bench.call("levels", json!({ "document": document["id"], "side": side, "range": range }))["peak_db"]
            .as_f64()
            .expect("a level")
    };
    assert!((peak("original") + 6.02).abs() < 0.05, "{}", peak("original"));
    // The high-pass filter rings when the tone begins.
    assert!((-0.1..0.6).contains(&peak("processed")), "{}", peak("processed"));
    let id = serde_json::from_value(document["id"].clone()).expect("a handle");
    let bytes = bench.app.peaks(id, Side::Original, 0.0, 48_000.0, 100).expect("peaks");
    assert_eq!(bytes.len(), 16 + 2 * 3 * 100 * 4);
    assert_eq!(bench.app.samples(id, Side::Original, 10, 20).expect("samples").len(), 16 + 2 * 10 * 4);
    let report = bench.call("chain_report", json!({ "document": document["id"] }));
    assert!(report["nodes"][0]["times_real_time"].as_f64().is_some_and(|x| x > 1.0), "{report}");
}

#[test]
fn a_region_is_measured_in_time_and_in_frequency() {
    let bench = start();
    // 220 Hz on the left, 1760 Hz on the right, both with a peak of -6.02 dB.
    let document = bench.open(&bench.tone("tone.wav"));
    let levels = |start: u64, end: u64, band: Value| {
        let range = json!({ "start": start, "end": end });
        let asked = json!({ "document": document["id"], "side": "original", "range": range, "band": band });
        let levels = bench.call("region_levels", asked);
        move |what: &str| levels[what].as_f64()
    };
    let near = |got: Option<f64>, wanted: f64, within: f64| {
        assert!(got.is_some_and(|got| (got - wanted).abs() < within), "{got:?}, wanted {wanted}");
    };
    let whole = levels(0, 48_000, json!(null));
    near(whole("peak_db"), -6.02, 0.05);
    near(whole("rms_db"), -9.03, 0.05);
    // BS.1770 assigns -3.01 LUFS to a full-scale 997 Hz sine in one channel; the K-weighting depends on frequency.
    near(whole("lufs"), -6.0, 1.0);
    near(whole("centre_hz"), 990.0, 20.0);
    let low = levels(12_000, 36_000, json!({ "low_hz": 100.0, "high_hz": 500.0 }));
    near(low("peak_db"), -6.02, 0.1);
    near(low("centre_hz"), 220.0, 5.0);
    let high = levels(12_000, 36_000, json!({ "low_hz": 1000.0, "high_hz": 3000.0 }));
    near(high("centre_hz"), 1760.0, 5.0);
    let neither = levels(12_000, 36_000, json!({ "low_hz": 8000.0, "high_hz": 9000.0 }));
    assert!(neither("rms_db").is_none_or(|db| db < -90.0), "{:?}", neither("rms_db"));
    let upside_down = json!({ "low_hz": 500.0, "high_hz": 100.0 });
    let range = json!({ "start": 0, "end": 48_000 });
    let asked = json!({ "document": document["id"], "side": "original", "range": range, "band": upside_down });
    let (code, text) = bench.fails("region_levels", asked);
    assert!(code == ErrorCode::Invalid && text.contains("500 to 100 Hz"), "{text}");
}

#[test]
fn levels_are_those_of_the_side_and_of_the_chain_as_it_is() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let set = |text: &str| bench.edit(&document, json!({ "kind": "set_chain_text", "text": text }));
    let measured = |side: &str, band: Value| {
        let range = json!({ "start": 12_000, "end": 36_000 });
        bench.call("region_levels", json!({ "document": document["id"], "side": side, "range": range, "band": band }))
    };
    let peak = |side: &str, band: Value| measured(side, band)["peak_db"].as_f64().expect("a level");
    let described = |side: &str| bench.call("describe", json!({ "document": document["id"], "side": side }));
    let near = |got: f64, wanted: f64| assert!((got - wanted).abs() < 0.1, "{got}, wanted {wanted}");
    let left = json!({ "low_hz": 100.0, "high_hz": 500.0 });

    set("gain(5 dB)");
    near(peak("processed", json!(null)), -1.02);
    near(peak("original", json!(null)), -6.02);
    near(peak("processed", left.clone()), -1.02);
    set("gain(-6 dB)");
    near(peak("processed", json!(null)), -12.02);
    set("gain(5 dB)");
    near(peak("processed", json!(null)), -1.02);
    // Normalising needs the whole recording before its first frame is known.
    set("gain(-20 dB) | normalize(-1 dB)");
    near(peak("processed", json!(null)), -1.0);
    near(described("processed")["peak_db"].as_f64().expect("a level"), -1.0);
    near(described("original")["peak_db"].as_f64().expect("a level"), -6.02);
    set("gain(12 dB)");
    assert!(described("processed")["text"].as_str().is_some_and(|text| text.contains("its peak 6.0 dBFS")));

    // What changes the length is described as it is heard, but has no levels along the recording.
    set("time_stretch(200 %)");
    near(described("processed")["duration_s"].as_f64().expect("a length"), 2.0);
    let range = json!({ "start": 0, "end": 48_000 });
    let asked = json!({ "document": document["id"], "side": "processed", "range": range, "band": null });
    assert_eq!(bench.fails("region_levels", asked).0, ErrorCode::Unsupported);
    bench.call("stop_describing", json!({ "document": document["id"] }));
}

#[test]
fn a_picture_is_written_where_the_dialog_says_and_nothing_where_it_is_closed() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let settings = bench.call("settings", json!({}))["spectrogram"].clone();
    let arguments = |format: &str, axes: bool| {
        json!({
            "document": document["id"], "side": "original", "analysis": settings["analysis"], "display": settings["display"],
            "width": 300, "height": 200, "axes": axes, "format": format,
        })
    };
    assert_eq!(bench.call("export_picture", arguments("png", false)), json!(null), "the dialog was closed");

    let picture = bench.folder.path().join("picture");
    bench.desk.will_choose(&picture);
    let write = |format: &str, axes: bool| {
        bench.call("export_picture", arguments(format, axes));
        bench.wait_for_job()
    };
    let written = write("png", false);
    assert_eq!((&written["state"], &written["title"]), (&json!("done"), &json!("Export picture.png")));
    let bytes = std::fs::read(picture.with_extension("png")).expect("a picture");
    assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
    let field = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    // Two lanes in the requested height, plus at most the line between them.
    assert_eq!(field(16), 300);
    assert!((200..=210).contains(&field(20)), "{}", field(20));

    // The user was not asked about a name that the program completed, so it is not overwritten.
    bench.desk.will_choose(&picture);
    let (_, text) = bench.fails("export_picture", arguments("png", false));
    assert!(text.starts_with("The file exists. "), "{text}");
    assert_eq!(std::fs::read(picture.with_extension("png")).expect("a picture"), bytes);

    let numbers = bench.folder.path().join("numbers.npy");
    bench.desk.will_choose(&numbers);
    assert_eq!(write("npy", true)["state"], "done");
    assert_eq!(std::fs::read(numbers).expect("numbers")[..6], *b"\x93NUMPY");

    // The recording itself is never overwritten.
    let tone = bench.folder.path().join("tone.wav");
    let before = std::fs::read(&tone).expect("the recording");
    bench.desk.will_choose(&tone);
    bench.fails("export_picture", arguments("png", true));
    assert_eq!(std::fs::read(&tone).expect("the recording"), before);

    // The numbers of hours of silence take long, and nothing is left of them when they are stopped.
    let silence = json!({ "kind": "insert_silence", "frames": 1_000_000_000 });
    bench.call("edit_sound", json!({ "document": document["id"], "edit": silence }));
    let long = bench.folder.path().join("long.npy");
    bench.desk.will_choose(&long);
    let job = bench.call("export_picture", arguments("npy", true));
    assert_eq!(
        bench.call("jobs", json!({})).as_array().and_then(|jobs| jobs.last()).expect("a job")["state"],
        "running"
    );
    bench.call("cancel_job", json!({ "job": job }));
    assert_eq!(bench.wait_for_job()["state"], "cancelled");
    let left = std::fs::read_dir(bench.folder.path())
        .expect("a folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    assert_eq!(left.filter(|name| name.contains("long")).count(), 0);
}

#[test]
fn where_spectrograms_are_made_is_told_and_follows_the_setting() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let id = serde_json::from_value(document["id"].clone()).expect("a handle");
    let mut settings = bench.call("settings", json!({}));
    let mut make = |request: &str, column_tile: u32| {
        settings["device"] = json!(request);
        bench.call("set_settings", json!({ "settings": settings }));
        let before = bench.call("devices", json!({}))["spectrogram"].clone();
        let tile = json!({
            "analysis": settings["spectrogram"]["analysis"], "channels": "each", "lane": 0, "side": "original",
            "level": 6, "column_tile": column_tile, "row_level": 0, "row_tile": 0, "row_tiles": 1, "request": 1,
        });
        bench.app.spectrogram(id, serde_json::from_value(tile).expect("a tile")).expect("a tile");
        (before, bench.call("devices", json!({}))["spectrogram"].clone())
    };
    let (before, after) = make("cpu", 0);
    assert_eq!((before, &after["used"], &after["fallback"]), (json!(null), &json!("cpu"), &json!(false)));
    // Cached tiles are not computed again and cause no event.
    make("cpu", 0);
    assert_eq!(bench.desk.events("spectrogram_device").len(), 1);
    let (before, after) = make("Voodoo 9000", 1);
    assert_eq!(before, json!(null), "nothing was made for that request");
    assert_eq!((&after["requested"], &after["fallback"]), (&json!("Voodoo 9000"), &json!(true)));
    let told = bench.desk.events("spectrogram_device");
    assert_eq!((told.len(), &told[1]["device"]), (2, &after));
}

#[test]
fn settings_are_kept_and_put_in_range() {
    let bench = start();
    let mut settings = bench.call("settings", json!({}));
    settings["theme"] = json!("light");
    settings["cache_mib"] = json!(1);
    settings["device"] = json!("cpu");
    let kept = bench.call("set_settings", json!({ "settings": settings }));
    assert_eq!(kept["cache_mib"], 64);
    let bench = start_in(bench.folder);
    let startup = bench.call("startup", json!({}));
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
    assert_eq!(bench.fails("format_disk", json!({})).0, ErrorCode::Invalid);
    let id = serde_json::from_value(document["id"].clone()).expect("a handle");
    assert!(bench.app.peaks(id, Side::Original, f64::NAN, 1.0, 10).is_err());
    assert!(bench.app.peaks(id, Side::Original, 0.0, 1.0, usize::MAX).is_err());
    assert!(bench.app.samples(id, Side::Original, 0, u64::MAX).is_err());
    assert_eq!(bench.call("undo", json!({ "document": document["id"] }))["chain_text"], "", "nothing was harmed");
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn loudness(bench: &Bench, document: &Value, side: &str, generation: u32, from: u32) -> undertone::Result<Vec<u32>> {
    let query =
        serde_json::from_value(json!({ "side": side, "generation": generation, "from": from })).expect("a query");
    let id = serde_json::from_value(document["id"].clone()).expect("an id");
    bench.app.loudness(id, query).map(|bytes| words(&bytes))
}

/// Returns the whole curve once it is measured.
fn whole_loudness(bench: &Bench, document: &Value, side: &str) -> Vec<u32> {
    let end = Instant::now() + Duration::from_mins(3);
    loop {
        let found = loudness(bench, document, side, 0, 0).expect("a curve");
        if found[3] == 1 {
            return found;
        }
        assert!(Instant::now() < end, "the curve did not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn loudness_over_time_is_measured_for_both_sides_and_anew_for_another_chain() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let number = |word: u32| f64::from(f32::from_bits(word));
    let original = whole_loudness(&bench, &document, "original");
    assert_eq!((original[1], original[2]), (0, 10), "a second has ten points");
    assert_eq!(original.len(), 16 + 20);
    let described = bench.call("describe", json!({ "document": document["id"], "side": "original" }));
    let lufs =
        described["integrated_lufs"].as_f64().or_else(|| described["loudness_lufs"].as_f64()).expect("a loudness");
    assert!((number(original[5]) - lufs).abs() < 0.1, "{} is not {lufs}", number(original[5]));

    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "gain(-6 dB)" }));
    let quieter = whole_loudness(&bench, &document, "processed");
    assert!((number(original[5]) - number(quieter[5]) - 6.0).abs() < 0.05);
    assert_eq!(
        loudness(&bench, &document, "original", original[0], 7).expect("a rest")[1..3],
        [7, 3],
        "only what is new"
    );
    assert_eq!(loudness(&bench, &document, "original", original[0] + 99, 7).expect("all")[1..3], [0, 10]);

    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "gain(-12 dB) | normalize(-1 dB)" }));
    let anew = whole_loudness(&bench, &document, "processed");
    assert_ne!(anew[0], quieter[0], "another chain, another curve");
    assert!(number(anew[5]) > number(quieter[5]) + 6.0);
    let told = bench.desk.events("loudness");
    assert!(told.iter().any(|event| event["side"] == "processed" && event["loudness"]["finished"] == true));

    bench.call("stop_loudness", json!({ "document": document["id"] }));
    assert_eq!(whole_loudness(&bench, &document, "processed")[0], anew[0], "what is finished is kept");
    bench.call("close_document", json!({ "document": document["id"] }));
    assert!(loudness(&bench, &document, "original", 0, 0).is_err());
}

#[test]
fn the_monitor_answers_in_bytes_and_refuses_in_words() {
    let bench = start();
    let query = |frames: u32| {
        serde_json::from_value(json!({
            "window": "hann", "window_frames": frames, "averaging": "fast", "hold": "decay", "channels": "mix", "slope": "3",
            "pair": 0, "from_hz": 20.0, "to_hz": 20_000.0, "points": 300
        }))
        .expect("a query")
    };
    bench.call("set_monitoring", json!({ "on": true }));
    let found = words(&bench.app.monitor(query(4096)).expect("a frame"));
    assert_eq!((found.len(), found[2]), (16, 0), "nothing was played yet");
    assert!(f32::from_bits(found[11]).is_nan());
    let refused = bench.app.monitor(query(3000)).expect_err("no power of two");
    assert!(refused.to_string().contains("3000"), "{refused}");
    bench.call("reset_monitor", json!({ "part": "loudness" }));
    bench.call("set_monitoring", json!({ "on": false }));
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
    let view = bench
        .call("choose_argument", json!({ "document": document["id"], "node": node, "name": "file", "folder": false }));
    assert_eq!((&view["chain_problem"], &view["asked_files"]), (&Value::Null, &json!([])), "the user chose it");
    let link = bench.folder.path().join("link.wav");
    std::fs::hard_link(&other, &link).expect("linked");
    let settings =
        json!({ "format": "wav", "bits": "16", "dither": "tpdf", "range": null, "rate": null, "tail": false });
    for target in [&other, &link, &response] {
        let before = std::fs::read(target).expect("read");
        bench.desk.will_choose(target);
        let (code, _) = bench.fails("choose_export", json!({ "document": document["id"], "settings": settings }));
        assert_eq!(code, ErrorCode::Refused, "{}", target.display());
        bench.desk.will_choose(target);
        bench.call("save_preset", json!({ "document": document["id"], "node": null, "name": "p", "replace": true }));
        assert_eq!(bench.fails("export_preset", json!({ "name": "p" })).0, ErrorCode::Refused);
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
    let chosen = bench.call("choose_export", json!({ "document": document["id"], "settings": settings }));
    bench.call("export", json!({ "document": document["id"], "target": chosen["id"], "settings": settings }));
    let job = bench.wait_for_job();
    assert_eq!(job["state"], "done", "{job}");
    assert_eq!(AudioFile::open(&target).expect("opens").info().frames, 48_000);

    let preset = named(b"p\xe9.undertone-chain");
    bench.call("save_preset", json!({ "document": document["id"], "node": null, "name": "p", "replace": true }));
    bench.desk.will_choose(&preset);
    assert_eq!(bench.call("export_preset", json!({ "name": "p" })), json!(true));
    bench.desk.will_choose(&preset);
    bench.call("import_preset", json!({}));

    bench.call("add_batch_files", json!({}));
    bench.call("close_document", json!({ "document": document["id"] }));
    let recent = bench.call("recent", json!({}));
    assert_eq!(recent[0]["name"], "caf\u{fffd}.wav");
    let opened = bench.call("open_recent", json!({ "id": recent[0]["id"] }));
    assert_eq!(opened["failures"], json!([]));

    let Bench { folder, app, .. } = bench;
    drop(app);
    let bench = start_in(folder);
    let startup = bench.call("startup", json!({}));
    assert_eq!(startup["documents"][0]["sources"][0]["missing"], Value::Null, "{startup}");
}

/// Returns the names of the documents at a start, and of those that are not opened.
fn documents(app: &App) -> (Vec<String>, Vec<String>) {
    let startup = app.call("startup", json!({})).expect("a start");
    let documents = startup["documents"].as_array().expect("a list").clone();
    let name = |document: &Value| document["name"].as_str().expect("a name").to_owned();
    let missing = documents.iter().filter(|document| document["sources"][0]["missing"].is_string());
    (documents.iter().map(name).collect(), missing.map(name).collect())
}

fn notices(app: &App) -> Vec<String> {
    let startup = app.call("startup", json!({})).expect("a start");
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
        let waiting = scope.spawn(|| bench.app.call("edit", edit));
        // The edit is visible immediately, and on disk as soon as possible.
        wait_for("the edit is not made", || {
            let points = json!({ "document": id, "points": 2, "from_hz": 20.0, "to_hz": 2000.0 });
            bench.call("response", points)["chain_db"][0].as_f64().is_some_and(|db| db < -2.0)
        });
        for (name, args) in [
            ("settings", json!({})),
            ("jobs", json!({})),
            ("check_chain", json!({ "text": "gain(1 dB)" })),
            ("set_loop", json!({ "looping": true })),
            ("seek", json!({ "frame": 100 })),
            ("stop", json!({})),
            ("levels", json!({ "document": id, "side": "original", "range": { "start": 0, "end": 100 } })),
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
    let startup = start_in(folder).call("startup", json!({}));
    assert_eq!(startup["documents"][0]["chain_text"], "gain(-3 dB)");
}

#[test]
fn commands_answer_while_a_dialog_is_open() {
    let bench = start();
    let path = bench.tone("tone.wav");
    let (open, gate) = std::sync::mpsc::channel();
    *bench.desk.gate.lock().expect("unpoisoned") = Some(gate);
    std::thread::scope(|scope| {
        let dialog = scope.spawn(|| bench.app.call("open_dialog", json!({})));
        bench.app.open_and_tell(&[path]);
        let document = bench.call("startup", json!({}))["documents"][0].clone();
        bench.edit(&document, json!({ "kind": "add_effect", "effect": "gain", "after": null }));
        bench.call("undo", json!({ "document": document["id"] }));
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
    let failed = undertone::app::caught("play", || -> undertone::Result<()> { panic!("with {}", "a reason") });
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
    bench.call("save_preset", saved);
    let presets = second.call("presets", json!({})).expect("presets");
    assert!(presets.as_array().expect("a list").iter().any(|preset| preset["name"] == "Common"));
    assert_eq!(bench.call("recent", json!({}))[0]["name"], "b.wav");
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
        let chosen = window.call("choose_export", json!({ "document": document["id"], "settings": settings }));
        let args = json!({ "document": document["id"], "target": chosen["id"], "settings": settings });
        window.call("export", args);
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
    // Each process keeps its own edit, and the next start has both.
    let folder = bench.folder;
    drop((bench.app, second.app));
    let (_, next) = app_in(folder.path());
    let startup = next.call("startup", json!({})).expect("a start");
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
    let format = AudioFormat { rate: SampleRate::new(48_000).expect("a rate"), channels: 1 };
    let bad = bench.folder.path().join("bad.wav");
    let mut encoder = Encoder::create(&bad, &EncodeSettings::default(), format, true, &[]).expect("an encoder");
    encoder.write(&AudioBuffer::from_channels(vec![vec![0.25; 1 << 22]])).expect("written");
    encoder.finish().expect("finished");
    let is_read = |app: &App, index: usize| {
        let startup = app.call("startup", json!({})).expect("a start");
        startup["documents"][index]["waveform"]["exact_share"] == 1.0
    };
    bench.open(&good);
    wait_for("the waveform is not read", || is_read(&bench.app, 0));
    let folder = bench.folder;
    drop(bench.app);
    let child = || {
        let mut child = std::process::Command::new(std::env::current_exe().expect("this program"));
        child.args(["--exact", "commands::child_that_a_recording_ends", "--test-threads=1"]).env(CHILD, folder.path());
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
    let startup = app.call("startup", json!({})).expect("a start");
    let id = startup["documents"][1]["id"].clone();
    let view = app.call("retry_document", json!({ "document": id })).expect("opened");
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
    bench.call("quit", json!({}));
    assert_eq!(bench.desk.quits.load(std::sync::atomic::Ordering::SeqCst), 1);
    // What the host then does: it ends the core, and the next start has all of it.
    bench.app.shut_down();
    drop(bench.app);
    let bench = start_in(bench.folder);
    let startup = bench.call("startup", json!({}));
    assert_eq!(startup["documents"][0]["chain_text"], "gain(-3 dB)");
}
