//! The set-ups with which recordings begin: folders, files, and actions before the window opened.

use std::f64::consts::TAU;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::audio::encode::{EncodeSettings, Encoder};
use undertone::audio::{AudioBuffer, AudioFormat};
use undertone::units::SampleRate;
use undertone::window::App;
use undertone::work::Directories;

use super::session::Desk;
use super::{batch, library};

const RATE: u32 = 48_000;
/// The chain of the scene `demo`.
const CHAIN: &str = "highpass(60 Hz, order=4) | peaking(240 Hz, q=1.2, gain=-3.5 dB) | \
                     (peaking(1 kHz, q=2, gain=3 dB) + gain(-6 dB)) | high_shelf(8 kHz, gain=2.5 dB)";

/// A set-up.
#[derive(Clone, Copy)]
pub struct Scene {
    /// Runs before the recording begins. The app is restarted afterwards.
    prepare: fn(&Path, &App, &Desk),
    /// The files that the user chooses in a dialog with this title.
    pub files: fn(&Path, &str) -> Vec<PathBuf>,
    /// The folders that the user chooses in a dialog with this title.
    pub folders: fn(&Path, &str) -> Vec<PathBuf>,
    /// Whether recordings are written to, and are therefore copied and not linked.
    writes: bool,
}

pub fn named(name: &str) -> Scene {
    let editor = |prepare| Scene { prepare, files: editor_files, folders: |_, _| Vec::new(), writes: false };
    let library = |prepare| Scene { prepare, files: library::files, folders: library::folders, writes: false };
    match name {
        "empty" => editor(|_, _, _| {}),
        "demo" => editor(|_, app, _| {
            call(app, "workspace.open_demo", json!({}));
            call(app, "editor.edit", json!({ "document": 1, "edit": { "kind": "set_chain_text", "text": CHAIN } }));
        }),
        "missing-device" => editor(|_, app, _| set(app, "/device", json!("gpu:7"))),
        "batch" => Scene { prepare: batch::prepare, files: batch::files, folders: batch::folders, writes: false },
        "library" => library(library::prepare),
        "library-empty" => library(|folder, _, _| library::few(folder)),
        "library-unreachable" => library(library::prepare_unreachable),
        "library-tags" => Scene { writes: true, ..library(library::prepare_tags) },
        "library-silent-clip" => library(library::prepare_silent_clip),
        "library-broken" => library(|folder, _, _| {
            // A folder cannot be opened as a database.
            std::fs::create_dir(folder.join("data").join(undertone::library::FILE_NAME)).expect("a folder");
        }),
        other => panic!("no scene is called {other}"),
    }
}

/// A scene that is prepared once and copied for each walk.
pub struct Stage {
    scene: Scene,
    root: tempfile::TempDir,
}

impl Stage {
    pub fn new(scene: Scene) -> Self {
        let root = tempfile::tempdir().expect("a folder");
        let stage = Self { scene, root };
        let folder = stage.folder();
        for name in ["data", "out", "music", "rooms"] {
            std::fs::create_dir_all(folder.join(name)).expect("a folder");
        }
        // The demo is only generated if it does not exist.
        write(&folder.join("data").join("Undertone demo.wav"), &song(20.0));
        write(&folder.join("music").join("second.wav"), &song(2.0));
        write(&folder.join("rooms").join("hall.wav"), &song(0.1));
        let (desk, app) = stage.start();
        set(&app, "/device", json!("cpu"));
        // Waveform and spectrogram are both visible.
        set(&app, "/spectrogram/display/blend", json!(0.6));
        set(&app, "/spectrogram/display/range_db", json!(80.0));
        (stage.scene.prepare)(&folder, &app, &desk);
        app.shut_down();
        drop(app);
        session_is_free(&folder);
        copy(&folder, &stage.root.path().join("kept"), !scene.writes);
        stage
    }

    /// Returns the folder of the scene.
    pub fn folder(&self) -> PathBuf {
        self.root.path().join("ada")
    }

    /// Starts an app on a copy of the prepared scene.
    pub fn begin(&self) -> (Arc<Desk>, App) {
        std::fs::remove_dir_all(self.folder()).expect("a folder");
        copy(&self.root.path().join("kept"), &self.folder(), !self.scene.writes);
        self.start()
    }

