//! How a scan is to go.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::status::ScanEvent;
use crate::library::analysis::Analyser;
use crate::library::files::WalkOptions;

/// How a scan is to go.
#[derive(Clone)]
pub struct ScanOptions {
    /// What is done to each file.
    pub analyser: Analyser,
    /// Who scans, named to whoever wants to scan at the same time: "undertone".
    pub program: String,
    /// Parts of the library's folders that are walked; all of them where none is named.
    pub only: Vec<PathBuf>,
    /// What is walked.
    pub walk: WalkOptions,
    /// Tracks in hand at once; as many as there are cores where it is not said.
    pub workers: Option<usize>,
    /// What the tracks in hand may take of memory together, by [`ScanOptions::estimate`]. One that is estimated beyond
    /// it is done alone.
    pub memory_bytes: u64,
    /// The memory that a file of so many bytes is expected to take while it is analysed.
    pub estimate: fn(u64) -> u64,
    /// How long one track may take; none is for ever.
    pub track_timeout: Option<Duration>,
    /// How long a track whose time is over may take to stop before its thread is given up and replaced.
    pub stop_grace: Duration,
    /// Threads that may be given up before the scan ends with an error.
    pub max_abandoned: usize,
    /// How often the program may end while it analyses a track and no other before the track is taken for the cause.
    pub max_attempts: u32,
    /// Told of each event, on the thread where it happens; it must be quick.
    pub observer: Option<Arc<dyn Fn(&ScanEvent) + Send + Sync>>,
}

impl ScanOptions {
    /// The usual way: every core, 1 GiB, fifteen minutes a track.
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

/// Memory for a file of `bytes`: 48 MiB for decoder, windows and spectra of a block, whatever its length, and its series.
/// The latter take some 20 kB for a second of audio (86 windows of 60 values), and a second takes 16 kB of file or more at
/// the 128 kbit/s and above that most files have: as much as the file, up to the 256 MiB that 3.5 hours need.
pub fn estimate_bytes(bytes: u64) -> u64 {
    (48 << 20) + (bytes + bytes / 4).min(256 << 20)
}
