//! The peaks of the channels.

use super::trial::{Limits, Reference, Run, Trial, band, worst_error_db};
use crate::gpu::Engine;
use crate::kernels::signal::peak::{KERNEL, peak};
use crate::kernels::signal::resident::Chunk;
use base::error::Result;
use base::sound::AudioBuffer;

struct Peaks {
    audio: AudioBuffer,
}

pub(super) fn trial(frames: usize, channels: usize) -> Result<Box<dyn Trial>> {
    Ok(Box::new(Peaks { audio: band(1, channels, frames) }))
}

impl Trial for Peaks {
    fn samples(&self) -> u64 {
        (self.audio.channels() * self.audio.frames()) as u64
    }

    fn channels(&self) -> usize {
        self.audio.channels()
    }

    fn operations(&self) -> f64 {
        self.samples() as f64
    }

    fn limits(&self) -> Limits {
        Limits::within(KERNEL.tolerance_db)
    }

    fn on_cpu(&self) -> Result<Run> {
        Run::timed(|| Ok(self.audio.iter().map(peak).collect()), |peaks| peaks)
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let mut chunk = Chunk::new();
        let input = chunk.upload(&self.audio)?;
        let ticket = chunk.peak(input);
        let done = chunk.run(engine, None)?;
        Ok(Run::finished(done.peaks(ticket), done.finished))
    }

    fn reference(&self) -> Result<Reference> {
        let largest = |channel: usize| {
            self.audio.channel(channel).iter().fold(0.0, |most: f64, &sample| most.max(f64::from(sample).abs()))
        };
        Ok(Reference::of((0..self.audio.channels()).collect(), |channel| vec![largest(channel)]))
    }

    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        worst_error_db(got.iter().zip(expected).map(|(&got, &expected)| ((f64::from(got) - expected).abs(), expected)))
    }
}
