//! The weights of a product, in the order in which it reads them.

use super::cpu::product::DEPTH;
use super::plan::Kind;

/// Rows of the matrix that are worked on together.
pub(in crate::kernels) const ROWS: usize = 8;

/// The weights as a matrix: its size, and where its numbers are.
pub(super) struct Matrix {
    kind: Kind,
    /// Rows of a group.
    pub height: usize,
    /// Columns: steps of the sums.
    pub depth: usize,
    outputs: usize,
    inputs: usize,
}

impl Matrix {
    pub fn new(kind: Kind, groups: usize, outputs: usize, inputs: usize) -> Self {
        let (outputs, inputs) = (outputs / groups, inputs / groups);
        let (height, depth) = match kind {
            Kind::Forward { taps, .. } => (outputs, inputs * taps[0] * taps[1]),
            Kind::Transposed { taps, stride, .. } => (outputs * stride, inputs * taps.div_ceil(stride)),
        };
        Self { kind, height, depth, outputs, inputs }
    }

    /// The number of a row and a step, of weights in the order of [`Kind`].
    pub fn at(&self, values: &[f32], group: usize, row: usize, step: usize) -> f32 {
        match self.kind {
            Kind::Forward { .. } => values[(group * self.height + row) * self.depth + step],
            Kind::Transposed { taps, stride, .. } => {
                // Taps of a phase, the latest frame last.
                let of_phase = taps.div_ceil(stride);
                let (input, j) = (step / of_phase, of_phase - 1 - step % of_phase);
                let (output, tap) = (row / stride, row % stride + j * stride);
                let input = group * self.inputs + input;
                if tap < taps { values[(input * self.outputs + output) * taps + tap] } else { 0.0 }
            }
        }
    }
}

/// Weights as a matrix for each group: for every [`DEPTH`] steps, panels of [`ROWS`] rows, with the numbers of a step
/// side by side.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    steps: Vec<[f32; ROWS]>,
    depth: usize,
    panels: usize,
}

impl Weights {
    /// Reorders weights from the order of [`Kind`] to that of the product.
    ///
    /// # Panics
    /// Panics if their number does not match the sizes.
    pub fn new(kind: Kind, groups: usize, outputs: usize, inputs: usize, values: &[f32]) -> Self {
        let matrix = Matrix::new(kind, groups, outputs, inputs);
        let (depth, panels) = (matrix.depth, matrix.height.div_ceil(ROWS));
        let mut steps = Vec::with_capacity(groups * panels * depth);
        for group in 0..groups {
            for first in (0..depth).step_by(DEPTH) {
                for panel in 0..panels {
                    let row = |step: usize, n: usize| {
                        let row = panel * ROWS + n;
                        if row < matrix.height { matrix.at(values, group, row, step) } else { 0.0 }
                    };
                    let of_panel = first..(first + DEPTH).min(depth);
                    steps.extend(of_panel.map(|step| std::array::from_fn(|n| row(step, n))));
                }
            }
        }
        Self { steps, depth, panels }
    }

    /// The panels of a group from `panel` on, each with `count` steps from `first` on: all of a block of [`DEPTH`].
    pub(in crate::kernels) fn panels(&self, group: usize, panel: usize, first: usize, count: usize) -> &[[f32; ROWS]] {
        let block = group * self.panels * self.depth + first * self.panels;
        &self.steps[block..][..self.panels * count][panel * count..]
    }

    /// Returns their size in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.steps.as_slice())
    }
}
