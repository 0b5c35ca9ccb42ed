//! Reassigned spectrograms: the energy of every cell of a short-time Fourier transform moved to where it comes from.
//!
//! A cell is one bin `b` of one window, centred on frame `c`; it holds the energy of a whole neighbourhood. With the
//! transforms of the same frames by the window `w`, by its slope `w'` and by the window times the distance from its
//! middle, `n - size/2`, and `N = padding size` points,
//!
//! ```text
//! t = c + Re(X_tw / X_w)                            frames
//! f = b - Im(X_w' / X_w) N / 2 pi                   bins
//! ```
//!
//! are the cell's centre of gravity in time and frequency (F. Auger and P. Flandrin, "Improving the readability of
//! time-frequency and time-scale representations by the reassignment method", IEEE Trans. Signal Processing 43, 1995).
//! The slope is that of central differences of the periodic window; a jump at a window's ends has no slope, so that the
//! rectangular window moves energy in time alone.
//!
//! **Energy.** A cell weighs `P = 4 |X_w|^2 / (N sum w^2)`, half of that at 0 Hz and at half the rate: the cells of a
//! window sum to twice the mean power of the signal in it. The level of a place in the picture (a row of a column) is
//! that of the sum of what was moved there, divided by the number of windows of a column. A steady sine of full scale
//! reads 0 dB in the one row that it is in, and over the whole picture rows times frames sum to twice the energy of the
//! signal, but for what moves beyond the ends of the axis.
//!
//! **What is not moved.** A cell stays on its bin and its window's middle, with its energy, where it is below
//! [`STILL_DB`] (the quotient is of no use there) or where the centre of gravity is not in the window or not
//! between 0 Hz and half the rate.
//!
//! **Time.** There is a window in every column at the least, and no column needs more than one for each quarter of a
//! window. Columns narrower than a 256th of the window (2 frames at the least) share the cells of that width that stand
//! on multiples of it: finer than that the picture does not get.
//!
//! Non-finite input: every row of a column around whose middle a window takes in a NaN or an infinity is broken, as in
//! [`super::stft`].

mod cells;
pub mod cpu;
pub mod gpu;
mod plan;
mod trial;

use std::ops::Range;

use crate::error::Result;
use crate::kernels::Kernel;
use crate::kernels::stft::gpu::GpuColumns;
use crate::kernels::stft::{ColumnAnalysis, ColumnGrid, Samples, Tile};
use crate::progress::Progress;
use cells::Cells;

pub use cpu::Moved;
pub use plan::{ReassignedPlan, ReassignedSpec, STILL_DB};
pub use trial::{agreement, exact};

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "reassigned",
    title: "Reassigned spectrogram",
    shaders: &["reassigned.wgsl"],
    // Of the energy. Rounding decides where energy goes that lies between two places.
    tolerance_db: -100.0,
    // Reads one sample; writes and reads three spectra for every quarter of a window.
    bytes_per_sample: 100.0,
    trial: trial::trial,
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
        // Three transforms of every window.
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
