//! Sums extremes on a GPU. One workgroup reads the values of a run in place and returns two sums.

use super::{Extremes, Means};
use crate::gpu::shaders::extremes as shader;
use crate::gpu::{Recording, View};
use crate::kernels::signal::Plane;

impl Extremes {
    /// Records the sums of the rows `wanted` of `plane`. [`Extremes::read`] converts their readback to means.
    pub fn record(&self, recording: &mut Recording<'_>, plane: Plane, wanted: impl Iterator<Item = usize>) -> View {
        let mut places: Vec<u32> = Vec::with_capacity(4 * self.runs.len());
        for run in &self.runs {
            let count = run.count as u32;
            places.extend([run.from as u32, (run.to - run.from) as u32, count, count]);
        }
        places.extend(wanted.map(|row| row as u32));
        let groups = (places.len() - 4 * self.runs.len()) * self.runs.len();
        let results = recording.buffer((groups * size_of::<Means>()) as u64);
        let buffer = recording.buffer(places.len() as u64 * 4);
        recording.upload(buffer, bytemuck::cast_slice(&places).to_vec());
        let params = shader::Params {
            columns: plane.columns as u32,
            runs: self.runs.len() as u32,
            ..bytemuck::Zeroable::zeroed()
        };
        let kernel = shader::SumsOf { plane: plane.view, places: buffer, results };
        recording.dispatch(kernel.dispatch(&params, [groups as u32, 1, 1], (groups * self.values) as u64));
        results
    }

    /// Converts the bytes of the sums that [`Extremes::record`] computed for `rows` rows to means.
    pub fn read(&self, bytes: &[u8], rows: usize) -> Vec<Means> {
        let runs = self.runs.len();
        let sums: Vec<[f32; 2]> = bytemuck::pod_collect_to_vec(&bytes[..rows * runs * size_of::<Means>()]);
        let means = |(index, &[low, high]): (usize, &[f32; 2])| {
            let of = |sum: f32| (f64::from(sum) / self.runs[index % runs].count as f64) as f32;
            Means { low: of(low), high: of(high) }
        };
        sums.iter().enumerate().map(means).collect()
    }
}
