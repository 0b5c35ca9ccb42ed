//! The stages on spectra and the device that they were given: the CPU, or a GPU as long as that can.

use super::gpu::GpuSpectra;
use super::spectra::{SpectraPart, SpectraStages};
use crate::chain::Placement;
use crate::device::{DeviceJob, DeviceReport, SpectraWork, Workload};
use crate::error::Result;
use crate::features::frames::Block;
use crate::features::onset;
use crate::progress::Progress;

/// What the stages cost, transforms among them, in transforms: four times as much on the CPU, mostly for the medians.
const COST: f64 = 4.0;
/// Bytes of a window that come back: bands, energies, shape.
const READBACK_BYTES: f64 = 4.0 * (onset::BANDS + 3 + 16) as f64;

#[derive(Debug)]
pub(super) struct PlacedSpectra {
    job: DeviceJob<GpuSpectra>,
    gpu_s: f64,
}

impl PlacedSpectra {
    /// Chooses the device for a recording that comes so many windows at a time.
    ///
    /// # Errors
    /// [`crate::Error::Internal`] when the stages have a fault.
    pub fn new(stages: &SpectraStages, placement: &Placement, windows: usize) -> Result<Self> {
        let frames = (windows * stages.layout.hop) as f64;
        let work = Workload {
            channels: 1,
            frames: Some(stages.windows() * stages.layout.hop as u64),
            spectra: Some(SpectraWork {
                frames,
                points: COST * stages.stft.work(windows),
                upload_bytes: 4.0 * frames,
                readback_bytes: READBACK_BYTES * windows as f64,
            }),
            ..Workload::default()
        };
        let lower = || GpuSpectra::new(stages);
        let job = DeviceJob::new(&placement.devices, &placement.request, work, placement.purpose, lower)?;
        Ok(Self { job, gpu_s: 0.0 })
    }

    /// Whether [`PlacedSpectra::run`] has something to run on.
    pub fn is_on_gpu(&self) -> bool {
        self.job.is_on_gpu()
    }

    /// What a GPU makes of blocks that follow each other; none when it is given up, and the blocks are for the CPU.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`], and what is not for want of a GPU.
    pub fn run(
        &mut self,
        stages: &SpectraStages,
        blocks: &[Block],
        progress: &Progress,
    ) -> Result<Option<Vec<SpectraPart>>> {
        let on_gpu = |gpu: &GpuSpectra, engine: &mut _| gpu.run(stages, engine, blocks, progress).map(Some);
        let batch = self.job.run(on_gpu, || Ok(None))?;
        Ok(batch.map(|batch| {
            self.gpu_s += batch.seconds;
            batch.parts
        }))
    }

    /// Where it ran at last, and the seconds for which a GPU was at work.
    pub fn finish(self) -> (DeviceReport, f64) {
        (self.job.report().clone(), self.gpu_s)
    }
}
