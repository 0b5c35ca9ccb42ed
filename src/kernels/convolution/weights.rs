//! The weights of a product, in the order in which it reads them.

use super::plan::Kind;

/// Rows of the matrix that are worked on together.
pub(in crate::kernels) const ROWS: usize = 8;

/// Weights as a matrix of each group: panels of [`ROWS`] rows, of which each column lies together.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    panels: Vec<[f32; ROWS]>,
    depth: usize,
    panels_of_group: usize,
}

impl Weights {
    /// Brings weights in the order of [`Kind`] into that of the product.
    ///
    /// # Panics
    /// Panics if there are not as many as the sizes say.
    pub fn new(kind: Kind, groups: usize, outputs: usize, inputs: usize, values: &[f32]) -> Self {
        let (of_group, inputs_of_group) = (outputs / groups, inputs / groups);
        let (height, depth) = match kind {
            Kind::Forward { taps, .. } => (of_group, inputs_of_group * taps[0] * taps[1]),
            Kind::Transposed { taps, stride } => (of_group * stride, inputs_of_group * taps.div_ceil(stride)),
        };
        let panels_of_group = height.div_ceil(ROWS);
        let mut panels = vec![[0.0; ROWS]; groups * panels_of_group * depth];
        for (group, panels) in panels.chunks_mut((panels_of_group * depth).max(1)).enumerate() {
            for row in 0..height {
                let panel = &mut panels[row / ROWS * depth..][..depth];
                for (k, column) in panel.iter_mut().enumerate() {
                    column[row % ROWS] = match kind {
                        Kind::Forward { .. } => values[(group * height + row) * depth + k],
                        Kind::Transposed { taps, stride } => {
                            // Taps of a phase, the latest frame last.
                            let of_phase = taps.div_ceil(stride);
                            let (input, j) = (k / of_phase, of_phase - 1 - k % of_phase);
                            let (output, tap) = (row / stride, row % stride + j * stride);
                            let input = group * inputs_of_group + input;
                            if tap < taps { values[(input * of_group + output) * taps + tap] } else { 0.0 }
                        }
                    };
                }
            }
        }
        Self { panels, depth, panels_of_group }
    }

    /// Panel `panel` of a group: for every step of the sums, one number a row.
    pub(in crate::kernels) fn panel(&self, group: usize, panel: usize) -> &[[f32; ROWS]] {
        &self.panels[(group * self.panels_of_group + panel) * self.depth..][..self.depth]
    }

    /// The bytes that they take.
    pub fn bytes(&self) -> usize {
        size_of_val(self.panels.as_slice())
    }
}
