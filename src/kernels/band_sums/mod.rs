//! Weighted sums over runs of neighbouring values, such as the bands of a mel bank: `sum over n of w_b(n) x(first_b + n)`.
//!
//! Eight values of a band are read at a time and eight bands are summed together, always in the same order: every
//! instruction set gives the same bits. On a GPU ([`gpu`]), eight threads sum a band. A `NaN` makes the sums of its bands
//! `NaN`.

mod cpu;
pub mod gpu;
mod plan;
mod trial;

use crate::kernels::Kernel;
pub use plan::BandSums;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "band_sums",
    title: "Sums over bands of spectra",
    shaders: &["band_sums.wgsl"],
    tolerance_db: -120.0,
    // Reads power spectra of four windows per frame, two bins per sample.
    bytes_per_sample: 8.0,
    trial: trial::trial,
};
