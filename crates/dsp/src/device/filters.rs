//! The FIR filter for measuring the speed of devices.

use std::sync::Arc;
use std::time::Instant;

use super::bench::LEAST;
use super::repeat::median_over;
use crate::gpu::{Engine, Finished};
use crate::kernels::signal::fir::{FirPlan, FirStream};
use crate::kernels::signal::resident::Chunk;
use base::error::Result;
use base::sound::AudioBuffer;

const TAPS: usize = 1025;

/// A filter of [`TAPS`] taps and the audio to run it on.
pub(super) struct Filter<'a> {
    plan: Arc<FirPlan>,
    audio: &'a AudioBuffer,
}

impl<'a> Filter<'a> {
    pub fn new(audio: &'a AudioBuffer) -> Result<Self> {
        let taps: Vec<f64> = (0..TAPS).map(|n| (n as f64 * 0.1).cos() / (n + 1) as f64).collect();
        Ok(Self { plan: Arc::new(FirPlan::of_taps(&taps, audio.channels())?), audio })
    }

    pub fn cpu_seconds(&self) -> Result<f64> {
        let mut stream = FirStream::new(Arc::clone(&self.plan), 0);
        let mut block = self.audio.clone();
        median_over(LEAST, || {
            let started = Instant::now();
            stream.process(&mut block)?;
            Ok(started.elapsed().as_secs_f64())
        })
    }

    /// Returns a closure that runs the filter on a GPU.
    pub fn on_gpu(&self) -> Result<impl FnMut(&mut Engine) -> Result<Finished>> {
        let fir = self.plan.on_gpu()?;
        let stream = FirStream::new(Arc::clone(&self.plan), 0);
        let audio = self.audio;
        Ok(move |engine: &mut Engine| {
            let mut chunk = Chunk::new();
            let input = chunk.upload(audio)?;
            chunk.fir(&fir, &stream, input, Some(audio))?;
            Ok(chunk.run(engine, None)?.finished)
        })
    }

    /// Returns the approximate number of CPU operations per run.
    pub fn operations(&self) -> f64 {
        self.plan.operations() * self.audio.frames() as f64
    }

    /// Returns the approximate number of GPU operations per run.
    pub fn device_operations(&self) -> Result<f64> {
        Ok(self.plan.on_gpu_layout()?.operations() * self.audio.frames() as f64)
    }
}
