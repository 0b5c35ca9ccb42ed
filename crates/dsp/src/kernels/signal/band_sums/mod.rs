//! Weighted sums over runs of neighbouring values, such as the bands of a mel bank:
//! `sum over n of w_b(n) x(first_b + n)`.
//!
//! The CPU reads eight values of a band at a time and sums eight bands together. The order is fixed, so every
//! instruction set gives the same bits. On a GPU ([`gpu`]), eight threads sum a band. A `NaN` makes the sums of its
//! bands `NaN`.

mod cpu;
pub mod gpu;
mod plan;

use crate::kernels::Kernel;
pub use plan::BandSums;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "band_sums",
    title: "Sums over bands of spectra",
    shaders: &["band_sums.wgsl"],
    tolerance_db: -120.0,
    // Reads two bins per sample: windows of 1025 bins at a hop of 512.
    bytes_per_sample: 8.0,
};
