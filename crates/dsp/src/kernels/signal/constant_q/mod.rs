//! Constant-Q spectrograms: bins are spread evenly over octaves, and each window holds the same number of periods of
//! its bin's frequency.
//!
//! With `B` bins per octave from the frequency `f_0` up, the last below the Nyquist frequency, and `r = 2^(1/B)`,
//!
//! ```text
//! f_k = f_0 r^k,   Q = (r + 1/r) / (r - 1/r),   N_k = Q rate / f_k
//! X(k, c) = sum over n of w(2 (n - c) / N_k) x(n) exp(-2 pi i f_k (n - c) / rate)
//! ```
//!
//! The sum runs over the frames `n` within `N_k / 2` of the centre `c`, where `N_k` need not be an integer, and `w` is
//! the window function (J. Brown, "Calculation of a constant Q spectral transform", JASA 89, 1991; `Q` is that of
//! librosa's `cqt`). Powers are `|2 X / sum w|^2`, so a full-scale sine on a bin reads 0 dB, as in [`super::stft`].
//!
//! **By octaves** (C. Schörkhuber and A. Klapuri, 2010). The two highest octaves are computed from the signal itself.
//! Each lower octave is computed at half the rate of the octave above. All octaves but the highest then have the same
//! `f_k / rate`, and therefore the same products. An octave computed from every `D`-th frame is
//!
//! ```text
//! X(k, c) = sum over m of w(2 (m D - c) / N_k) x_D(m) exp(-2 pi i f_k (m D - c) / rate),   c a multiple of D
//! ```
//!
//! where `x_D` is `x` after half-band filters ([`mod@half_band`]: flat to 1e-6 up to 0.187 of their input rate, and -120 dB
//! from 0.313 of it). `c` is the multiple of `D` nearest to the requested frame. The difference is less than 1/130 of
//! the shortest window with 12 bins per octave, and less than 1/400 with 36. What the filters remove lies more than
//! half an octave above the octave. The formula above would see it only through the side lobes of the windows, at about
//! -99 dB of the whole with Hann windows.
//!
//! Every product is computed in full. No small values are dropped.
//!
//! The windows of an octave are spaced in a column as its shortest window requires. Non-finite input: a bin is not
//! finite if its window, or a filter before it, reads a `NaN` or an infinity.

pub mod cpu;
pub mod gpu;
pub(crate) mod half_band;
mod plan;

use std::ops::Range;

use crate::kernels::signal::stft::gpu::GpuColumns;
use crate::kernels::signal::stft::{ColumnAnalysis, ColumnGrid, Samples, Tile};
use crate::kernels::{Kernel, LEVEL_DB};
use base::error::Result;
use base::progress::Progress;

pub use half_band::half_band;
pub use plan::{BINS_PER_OCTAVE, ConstantQPlan, ConstantQSpec};

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "constant_q",
    title: "Constant-Q spectrogram",
    shaders: &["constant_q.wgsl"],
    // Levels within a thousandth of a dB.
    tolerance_db: LEVEL_DB,
    // Reads one sample; the products are compute-bound.
    bytes_per_sample: 4.0,
};

impl ColumnAnalysis for ConstantQPlan {
    fn rows(&self) -> usize {
        self.bank().len()
    }

    fn reach(&self, grid: &ColumnGrid) -> Range<i64> {
        self.needs(grid, 0..grid.count).into_iter().next().unwrap_or(0..0)
    }

    fn work(&self, grid: &ColumnGrid) -> f64 {
        let products = |octave: plan::Octave<'_>| {
            let frames: usize = octave.atoms.iter().map(|atom| atom.re.len()).sum();
            (grid.count * octave.columns(grid).windows * frames) as f64
        };
        self.octaves().map(products).sum::<f64>() * 4.0 / 14.0
    }

    fn levels(&self, grid: &ColumnGrid, samples: Samples<'_>, progress: Option<&Progress>) -> Result<Tile<f32>> {
        cpu::levels(self, grid, samples, progress)
    }

    fn lower(&self) -> Result<Box<dyn GpuColumns>> {
        Ok(Box::new(gpu::GpuConstantQ::new(self)))
    }
}
