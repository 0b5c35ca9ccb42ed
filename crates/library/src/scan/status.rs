//! The status of a scan while it runs, and its summary at the end.

use std::collections::HashMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::analysis::AnalysisSeconds;

/// The phase of a scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It walks the folders, and analyses what is found at the same time.
    #[default]
    Walking,
    /// All files are known; the rest is being analysed.
    Analysing,
    /// A pause was requested; the tracks in progress are being finished.
    Pausing,
    /// It is paused until resumed.
    Paused,
    /// An external problem holds it, described by [`ScanStatus::fault`]. It continues by itself once the problem is
    /// gone.
    Held,
    /// A cancellation was requested.
    Stopping,
    /// It has ended.
    Ended,
}

/// Counts of files and tracks in a scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
// The history keeps the summaries of earlier versions.
#[serde(default)]
pub struct Counts {
    /// Recordings found by the walk.
    pub found: u64,
    /// Recordings that are new to the library.
    pub new: u64,
    /// Recordings with a different size or modification time.
    pub changed: u64,
    /// Recordings that had vanished before.
    pub returned: u64,
    /// Recordings that were analysed or read by another version.
    pub outdated: u64,
    /// Tracks whose files are gone.
    pub vanished: u64,
    /// Tracks that were analysed.
    pub analysed: u64,
    /// Tracks with the same audio as another file, whose analysis was copied.
    pub copied: u64,
    /// Tracks found at a new path.
    pub moved: u64,
    /// Tracks of which only the tags changed.
    pub retagged: u64,
    /// Tracks that were read by another version, are read again, and sound as before.
    pub reread: u64,
    /// Those of them that have other tags now.
    pub corrected: u64,
    /// Tracks that could not be analysed.
    pub failed: u64,
    /// Tracks whose files changed or disappeared during analysis.
    pub disturbed: u64,
    /// Tracks that a killed scan left in progress and that were queued again.
    pub recovered: u64,
    /// Hidden files and folders that were skipped.
    pub hidden: u64,
    /// Video files that were skipped.
    pub video: u64,
    /// Threads that were abandoned because their decoder did not stop.
    pub abandoned: u64,
}

impl Counts {
    /// Returns the number of tracks that have left the queue, with any outcome.
    pub fn through(&self) -> u64 {
        self.analysed + self.copied + self.moved + self.retagged + self.reread + self.failed + self.disturbed
    }
}

/// Time spent in a scan, in seconds of its threads. With several workers the sum exceeds the elapsed time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeSplit {
    /// As reported by the analyses: decoding, analysis, GPU.
    pub stages: AnalysisSeconds,
    /// Reading files to recognise their audio.
    pub recognising: f64,
    /// Database access.
    pub database: f64,
    /// Workers waiting for memory.
    pub memory: f64,
}

/// A track in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InHand {
    /// Its id.
    pub id: i64,
    /// The path of its file.
    #[serde(serialize_with = "base::files::json::lossy")]
    pub path: PathBuf,
    /// The fraction that is done, 0..1; `None` while its length is unknown.
    pub done: Option<f64>,
    /// Time since it was started, in seconds.
    pub elapsed_s: f64,
}

/// The status of a running scan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScanStatus {
    /// The current phase.
    pub phase: Phase,
    /// Counts so far.
    pub counts: Counts,
    /// Tracks that have left the queue in this scan.
    pub tracks_done: u64,
    /// `tracks_done` plus tracks waiting or in progress. It grows while folders are walked.
    pub tracks_total: u64,
    /// Bytes of the files that are done, with the finished part of those in progress.
    pub bytes_done: f64,
    /// Total bytes of all these files.
    pub bytes_total: u64,
    /// Duration of the analysed tracks in seconds.
    pub audio_s: f64,
    /// Seconds since the start, without pauses.
    pub elapsed_s: f64,
    /// Tracks per second over the last half minute.
    pub tracks_per_s: f64,
    /// Estimated remaining time in seconds, by the time that files of each kind took so far; `None` while unknown.
    pub remaining_s: Option<f64>,
    /// Time spent in each stage.
    pub time: TimeSplit,
    /// Tracks in progress.
    pub in_hand: Vec<InHand>,
    /// Estimated memory of the tracks in progress, in bytes.
    pub memory_bytes: u64,
    /// The fault that holds the scan.
    pub fault: Option<String>,
    /// Unreachable roots and paths that could not be examined.
    pub notices: Vec<String>,
}

