//! The progress of a scan, and the tracks that failed.

use serde::Serialize;

use crate::device::DeviceReport;
use crate::window::moment::Moment;
use base::declared::TS;

/// The phase of a scan.
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

/// The state of a scan.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ScanView {
    /// When this view was taken.
    pub moment: Moment,
    /// The current phase, or how the scan ended.
    pub phase: ScanPhase,
    /// The number of finished tracks.
    pub tracks_done: u64,
    /// The number of tracks to process found so far; final once the folders have been walked.
    pub tracks_total: u64,
    /// The size of the finished files in bytes, including the finished share of those in progress.
    pub bytes_done: f64,
    /// The size of all files in bytes.
    pub bytes_total: f64,
    /// The number of recordings that the walk found.
    pub found: u64,
    /// The number of tracks that were analysed.
    pub analysed: u64,
    /// The number of tracks whose audio was already known: copies, moved files, files with new tags.
    pub recognised: u64,
    /// The number of tracks that an earlier version had read, and that were read again and not analysed again.
    pub reread: u64,
    /// The number of those that have other tags now.
    pub corrected: u64,
    /// The number of tracks that could not be analysed.
    pub failed: u64,
    /// The number of tracks whose files no longer exist.
    pub vanished: u64,
    /// Seconds since the start, without pauses.
    pub elapsed_s: f64,
    /// Recent speed, in tracks per second.
    pub tracks_per_s: f64,
    /// Speed as a multiple of real time: seconds of audio per second.
    pub realtime_factor: f64,
    /// The remaining time in seconds; null if unknown.
    pub remaining_s: Option<f64>,
    /// The time of all workers by activity, in seconds.
    pub time: ScanTime,
    /// The tracks in progress.
    pub in_hand: Vec<InHandView>,
    /// The estimated memory of the tracks in progress, in bytes.
    pub memory_bytes: u64,
    /// The device that analysed the last track, and why; null before the first.
    pub device: Option<DeviceReport>,
    /// Why the scan cannot continue.
    pub fault: Option<String>,
    /// Folders that could not be reached and paths that could not be read; if the scan failed, why.
    pub notices: Vec<String>,
}

/// The time of a scan's workers by activity, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, TS)]
pub struct ScanTime {
    /// Reading and decoding.
    pub decode: f64,
    /// Analysing on the CPU.
    pub analysis: f64,
    /// Analysing on a GPU.
    pub gpu: f64,
    /// Checking whether the audio is already known.
    pub recognising: f64,
    /// Waiting for the database.
    pub database: f64,
    /// Waiting for memory.
    pub memory: f64,
}

/// A track that a scan is processing.
#[derive(Clone, Debug, Serialize, TS)]
pub struct InHandView {
    /// The track's ID.
    pub id: i64,
    /// The file name.
    pub name: String,
    /// The share that is done, 0..=1; null if the length is not known yet.
    pub done: Option<f64>,
    /// Seconds since its analysis started.
    pub elapsed_s: f64,
}

/// A track that could not be analysed.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TrackProblem {
    /// The track's ID.
    pub id: i64,
    /// The file name.
    pub name: String,
    /// The folder of the file.
    pub folder: String,
    /// The reason.
    pub reason: String,
    /// The number of attempts.
    pub attempts: u32,
}
