//! Kernels of neural networks, on blocks of numbers.

pub mod attention;
pub mod block;
pub mod convolution;
pub mod extend;
pub mod lookup;
pub mod lstm;
pub mod nearest;
pub mod norm;
pub mod pointwise;
