//! Sums bands on a GPU, with eight threads per sum.

use std::ops::Range;

use super::BandSums;
use crate::gpu::shaders::band_sums as shader;
use crate::gpu::{Recording, View};
use crate::kernels::signal::Plane;
use base::simd::LANES;

impl BandSums {
    /// Records the sums of the rows `wanted` of `plane`. Returns a view of them as f32: for each row, one per band.
    pub fn record(&self, recording: &mut Recording<'_>, plane: Plane, wanted: Range<usize>) -> View {
        let count = wanted.len() * self.count;
        let results = recording.buffer(count as u64 * 4);
        let bands = &self.bands[..self.count];
        let mut tables = Vec::with_capacity(3 * bands.len() + LANES * self.weights.len());
        let mut first_weight = 3 * bands.len();
        for band in bands {
            // Leaves out padding that reaches beyond a short row.
            let weights = (LANES * (band.to - band.from)).min(self.values - band.first);
            tables.extend([band.first as u32, first_weight as u32, weights as u32]);
            first_weight += LANES * (band.to - band.from);
        }
        let weights = bands.iter().flat_map(|band| self.weights[band.from..band.to].as_flattened());
        tables.extend(weights.map(|weight| weight.to_bits()));
        let places = recording.buffer(tables.len() as u64 * 4);
        recording.upload(places, bytemuck::cast_slice(&tables).to_vec());
        let params = shader::Params {
            columns: plane.columns as u32,
            first_row: wanted.start as u32,
            rows: wanted.len() as u32,
            bands: self.count as u32,
            ..bytemuck::Zeroable::zeroed()
        };
        let kernel = shader::SumsOf { plane: plane.view, tables: places, results };
        let work = (wanted.len() * self.weights.len()) as u64;
        recording.dispatch(kernel.dispatch(&params, [count.div_ceil(shader::SLOTS as usize) as u32, 1, 1], work));
        results
    }
}
