//! Kernels: computations that exist as shaders and as CPU twins, in two wings.
//!
//! Each kernel is a folder with its parameters, plan, CPU twin, GPU side and tolerance. [`crate::device::trials`] has a
//! trial of each.

pub mod network;
pub mod signal;

/// One kernel: a computation that exists as shaders and as a CPU twin under one name.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// The name of the module, of the parity test in `tests/kernels` or `tests/neural`, and of the row in `undertone
    /// bench`.
    pub name: &'static str,
    /// The display name.
    pub title: &'static str,
    /// The file names of the shaders in `shaders/network/` or `shaders/signal/`, in the order of their dispatches.
    pub shaders: &'static [&'static str],
    /// The tolerance of the GPU's result against the f64 oracle: the RMS of the residual in dB relative to
    /// `max(rms in, rms out)`.
    pub tolerance_db: f64,
    /// The minimum memory traffic on the GPU, in bytes per sample of one channel.
    pub bytes_per_sample: f64,
}

/// The tolerance of kernels that compute levels: a difference of 0.001 dB, as a relative amplitude error in dB.
pub(crate) const LEVEL_DB: f64 = -78.7;
