//! A Butterworth low-pass of order 8 on some channels.

use std::time::Instant;

use super::trial::{Limits, RATE_HZ, Reference, Run, Trial, band, rms, rms_error_db};
use crate::design::{Section, Warped, butterworth_lowpass};
use crate::gpu::Engine;
use crate::kernels::signal::iir_cascade::gpu::GpuPlan;
use crate::kernels::signal::iir_cascade::{Cascade, CascadeState, KERNEL, cpu};
use crate::kernels::signal::resident::Chunk;
use base::error::{Error, Result};
use base::sound::AudioBuffer;

const CUTOFF_HZ: f64 = 1000.0;
/// Operations per section and sample: four products and four sums of the state, and those of the output.
const OPERATIONS: f64 = 11.0;

struct LowPass {
    sections: Vec<Section>,
    cascade: Cascade,
    plan: GpuPlan,
    audio: AudioBuffer,
}

pub(super) fn trial(frames: usize, channels: usize) -> Result<Box<dyn Trial>> {
    let cutoff =
        Warped::new(CUTOFF_HZ, RATE_HZ).ok_or_else(|| Error::Internal("a cutoff above half the rate".into()))?;
    let sections = butterworth_lowpass(8, cutoff);
    let cascade = Cascade::new(&sections);
    let audio = band(1, channels, frames);
    Ok(Box::new(LowPass { plan: GpuPlan::new(&cascade), cascade, sections, audio }))
}

impl Trial for LowPass {
    fn samples(&self) -> u64 {
        (self.audio.channels() * self.audio.frames()) as u64
    }

    fn channels(&self) -> usize {
        self.audio.channels()
    }

    fn operations(&self) -> f64 {
        OPERATIONS * self.cascade.len() as f64 * self.samples() as f64
    }

    fn limits(&self) -> Limits {
        Limits::within(KERNEL.tolerance_db)
    }

    fn on_cpu(&self) -> Result<Run> {
        let mut state = CascadeState::new(self.audio.channels(), self.cascade.len());
        let mut block = self.audio.clone();
        let started = Instant::now();
        cpu::run(&self.cascade, &mut state, &mut block)?;
        let seconds = started.elapsed().as_secs_f64();
        Ok(Run { values: block.iter().flatten().copied().collect(), seconds, ..Run::default() })
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let state = CascadeState::new(self.audio.channels(), self.cascade.len());
        let mut chunk = Chunk::new();
        let input = chunk.upload(&self.audio)?;
        let (filtered, _) = chunk.cascade(&self.plan, &state, input)?;
        let ticket = chunk.readback(filtered);
        let mut done = chunk.run(engine, None)?;
        let values = done.audio(ticket).iter().flatten().copied().collect();
        Ok(Run::finished(values, done.finished))
    }

    /// Runs the state-variable filter as [`crate::design::Svf`] defines it, sample by sample.
    fn reference(&self) -> Result<Reference> {
        let mut values = Vec::with_capacity(self.audio.channels() * self.audio.frames());
        for channel in self.audio.iter() {
            let mut states = vec![[0.0; 2]; self.sections.len()];
            values.extend(channel.iter().map(|&sample| {
                self.sections.iter().zip(&mut states).fold(f64::from(sample), |v0, (section, [s1, s2])| {
                    let (g, k, [m0, m1, m2]) = (section.svf.g, section.svf.k, section.svf.m);
                    let v1 = (*s1 + g * (v0 - *s2)) / (1.0 + g * (g + k));
                    let v2 = *s2 + g * v1;
                    (*s1, *s2) = (2.0 * v1 - *s1, 2.0 * v2 - *s2);
                    m0 * v0 + m1 * v1 + m2 * v2
                })
            }));
        }
        Ok(Reference { groups: (0..values.len()).collect(), values })
    }

    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        rms_error_db(got, expected, rms(self.audio.iter().flatten().map(|&x| f64::from(x))))
    }
}
