//! Constant-Q spectrograms: windows as long as so many periods of what they look for, bins evenly spread over octaves.
//!
//! With `B` bins per octave from the frequency `f_0` up, the last below half the rate, and `r = 2^(1/B)`,
//!
//! ```text
//! f_k = f_0 r^k,   Q = (r + 1/r) / (r - 1/r),   N_k = Q rate / f_k
//! X(k, c) = sum over n of w(2 (n - c) / N_k) x(n) exp(-2 pi i f_k (n - c) / rate)
//! ```
//!
//! over the frames `n` within half of `N_k`, which need not be whole, of the window `w` around `c` (J. Brown, "Calculation
//! of a constant Q spectral transform", JASA 89, 1991, with the quotient of librosa's `cqt`). Powers are `|2 X / sum w|^2`,
//! 0 dB being a sine of full scale on a bin, as in [`super::stft`].
//!
//! **By octaves.** The two highest octaves are taken from the signal as it is; each one below from the signal at half the
//! rate of the one above (C. Schörkhuber and A. Klapuri, 2010), where all have the same `f_k / rate` and therefore the
//! same products. An octave taken from every `D`-th frame is
//!
//! ```text
//! X(k, c) = sum over m of w(2 (m D - c) / N_k) x_D(m) exp(-2 pi i f_k (m D - c) / rate),   c a multiple of D
//! ```
//!
//! `x_D` being `x` through half-band filters ([`half_band`]: level to 1e-6 up to 0.187 of the rate that they take in,
//! 120 dB down from 0.313 of it), and `c` the multiple of `D` nearest to the frame asked for, which is off by less than
//! a 130th of the shortest window there is (of 12 bins per octave; a 400th of 36). What the filters take away lies more
//! than half an octave above the octave: all that the formula above sees of it is the side lobes of its windows, some
//! -99 dB of the whole with Hann's.
//!
//! Every product is computed in full; nothing is left out of it as too small.
//!
//! Windows of an octave stand as close in a column as its shortest one wants. Non-finite input: a bin is broken whose
//! window, or a filter before it, takes in a NaN or an infinity.

pub mod cpu;
pub mod gpu;
mod half_band;
mod plan;
mod trial;

use std::ops::Range;

use crate::error::Result;
use crate::kernels::Kernel;
use crate::kernels::stft::gpu::GpuColumns;
use crate::kernels::stft::{ColumnAnalysis, ColumnGrid, Samples, Tile};
use crate::progress::Progress;

use crate::kernels::trial::LEVEL_DB;
pub use half_band::half_band;
pub use plan::{BINS_PER_OCTAVE, ConstantQPlan, ConstantQSpec};
pub use trial::{Halved, exact, halved, levels};

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "constant_q",
    title: "Constant-Q spectrogram",
    shaders: &["constant_q.wgsl"],
    // Levels within a thousandth of a dB.
    tolerance_db: LEVEL_DB,
    // Reads one sample; the products are compute-bound.
    bytes_per_sample: 4.0,
    trial: trial::trial,
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
