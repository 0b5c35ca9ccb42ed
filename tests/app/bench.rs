//! A core with a host that answers its dialogs, as the tests of commands use it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::audio::encode::{EncodeSettings, Encoder};
use undertone::audio::{AudioBuffer, AudioFormat};
use undertone::error::ErrorCode;
use undertone::units::SampleRate;
use undertone::window::{App, Event, FileChoice, Host};
use undertone::work::Directories;

/// Answers dialogs from a list and keeps the core's events.
#[derive(Default)]
pub struct Desk {
    pub answers: Mutex<VecDeque<PathBuf>>,
    events: Mutex<Vec<Value>>,
    /// The kind of event at which it panics, or at which it aborts the process.
    pub panics_at: Mutex<Option<&'static str>>,
    pub aborts_at: Mutex<Option<&'static str>>,
    /// A dialog waits for this before it answers.
    pub gate: Mutex<Option<std::sync::mpsc::Receiver<()>>>,
    /// How often the core asked it to quit.
    pub quits: std::sync::atomic::AtomicU32,
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

pub fn start_in(folder: tempfile::TempDir) -> Bench {
    let (desk, app) = app_in(folder.path());
    Bench { folder, desk, app }
}

pub fn app_in(folder: &Path) -> (Arc<Desk>, App) {
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
        let format = AudioFormat::new(SampleRate::new(48_000).expect("a rate"), 2);
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
        let format = AudioFormat::new(SampleRate::new(48_000).expect("a rate"), channels);
        let sine = (0..48_000).map(|n| (0.4 * (f64::from(n) * hz * std::f64::consts::TAU / 48_000.0).sin()) as f32);
        let audio = AudioBuffer::from_channels(vec![sine.collect(); channels]);
        let mut encoder = Encoder::create(&path, &EncodeSettings::default(), format, true, &[]).expect("an encoder");
        encoder.write(&audio).expect("written");
        encoder.finish().expect("finished");
        path
    }

    /// Makes edits join clips without cross-fades.
    pub fn no_crossfades(&self) {
        let mut settings = self.call("settings.view", json!({}));
        settings["joins"]["crossfade_ms"] = json!(0);
        self.call("settings.set", json!({ "settings": settings }));
    }

    pub fn open(&self, path: &Path) -> Value {
        self.desk.will_choose(path);
        let opened = self.call("workspace.open_dialog", json!({}));
        assert_eq!(opened["failures"], json!([]));
        opened["documents"][0].clone()
    }

    pub fn edit(&self, document: &Value, edit: Value) -> Value {
        self.call("editor.edit", json!({ "document": document["id"], "edit": edit }))
    }

    pub fn wait_for_job(&self) -> Value {
        let end = Instant::now() + Duration::from_mins(3);
        loop {
            let jobs = self.call("jobs.view", json!({}));
            let job = jobs.as_array().expect("a list").last().expect("a job").clone();
            if job["state"] != "running" {
                return job;
            }
            assert!(Instant::now() < end, "the job did not end: {job}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
