//! Reassigned spectrograms: the energy of each cell of a short-time Fourier transform moves to where it comes from.
//!
//! A cell is one bin `b` of one window, which is centred on frame `c`. It holds the energy of a neighbourhood in time
//! and frequency. The same frames are transformed to `X_w` with the window function `w`, to `X_w'` with its slope `w'`,
//! and to `X_tw` with `w` times the distance from its middle, `n - size/2`. With `N = padding size` points, the centre
//! of gravity of the cell is
//!
//! ```text
//! t = c + Re(X_tw / X_w)                            frames
//! f = b - Im(X_w' / X_w) N / 2 pi                   bins
//! ```
//!
//! (F. Auger and P. Flandrin, "Improving the readability of time-frequency and time-scale representations by the
//! reassignment method", IEEE Trans. Signal Processing 43, 1995). The slope is the central difference of the periodic
//! window function. A jump at the ends of a window has no slope, so a rectangular window moves energy only in time.
//!
//! **Energy.** A cell has the power `P = 4 |X_w|^2 / (N sum w^2)`, or half of it at 0 Hz and the Nyquist frequency. The
//! cells of a window sum to twice the mean power of the signal in it. The level of a place in the picture (a row of a
//! column) is that of the power moved there, divided by the number of windows per column. A steady full-scale sine
//! reads 0 dB in the one row that contains it. Over the whole picture, rows times frames sum to twice the energy of the
//! signal, except for energy that moves beyond the ends of the axis.
//!
//! **What is not moved.** A cell below [`STILL_DB`] stays in its bin and at the middle of its window, because its
//! quotients are meaningless. So does a cell whose centre of gravity is outside its window, or not between 0 Hz and the
//! Nyquist frequency.
//!
//! **Time.** Each column has at least one window and at most one per quarter of a window's length. Columns narrower
//! than 1/256 of the window (at least 2 frames) share cells of that width, which are aligned to multiples of it. The
//! picture has no finer resolution in time.
//!
//! Non-finite input: if a window contains a `NaN` or an infinity, all rows of the column at its centre are `NaN`.

mod cells;
pub mod cpu;
pub mod gpu;
mod plan;

use std::ops::Range;

use crate::kernels::Kernel;
use crate::kernels::signal::stft::gpu::GpuColumns;
use crate::kernels::signal::stft::{ColumnAnalysis, ColumnGrid, Samples, Tile};
use base::error::Result;
use base::progress::Progress;
use cells::Cells;

pub use cpu::Moved;
pub use plan::{ReassignedPlan, ReassignedSpec, STILL_DB};

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "reassigned",
    title: "Reassigned spectrogram",
    shaders: &["reassigned.wgsl"],
    // The error of the energy. If a centre of gravity lies between two places, rounding decides where the energy goes.
    tolerance_db: -100.0,
    // Reads one sample; writes and reads three spectra per quarter of a window.
    bytes_per_sample: 100.0,
};

impl ColumnAnalysis for ReassignedPlan {
    fn rows(&self) -> usize {
        self.edges().len() - 1
    }

    fn reach(&self, grid: &ColumnGrid) -> Range<i64> {
        let cells = Cells::new(self.transform().spec().size, grid, 0..grid.count);
        match (cells.centres.first(), cells.centres.last()) {
            (Some(&first), Some(&last)) => {
                self.transform().start_of_centre(first)
                    ..self.transform().start_of_centre(last) + self.transform().spec().size as i64
            }
            _ => 0..0,
        }
    }

    fn work(&self, grid: &ColumnGrid) -> f64 {
        // Three transforms per window.
        let windows = Cells::new(self.transform().spec().size, grid, 0..grid.count).centres.len();
        self.transforms().iter().map(|plan| plan.work(windows)).sum()
    }

    fn levels(&self, grid: &ColumnGrid, samples: Samples<'_>, progress: Option<&Progress>) -> Result<Tile<f32>> {
        cpu::levels(self, grid, samples, progress)
    }

    fn lower(&self) -> Result<Box<dyn GpuColumns>> {
        Ok(Box::new(gpu::GpuReassigned::new(self)?))
    }
}
