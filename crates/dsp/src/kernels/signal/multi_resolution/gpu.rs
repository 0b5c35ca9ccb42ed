//! Records multi-resolution spectrograms on a GPU. The levels of each window length stay on the device, where
//! `shaders/signal/multi_resolution.wgsl` fades them into the picture. Only the picture's levels, or their codes, are read
//! back.

use super::MultiResolutionPlan;
use crate::gpu::shaders::multi_resolution as shader;
use crate::gpu::{Recording, View};
use crate::kernels::signal::stft::gpu::{GpuColumns, GpuStft};
use crate::kernels::signal::stft::{ColumnAnalysis as _, ColumnGrid, Samples, TileRequest};
use base::error::Result;

/// A plan in the form that the shaders use.
#[derive(Clone, Debug)]
pub struct GpuMultiResolution {
    plan: MultiResolutionPlan,
    transforms: Vec<GpuStft>,
    /// For each row of each transform: the transform's share, and 1 if no earlier transform has a share, otherwise 0.
    fades: Vec<Vec<[f32; 2]>>,
}

impl GpuMultiResolution {
    /// Lowers a plan.
    ///
    /// # Errors
    /// [`base::Error::Unsupported`] if a window size is not a power of two. Such windows run on the CPU.
    pub fn new(plan: &MultiResolutionPlan) -> Result<Self> {
        let transforms = plan.parts().iter().map(|part| GpuStft::new(&part.plan)).collect::<Result<_>>()?;
        let fade = |(&share, &first): (&f32, &bool)| [share, f32::from(u8::from(first))];
        let fades = plan.parts().iter().map(|part| part.shares.iter().zip(&part.first).map(fade).collect()).collect();
        Ok(Self { plan: plan.clone(), transforms, fades })
    }
}

impl GpuColumns for GpuMultiResolution {
    fn rows(&self) -> usize {
        self.plan.rows()
    }

    fn max_columns(&self, grid: &ColumnGrid) -> Result<usize> {
        let mut most = grid.count;
        for (transform, part) in self.transforms.iter().zip(self.plan.parts()) {
            most = most.min(transform.max_columns(grid.columns(part.size()).windows, self.rows())?);
        }
        Ok(most)
    }

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
