//! Short-time Fourier transforms: spectra of short windows of a signal, and spectrogram tiles made of them.
//!
//! Window `k` is centred on frame `k hop`: it takes in the `size` frames from `k hop - size/2` (rounded down) on, zeros
//! where the signal has none. With the window function `w` and `N = padding size` points
//!
//! ```text
//! X_k(b) = sum over n = 0..size of w(n) x(k hop - size/2 + n) exp(-2 pi i b n / N),   b = 0..=N/2
//! ```
//!
//! so that phases are those at the window's first frame. Powers are `|2 X / sum w|^2`: a sine of full scale that stands
//! on a bin reads 1, 0 dB, wherever it is between 0 Hz and half the rate; a constant 1 reads +6.02 dB.
//!
//! [`StftPlan`] is the plan; [`cpu`] and [`gpu`] run it. [`Rows`] gathers a spectrum's bins into the rows of a picture,
//! and a [`Tile`] is what the picture is made of: decibels of rows and columns, as numbers or as codes, without any
//! spectrum being kept. Codes are levels, not colours, so that another range or palette needs no other tile.
//!
//! Non-finite input: no bin of a window that takes in a NaN or an infinity is finite, other windows are untouched. Such
//! a level stays NaN or infinite, and its code is the highest of all, so that a broken signal does not pass for silence.

pub mod cpu;
pub mod gpu;
mod half_length;
mod level;
mod plan;
mod rows;
mod spectra;
mod tile;
mod transform;

pub(crate) use half_length::{HalfLength, Pairs};
pub(crate) use level::db_from_power;
pub use level::{FLOOR_DB, LevelCode};
pub use plan::{Samples, StftPlan, StftSpec};
pub use realfft::num_complex::Complex32;
pub use rows::Rows;
pub use spectra::Spectra;
pub use tile::{ColumnGrid, Columns, Spacing, Tile, TileRequest};
pub(crate) use transform::Transform;
