//! An analyser on its device.

use super::Analyser;
use crate::chain::Placement;
use crate::device::{DeviceJob, DeviceReport, SpectraWork, Workload};
use crate::error::Result;
use crate::gpu::Engine;
use crate::kernels::constant_q::gpu::GpuConstantQ;
use crate::kernels::multi_resolution::gpu::GpuMultiResolution;
use crate::kernels::reassigned::gpu::GpuReassigned;
use crate::kernels::stft::gpu::{GpuColumns, GpuStft};
use crate::kernels::stft::{ColumnGrid, Rows, Samples, Tile, TileRequest};
use crate::progress::Progress;

/// An analyser and the device that was chosen for it: the CPU, or a GPU until it fails.
#[derive(Debug)]
pub struct PlacedAnalyser<'a> {
    analyser: &'a Analyser,
    job: DeviceJob<GpuAnalyser>,
}

/// The size of the whole job, for the choice of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// The columns computed at a time.
    pub piece: ColumnGrid,
    /// The total number of columns.
    pub columns: usize,
    /// The number of lanes.
    pub lanes: usize,
    /// Bytes per level as read back.
    pub level_bytes: usize,
}

/// An analysis, lowered for a GPU.
#[derive(Debug)]
enum GpuAnalyser {
    Fourier(GpuStft, Rows),
    MultiResolution(GpuMultiResolution),
    Reassigned(Box<GpuReassigned>),
    ConstantQ(GpuConstantQ),
}

impl<'a> PlacedAnalyser<'a> {
    /// Chooses the device.
    ///
    /// # Errors
    /// [`crate::Error::Internal`] if the analyser cannot be lowered because of a bug.
    pub fn new(analyser: &'a Analyser, placement: &Placement, extent: &Extent) -> Result<Self> {
        let work = analyser.work(extent);
        let lower = || GpuAnalyser::new(analyser);
        let job = DeviceJob::new(&placement.devices, &placement.request, work, placement.purpose, lower)?;
        Ok(Self { analyser, job })
    }

    /// Computes the levels of columns in steps of 0.005 dB, as [`Analyser::fine`] does. A GPU's levels differ by at
    /// most 0.01 dB within 70 dB of the loudest.
    ///
    /// # Errors
    /// As [`Analyser::fine`].
    pub fn fine(&mut self, grid: &ColumnGrid, samples: Samples<'_>, progress: &Progress) -> Result<Tile<u16>> {
        let analyser = self.analyser;
        self.job.run(|gpu, engine| gpu.fine(engine, grid, samples, progress), || analyser.fine(grid, samples, progress))
    }

    /// Computes the levels of columns in dB re a full-scale sine, as [`Analyser::levels`] does.
    ///
    /// # Errors
    /// As [`Analyser::fine`].
    pub fn levels(&mut self, grid: &ColumnGrid, samples: Samples<'_>, progress: &Progress) -> Result<Tile<f32>> {
        let analyser = self.analyser;
        self.job
            .run(|gpu, engine| gpu.levels(engine, grid, samples, progress), || analyser.levels(grid, samples, progress))
    }

    /// Returns the current device and why it was chosen.
    pub fn report(&self) -> &DeviceReport {
        self.job.report()
    }
}

impl Analyser {
    fn work(&self, extent: &Extent) -> Workload {
        let Extent { piece, columns, lanes, level_bytes } = extent;
        let each = piece.frames_each;
        // Frames outside all windows are not uploaded.
        let (points, taken) = match self {
            Self::Fourier(plan, _) => {
                let windows = piece.count * piece.columns(plan.spec().size as f64).windows;
                (plan.work(windows), windows * plan.spec().size)
            }
            Self::MultiResolution(plan) => (plan.work(piece), usize::MAX),
            Self::Reassigned(plan) => (plan.work(piece), usize::MAX),
            Self::ConstantQ(plan) => (plan.work(piece), usize::MAX),
        };
        let reach = self.reach(piece);
        Workload {
            channels: *lanes,
            frames: Some((*columns as f64 * each) as u64),
            spectra: Some(SpectraWork {
                frames: piece.count as f64 * each,
                points,
                upload_bytes: 4.0 * (taken as f64).min((reach.end - reach.start) as f64),
                readback_bytes: (self.rows() * piece.count * level_bytes) as f64,
            }),
            ..Workload::default()
        }
    }
}

impl GpuAnalyser {
    fn new(analyser: &Analyser) -> Result<Self> {
        Ok(match analyser {
            Analyser::Fourier(plan, rows) => Self::Fourier(GpuStft::new(plan)?, rows.clone()),
            Analyser::MultiResolution(plan) => Self::MultiResolution(GpuMultiResolution::new(plan)?),
            Analyser::Reassigned(plan) => Self::Reassigned(Box::new(GpuReassigned::new(plan)?)),
            Analyser::ConstantQ(plan) => Self::ConstantQ(GpuConstantQ::new(plan)),
        })
    }

    fn fine(
        &self,
        engine: &mut Engine,
        grid: &ColumnGrid,
        samples: Samples<'_>,
        progress: &Progress,
    ) -> Result<Tile<u16>> {
        let progress = Some(progress);
        let (tile, _) = match self {
            Self::Fourier(gpu, rows) => gpu.fine(engine, &request(gpu, rows, grid, samples), progress)?,
            Self::MultiResolution(gpu) => gpu.fine(engine, grid, samples, progress)?,
            Self::Reassigned(gpu) => gpu.fine(engine, grid, samples, progress)?,
            Self::ConstantQ(gpu) => gpu.fine(engine, grid, samples, progress)?,
        };
        Ok(tile)
    }

    fn levels(
        &self,
        engine: &mut Engine,
        grid: &ColumnGrid,
        samples: Samples<'_>,
        progress: &Progress,
    ) -> Result<Tile<f32>> {
        let progress = Some(progress);
        let (tile, _) = match self {
            Self::Fourier(gpu, rows) => gpu.levels(engine, &request(gpu, rows, grid, samples), progress)?,
            Self::MultiResolution(gpu) => gpu.levels(engine, grid, samples, progress)?,
            Self::Reassigned(gpu) => gpu.levels(engine, grid, samples, progress)?,
            Self::ConstantQ(gpu) => gpu.levels(engine, grid, samples, progress)?,
        };
        Ok(tile)
    }
}

fn request<'a>(gpu: &'a GpuStft, rows: &'a Rows, grid: &ColumnGrid, samples: Samples<'a>) -> TileRequest<'a> {
    let plan = gpu.plan();
    TileRequest { plan, rows, columns: grid.columns(plan.spec().size as f64), samples }
}
