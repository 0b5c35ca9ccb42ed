//! Means of the square roots of the smallest and of the largest values in runs of neighbours, such as the magnitudes of
//! the valleys and peaks in a band of a power spectrum.
//!
//! For a run of `n` non-negative values and a count `c`, `1 <= c <= n`:
//!
//! ```text
//! low = sum over the c smallest of sqrt(x) / c,   high = sum over the c largest of sqrt(x) / c
//! ```
//!
//! The CPU selects the values and sums them in order, in f64. A GPU ([`gpu`]) finds the limit of the smallest values by
//! their bits, in four counts of eight bits, and sums in a tree: the same values, with different rounding. `NaN` ranks
//! above all numbers.

mod cpu;
pub mod gpu;
mod plan;
mod trial;

use crate::kernels::Kernel;
pub use plan::{Extremes, Run};
pub use trial::exact;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "extremes",
    title: "Means of extremes of spectra",
    shaders: &["extremes.wgsl"],
    // A relative error of 2e-6 per mean.
    tolerance_db: -114.0,
    // Reads power spectra of four windows per frame, two bins per sample, five times for each extreme.
    bytes_per_sample: 80.0,
    trial: trial::trial,
};

/// The mean square root of the smallest values of a run, and of its largest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Means {
    /// The mean over the smallest values.
    pub low: f32,
    /// The mean over the largest values.
    pub high: f32,
}
