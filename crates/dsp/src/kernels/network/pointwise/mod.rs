//! Element-wise operations of networks: activations, sums, gains.

pub mod cpu;
pub(crate) mod functions;
pub mod gpu;

use crate::kernels::Kernel;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "pointwise",
    title: "Element-wise operations",
    shaders: &["pointwise.wgsl"],
    tolerance_db: -110.0,
    bytes_per_sample: 8.0,
};

/// An activation with its numbers.
#[derive(Clone, Copy, Debug)]
pub enum Activation<'a> {
    /// `x` if it is positive, `e^x - 1` otherwise.
    Elu,
    /// `x Phi(x)`
    Gelu,
    /// `max(x, 0)`
    Relu,
    /// `x / (1 + e^-x)`
    Silu,
    /// `tanh x`
    Tanh,
    /// `x + sin^2(a x) / (a + 1e-9)`, with a number `a` for each channel.
    Snake(&'a [f32]),
}

/// An operation on blocks of numbers.
#[derive(Clone, Copy, Debug)]
pub enum Pointwise<'a> {
    /// An activation of every number of `a`.
    Activate(Activation<'a>),
    /// Every channel of `a` times its gain.
    Scale(&'a [f32]),
    /// Every channel of `a` plus its offset.
    Offset(&'a [f32]),
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// The first half of `a` times the logistic function of the second half.
    Glu,
}