/// Events of a scan.
#[derive(Clone, Debug, PartialEq)]
pub enum ScanEvent {
    /// A track is done, in any way.
    Done {
        /// Its id.
        id: i64,
    },
    /// A track could not be analysed.
    Failed {
        /// Its id.
        id: i64,
        /// The reason.
        reason: String,
    },
    /// A message for the user.
    Notice(String),
    /// The scan is held; the text is the reason.
    Held(String),
    /// The scan continues.
    GoesOn,
}

/// The outcome of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScanOutcome {
    /// Nothing is left in the queue.
    Done,
    /// It was cancelled; the queue is kept.
    Cancelled,
}

/// The summary of a scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScanSummary {
    /// Its id in the history.
    pub id: i64,
    /// Its outcome.
    pub outcome: ScanOutcome,
    /// Counts of files and tracks.
    pub counts: Counts,
    /// Duration in seconds, without pauses.
    pub elapsed_s: f64,
    /// Duration of the analysed tracks in seconds.
    pub audio_s: f64,
    /// Time spent in each stage.
    pub time: TimeSplit,
    /// Unreachable roots and paths that could not be examined, up to a thousand.
    pub notices: Vec<String>,
}

/// Processing time of files by kind, from which the remaining time is estimated.
#[derive(Clone, Debug, Default)]
pub(super) struct Costs {
    /// Worker seconds and bytes processed, by file extension.
    taken: HashMap<String, (f64, f64)>,
    /// Bytes waiting, by file extension.
    waiting: HashMap<String, f64>,
}

impl Costs {
    pub(super) fn add_waiting(&mut self, kind: &str, bytes: u64) {
        *self.waiting.entry(kind.to_owned()).or_default() += bytes as f64;
    }

    pub(super) fn remove_waiting(&mut self, kind: &str, bytes: u64) {
        if let Some(waiting) = self.waiting.get_mut(kind) {
            *waiting = (*waiting - bytes as f64).max(0.0);
        }
    }

    pub(super) fn add_taken(&mut self, kind: &str, bytes: u64, seconds: f64) {
        let (all_seconds, all_bytes) = self.taken.entry(kind.to_owned()).or_default();
        *all_seconds += seconds;
        *all_bytes += bytes as f64;
        self.remove_waiting(kind, bytes);
    }

    /// Returns the worker seconds spent so far.
    pub(super) fn taken_s(&self) -> f64 {
        self.taken.values().map(|(seconds, _)| seconds).sum()
    }

    /// Estimates the worker seconds for the rest: each kind at its rate, and unknown kinds at the overall rate.
    pub(super) fn remaining_s(&self) -> Option<f64> {
        let (seconds, bytes) = self.taken.values().fold((0.0, 0.0), |sum, (s, b)| (sum.0 + s, sum.1 + b));
        (bytes > 0.0).then(|| {
            let rate = |kind: &String| match self.taken.get(kind) {
                Some((seconds, bytes)) if *bytes > 0.0 => seconds / bytes,
                _ => seconds / bytes,
            };
            self.waiting.iter().map(|(kind, waiting)| waiting * rate(kind)).sum()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_file_is_reckoned_at_its_own_rate() {
        let mut costs = Costs::default();
        assert_eq!(costs.remaining_s(), None);
        costs.add_waiting("mp3", 300);
        costs.add_waiting("wav", 5000);
        costs.add_waiting("ogg", 100);
        costs.add_taken("mp3", 100, 10.0);
        costs.add_taken("wav", 1000, 1.0);
        // 200 at 0.1, 4000 at 0.001, 100 at the mean of 11/1100.
        assert!((costs.remaining_s().unwrap() - (20.0 + 4.0 + 1.0)).abs() < 1e-9);
    }
}
