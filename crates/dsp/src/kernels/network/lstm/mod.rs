//! The long short-term memory. The inputs' part of the gates is one product over all frames; what remains is a product
//! of the hidden weights with a vector, frame after frame.

mod barrier;
pub mod cpu;
pub mod gpu;

use super::convolution::{Kind, Weights};
use crate::kernels::Kernel;

/// The row of the table of kernels.
pub const KERNEL: Kernel =
    Kernel { name: "lstm", title: "LSTM", shaders: &["lstm.wgsl"], tolerance_db: -100.0, bytes_per_sample: 8.0 };

/// Hidden values of a block. Its rows are their input gates, then their forget, cell and output gates.
pub(super) const UNITS: usize = 32;

/// Rows of a block.
pub(super) const BLOCK: usize = 4 * UNITS;

/// The weights of a layer, in the order in which they are read.
#[derive(Clone, Debug)]
pub struct Layer {
    pub(super) inputs: usize,
    pub(super) size: usize,
    /// Weights of the inputs, with rows in blocks.
    pub(super) of_input: Weights,
    /// One number per row, in blocks.
    pub(super) bias: Vec<f32>,
    /// For each block and each hidden value, the weights of the block's rows.
    pub(super) of_hidden: Vec<[f32; BLOCK]>,
}

impl Layer {
    /// Prepares weights in PyTorch's order of rows: input, forget, cell, output; `bias` is the sum of both.
    ///
    /// # Panics
    /// Panics if the number of values does not match the sizes.
    pub fn new(inputs: usize, size: usize, input_weights: &[f32], hidden_weights: &[f32], bias: &[f32]) -> Self {
        assert!(input_weights.len() == 4 * size * inputs && hidden_weights.len() == 4 * size * size, "weights");
        let blocks = size.div_ceil(UNITS);
        // PyTorch's row for each row in blocks.
        let row = |n: usize| {
            let unit = n / BLOCK * UNITS + n % UNITS;
            (unit < size).then(|| n % BLOCK / UNITS * size + unit)
        };
        let rows: Vec<Option<usize>> = (0..blocks * BLOCK).map(row).collect();
        let of_rows = |values: &[f32], length: usize| -> Vec<f32> {
            let none = vec![0.0; length];
            rows.iter()
                .flat_map(|row| row.map_or(&none[..], |row| &values[row * length..][..length]).to_vec())
                .collect()
        };
        let kind = Kind::Forward { taps: [1, 1], stride: [1, 1], dilation: [1, 1], padding: [0, 0] };
        let mut of_hidden = vec![[0.0; BLOCK]; blocks * size];
        for (n, row) in rows.iter().enumerate() {
            let Some(row) = *row else { continue };
            for k in 0..size {
                of_hidden[n / BLOCK * size + k][n % BLOCK] = hidden_weights[row * size + k];
            }
        }
        Self {
            inputs,
            size,
            of_input: Weights::new(kind, 1, blocks * BLOCK, inputs, &of_rows(input_weights, inputs)),
            bias: of_rows(bias, 1),
            of_hidden,
        }
    }

    /// Returns the number of multiplications for a frame, each with an addition.
    pub fn products(&self) -> u64 {
        (4 * self.size * (self.inputs + self.size)) as u64
    }

    /// Returns the number of hidden values.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.of_input.bytes() + size_of_val(self.bias.as_slice()) + size_of_val(self.of_hidden.as_slice())
    }
}
