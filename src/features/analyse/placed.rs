//! The stages on windows and the device that they were given: the CPU, or a GPU as long as that can.

use super::gpu::GpuWindows;
use super::windows::{WindowPart, WindowStages};
use crate::chain::Placement;
use crate::device::{DeviceJob, DeviceReport, SpectraWork, Workload};
use crate::error::Result;
use crate::features::chroma::CLASSES;
use crate::features::frames::Block;
use crate::features::onset;
use crate::progress::Progress;

/// What the stages cost, transforms among them, in transforms: seven times as much on the CPU, mostly for medians, pitch
/// classes and pitch.
const COST: f64 = 7.0;
/// Bytes of a window that come back: bands, energies, shape, dip, pitch classes.
const READBACK_BYTES: f64 = 4.0 * (onset::BANDS + 3 + 16 + 4 + CLASSES) as f64;

#[derive(Debug)]
pub(super) struct PlacedWindows {
    job: DeviceJob<GpuWindows>,
    gpu_s: f64,
}

impl PlacedWindows {
    /// Chooses the device for a recording that comes so many windows at a time.
    ///
    /// # Errors
    /// [`crate::Error::Internal`] when the stages have a fault.
    pub fn new(stages: &WindowStages, placement: &Placement, windows: usize) -> Result<Self> {
        let frames = (windows * stages.spectra.layout.hop) as f64;
        let work = Workload {
            channels: 1,
            frames: Some(stages.spectra.windows() * stages.spectra.layout.hop as u64),
            spectra: Some(SpectraWork {
                frames,
                points: COST * stages.spectra.stft.work(windows),
                upload_bytes: 4.0 * frames,
                readback_bytes: READBACK_BYTES * windows as f64,
            }),
            ..Workload::default()
        };
        let lower = || GpuWindows::new(stages);
        let job = DeviceJob::new(&placement.devices, &placement.request, work, placement.purpose, lower)?;
        Ok(Self { job, gpu_s: 0.0 })
    }

    /// Whether [`PlacedWindows::run`] has something to run on.
    pub fn is_on_gpu(&self) -> bool {
        self.job.is_on_gpu()
    }

    /// What a GPU makes of blocks that follow each other; none when it is given up, and the blocks are for the CPU.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`], and what is not for want of a GPU.
    pub fn run(
        &mut self,
        stages: &WindowStages,
        blocks: &[Block],
        progress: &Progress,
    ) -> Result<Option<Vec<WindowPart>>> {
        let on_gpu = |gpu: &GpuWindows, engine: &mut _| gpu.run(stages, engine, blocks, progress).map(Some);
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
