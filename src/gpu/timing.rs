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

impl AddAssign for GpuSeconds {
    fn add_assign(&mut self, other: Self) {
        self.upload += other.upload;
        self.kernels += other.kernels;
        self.readback += other.readback;
    }
}
