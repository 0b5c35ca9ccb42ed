//! The outcome of an executed recording.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

use super::timing::{EntrySeconds, GpuSeconds};

/// The outcome of an executed recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finished {
    /// The time spent in each phase.
    pub seconds: GpuSeconds,
    /// The number of dispatches that the device ran, after cutting.
    pub dispatches: u64,
    /// The number of submissions in which they were made.
    pub submissions: u64,
    /// The bytes that were copied between staging memory and the buffers of the recording. 0 where the host shares the
    /// device's memory and writes and reads those buffers itself.
    pub staged_bytes: u64,
    /// The estimated duration of the longest submission, in seconds.
    pub longest_submission: f64,
    /// The shaders of these dispatches, by name.
    pub shaders: BTreeSet<&'static str>,
    /// The time of each entry point by the device's clock, by shader and name. Empty without such a clock.
    pub entries: BTreeMap<(&'static str, &'static str), EntrySeconds>,
    /// Whether the kernel time comes from the device's timestamps.
    pub device_clock: bool,
    /// Whether the device's timestamps were implausible, so that wall time was used instead.
    pub clock_refused: bool,
}

impl Finished {
    /// Returns the share of one of `count` combined recordings; times are divided evenly.
    pub(super) fn shared_by(&self, count: usize) -> Self {
        let share = |seconds: f64| seconds / count.max(1) as f64;
        let GpuSeconds { upload, kernels, readback } = self.seconds;
        let seconds = GpuSeconds { upload: share(upload), kernels: share(kernels), readback: share(readback) };
        let entries = self.entries.iter().map(|(name, entry)| (*name, entry.shared_by(count))).collect();
        Self { seconds, entries, ..self.clone() }
    }
}

impl AddAssign for Finished {
    fn add_assign(&mut self, other: Self) {
        self.seconds += other.seconds;
        self.dispatches += other.dispatches;
        self.submissions += other.submissions;
        self.staged_bytes += other.staged_bytes;
        self.longest_submission = self.longest_submission.max(other.longest_submission);
        self.shaders.extend(other.shaders);
        for (name, entry) in other.entries {
            *self.entries.entry(name).or_default() += entry;
        }
        self.device_clock &= other.device_clock;
        self.clock_refused |= other.clock_refused;
    }
}
