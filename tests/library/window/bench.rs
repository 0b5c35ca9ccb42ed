//! An app with a test host, and recordings for its library.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::audio::encode::{Dither, EncodeSettings, Encoder, FileFormat, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFormat, Picture, Tags, tags};
use undertone::error::ErrorCode;
use undertone::units::SampleRate;
use undertone::window::{App, Event, FileChoice, Host};
use undertone::work::Directories;

use crate::support::songs::Song;

pub const RATE: u32 = 22_050;

/// Answers dialogs from a list and keeps the core's events.
#[derive(Default)]
pub struct Desk {
    answers: Mutex<VecDeque<Vec<PathBuf>>>,
    events: Mutex<Vec<Value>>,
    shown: Mutex<Vec<PathBuf>>,
    in_use: Mutex<()>,
}

impl Desk {
    pub fn will_choose(&self, paths: &[&Path]) {
        let paths = paths.iter().map(|path| path.to_path_buf()).collect();
        self.answers.lock().unwrap().push_back(paths);
    }

    pub fn events(&self, kind: &str) -> Vec<Value> {
        let events = self.events.lock().unwrap();
        events.iter().filter(|event| event["kind"] == kind).cloned().collect()
    }

    pub fn forget_events(&self) {
        self.events.lock().unwrap().clear();
    }

    /// Reserves the desk for one test if several use its dialogs.
    pub fn alone(&self) -> MutexGuard<'_, ()> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the files that were shown in the file manager.
    pub fn shown(&self) -> Vec<PathBuf> {
        self.shown.lock().unwrap().clone()
    }

    fn answer(&self) -> Vec<PathBuf> {
        self.answers.lock().unwrap().pop_front().unwrap_or_default()
    }
}

impl Host for Desk {
    fn emit(&self, event: Event) {
        self.events.lock().unwrap().push(serde_json::to_value(event).unwrap());
    }

    fn choose_open(&self, _: &FileChoice) -> Vec<PathBuf> {
        self.answer()
    }

    fn choose_save(&self, _: &FileChoice, _: &str) -> Option<PathBuf> {
        self.answer().pop()
    }

    fn choose_folders(&self, _: &str) -> Vec<PathBuf> {
        self.answer()
    }

    fn show_file(&self, path: &Path) -> undertone::Result<()> {
        self.shown.lock().unwrap().push(path.to_path_buf());
        Ok(())
    }
}

/// An app, its desk, and a folder with its data and music.
pub struct Bench {
    pub folder: Arc<tempfile::TempDir>,
    pub desk: Arc<Desk>,
    pub app: App,
}

