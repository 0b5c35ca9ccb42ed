//! Short-time Fourier transforms: spectra of short windows of a signal, and spectrogram tiles computed from them.
//!
//! Window `k` is centred on frame `k hop`. It covers `size` frames starting at `k hop - size/2` (rounded down), with
//! zeros beyond the ends of the signal. With the window function `w` and `N = padding size` points,
//!
//! ```text
//! X_k(b) = sum over n = 0..size of w(n) x(k hop - size/2 + n) exp(-2 pi i b n / N),   b = 0..=N/2
//! ```
//!
//! Phases are therefore relative to the window's first frame. Powers are `|2 X / sum w|^2`: a full-scale sine centred
//! on a bin reads 1 (0 dB) at any frequency between 0 Hz and the Nyquist frequency. A constant 1 reads +6.02 dB.
//!
//! [`StftPlan`] is the plan; [`cpu`] and [`gpu`] run it. [`Rows`] maps the bins of a spectrum to the rows of a picture.
//! A [`Tile`] is a part of a picture: the levels of rows and columns in decibels, as values or as codes. No spectrum is
//! stored. Codes represent levels, not colours, so a different range or palette needs no new tile.
//!
//! Non-finite input: if a window contains a `NaN` or an infinity, all of its bins are non-finite. Other windows are
//! unaffected. Such a level stays `NaN` or infinite, and its code is the highest one, so that a broken signal is not
//! taken for silence.

mod analysis;
pub mod cpu;
mod eight;
pub mod gpu;
mod half_length;
mod inverse_half_length;
mod level;
mod plan;
mod rows;
mod spectra;
mod tile;
mod transform;

use crate::kernels::Kernel;
pub use analysis::{ColumnAnalysis, FourierAnalysis};
pub(crate) use eight::{EightReal, Point};
pub use half_length::{HalfLength, Pairs};
pub(crate) use inverse_half_length::{Bins, InverseHalfLength, InversePairs};
pub(crate) use level::db_from_power;
pub use level::{FLOOR_DB, LevelCode};
pub use plan::{Samples, StftPlan, StftSpec};
pub use rows::Rows;
pub use spectra::Spectra;
pub use tile::{ColumnGrid, Columns, Spacing, Tile, TileRequest};
pub use transform::Transform;
pub use transforms::num_complex::Complex32;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "stft",
    title: "Short-time Fourier transform",
    shaders: &["stft.wgsl", "stft_long.wgsl"],
    tolerance_db: -130.0,
    // Reads one sample and writes a 2-byte code, for a picture with one row per two bins.
    bytes_per_sample: 6.0,
};
