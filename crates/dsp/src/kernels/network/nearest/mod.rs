//! The nearest row of a book to each vector, as a product: `argmin |x - b|^2 = argmax (x b - |b|^2 / 2)`. Ties go to
//! the first row.

pub mod cpu;
pub mod gpu;

use super::convolution::{Kind, Weights};
use crate::kernels::Kernel;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "nearest",
    title: "Nearest row of a book",
    shaders: &["nearest.wgsl"],
    tolerance_db: -100.0,
    bytes_per_sample: 4.0,
};

/// A book, prepared for the search.
#[derive(Clone, Debug)]
pub struct Book {
    pub(super) weights: Weights,
    /// Half the square of every row's length.
    pub(super) halves: Vec<f32>,
    pub(super) components: usize,
}

impl Book {
    /// Prepares a book of rows of `components` numbers.
    pub fn new(rows: &[f32], components: usize) -> Self {
        let count = rows.len() / components.max(1);
        let kind = Kind::Forward { taps: [1, 1], stride: [1, 1], dilation: [1, 1], padding: [0, 0] };
        let half = |row: &[f32]| (row.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() / 2.0) as f32;
        Self {
            weights: Weights::new(kind, 1, count, components, rows),
            halves: rows.chunks_exact(components.max(1)).map(half).collect(),
            components,
        }
    }

    /// Returns the number of multiplications for a vector, each with an addition.
    pub fn products(&self) -> u64 {
        (self.halves.len() * self.components) as u64
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.weights.bytes() + size_of_val(self.halves.as_slice())
    }
}
