//! Tiny recordings, and analyses that are slow, fail, panic or hang as a test requires.

#![allow(dead_code, reason = "each test uses what it needs")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use analysis::features::dimensions::{Features, Missing};
use audio::AudioFile;
use base::error::Result;
use base::progress::Progress;
use library::encodings::Bandwidth;
use library::{
    Analyser, AnalysisSeconds, Library, Place, ScanOptions, ScanSummary, Series, SortKey, TrackAnalysis, TrackQuery,
    TrackRow, Versions,
};

/// The result of a test.
pub type Test = std::result::Result<(), Box<dyn std::error::Error>>;

/// Returns a WAV of 400 samples that depend on `seed`, with an optional title.
pub fn wav_bytes(seed: u64, title: Option<&str>) -> Vec<u8> {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut samples = Vec::new();
    for _ in 0..400 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        samples.extend_from_slice(&((random >> 48) as i16).to_le_bytes());
    }
    let mut list = Vec::new();
    if let Some(title) = title {
        let mut text = title.as_bytes().to_vec();
        text.push(0);
        let size = text.len() as u32;
        if !text.len().is_multiple_of(2) {
            text.push(0);
        }
        list.extend_from_slice(b"INFOINAM");
        list.extend_from_slice(&size.to_le_bytes());
        list.extend_from_slice(&text);
    }
    let mut body = b"WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
    body.extend_from_slice(&8000u32.to_le_bytes());
    body.extend_from_slice(&16_000u32.to_le_bytes());
    body.extend_from_slice(b"\x02\0\x10\0");
    if !list.is_empty() {
        body.extend_from_slice(b"LIST");
        body.extend_from_slice(&(list.len() as u32).to_le_bytes());
        body.extend_from_slice(&list);
    }
    body.extend_from_slice(b"data");
    body.extend_from_slice(&(samples.len() as u32).to_le_bytes());
    body.extend_from_slice(&samples);
    let mut file = b"RIFF".to_vec();
    file.extend_from_slice(&(body.len() as u32).to_le_bytes());
    file.extend_from_slice(&body);
    file
}

/// Writes a WAV and creates its folders.
pub fn wav(path: &Path, seed: u64) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, wav_bytes(seed, None))
}

/// An instant analysis whose features are the first samples.
pub fn analysis_of(path: &Path) -> Result<TrackAnalysis> {
    let file = AudioFile::open(path)?;
    let mut buffer = audio::AudioBuffer::new(1, 0);
    file.reader()?.read(&mut buffer, 400)?;
    let mut values = [Some(0.0); 25];
    for (value, sample) in values.iter_mut().zip(buffer.channel(0)) {
        *value = Some(f64::from(*sample));
    }
    values[10] = None;
    let missing = vec![Missing { name: "tempo_bpm".to_owned(), reason: "too short".to_owned() }];
    Ok(TrackAnalysis {
        info: file.info().clone(),
        features: Features { values, missing },
        key: Some("Am".to_owned()),
        bandwidth: Some(Bandwidth { hz: 3500.0, nyquist_hz: 4000.0, floor_db: None, cliff: None }),
        chromaprint: vec![1, 2, 0xffff_ffff],
        landmarks: vec![9, 8, 7],
        sketch: vec![6, 5],
        series: vec![Series {
            name: "loudness".to_owned(),
            unit: "LUFS".to_owned(),
            start_s: 0.0,
            step_s: 0.1,
            width: 1,
            values: vec![-20.0, -21.5],
        }],
        warnings: Vec::new(),
        seconds: AnalysisSeconds { decode: 0.001, analysis: 0.002, gpu: 0.0 },
    })
}

/// A record of an analyser's calls.
#[derive(Clone, Default)]
pub struct Seen {
    /// The files whose analysis was started, in order.
    pub begun: Arc<Mutex<Vec<PathBuf>>>,
    /// The maximum number of simultaneous analyses.
    pub most: Arc<AtomicUsize>,
    now: Arc<AtomicUsize>,
}

impl Seen {
    /// Returns the number of analyses that were started.
    pub fn count(&self) -> usize {
        self.begun.lock().unwrap().len()
    }

    fn enter(&self, path: &Path) {
        self.begun.lock().unwrap().push(path.to_path_buf());
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
    }

