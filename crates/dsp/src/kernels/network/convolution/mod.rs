//! Products of weights with a block of `channels x rows x frames` numbers: convolutions along rows and frames (a linear
//! layer is one of a single tap) and transposed convolutions along frames, each with what follows it (bias, activation,
//! gains, a sum).
//!
//! All are one product `y = W B`. `B` has a row for each input channel and tap, and a column for each place of the
//! result; it is gathered tile by tile and never written as a whole. A transposed convolution of stride `s` and `k`
//! taps gives `s` results per column, each of `ceil(k / s)` taps: `y[o, q s + p] = sum w[i, o, p + j s] x[i, q - j]`.

pub mod cpu;
pub mod gpu;
pub mod plan;
pub(in crate::kernels) mod weights;

pub use plan::{Kind, Plan, Size};
pub use weights::Weights;

use super::pointwise::Activation;
use crate::kernels::Kernel;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "convolution",
    title: "Convolution",
    shaders: &["convolution.wgsl"],
    tolerance_db: -105.0,
    bytes_per_sample: 4.0,
};

/// The operations on every number of the product before it is written, in this order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Epilogue<'a> {
    /// Added, one number per output channel.
    pub bias: Option<&'a [f32]>,
    /// Applied.
    pub activation: Option<Activation<'a>>,
    /// Multiplied, one number per output channel.
    pub gains: Option<&'a [f32]>,
}
