//! The sample peak: the largest magnitude of a block.

mod cpu;
pub(in crate::kernels) mod gpu;

use crate::kernels::Kernel;
pub use cpu::peak;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "peak",
    title: "Sample peak",
    shaders: &["peak.wgsl"],
    tolerance_db: f64::NEG_INFINITY,
    bytes_per_sample: 4.0,
};
