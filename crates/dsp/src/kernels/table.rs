//! The table of kernels, with the name, parts and tolerance of each.

use super::trial::Trial;
use base::error::Result;

/// One kernel: a computation that exists as shaders and as a CPU twin under one name.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// The name of the module, of the parity test in `tests/kernels` or `tests/neural`, and of the row in `undertone
    /// bench`.
    pub name: &'static str,
    /// The display name.
    pub title: &'static str,
    /// The file names of the shaders in `shaders/`, in the order of their dispatches.
    pub shaders: &'static [&'static str],
    /// The tolerance of the GPU's result against the f64 oracle: the RMS of the residual in dB relative to
    /// `max(rms in, rms out)`.
    pub tolerance_db: f64,
    /// The minimum memory traffic on the GPU, in bytes per sample of one channel.
    pub bytes_per_sample: f64,
    /// Plans the kernel for a test signal of `frames` frames at 48 kHz. Benchmarks and verification run it. A kernel
    /// that takes several channels gets `channels` of them; [`Trial::channels`] says how many it has.
    pub trial: fn(frames: usize, channels: usize) -> Result<Box<dyn Trial>>,
}

/// All kernels.
pub const TABLE: &[Kernel] = &[
    super::attention::KERNEL,
    super::band_sums::KERNEL,
    super::chroma::KERNEL,
    super::constant_q::KERNEL,
    super::convolution::KERNEL,
    super::extend::KERNEL,
    super::extremes::KERNEL,
    super::fir::KERNEL,
    super::hpss::KERNEL,
    super::iir_cascade::KERNEL,
    super::istft::KERNEL,
    super::lookup::KERNEL,
    super::lstm::KERNEL,
    super::median::KERNEL,
    super::mix::KERNEL,
    super::multi_resolution::KERNEL,
    super::nearest::KERNEL,
    super::norm::KERNEL,
    super::peak::KERNEL,
    super::pointwise::KERNEL,
    super::reassigned::KERNEL,
    super::spectral_shape::KERNEL,
    super::stft::KERNEL,
    super::yin::KERNEL,
];

/// Returns the kernel called `name`, or `None` if the table has no such kernel.
pub fn find(name: &str) -> Option<&'static Kernel> {
    TABLE.iter().find(|kernel| kernel.name == name)
}
