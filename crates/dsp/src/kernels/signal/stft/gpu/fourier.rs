//! The columns of a plain spectrogram on a GPU.

use std::ops::Range;

use super::{GpuColumns, GpuStft};
use crate::gpu::{Recording, View};
use crate::kernels::signal::stft::{ColumnAnalysis as _, ColumnGrid, FourierAnalysis, Samples};
use base::error::Result;

/// A [`FourierAnalysis`] in the form that the shaders use.
#[derive(Debug)]
pub(in crate::kernels::signal::stft) struct FourierGpu {
    analysis: FourierAnalysis,
    transform: GpuStft,
}

impl FourierGpu {
    /// Lowers an analysis.
    ///
    /// # Errors
    /// [`base::Error::Unsupported`] for a window whose size is not a power of two.
    pub fn new(analysis: &FourierAnalysis) -> Result<Self> {
        Ok(Self { analysis: analysis.clone(), transform: GpuStft::new(&analysis.plan)? })
    }
}

impl GpuColumns for FourierGpu {
    fn rows(&self) -> usize {
        self.analysis.rows()
    }

    fn max_columns(&self, grid: &ColumnGrid) -> Result<usize> {
        let windows = grid.columns(self.analysis.plan.spec().size as f64).windows;
        self.transform.max_columns(windows, self.rows())
    }

    fn record<'r>(
        &'r self,
        recording: &mut Recording<'r>,
        grid: &ColumnGrid,
        samples: Samples<'_>,
        chunk: Range<usize>,
    ) -> View {
        let columns = grid.columns(self.analysis.plan.spec().size as f64);
        let Self { analysis: FourierAnalysis { plan, rows }, transform } = self;
        transform.record_levels(
            recording,
            &crate::kernels::signal::stft::TileRequest { plan, rows, columns, samples },
            chunk,
        )
    }
}
