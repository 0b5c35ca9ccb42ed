//! Multi-resolution spectrograms: long windows for low frequencies, short ones for high frequencies.
//!
//! A row at `f` is shown by windows of about
//!
//! ```text
//! L(f) = S sqrt(1 kHz / f),   S being the size that is set
//! ```
//!
//! frames: the powers of two from `S/4` to `4 S` that are nearest on a logarithmic scale, so that the set size serves the
//! two octaves around 1 kHz, its double those below, its half those above. The borders are at 125 Hz, 500 Hz, 2 kHz and
//! 8 kHz; around each, within half an octave to either side, the levels in dB of both lengths are cross-faded on a
//! straight line over `log2 f`: a steady tone reads the same on both sides, and noise, whose level in a bin falls by
//! 3 dB with every doubling of the window, has no step. Lengths that there are not ([`StftSpec::SIZES`]) are limited to
//! the nearest that there is.
//!
//! Each length is a short-time Fourier transform ([`super::stft`]) with as many windows in a column as it wants by
//! itself; scaling, rows, codes and what happens to broken samples are the same as there.

pub mod cpu;
pub mod gpu;
mod plan;
mod trial;

pub use plan::{CENTRE_HZ, DOUBLINGS, MultiResolutionPlan, MultiResolutionSpec, OCTAVES_EACH};

#[allow(unused_imports, reason = "named in the documentation")]
use super::stft::StftSpec;
use std::ops::Range;

use crate::error::Result;
use crate::kernels::Kernel;
use crate::kernels::stft::gpu::GpuColumns;
use crate::kernels::stft::{ColumnAnalysis, ColumnGrid, Samples, Tile};
use crate::progress::Progress;

use crate::kernels::trial::LEVEL_DB;
pub use trial::exact;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "multi_resolution",
    title: "Multi-resolution spectrogram",
    shaders: &["multi_resolution.wgsl"],
    // Levels within a thousandth of a dB.
    tolerance_db: LEVEL_DB,
    // Same as `stft`, whose transforms it blends; their levels stay on the device.
    bytes_per_sample: 6.0,
    trial: trial::trial,
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
