//! Where the time of a recording went.

use std::ops::AddAssign;

/// Wall time of the stages of one recording or of several, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GpuSeconds {
    /// Copying to the device.
    pub upload: f64,
    /// Running kernels: measured on the device where it has timestamps, otherwise the time until it had done its work.
    pub kernels: f64,
    /// Copying from the device, with the wait for it.
    pub readback: f64,
}

impl AddAssign for GpuSeconds {
    fn add_assign(&mut self, other: Self) {
        self.upload += other.upload;
        self.kernels += other.kernels;
        self.readback += other.readback;
    }
}
