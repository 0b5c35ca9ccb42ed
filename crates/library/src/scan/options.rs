//! Options of a scan.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::status::ScanEvent;
use crate::analysis::Analyser;
use crate::files::WalkOptions;

/// Options of a scan.
#[derive(Clone)]
pub struct ScanOptions {
    /// The analysis of each file.
    pub analyser: Analyser,
    /// The name of the scanning program, shown to other processes that try to scan: "undertone".
    pub program: String,
    /// Parts of the library's folders to walk; all of them if empty.
    pub only: Vec<PathBuf>,
    /// Options of the walk.
    pub walk: WalkOptions,
    /// Number of tracks analysed at once; `None` for the number of cores.
    pub workers: Option<usize>,
    /// Maximum memory in bytes of the tracks in progress together, according to [`ScanOptions::estimate`]. A track with
    /// a larger estimate is analysed alone.
    pub memory_bytes: u64,
    /// Estimates the memory in bytes that the analysis of a file of the given size takes.
    pub estimate: fn(u64) -> u64,
    /// Time limit per track; `None` for no limit.
    pub track_timeout: Option<Duration>,
    /// How long a track may take to stop after its time limit before its thread is abandoned and replaced.
    pub stop_grace: Duration,
    /// Number of abandoned threads at which the scan ends with an error.
    pub max_abandoned: usize,
    /// How often the program may end during a track, with no other in progress, before the track counts as the cause.
    pub max_attempts: u32,
    /// How long this machine may give no sign of life to a library on a server before the others take over its tracks.
    pub lease: Duration,
    /// Called for each event, on the thread where it occurs. It must return quickly.
    pub observer: Option<Arc<dyn Fn(&ScanEvent) + Send + Sync>>,
}

impl ScanOptions {
    /// Returns the default options: all cores, 1 GiB, fifteen minutes per track.
    pub fn new(analyser: Analyser) -> Self {
        Self {
            analyser,
            program: "undertone".to_owned(),
            only: Vec::new(),
            walk: WalkOptions::default(),
            workers: None,
            memory_bytes: 1 << 30,
            estimate: estimate_bytes,
            track_timeout: Some(Duration::from_mins(15)),
            stop_grace: Duration::from_secs(5),
            max_abandoned: 16,
            max_attempts: 1,
            lease: Duration::from_secs(30),
            observer: None,
        }
    }
}

impl std::fmt::Debug for ScanOptions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ScanOptions")
            .field("analyser", &self.analyser)
            .field("only", &self.only)
            .field("workers", &self.workers)
            .field("memory_bytes", &self.memory_bytes)
            .finish_non_exhaustive()
    }
}

/// Estimates the memory for a file of `bytes` bytes: 48 MiB for the decoder and the windows and spectra of a block,
/// whatever its length, plus its series. The series take about 20 kB per second of audio (86 windows of 60 values), and
/// a second of audio takes at least 16 kB in the file at the 128 kbit/s or more that most files have. The series are
/// therefore estimated at 1.25 times the file size, up to 256 MiB, which is enough for 3.5 hours. Samples that are kept
/// until the tuning is known take 88 kB per second of audio, up to 32 MiB.
pub fn estimate_bytes(bytes: u64) -> u64 {
    (48 << 20) + (bytes + bytes / 4).min(256 << 20) + bytes.saturating_mul(6).min(32 << 20)
}