    fn leave(&self) {
        self.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// An analyser controlled by the file name: `slow`, `fail`, `panic`, `hang`, or instant. `pace` slows down all.
pub fn analyser(seen: &Seen, version: u32, pace: Duration) -> Analyser {
    let seen = seen.clone();
    Analyser::new(Versions { features: version, fingerprint: 1 }, move |path, progress| {
        seen.enter(path);
        let analysed = behave(path, progress, pace);
        seen.leave();
        analysed
    })
}

fn behave(path: &Path, progress: &Progress, pace: Duration) -> Result<TrackAnalysis> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let pause = |time: Duration| -> Result<()> {
        let until = Instant::now() + time;
        while Instant::now() < until {
            progress.check()?;
            std::thread::sleep(Duration::from_millis(2).min(time));
        }
        Ok(())
    };
    progress.set_total(400);
    pause(pace)?;
    if name.contains("slow") {
        pause(Duration::from_mins(1))?;
    }
    if name.contains("fail") {
        return Err(base::Error::malformed("broken on purpose", path));
    }
    assert!(!name.contains("panic"), "burst on purpose");
    if name.contains("hang") {
        // Ignores cancellation.
        std::thread::sleep(Duration::from_secs(5));
    }
    progress.advance(400)?;
    analysis_of(path)
}

/// Options of a scan with this analyser and two workers.
pub fn options(analyser: Analyser) -> ScanOptions {
    ScanOptions { workers: Some(2), ..ScanOptions::new(analyser) }
}

/// Runs a whole scan with instant analyses.
pub fn scan(library: &Library, seen: &Seen) -> Result<ScanSummary> {
    library.scan(options(analyser(seen, 1, Duration::ZERO)))?.wait()
}

/// Returns all rows, sorted by path.
pub fn rows(library: &Library) -> Result<Vec<TrackRow>> {
    Ok(library.tracks(&TrackQuery::default(), &[SortKey::up("path")], 0, usize::MAX)?.rows)
}

/// Waits until `is` holds, for at most some seconds. Returns whether it does.
pub fn until(is: impl Fn() -> bool) -> bool {
    for _ in 0..1000 {
        if is() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

/// A library in a folder next to the folder of music that it contains.
pub struct Fixture {
    /// The folder that contains both.
    pub folder: tempfile::TempDir,
    /// The library.
    pub library: Library,
}

/// Returns the place of a new library: in `folder`, or on the tests' server if `UNDERTONE_TEST_SERVER=1` is set.
pub fn new_place(folder: &Path) -> Place {
    #[cfg(target_os = "linux")]
    if std::env::var("UNDERTONE_TEST_SERVER").is_ok_and(|value| value == "1") {
        let server = super::server::shared().expect("UNDERTONE_TEST_SERVER=1, but PostgreSQL is not installed");
        return super::server::place(&server.database(), folder);
    }
    Place::File(folder.join("library.sqlite"))
}

impl Fixture {
    /// Creates a fixture without files, in a file or on a server ([`new_place`]).
    pub fn new() -> std::result::Result<Self, Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let place = new_place(folder.path());
        Self::at(folder, place)
    }

    /// Creates a fixture without files whose library is in a file, for tests that look into it.
    pub fn in_file() -> std::result::Result<Self, Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let place = Place::File(folder.path().join("library.sqlite"));
        Self::at(folder, place)
    }

    fn at(folder: tempfile::TempDir, place: Place) -> std::result::Result<Self, Box<dyn std::error::Error>> {
        fs::create_dir(folder.path().join("music"))?;
        let (library, notices) = Library::open_at(place)?;
        assert!(notices.is_empty(), "{notices:?}");
        library.add_root(&folder.path().join("music"))?;
        Ok(Self { folder, library })
    }

    /// Returns a path in the music folder.
    pub fn music(&self, name: &str) -> PathBuf {
        self.folder.path().join("music").join(name)
    }

    /// Writes a WAV to the music folder.
    pub fn add(&self, name: &str, seed: u64) -> std::io::Result<()> {
        wav(&self.music(name), seed)
    }

    /// Returns the states of all tracks by file name.
    pub fn states(&self) -> Result<BTreeMap<String, String>> {
        let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let state = |row: &TrackRow| format!("{:?}", row.state).to_lowercase();
        Ok(rows(&self.library)?.iter().map(|row| (name(&row.path), state(row))).collect())
    }
}
