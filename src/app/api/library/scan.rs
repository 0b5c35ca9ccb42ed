//! How a scan goes, and what failed in it.

use serde::Serialize;
use ts_rs::TS;

use crate::device::DeviceReport;

/// What a scan is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum ScanPhase {
    Walking,
    Analysing,
    Pausing,
    Paused,
    Held,
    Stopping,
    Done,
    Cancelled,
    Failed,
}

/// A scan.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ScanView {
    /// What it is doing, or how it ended.
    pub phase: ScanPhase,
    /// Tracks that are through.
    pub tracks_done: u64,
    /// Tracks that were found to do so far; all of them once the folders are walked.
    pub tracks_total: u64,
    /// Bytes of the files that are through; of those in hand the share that is done.
    pub bytes_done: f64,
    /// Bytes of all.
    pub bytes_total: f64,
    /// Recordings that the walk found.
    pub found: u64,
    /// Tracks that were analysed.
    pub analysed: u64,
    /// Tracks whose audio was known already: copies, moved or tagged anew.
    pub recognised: u64,
    /// Tracks that could not be analysed.
    pub failed: u64,
    /// Tracks whose files are gone.
    pub vanished: u64,
    /// Seconds since it began, without pauses.
    pub elapsed_s: f64,
    /// Tracks a second, lately.
    pub tracks_per_s: f64,
    /// Seconds of audio a second of time.
    pub realtime_factor: f64,
    /// Seconds left; none while that is not known.
    pub remaining_s: Option<f64>,
    /// Where the time of all workers went, in seconds.
    pub time: ScanTime,
    /// Tracks in hand.
    pub in_hand: Vec<InHandView>,
    /// Memory that tracks in hand are reckoned to take.
    pub memory_bytes: u64,
    /// Where the track that was analysed last was, and why there; none before the first.
    pub device: Option<DeviceReport>,
    /// What keeps it from going on.
    pub fault: Option<String>,
    /// Folders that could not be reached, places that could not be looked at; why it failed.
    pub notices: Vec<String>,
}

/// Where the time of a scan's workers went, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, TS)]
pub struct ScanTime {
    /// Reading and decoding.
    pub decode: f64,
    /// Analysing on the processor.
    pub analysis: f64,
    /// Analysing on a GPU.
    pub gpu: f64,
    /// Finding out whether the audio is known.
    pub recognising: f64,
    /// Waiting for the database.
    pub database: f64,
    /// Waiting for memory.
    pub memory: f64,
}

/// A track in hand of a scan.
#[derive(Clone, Debug, Serialize, TS)]
pub struct InHandView {
    /// Its number.
    pub id: i64,
    /// Its file's name.
    pub name: String,
    /// The share that is done; none while its length is not known.
    pub done: Option<f64>,
    /// Seconds since it was begun.
    pub elapsed_s: f64,
}

/// A track that could not be analysed.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TrackProblem {
    /// Its number.
    pub id: i64,
    /// Its file's name.
    pub name: String,
    /// The folder it lies in.
    pub folder: String,
    /// Why.
    pub reason: String,
    /// How often it was tried.
    pub attempts: u32,
}
