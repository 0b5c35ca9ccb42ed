//! Rows of a book by their numbers: embeddings, and codes back to vectors.

pub mod cpu;
pub mod gpu;

use crate::kernels::Kernel;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "lookup",
    title: "Rows of a book",
    shaders: &["lookup.wgsl"],
    tolerance_db: f64::NEG_INFINITY,
    bytes_per_sample: 4.0,
};

/// Returns the first code without a row in a book: not whole, below 0, or beyond the last row.
pub fn first_wrong(codes: &[f32], rows: usize) -> Option<f32> {
    codes.iter().copied().find(|&code| !(code >= 0.0 && code < rows as f32 && code.fract() == 0.0))
}
