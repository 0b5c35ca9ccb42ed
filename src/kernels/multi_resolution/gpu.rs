//! The same on a GPU: each length's levels stay on the device, where `shaders/multi_resolution.wgsl` fades them into the
//! picture's; only these, or their codes, come back.

use super::MultiResolutionPlan;
use crate::error::Result;
use crate::gpu::shaders::multi_resolution as shader;
use crate::gpu::{Engine, Finished, Recording, View};
use crate::kernels::stft::gpu::{GpuStft, in_chunks, pack, unpack};
use crate::kernels::stft::{ColumnGrid, LevelCode, Samples, Tile, TileRequest};
use crate::progress::Progress;

/// A plan as the shaders want it.
#[derive(Clone, Debug)]
pub struct GpuMultiResolution {
    plan: MultiResolutionPlan,
    transforms: Vec<GpuStft>,
    /// For each transform, of each of its rows: its share, and 1 where it is the first with one.
    fades: Vec<Vec<[f32; 2]>>,
}

impl GpuMultiResolution {
    /// Lowers a plan.
    ///
    /// # Errors
    /// [`crate::Error::Unsupported`] for a window that is no power of two: run that on the CPU.
    pub fn new(plan: &MultiResolutionPlan) -> Result<Self> {
        let transforms = plan.parts().iter().map(|part| GpuStft::new(&part.plan)).collect::<Result<_>>()?;
        let fade = |(&share, &first): (&f32, &bool)| [share, f32::from(u8::from(first))];
        let fades = plan.parts().iter().map(|part| part.shares.iter().zip(&part.first).map(fade).collect()).collect();
        Ok(Self { plan: plan.clone(), transforms, fades })
    }

    /// The levels of these columns in dB re a full-scale sine, as the CPU twin's.
    ///
    /// # Errors
    /// Those of the CPU twin, and those of [`Engine::execute`].
    pub fn levels(
        &self,
        engine: &mut Engine,
        grid: &ColumnGrid,
        samples: Samples<'_>,
        progress: Option<&Progress>,
    ) -> Result<(Tile<f32>, Finished)> {
        self.tile(engine, grid, samples, progress, None)
    }

    /// The levels of these columns in steps of 0.005 dB, as [`LevelCode::FINE`].
    ///
    /// # Errors
    /// As [`GpuMultiResolution::levels`].
    pub fn fine(
        &self,
        engine: &mut Engine,
        grid: &ColumnGrid,
        samples: Samples<'_>,
        progress: Option<&Progress>,
    ) -> Result<(Tile<u16>, Finished)> {
        self.tile(engine, grid, samples, progress, Some((LevelCode::FINE, 2)))
    }

    fn tile<T: bytemuck::Pod>(
        &self,
        engine: &mut Engine,
        grid: &ColumnGrid,
        samples: Samples<'_>,
        progress: Option<&Progress>,
        code: Option<(LevelCode, usize)>,
    ) -> Result<(Tile<T>, Finished)> {
        grid.check(self.plan.rows())?;
        let (rows, columns) = (self.plan.rows(), grid.count);
        let mut values = vec![T::zeroed(); rows * columns];
        let mut most = columns;
        for (transform, part) in self.transforms.iter().zip(self.plan.parts()) {
            most = most.min(transform.most_columns(grid.columns(part.size()).windows, rows)?);
        }
        let finished = in_chunks(columns, most, |chunk| {
            let mut recording = Recording::new();
            let levels = self.record(&mut recording, grid, samples, chunk.clone());
            let result = code.map_or(levels, |code| pack(&mut recording, levels, [rows, chunk.len()], code));
            let ticket = recording.readback(result);
            engine.execute(&recording, progress, &mut |got, bytes| {
                if got == ticket {
                    let got: Vec<T> = bytemuck::pod_collect_to_vec(bytes);
                    unpack(&got, code.map(|(_, per_word)| per_word), chunk.clone(), &mut values, [rows, columns]);
                }
            })
        })?;
        Ok((Tile { rows, columns, values }, finished))
    }

    /// The levels of some columns, column after column.
    fn record<'r>(
        &'r self,
        recording: &mut Recording<'r>,
        grid: &ColumnGrid,
        samples: Samples<'_>,
        chunk: std::ops::Range<usize>,
    ) -> View {
        let rows = self.plan.rows();
        let levels = recording.buffer((chunk.len() * rows * 4) as u64);
        for ((transform, part), fades) in self.transforms.iter().zip(self.plan.parts()).zip(&self.fades) {
            let columns = grid.columns(part.size());
            let request = TileRequest { plan: &part.plan, rows: &part.rows, columns, samples };
            let part_levels = transform.record_levels(recording, &request, chunk.clone());
            let shares = recording.buffer((fades.len() * 8) as u64);
            let bytes: &'r [u8] = bytemuck::cast_slice(fades);
            recording.upload(shares, bytes);
            let params = shader::Params {
                columns: chunk.len() as u32,
                rows: rows as u32,
                first_row: part.first_row as u32,
                part_rows: part.rows.len() as u32,
                ..bytemuck::Zeroable::zeroed()
            };
            let values = chunk.len() * part.rows.len();
            let groups = [values.div_ceil(shader::WORKGROUP as usize) as u32, 1, 1];
            recording.dispatch(shader::Fade { part_levels, shares, levels }.dispatch(&params, groups, values as u64));
        }
        levels
    }
}