impl Bench {
    pub fn new() -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        std::fs::create_dir(folder.path().join("music")).unwrap();
        Self::in_folder(folder)
    }

    /// Starts another app on the same data.
    pub fn in_folder(folder: Arc<tempfile::TempDir>) -> Self {
        let desk = Arc::new(Desk::default());
        let directories = Directories::at(folder.path().join("config"), folder.path().join("data")).unwrap();
        let app = App::new(desk.clone(), directories).unwrap();
        Self { folder, desk, app }
    }

    pub fn call(&self, name: &str, args: Value) -> Value {
        self.app.call(name, args).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn fails(&self, name: &str, args: Value) -> (ErrorCode, String) {
        let error = self.app.call(name, args).expect_err("a failure");
        (error.code(), error.to_string())
    }

    /// Returns the path of the library's database.
    pub fn database(&self) -> PathBuf {
        self.folder.path().join("data").join(undertone::library::FILE_NAME)
    }

    pub fn music(&self, name: &str) -> PathBuf {
        self.folder.path().join("music").join(name)
    }

    /// Adds the folder of music and waits for its scan.
    pub fn add_music(&self) -> Value {
        self.desk.will_choose(&[&self.music("")]);
        self.call("library.add_folders", json!({}));
        self.wait_for_scan()
    }

    /// Waits until the window receives the end of a scan.
    pub fn wait_for_scan(&self) -> Value {
        self.until("the scan to end", || {
            let last = self.desk.events("scan").pop()?["scan"].clone();
            ["done", "cancelled", "failed"].iter().any(|phase| last["phase"] == *phase).then_some(last)
        })
    }

    pub fn wait_for_job(&self, job: &Value) -> Value {
        self.until("the job to end", || {
            let jobs = self.call("jobs.view", json!({}));
            let found = jobs.as_array().unwrap().iter().find(|view| view["id"] == *job).unwrap().clone();
            (found["state"] != "running").then_some(found)
        })
    }

    pub fn until<T>(&self, what: &str, mut found: impl FnMut() -> Option<T>) -> T {
        let end = Instant::now() + Duration::from_mins(2);
        loop {
            if let Some(found) = found() {
                return found;
            }
            assert!(Instant::now() < end, "waited in vain for {what}; {:?}", self.desk.events("notice"));
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn rows(&self, text: &str) -> Vec<Value> {
        let query = json!({ "text": text, "sort": [] });
        let page = self.call("library.tracks", json!({ "query": query, "offset": 0, "limit": 100 }));
        page["rows"].as_array().unwrap().clone()
    }

    /// Returns the ID of the track of that file.
    pub fn id(&self, name: &str) -> i64 {
        let rows = self.rows("");
        let row = rows.iter().find(|row| row["name"] == name);
        row.unwrap_or_else(|| panic!("{name} in {rows:?}"))["id"].as_i64().unwrap()
    }
}

/// Writes samples as FLAC or WAV according to the extension, with the file stem as the title.
pub fn write(path: &Path, samples: Vec<f32>, artist: Option<&str>) {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).unwrap();
    }
    let is_flac = path.extension().is_some_and(|extension| extension == "flac");
    let format = if is_flac { FileFormat::Flac } else { FileFormat::Wav };
    let settings =
        EncodeSettings { format, sample: SampleFormat::Int16, dither: Dither::None, ..EncodeSettings::default() };
    let audio = AudioFormat::new(SampleRate::new(RATE).unwrap(), 1);
    let mut encoder = Encoder::create(path, &settings, audio, true, &[]).unwrap();
    encoder.write(&AudioBuffer::from_channels(vec![samples])).unwrap();
    encoder.finish().unwrap();
    if let Some(artist) = artist {
        let title = path.file_stem().unwrap().to_string_lossy().into_owned();
        let items = [("TITLE", title), ("ARTIST", artist.to_owned()), ("ALBUM", "Tests".to_owned())];
        let items = items.map(|(name, value)| (name.to_owned(), value.into())).into();
        let pictures = if is_flac {
            vec![Picture { mime: "image/png".into(), kind: 3, data: COVER.to_vec(), ..Picture::default() }]
        } else {
            vec![]
        };
        tags::write(path, &Tags { items, pictures, ..Tags::default() }).unwrap();
    }
}

/// A picture of one grey pixel.
pub const COVER: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\x0aIDATx\xdach\x00\x00\x00\x82\x00\x81\xdaE\x08;\x00\x00\x00\x00IEND\xaeB`\x82";

/// Returns `seconds` of a song, starting at `from_s`.
pub fn song(seed: u64, from_s: f64, seconds: f64) -> Vec<f32> {
    let all = Song::new(seed).samples(RATE, 16.0);
    let frame = |seconds: f64| (seconds * f64::from(RATE)) as usize;
    all[frame(from_s)..frame(from_s + seconds)].to_vec()
}

/// A library of four songs, two copies and a broken file, scanned once, for read-only tests.
pub static SCANNED: LazyLock<Bench> = LazyLock::new(|| {
    let bench = Bench::new();
    for (seed, artist) in [(1, "Björk"), (2, "Miles Davis"), (3, "Miles Davis"), (4, "Sigur Rós")] {
        write(&bench.music(&format!("song {seed}.flac")), song(seed, 0.0, 16.0), Some(artist));
    }
    // Half the level; without the first four seconds.
    write(&bench.music("copies/quiet 1.wav"), song(1, 0.0, 16.0).iter().map(|x| x / 2.0).collect(), None);
    write(&bench.music("copies/cut 2.wav"), song(2, 4.0, 12.0), None);
    std::fs::write(bench.music("broken.wav"), b"RIFF\0\0\0\0WAVE").unwrap();
    let scan = bench.add_music();
    assert_eq!(scan["phase"], "done", "{scan}");
    bench
});
