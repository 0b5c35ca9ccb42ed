//! A column analysis on its device.

use base::error::Result;
use base::progress::Progress;
use dsp::device::Placement;
use dsp::device::{DeviceJob, DeviceReport, SpectraWork, Workload};
use dsp::kernels::signal::stft::gpu::GpuColumns;
use dsp::kernels::signal::stft::{ColumnAnalysis, ColumnGrid, Samples, Tile};

/// An analysis and the device that was chosen for it: the CPU, or a GPU until it fails.
#[derive(Debug)]
pub struct PlacedAnalysis<'a> {
    analysis: &'a dyn ColumnAnalysis,
    job: DeviceJob<Box<dyn GpuColumns>>,
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

impl<'a> PlacedAnalysis<'a> {
    /// Chooses the device.
    pub fn new(analysis: &'a dyn ColumnAnalysis, placement: &Placement, extent: &Extent) -> Result<Self> {
        let work = workload(analysis, extent);
        let lower = || analysis.lower();
        let job = placement.job(work, lower)?;
        Ok(Self { analysis, job })
    }

    /// Computes the levels of columns in steps of 0.005 dB, as [`ColumnAnalysis::fine`] does. A GPU's levels differ by
    /// at most 0.01 dB within 70 dB of the loudest.
    pub fn fine(&mut self, grid: &ColumnGrid, samples: Samples<'_>, progress: &Progress) -> Result<Tile<u16>> {
        let (analysis, progress) = (self.analysis, Some(progress));
        self.job.run(
            |gpu, batcher| Ok(gpu.fine(&mut batcher.engine(), grid, samples, progress)?.0),
            || analysis.fine(grid, samples, progress),
        )
    }

    /// Computes the levels of columns in dB re a full-scale sine, as [`ColumnAnalysis::levels`] does.
    pub fn levels(&mut self, grid: &ColumnGrid, samples: Samples<'_>, progress: &Progress) -> Result<Tile<f32>> {
        let (analysis, progress) = (self.analysis, Some(progress));
        self.job.run(
            |gpu, batcher| Ok(gpu.levels(&mut batcher.engine(), grid, samples, progress)?.0),
            || analysis.levels(grid, samples, progress),
        )
    }

    /// Returns the current device and why it was chosen.
    pub fn report(&self) -> &DeviceReport {
        self.job.report()
    }
}

/// Returns the size of the job.
fn workload(analysis: &dyn ColumnAnalysis, extent: &Extent) -> Workload {
    let Extent { piece, columns, lanes, level_bytes } = extent;
    let each = piece.frames_each;
    Workload {
        channels: *lanes,
        frames: Some((*columns as f64 * each) as u64),
        spectra: Some(SpectraWork {
            frames: piece.count as f64 * each,
            points: analysis.work(piece),
            upload_bytes: 4.0 * analysis.uploaded_frames(piece) as f64,
            readback_bytes: (analysis.rows() * piece.count * level_bytes) as f64,
        }),
        ..Workload::default()
    }
}
