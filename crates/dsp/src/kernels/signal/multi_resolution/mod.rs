//! Multi-resolution spectrograms: long windows for low frequencies, short ones for high frequencies.
//!
//! For a configured size of `S` frames, a row at the frequency `f` uses windows of about
//!
//! ```text
//! L(f) = S sqrt(1 kHz / f)
//! ```
//!
//! frames. The lengths are `S` times the powers of two from 1/4 to 4, chosen by the smallest distance on a logarithmic
//! scale: `S` serves the two octaves around 1 kHz, `2 S` the two below, `S/2` the two above. The borders are at 125 Hz,
//! 500 Hz, 2 kHz and 8 kHz. Within half an octave on either side of a border, the levels in dB of both lengths are
//! cross-faded linearly over `log2 f`. A steady tone then reads the same on both sides of a border, and noise, whose
//! level per bin falls by 3 dB with every doubling of the window, has no step. Lengths outside [`StftSpec::SIZES`] are
//! replaced by the nearest allowed length.
//!
//! Each length is a short-time Fourier transform ([`super::stft`]) with its own number of windows per column. Scaling,
//! rows, codes and the handling of non-finite samples are the same as there.

pub mod cpu;
pub mod gpu;
mod plan;

pub use plan::{CENTRE_HZ, DOUBLINGS, MultiResolutionPlan, MultiResolutionSpec, OCTAVES_EACH};

#[allow(unused_imports, reason = "named in the documentation")]
use super::stft::StftSpec;
use std::ops::Range;

use crate::kernels::signal::stft::gpu::GpuColumns;
use crate::kernels::signal::stft::{ColumnAnalysis, ColumnGrid, Samples, Tile};
use crate::kernels::{Kernel, LEVEL_DB};
use base::error::Result;
use base::progress::Progress;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "multi_resolution",
    title: "Multi-resolution spectrogram",
    shaders: &["multi_resolution.wgsl"],
    // Levels within a thousandth of a dB.
    tolerance_db: LEVEL_DB,
    // Same as `stft`, whose transforms it cross-fades. Their levels stay on the device.
    bytes_per_sample: 6.0,
};

impl ColumnAnalysis for MultiResolutionPlan {
    fn rows(&self) -> usize {
        self.row_count()
    }

    fn reach(&self, grid: &ColumnGrid) -> Range<i64> {
        let reaches = self.parts().iter().map(|part| grid.columns(part.size()).reach(&part.plan));
        reaches.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
    }

    fn work(&self, grid: &ColumnGrid) -> f64 {
        self.parts().iter().map(|part| part.plan.work(grid.count * grid.columns(part.size()).windows)).sum()
    }

    fn levels(&self, grid: &ColumnGrid, samples: Samples<'_>, _: Option<&Progress>) -> Result<Tile<f32>> {
        cpu::levels(self, grid, samples)
    }

    fn lower(&self) -> Result<Box<dyn GpuColumns>> {
        Ok(Box::new(gpu::GpuMultiResolution::new(self)?))
    }
}
