//! A signal from its spectra.

use super::trial::{Limits, Reference, Run, Trial, music, rms_error_db, transform};
use crate::gpu::Engine;
use crate::kernels::signal::istft::gpu::GpuIstft;
use crate::kernels::signal::istft::{IstftPlan, KERNEL, cpu};
use crate::kernels::signal::stft::{self, Complex32, Samples, Spectra};
use base::error::Result;

struct Inverse {
    samples: Vec<f32>,
    spectra: Spectra<Complex32>,
    plan: IstftPlan,
}

pub(super) fn trial(frames: usize, _channels: usize) -> Result<Box<dyn Trial>> {
    let forward = transform()?;
    let samples = music(1, frames);
    let windows = 0..forward.windows_to_invert(frames as u64);
    let spectra = stft::cpu::spectra(&forward, Samples::whole(&samples), windows)?;
    Ok(Box::new(Inverse { plan: IstftPlan::new(&forward)?, spectra, samples }))
}

impl Trial for Inverse {
    fn samples(&self) -> u64 {
        self.samples.len() as u64
    }

    /// A transform of `N` real values takes `2.5 N log2 N` operations.
    fn operations(&self) -> f64 {
        let points = self.plan.forward().fft_length() as f64;
        2.5 * points * points.log2() * self.spectra.windows() as f64
    }

    fn limits(&self) -> Limits {
        Limits::within(KERNEL.tolerance_db)
    }

    fn on_cpu(&self) -> Result<Run> {
        Run::timed(|| cpu::samples(&self.plan, &self.spectra, self.samples.len()), |samples| samples)
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let gpu = GpuIstft::new(&self.plan)?;
        let (samples, finished) = gpu.samples(engine, &self.spectra, self.samples.len(), None)?;
        Ok(Run::finished(samples, finished))
    }

    /// Returns the signal from which the spectra were computed.
    fn reference(&self) -> Result<Reference> {
        Ok(Reference::of((0..self.samples.len()).collect(), |frame| vec![f64::from(self.samples[frame])]))
    }

    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        rms_error_db(got, expected, 0.0)
    }
}
