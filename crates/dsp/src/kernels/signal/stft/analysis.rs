//! The interface of every spectrogram analysis: samples in, columns of levels out.

use std::fmt::Debug;
use std::ops::Range;

use super::gpu::{FourierGpu, GpuColumns};
use super::{ColumnGrid, LevelCode, Rows, Samples, StftPlan, Tile, TileRequest, cpu};
use base::error::Result;
use base::progress::Progress;

/// A planned analysis of samples into the columns of a picture.
pub trait ColumnAnalysis: Debug + Send + Sync {
    /// Returns the number of rows of the picture.
    fn rows(&self) -> usize;

    /// Returns the frames that must be read to compute these columns.
    fn reach(&self, grid: &ColumnGrid) -> Range<i64>;

    /// Returns the cost of these columns, in the unit of [`StftPlan::work`].
    fn work(&self, grid: &ColumnGrid) -> f64;

    /// Returns an upper bound for the frames that a GPU receives for these columns.
    fn uploaded_frames(&self, grid: &ColumnGrid) -> u64 {
        let reach = self.reach(grid);
        (reach.end - reach.start).max(0).unsigned_abs()
    }

    /// Returns the levels of these columns in dB re a full-scale sine, computed on the CPU.
    fn levels(&self, grid: &ColumnGrid, samples: Samples<'_>, progress: Option<&Progress>) -> Result<Tile<f32>>;

    /// Returns the levels of these columns in steps of 0.005 dB, coded as [`LevelCode::FINE`].
    fn fine(&self, grid: &ColumnGrid, samples: Samples<'_>, progress: Option<&Progress>) -> Result<Tile<u16>> {
        Ok(LevelCode::FINE.tile(&self.levels(grid, samples, progress)?))
    }

    /// Lowers the analysis for a GPU.
    ///
    /// # Errors
    /// [`base::Error::Unsupported`] if only the CPU can run it.
    fn lower(&self) -> Result<Box<dyn GpuColumns>>;
}

/// Windows of one length, with their bins averaged into rows.
#[derive(Clone, Debug)]
pub struct FourierAnalysis {
    /// The transform.
    pub plan: StftPlan,
    /// The rows of the picture.
    pub rows: Rows,
}

impl FourierAnalysis {
    /// Returns the request for the tile of these columns.
    pub fn request<'a>(&'a self, grid: &ColumnGrid, samples: Samples<'a>) -> TileRequest<'a> {
        let columns = grid.columns(self.plan.spec().size as f64);
        TileRequest { plan: &self.plan, rows: &self.rows, columns, samples }
    }

    fn windows(&self, grid: &ColumnGrid) -> usize {
        grid.count * grid.columns(self.plan.spec().size as f64).windows
    }
}

impl ColumnAnalysis for FourierAnalysis {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn reach(&self, grid: &ColumnGrid) -> Range<i64> {
        grid.columns(self.plan.spec().size as f64).reach(&self.plan)
    }

    fn work(&self, grid: &ColumnGrid) -> f64 {
        self.plan.work(self.windows(grid))
    }

    fn uploaded_frames(&self, grid: &ColumnGrid) -> u64 {
        // Frames outside all windows are not uploaded.
        let reach = self.reach(grid);
        (reach.end - reach.start).max(0).unsigned_abs().min((self.windows(grid) * self.plan.spec().size) as u64)
    }

    fn levels(&self, grid: &ColumnGrid, samples: Samples<'_>, _: Option<&Progress>) -> Result<Tile<f32>> {
        cpu::levels(&self.request(grid, samples))
    }

    fn fine(&self, grid: &ColumnGrid, samples: Samples<'_>, _: Option<&Progress>) -> Result<Tile<u16>> {
        cpu::fine(&self.request(grid, samples))
    }

    fn lower(&self) -> Result<Box<dyn GpuColumns>> {
        Ok(Box::new(FourierGpu::new(self)?))
    }
}
