//! What a scan says of itself while it runs and at its end.

use std::collections::HashMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::library::analysis::StageSeconds;

/// What a scan is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It walks the folders; what was found is analysed meanwhile.
    #[default]
    Walking,
    /// All files are known; the rest is analysed.
    Analysing,
    /// A pause was asked for; the tracks in hand are finished.
    Pausing,
    /// It stands still until it is told to go on.
    Paused,
    /// Something outside must change first: [`ScanStatus::fault`] says what. It goes on by itself when it has.
    Held,
    /// A cancel was asked for.
    Stopping,
    /// It is over.
    Ended,
}

/// How many of what a scan came upon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Recordings that the walk found.
    pub found: u64,
    /// Those that are new to the library.
    pub new: u64,
    /// Those whose size or time of change is another.
    pub changed: u64,
    /// Those that had vanished before.
    pub returned: u64,
    /// Those that an earlier version analysed.
    pub outdated: u64,
    /// Tracks whose files are gone.
    pub vanished: u64,
    /// Tracks that were analysed.
    pub analysed: u64,
    /// Tracks whose audio was known from another file, so that its analysis was taken over.
    pub copied: u64,
    /// Tracks that were found at another place.
    pub moved: u64,
    /// Tracks of which only tags had changed.
    pub retagged: u64,
    /// Tracks that could not be analysed.
    pub failed: u64,
    /// Tracks whose files changed or went while they were analysed.
    pub disturbed: u64,
    /// Tracks that a killed scan left in hand and that were taken up again.
    pub recovered: u64,
    /// Hidden files and folders that were left out.
    pub hidden: u64,
    /// Moving pictures that were left out.
    pub video: u64,
    /// Threads that were given up since the decoder in them did not stop.
    pub abandoned: u64,
}

impl Counts {
    /// Tracks of the queue that are through, however.
    pub fn through(&self) -> u64 {
        self.analysed + self.copied + self.moved + self.retagged + self.failed + self.disturbed
    }
}

/// Where a scan's time went, in seconds of its threads: with several workers they add up to more than the clock shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeSplit {
    /// As the analyses reported: decoding, analysis, GPU.
    pub stages: StageSeconds,
    /// Reading files to recognise their audio.
    pub recognising: f64,
    /// The database.
    pub database: f64,
    /// Workers waiting for memory.
    pub memory: f64,
}

/// A track in hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InHand {
    /// Its number.
    pub id: i64,
    /// Its file.
    #[serde(serialize_with = "crate::files::json::lossy")]
    pub path: PathBuf,
    /// How much of it is done, 0..1; none while its length is not known.
    pub done: Option<f64>,
    /// Since when, in seconds.
    pub elapsed_s: f64,
}

/// A reading of a running scan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScanStatus {
    /// What it is doing.
    pub phase: Phase,
    /// How many of what.
    pub counts: Counts,
    /// Tracks that are through the queue in this scan.
    pub tracks_done: u64,
    /// Those, and those that wait or are in hand. It grows while folders are walked.
    pub tracks_total: u64,
    /// Bytes of the files that are through, those in hand in part.
    pub bytes_done: f64,
    /// Bytes of all of them.
    pub bytes_total: u64,
    /// Seconds of audio in the tracks that were analysed.
    pub audio_s: f64,
    /// Seconds since it began, without pauses.
    pub elapsed_s: f64,
    /// Tracks a second over the last half minute.
    pub tracks_per_s: f64,
    /// Seconds that it will still take, by what files of each kind took so far; none while that is not known.
    pub remaining_s: Option<f64>,
    /// Where the time went.
    pub time: TimeSplit,
    /// Tracks in hand.
    pub in_hand: Vec<InHand>,
    /// Memory that they are expected to take, in bytes.
    pub memory_bytes: u64,
    /// What keeps it from going on.
    pub fault: Option<String>,
    /// Roots that could not be reached, places that could not be looked at.
    pub notices: Vec<String>,
}

/// What happens in a scan.
#[derive(Clone, Debug, PartialEq)]
pub enum ScanEvent {
    /// A track is done, by whatever way.
    Done {
        /// Its number.
        id: i64,
    },
    /// A track could not be analysed.
    Failed {
        /// Its number.
        id: i64,
        /// Why.
        reason: String,
    },
    /// Something the user should know.
    Notice(String),
    /// It cannot go on until something changes.
    Held(String),
    /// It goes on.
    GoesOn,
}

/// How a scan ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScanOutcome {
    /// Nothing waits any more.
    Done,
    /// It was cancelled; what waits is kept.
    Cancelled,
}

/// What came of a scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScanSummary {
    /// Its number in the history.
    pub id: i64,
    /// How it ended.
    pub outcome: ScanOutcome,
    /// How many of what.
    pub counts: Counts,
    /// Seconds without pauses.
    pub elapsed_s: f64,
    /// Seconds of audio in the tracks that were analysed.
    pub audio_s: f64,
    /// Where the time went.
    pub time: TimeSplit,
    /// Roots that could not be reached, places that could not be looked at; the first thousand.
    pub notices: Vec<String>,
}

/// What files of each kind took, by which the rest is reckoned.
#[derive(Clone, Debug, Default)]
pub(super) struct Costs {
    /// Worker seconds and bytes by the name's ending.
    taken: HashMap<String, (f64, f64)>,
    /// Bytes that wait, by the name's ending.
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

    /// Worker seconds so far.
    pub(super) fn taken_s(&self) -> f64 {
        self.taken.values().map(|(seconds, _)| seconds).sum()
    }

    /// Worker seconds that the rest will take: each kind at its own rate, a kind that was not met yet at that of all.
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