    fn start(&self) -> (Arc<Desk>, App) {
        let folder = self.folder();
        let desk = Arc::new(Desk::new(self.scene, &folder));
        let directories = Directories::at(folder.join("config"), folder.join("data")).expect("folders");
        let app = App::new(desk.clone(), directories).expect("an app");
        (desk, app)
    }
}

/// Copies a folder. Recordings may be linked if nothing writes to them; otherwise they keep their time of modification.
fn copy(from: &Path, to: &Path, links: bool) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let from = entry.expect("an entry").path();
        let to = to.join(from.file_name().expect("a name"));
        let audio = from.extension().is_some_and(|extension| extension == "wav" || extension == "flac");
        if from.is_dir() {
            copy(&from, &to, links);
        } else if audio && links {
            std::fs::hard_link(&from, &to).expect("a link");
        } else {
            std::fs::copy(&from, &to).expect("a copy");
            if audio {
                let modified = std::fs::metadata(&from).and_then(|from| from.modified()).expect("a time");
                let file = File::options().write(true).open(&to).expect("a copy");
                file.set_modified(modified).expect("set");
            }
        }
    }
}

/// Waits until the session is unlocked. A thread of a dropped app may still be using it.
fn session_is_free(folder: &Path) {
    let lock = File::open(folder.join("data/session-1.lock")).expect("a lock");
    let end = Instant::now() + Duration::from_secs(20);
    while lock.try_lock().is_err() {
        assert!(Instant::now() < end, "the session is still held");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn call(app: &App, name: &str, args: Value) -> Value {
    app.call(name, args).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub fn set(app: &App, place: &str, value: Value) {
    let mut settings = call(app, "settings.view", json!({}));
    *settings.pointer_mut(place).expect("a setting") = value;
    call(app, "settings.set", json!({ "settings": settings }));
}

fn editor_files(folder: &Path, title: &str) -> Vec<PathBuf> {
    let parameter = !title.contains("Open") && !title.contains("ecording");
    vec![folder.join(if parameter { "rooms/hall.wav" } else { "music/second.wav" })]
}

/// Returns beats, chords and, after 5 s, a melody that begins with 440 Hz; silent from 10.0 s to 10.5 s.
pub fn song(seconds: f64) -> [Vec<f32>; 2] {
    let frames = (seconds * f64::from(RATE)) as usize;
    let chords = [[0.0, 3.0, 7.0], [-4.0, 0.0, 3.0], [-2.0, 2.0, 5.0], [-5.0, -1.0, 2.0]];
    let melody = [12.0, 15.0, 19.0, 22.0, 19.0, 15.0, 17.0, 14.0];
    let hz = |semitones: f64| 220.0 * 2.0_f64.powf(semitones / 12.0);
    let sample = |frame: usize, right: bool| {
        let t = frame as f64 / f64::from(RATE);
        if (10.0..10.5).contains(&t) {
            return 0.0;
        }
        let (beat, since) = ((t / 0.5) as usize, t % 0.5);
        let kick = if beat % 2 == 0 { 0.4 * (TAU * 50.0 * since).sin() * (-since * 11.0).exp() } else { 0.0 };
        let chord = chords[beat / 4 % 4].iter().map(|&tone| 0.05 * (TAU * hz(tone) * (t % 2.0)).sin()).sum::<f64>();
        let tone = hz(melody[beat % melody.len()]);
        let voice = if t < 4.0 { 0.0 } else { 0.15 * (TAU * tone * since).sin() * (-since * 3.0).exp() };
        (kick + chord + if right { 0.6 * voice } else { voice }) as f32
    };
    [false, true].map(|right| (0..frames).map(|frame| sample(frame, right)).collect())
}

pub fn write(path: &Path, channels: &[Vec<f32>]) {
    let format = AudioFormat::new(SampleRate::new(RATE).expect("a rate"), channels.len());
    let mut encoder = Encoder::create(path, &EncodeSettings::default(), format, true, &[]).expect("an encoder");
    encoder.write(&AudioBuffer::from_channels(channels.to_vec())).expect("written");
    encoder.finish().expect("finished");
}
