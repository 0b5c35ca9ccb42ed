//! An app of a scene, led along the steps of a recording.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use undertone::app::api::Event;
use undertone::app::{App, FileChoice, Host};
use undertone::error::Result;

use super::normal::{self, Normal};
use super::scenes::{self, Scene};

/// A command or one of the questions that are answered in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub call: String,
    pub args: Value,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.call, self.args.to_string().chars().take(160).collect::<String>())
    }
}

/// What came of a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Value>,
    /// The answer in bytes, as words of 32 bits and floats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Value>,
    /// What the core told because of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Value>,
    /// What it changed of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Value>,
}

impl Outcome {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Commands after which the next one comes before the work that the one before began is done.
const INTERRUPTS: [&str; 5] = ["pause_batch", "cancel_batch", "pause_scan", "cancel_scan", "cancel_job"];

/// Commands that change nothing of what is answered later.
const QUERIES: &[&str] = &[
    "startup",
    "recent",
    "check_chain",
    "response",
    "chain_report",
    "levels",
    "region_levels",
    "describe",
    "export_picture",
    "spectrum_at",
    "spectrogram_presets",
    "outputs",
    "devices",
    "measure_devices",
    "choose_export",
    "batch",
    "jobs",
    "presets",
    "library",
    "library_tracks",
    "library_position",
    "library_numbers",
    "library_rows",
    "complete_query",
    "library_track",
    "library_cover",
    "library_problems",
    "similar_tracks",
    "duplicates",
    "identified",
    "export_tracks",
    "audition",
    "stop",
    "peaks",
    "samples",
    "loudness",
    "library_map",
];

/// Where peaks tell that they are exact, and a loudness that it is finished.
const EXACT: usize = 8;
const FINISHED: usize = 12;

/// Whether a request leads to another state.
pub fn is_step(request: &Request) -> bool {
    !QUERIES.contains(&request.call.as_str())
}

/// Answers dialogs as the scene says, and keeps what the core tells.
pub struct Desk {
    scene: Scene,
    folder: PathBuf,
    events: Mutex<Vec<Value>>,
    told: Mutex<Instant>,
}

impl Desk {
    pub fn new(scene: Scene, folder: &Path) -> Self {
        Self { scene, folder: folder.to_path_buf(), events: Mutex::default(), told: Mutex::new(Instant::now()) }
    }

    fn take(&self) -> Vec<Value> {
        std::mem::take(&mut self.events.lock().expect("unpoisoned"))
    }
}

impl Host for Desk {
    fn emit(&self, event: Event) {
        let event = serde_json::to_value(event).expect("JSON");
        if event["kind"] != "transport" {
            *self.told.lock().expect("unpoisoned") = Instant::now();
            self.events.lock().expect("unpoisoned").push(event);
        }
    }

    fn choose_open(&self, choice: &FileChoice) -> Vec<PathBuf> {
        (self.scene.files)(&self.folder, &choice.title)
    }

    fn choose_save(&self, _: &FileChoice, suggested_name: &str) -> Option<PathBuf> {
        Some(self.folder.join("out").join(suggested_name))
    }

    fn choose_folders(&self, title: &str) -> Vec<PathBuf> {
        (self.scene.folders)(&self.folder, title)
    }

    fn show_file(&self, _: &Path) -> Result<()> {
        Ok(())
    }
}

/// An app at some state of its scene.
pub struct Session {
    scene: Scene,
    path: Vec<Request>,
    stage: Option<Stage>,
}

struct Stage {
    desk: Arc<Desk>,
    app: App,
    normal: Normal,
    _folder: tempfile::TempDir,
}

impl Session {
    pub fn new(scene: &str) -> Self {
        Self { scene: scenes::named(scene), path: Vec::new(), stage: None }
    }

    /// Goes to the state that steps lead to, and returns what came of the last of them.
    pub fn walk(&mut self, path: &[Request]) -> Outcome {
        let interrupts = path.last().is_some_and(|last| INTERRUPTS.contains(&last.call.as_str()));
        let here = self.stage.is_some() && path.len() > self.path.len() && path.starts_with(&self.path);
        if !here || interrupts {
            let folder = tempfile::tempdir().expect("a folder");
            let (desk, app) = scenes::begin(&self.scene, folder.path());
            let normal = Normal::new(folder.path());
            self.stage = Some(Stage { desk, app, normal, _folder: folder });
            self.path.clear();
            self.settled();
        }
        let mut outcome = Outcome::default();
        for at in self.path.len()..path.len() {
            let interrupted = path.get(at + 1).is_some_and(|next| INTERRUPTS.contains(&next.call.as_str()));
            outcome = self.step(&path[at], !interrupted);
        }
        self.path = path.to_vec();
        outcome
    }

