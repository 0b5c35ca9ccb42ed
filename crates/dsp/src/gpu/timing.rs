//! The time that a recording spends in each stage.

use std::ops::AddAssign;

/// The wall time of the stages of one or several recordings, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GpuSeconds {
    /// Copying from host to device.
    pub upload: f64,
    /// Running kernels: measured by device timestamps if available, otherwise the time until the device had finished.
    pub kernels: f64,
    /// Copying from device to host, including the wait for it.
    pub readback: f64,
}

/// The time of the dispatches of one entry point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EntrySeconds {
    /// The sum of their durations in seconds, by the device's timestamps.
    pub seconds: f64,
    /// The number of dispatches that were timed.
    pub dispatches: u64,
}

impl EntrySeconds {
    /// Returns the share of one of `count` equal recordings.
    pub(super) fn shared_by(&self, count: usize) -> Self {
        Self { seconds: self.seconds / count.max(1) as f64, dispatches: self.dispatches.div_ceil(count.max(1) as u64) }
    }
}

impl AddAssign for EntrySeconds {
    fn add_assign(&mut self, other: Self) {
        self.seconds += other.seconds;
        self.dispatches += other.dispatches;
    }
}

impl AddAssign for GpuSeconds {
    fn add_assign(&mut self, other: Self) {
        self.upload += other.upload;
        self.kernels += other.kernels;
        self.readback += other.readback;
    }
}
