//! Sums bands on a GPU, with eight threads per sum.

use std::ops::Range;

use super::BandSums;
use crate::gpu::shaders::band_sums as shader;
use crate::gpu::{Engine, Finished, Recording, View};
use crate::kernels::Plane;
use crate::kernels::stft::gpu::in_chunks;
use base::error::{Error, Result};
use base::progress::Progress;
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

    /// Returns the sums of all rows of `plane`, like [`BandSums::sums`].
    pub fn sums_on_gpu(
        &self,
        engine: &mut Engine,
        plane: &[f32],
        progress: Option<&Progress>,
    ) -> Result<(Vec<f32>, Finished)> {
        let rows = self.rows(plane)?;
        let most = Plane::max_rows(self.values.max(self.count));
        if most == 0 {
            let limit = format!("{} values", Plane::max_rows(1));
            return Err(Error::Limit {
                what: "rows on a GPU".to_owned(),
                got: format!("{} values", self.values),
                limit,
            });
        }
        let mut sums = Vec::with_capacity(rows * self.count);
        let finished = in_chunks(rows, most, |chunk| {
            let mut recording = Recording::new();
            let values = &plane[chunk.start * self.values..chunk.end * self.values];
            let from = Plane::upload(&mut recording, self.values, values);
            let results = self.record(&mut recording, from, 0..chunk.len());
            let ticket = recording.readback(results);
            engine.execute(&recording, progress, &mut |got, bytes| {
                if got == ticket {
                    let bytes = &bytes[..chunk.len() * self.count * 4];
                    sums.extend(bytemuck::pod_collect_to_vec::<u8, f32>(bytes));
                }
            })
        })?;
        Ok((sums, finished))
    }
}