    /// Goes to a state, unless it is there.
    pub fn go(&mut self, path: &[Request]) {
        if self.stage.is_none() || self.path != path {
            self.walk(path);
        }
    }

    fn stage(&self) -> &Stage {
        self.stage.as_ref().expect("a stage")
    }

    fn step(&mut self, request: &Request, wait: bool) -> Outcome {
        let stage = self.stage();
        stage.desk.take();
        let before = stage.app.call("settings", json!({})).expect("settings");
        let mut outcome = stage.call(request);
        if wait {
            self.settled();
        }
        let stage = self.stage();
        let after = stage.app.call("settings", json!({})).expect("settings");
        outcome.settings = normal::change(&before, &after);
        let shown = stage.normal.events(stage.desk.take());
        outcome.events = shown;
        outcome
    }

    /// Answers a query in the state that was walked to.
    pub fn ask(&self, request: &Request) -> Outcome {
        let stage = self.stage();
        let mut outcome = stage.call(request);
        if let (Some(bytes), "loudness") = (&mut outcome.bytes, request.call.as_str()) {
            // Curves are counted in the order of the questions; here each state has its own.
            bytes["words"][0] = json!(self.path.len() + 1);
        }
        if request.call == "audition" {
            let _ = stage.app.call("stop", json!({}));
        }
        outcome
    }

    /// Waits until the core has no work in hand and has told all there is to tell.
    fn settled(&self) {
        let stage = self.stage();
        let end = Instant::now() + Duration::from_mins(2);
        loop {
            let jobs = stage.app.call("jobs", json!({})).expect("jobs");
            let works = jobs.as_array().expect("a list").iter().any(|job| job["state"] == "running");
            let last = |kind: &str| {
                let events = stage.desk.events.lock().expect("unpoisoned");
                events.iter().rev().find(|event| event["kind"] == kind).cloned()
            };
            let scans = last("scan").is_some_and(|event| {
                !["done", "cancelled", "failed", "paused"].iter().any(|phase| event["scan"]["phase"] == *phase)
            });
            let batch = last("batch_items")
                .is_some_and(|event| event["status"]["phase"] == "running" || event["status"]["phase"] == "pausing");
            let quiet = stage.desk.told.lock().expect("unpoisoned").elapsed() > Duration::from_millis(60);
            if !works && !scans && !batch && quiet {
                return;
            }
            assert!(Instant::now() < end, "the core did not come to rest");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Stage {
    fn call(&self, request: &Request) -> Outcome {
        let args = self.normal.given(&request.args);
        let found = match request.call.as_str() {
            "peaks" | "samples" | "loudness" | "library_map" => self
                .bytes(&request.call, &args)
                .map(|bytes| Outcome { bytes: Some(normal::words(&request.call, &bytes)), ..Outcome::default() }),
            name => self.app.call(name, args).map(|answer| Outcome {
                answer: Some(self.normal.shown(&answer)).filter(|answer| !answer.is_null()),
                ..Outcome::default()
            }),
        };
        found.unwrap_or_else(|error| {
            let failure = undertone::error::Failure::from(&error);
            let failure = serde_json::to_value(failure).expect("JSON");
            Outcome { failure: Some(self.normal.shown(&failure)), ..Outcome::default() }
        })
    }

    fn bytes(&self, name: &str, args: &Value) -> Result<Vec<u8>> {
        let id = || serde_json::from_value(args["document"].clone()).expect("a document");
        let number = |name: &str| args[name].as_f64().expect("a number");
        match name {
            "peaks" => loop {
                let columns = number("columns") as usize;
                let found = self.app.peaks(id(), number("start"), number("end"), columns)?;
                if found[EXACT] == 1 {
                    return Ok(found);
                }
                std::thread::sleep(Duration::from_millis(5));
            },
            "samples" => self.app.samples(id(), number("start") as u64, number("end") as u64),
            "library_map" => self.app.library_map(args["whole"] == true),
            _ => {
                loop {
                    // The first question begins the measurement.
                    let query = json!({ "side": args["query"]["side"], "generation": 0, "from": 0 });
                    let found = self.app.loudness(id(), serde_json::from_value(query).expect("a query"))?;
                    if found[FINISHED] == 1 {
                        return Ok(found);
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.app.shut_down();
    }
}
