//! A weighted sum of two signals.

use std::time::Instant;

use super::trial::{Limits, Reference, Run, Trial, band, rms, rms_error_db, spread};
use crate::gpu::Engine;
use crate::kernels::signal::mix::{KERNEL, mix};
use crate::kernels::signal::resident::Chunk;
use base::error::Result;
use base::sound::AudioBuffer;

/// The gains of even and odd channels of both signals.
const GAINS: [[f32; 2]; 2] = [[0.7, -0.3], [0.3, 1.1]];

struct Sum {
    /// The gain of each channel of both signals.
    gains: [Vec<f32>; 2],
    a: AudioBuffer,
    b: AudioBuffer,
}

pub(super) fn trial(frames: usize, channels: usize) -> Result<Box<dyn Trial>> {
    let (a, b) = (band(1, channels, frames), band(101, channels, frames));
    let gains = |of: [f32; 2]| (0..a.channels()).map(|channel| of[channel % 2]).collect();
    Ok(Box::new(Sum { gains: GAINS.map(gains), a, b }))
}

impl Trial for Sum {
    fn samples(&self) -> u64 {
        (self.a.channels() * self.a.frames()) as u64
    }

    fn channels(&self) -> usize {
        self.a.channels()
    }

    fn operations(&self) -> f64 {
        3.0 * self.samples() as f64
    }

    fn limits(&self) -> Limits {
        Limits::within(KERNEL.tolerance_db)
    }

    fn on_cpu(&self) -> Result<Run> {
        let mut mixed = self.b.clone();
        let started = Instant::now();
        for (channel, (y, x)) in mixed.iter_mut().zip(self.a.iter()).enumerate() {
            mix(x, self.gains[0][channel], y, self.gains[1][channel]);
        }
        let seconds = started.elapsed().as_secs_f64();
        Ok(Run { values: mixed.iter().flatten().copied().collect(), seconds, ..Run::default() })
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let mut chunk = Chunk::new();
        let (a, b) = (chunk.upload(&self.a)?, chunk.upload(&self.b)?);
        let mixed = chunk.mix(a, &self.gains[0], b, &self.gains[1])?;
        let ticket = chunk.readback(mixed);
        let mut done = chunk.run(engine, None)?;
        let values = done.audio(ticket).iter().flatten().copied().collect();
        Ok(Run::finished(values, done.finished))
    }

    fn reference(&self) -> Result<Reference> {
        let frames = self.a.frames();
        Ok(Reference::of(spread(self.a.channels() * frames, 4096), |index| {
            let (channel, frame) = (index / frames, index % frames);
            let weighted = |gain: f32, audio: &AudioBuffer| f64::from(gain) * f64::from(audio.channel(channel)[frame]);
            vec![weighted(self.gains[0][channel], &self.a) + weighted(self.gains[1][channel], &self.b)]
        }))
    }

    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        rms_error_db(got, expected, rms(self.a.iter().flatten().map(|&x| f64::from(x))))
    }
}
