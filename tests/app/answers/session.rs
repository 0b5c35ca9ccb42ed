//! An app of a scene that follows the steps of a recording.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use undertone::error::Result;
use undertone::playback::Side;
use undertone::window::{App, Event, FileChoice, Host};

use super::library;
use super::normal::{self, Normal};
use super::scenes::{self, Scene, Stage};

/// A command, or a query whose answer is bytes.
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

/// The result of a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Value>,
    /// The binary answer, as 32-bit words and floats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Value>,
    /// The events that the core emitted because of the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Value>,
    /// The changes that the request made to the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Value>,
}

impl Outcome {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Commands after which the next one is sent before the work of the previous one is finished.
pub const INTERRUPTS: [&str; 5] =
    ["batch.pause", "batch.cancel", "library.pause_scan", "library.cancel_scan", "jobs.cancel"];

/// Commands that start or resume a scan.
const SCANS: [&str; 7] = [
    "library.add_folders",
    "library.scan",
    "library.retry",
    "library.resume_scan",
    "library.pause_scan",
    "library.cancel_scan",
    "outside",
];

/// Commands that do not change later answers.
const QUERIES: &[&str] = &[
    "workspace.startup",
    "workspace.recent",
    "editor.check_chain",
    "editor.response",
    "editor.chain_report",
    "editor.levels",
    "editor.region_levels",
    "editor.describe",
    "editor.cancel_describing",
    "editor.spectrum_at",
    "editor.spectrogram_presets",
    "playback.outputs",
    "recording.inputs",
    "recording.view",
    "recording.left",
    "devices.view",
    "devices.measure",
    "devices.verification",
    "devices.save_verification",
    "editor.choose_export",
    "editor.choose_cover",
    "editor.encoder_problem",
    "editor.export_forecast",
    "editor.export_plan",
    "editor.export_tags",
    "batch.view",
    "jobs.view",
    "editor.presets",
    "library.view",
    "library.tracks",
    "library.position",
    "library.numbers",
    "library.rows",
    "library.complete_query",
    "library.track",
    "library.cover",
    "library.problems",
    "library.similar",
    "library.duplicates",
    "library.identified",
    "library.export",
    "library.playlist",
    "library.tag_run",
    "library.tag_writes",
    "library.audition",
    "playback.stop",
    "peaks",
    "track_peaks",
    "samples",
    "loudness",
    "library_map",
];

/// The offset of the flag that peaks are exact, and of the flag that a loudness measurement is finished.
const EXACT: usize = 8;
const FINISHED: usize = 12;

/// Returns whether a request leads to another state.
pub fn is_step(request: &Request) -> bool {
    !QUERIES.contains(&request.call.as_str())
}

/// Answers dialogs as the scene specifies, and keeps the core's events.
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

