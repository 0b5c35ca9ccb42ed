//! The stages on windows on their device: the CPU, or a GPU until it fails.

use super::gpu::GpuWindows;
use super::windows::{WindowPart, WindowStages};
use crate::features::chroma::CLASSES;
use crate::features::frames::Block;
use crate::features::onset;
use base::error::Result;
use base::progress::Progress;
use dsp::device::Placement;
use dsp::device::{DeviceJob, DeviceReport, SpectraWork, Workload};

/// The cost of all stages in units of the transforms' cost. On the CPU they take seven times as long as the transforms
/// alone, mostly for medians, pitch classes and pitch.
const COST: f64 = 7.0;
/// Bytes read back per window: bands, energies, shape, dip, pitch classes.
const READBACK_BYTES: f64 = 4.0 * (onset::BANDS + 3 + 16 + 4 + CLASSES) as f64;

#[derive(Debug)]
pub(super) struct PlacedWindows {
    job: DeviceJob<GpuWindows>,
    gpu_s: f64,
}

impl PlacedWindows {
    /// Chooses the device for a recording that arrives `windows` windows at a time. If that is a GPU, the stages are
    /// tuned, with `tuning` unless they are already.
    pub fn new(
        stages: &mut WindowStages,
        placement: &Placement,
        windows: usize,
        tuning: impl FnOnce() -> Result<f64>,
    ) -> Result<Self> {
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
        let lower = || {
            if stages.tonal.decimator().is_some() {
                stages.tonal.tune(tuning()?);
            }
            GpuWindows::new(stages)
        };
        let job = placement.job(work, lower)?;
        Ok(Self { job, gpu_s: 0.0 })
    }

    /// Returns whether [`PlacedWindows::run`] has a GPU to run on.
    pub fn is_on_gpu(&self) -> bool {
        self.job.is_on_gpu()
    }

    /// Runs the stages on consecutive blocks on the GPU. Returns `None` if the GPU has been given up; the CPU then
    /// takes the blocks.
    pub fn run(
        &mut self,
        stages: &WindowStages,
        blocks: &[Block],
        progress: &Progress,
    ) -> Result<Option<Vec<WindowPart>>> {
        let on_gpu = |gpu: &GpuWindows, batcher: &_| gpu.run(stages, batcher, blocks, progress).map(Some);
        let batch = self.job.run(on_gpu, || Ok(None))?;
        Ok(batch.map(|batch| {
            self.gpu_s += batch.seconds;
            batch.parts
        }))
    }

    /// Returns the device that ran last and why, and the GPU time in seconds.
    pub fn finish(self) -> (DeviceReport, f64) {
        (self.job.report().clone(), self.gpu_s)
    }
}
