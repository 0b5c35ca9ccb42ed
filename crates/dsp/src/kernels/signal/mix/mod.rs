//! Weighted sums of signals, channel by channel. Used to join parallel branches and to apply gains.
//!
//! All arithmetic is in f32. Each product and each sum is rounded separately, so every instruction set gives the same
//! bits. A `NaN` or an infinity affects only its own sample.

mod cpu;
pub(in crate::kernels) mod gpu;

use crate::kernels::Kernel;
pub use cpu::{gain, mix};

/// The row of the table of kernels.
pub const KERNEL: Kernel =
    Kernel { name: "mix", title: "Weighted sum", shaders: &["mix.wgsl"], tolerance_db: -140.0, bytes_per_sample: 12.0 };
