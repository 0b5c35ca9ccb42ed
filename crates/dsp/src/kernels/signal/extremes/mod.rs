//! Means of the square roots of the smallest and of the largest values in runs of neighbours. In a band of a power
//! spectrum these are the magnitudes of its valleys and peaks.
//!
//! For a run of `n` non-negative values and a count `c`, `1 <= c <= n`:
//!
//! ```text
//! low = sum over the c smallest of sqrt(x) / c,   high = sum over the c largest of sqrt(x) / c
//! ```
//!
//! The CPU selects the values and sums them in ascending order, in f64. A GPU ([`gpu`]) finds the largest of the
//! smallest values by radix selection over their bits, eight bits at a time, and sums in a tree. It selects the same
//! values but rounds differently. `NaN` ranks above all numbers.

mod cpu;
pub mod gpu;
mod plan;

use crate::kernels::Kernel;
pub use plan::{Extremes, Run};

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "extremes",
    title: "Means of extremes of spectra",
    shaders: &["extremes.wgsl"],
    // A relative error of 2e-6 per mean.
    tolerance_db: -114.0,
    // Reads two bins per sample (windows of 1025 bins at a hop of 512), five times for each extreme.
    bytes_per_sample: 80.0,
};

/// The means of the square roots of a run's smallest and largest values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Means {
    /// The mean over the smallest values.
    pub low: f32,
    /// The mean over the largest values.
    pub high: f32,
}
