//! A filter of 1025 taps on some channels.

use std::sync::Arc;
use std::time::Instant;

use super::trial::{Limits, Reference, Run, Trial, band, rms, rms_error_db, spread};
use crate::gpu::Engine;
use crate::kernels::signal::fir::{FirPlan, FirStream, KERNEL};
use crate::kernels::signal::resident::Chunk;
use base::error::Result;
use base::sound::AudioBuffer;

const TAPS: usize = 1025;

struct Filter {
    taps: Vec<f64>,
    plan: Arc<FirPlan>,
    audio: AudioBuffer,
}

pub(super) fn trial(frames: usize, channels: usize) -> Result<Box<dyn Trial>> {
    let taps: Vec<f64> = (0..TAPS).map(|n| (n as f64 * 0.1).cos() / (n + 1) as f64).collect();
    let mut audio = band(1, channels, frames);
    let plan = Arc::new(FirPlan::of_taps(&taps, audio.channels())?);
    // The output lags the input by one unit. The added silence flushes the rest.
    audio.resize(audio.channels(), frames + plan.shape().unit());
    Ok(Box::new(Filter { taps, plan, audio }))
}

impl Trial for Filter {
    fn samples(&self) -> u64 {
        (self.audio.channels() * self.audio.frames()) as u64
    }

    fn channels(&self) -> usize {
        self.audio.channels()
    }

    fn operations(&self) -> f64 {
        let layout = self.plan.on_gpu_layout().map_or(0.0, |layout| layout.operations());
        layout * self.audio.frames() as f64
    }

    fn limits(&self) -> Limits {
        Limits::within(KERNEL.tolerance_db)
    }

    fn on_cpu(&self) -> Result<Run> {
        let mut stream = FirStream::new(Arc::clone(&self.plan), 0);
        let mut block = self.audio.clone();
        let started = Instant::now();
        stream.process(&mut block)?;
        let seconds = started.elapsed().as_secs_f64();
        Ok(Run { values: block.iter().flatten().copied().collect(), seconds, ..Run::default() })
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let fir = self.plan.on_gpu()?;
        let stream = FirStream::new(Arc::clone(&self.plan), 0);
        let mut chunk = Chunk::new();
        let input = chunk.upload(&self.audio)?;
        let (filtered, _) = chunk.fir(&fir, &stream, input, Some(&self.audio))?;
        let ticket = chunk.readback(filtered);
        let mut done = chunk.run(engine, None)?;
        let values = done.audio(ticket).iter().flatten().copied().collect();
        Ok(Run::finished(values, done.finished))
    }

    /// Computes the sum over the taps at some frames.
    fn reference(&self) -> Result<Reference> {
        let (frames, lag) = (self.audio.frames(), self.plan.shape().unit());
        Ok(Reference::of(spread(self.audio.channels() * frames, 2000), |index| {
            let (input, frame) = (self.audio.channel(index / frames), index % frames);
            let Some(n) = frame.checked_sub(lag) else { return vec![0.0] };
            let reach = self.taps.len().min(n + 1);
            let pairs = self.taps[..reach].iter().zip(input[..=n].iter().rev());
            vec![pairs.map(|(tap, &sample)| tap * f64::from(sample)).sum()]
        }))
    }

    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        rms_error_db(got, expected, rms(self.audio.iter().flatten().map(|&x| f64::from(x))))
    }
}