    /// Waits until the core has no work left (with `scans`, no scan either) and has emitted all events.
    pub fn settled(&self, app: &App, scans: bool) {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            // A paused batch is idle once its running files are finished. Querying the batch would take the update from
            // the event that reports it.
            let paused = self.last("batch_items").is_some_and(|event| {
                let mut items = event["items"].as_array().expect("items").iter();
                event["status"]["phase"] == "paused" && !items.any(|item| item["state"] == "running")
            });
            let jobs = app.call("jobs.view", json!({})).expect("jobs");
            let works = |job: &Value| job["state"] == "running" && !(paused && job["purpose"] == "batch");
            let works = jobs.as_array().expect("a list").iter().any(works);
            let rests =
                |scan: &Value| ["done", "cancelled", "failed", "paused"].iter().any(|phase| scan["phase"] == *phase);
            let library = if scans { app.call("library.view", json!({})).unwrap_or_default() } else { Value::Null };
            let scans = scans && {
                let told = self.last("scan").is_some_and(|event| rests(&event["scan"]));
                !told || !(library["scan"].is_null() || rests(&library["scan"]))
            };
            let quiet = self.told.lock().expect("unpoisoned").elapsed() > Duration::from_millis(60);
            if !works && !scans && quiet {
                return;
            }
            assert!(
                Instant::now() < end,
                "the core did not come to rest: jobs {jobs}, scan {}, told {}",
                library["scan"],
                self.last("scan").unwrap_or_default()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until all inputs of a batch have been read. The answer contains the number of unread ones.
    fn inputs_read(&self, answer: Option<&Value>) {
        let unread = |status: &Value| status["unread"].as_u64().unwrap_or(0);
        let end = Instant::now() + Duration::from_secs(30);
        let mut left = answer.map_or(0, |answer| unread(&answer["status"]));
        while left > 0 {
            assert!(Instant::now() < end, "the inputs are not read");
            std::thread::sleep(Duration::from_millis(5));
            left = self.last("batch_items").map_or(left, |event| unread(&event["status"]));
        }
    }

    fn last(&self, kind: &str) -> Option<Value> {
        self.events.lock().expect("unpoisoned").iter().rev().find(|event| event["kind"] == kind).cloned()
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
    path: Vec<Request>,
    play: Option<Play>,
    stage: Stage,
}

struct Play {
    desk: Arc<Desk>,
    app: App,
    normal: Normal,
    folder: PathBuf,
}

impl Session {
    pub fn new(scene: &str) -> Self {
        Self { path: Vec::new(), play: None, stage: Stage::new(scenes::named(scene)) }
    }

    /// Goes to the state at the end of `path`. Returns the outcome of the last step.
    pub fn walk(&mut self, path: &[Request]) -> Outcome {
        // On a busy machine a scan can end before it is paused.
        (0..20).find_map(|_| self.try_walk(path)).expect("a scan that is met in its middle")
    }

    /// Like `walk`; `None` if a scan ended before the step that was to interrupt it.
    fn try_walk(&mut self, path: &[Request]) -> Option<Outcome> {
        let interrupts = path.last().is_some_and(|last| INTERRUPTS.contains(&last.call.as_str()));
        let here = self.play.is_some() && path.len() > self.path.len() && path.starts_with(&self.path);
        if !here || interrupts {
            // The previous app releases its files.
            self.play = None;
            let (desk, app) = self.stage.begin();
            let folder = self.stage.folder();
            self.play = Some(Play { desk, app, normal: Normal::new(&folder), folder });
            self.path.clear();
            self.settled(false);
        }
        let mut outcome = Outcome::default();
        for at in self.path.len()..path.len() {
            let interrupted = path.get(at + 1).is_some_and(|next| INTERRUPTS.contains(&next.call.as_str()));
            outcome = self.step(&path[at], !interrupted);
            if path[at].call == "library.pause_scan" {
                let library = self.play().app.call("library.view", json!({})).expect("the library");
                if library["scan"]["phase"] == "done" {
                    self.play = None;
                    return None;
                }
            }
        }
        self.path = path.to_vec();
        Some(outcome)
    }

    /// Goes to a state, unless the app is already there.
    pub fn go(&mut self, path: &[Request]) {
        if self.play.is_none() || self.path != path {
            self.walk(path);
        }
    }

    fn play(&self) -> &Play {
        self.play.as_ref().expect("a play")
    }

    fn step(&mut self, request: &Request, wait: bool) -> Outcome {
        let play = self.play();
        // The step that was to pause a scan must not wait for the end of one that has just ended.
        if request.call != "library.pause_scan" {
            play.desk.take();
        }
        let before = play.app.call("settings.view", json!({})).expect("settings");
        let mut outcome = play.call(request);
        let reads_inputs = outcome.answer.as_ref().is_some_and(|answer| answer["status"]["unread"].is_number());
        play.desk.inputs_read(outcome.answer.as_ref());
        let scans = SCANS.contains(&request.call.as_str()) && request.args.get("overwrite").is_none();
        if wait {
            self.settled(scans);
        }
        let play = self.play();
        let after = play.app.call("settings.view", json!({})).expect("settings");
        outcome.settings = normal::change(&before, &after);
        outcome.events = play.normal.events(play.desk.take());
        if !scans {
            // Changes of the library are reported at most once a second; only a scan reports them at its end.
            outcome.events.retain(|event| event["kind"] != "library_changed");
        }
        let now = |name: &str| play.normal.shown(&play.app.call(name, json!({})).unwrap_or_default());
        if scans && wait {
            normal::scan(&mut outcome, &now("library.view"));
        } else if reads_inputs
            && !outcome.events.iter().any(|event| event["kind"] == "job")
            && request.call != "batch.start"
        {
            // The number of inputs that were read at the time of the answer depends on timing.
            outcome.answer = Some(now("batch.view"));
            outcome.events.clear();
        }
        outcome
    }

    /// Answers a query in the current state.
    pub fn ask(&self, request: &Request) -> Outcome {
        let play = self.play();
        let mut outcome = play.call(request);
        if let (Some(bytes), "loudness") = (&mut outcome.bytes, request.call.as_str()) {
            // Curves are numbered in the order of the requests; here each state has a separate number.
            bytes["words"][0] = json!(self.path.len() + 1);
        }
        if request.call == "library.audition" {
            let _ = play.app.call("playback.stop", json!({}));
        }
        outcome
    }

    fn settled(&self, scans: bool) {
        self.play().desk.settled(&self.play().app, scans);
    }
}

impl Play {
    fn call(&self, request: &Request) -> Outcome {
        let args = self.normal.given(&request.args);
        let found = match request.call.as_str() {
            "peaks" | "track_peaks" | "samples" | "loudness" | "library_map" => self
                .bytes(&request.call, &args)
                .map(|bytes| Outcome { bytes: Some(normal::words(&request.call, &bytes)), ..Outcome::default() }),
            "outside" => {
                library::outside(&self.folder, &self.app, &args);
                Ok(Outcome::default())
            }
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
        // Queries about the original do not name the side.
        let side =
            || args.get("side").map_or(Side::Original, |side| serde_json::from_value(side.clone()).expect("a side"));
        match name {
            "peaks" => loop {
                let columns = number("columns") as usize;
                let found = self.app.peaks(id(), side(), number("start"), number("end"), columns)?;
                if found[EXACT] == 1 {
                    return Ok(found);
                }
                std::thread::sleep(Duration::from_millis(5));
            },
            "track_peaks" => loop {
                let track = serde_json::from_value(args["track"].clone()).expect("a track");
                let columns = number("columns") as usize;
                let found = self.app.track_peaks(id(), track, number("start"), number("end"), columns)?;
                if found[EXACT] == 1 {
                    return Ok(found);
                }
                std::thread::sleep(Duration::from_millis(5));
            },
            "samples" => self.app.samples(id(), side(), number("start") as u64, number("end") as u64),
            "library_map" => self.app.library_map(args["whole"] == true),
            _ => {
                loop {
                    // The first request starts the measurement.
                    let found = self.app.loudness(id(), side(), 0, 0)?;
                    if found[FINISHED] == 1 {
                        return Ok(found);
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
        }
    }
}

impl Drop for Play {
    fn drop(&mut self) {
        self.app.shut_down();
    }
}
