//! White noise.

use std::f64::consts::TAU;

use super::random::Sequence;
use super::{Distribution, Waveform};

/// White noise with an RMS of 1.
pub struct White {
    distribution: Distribution,
    seed: u64,
}

impl White {
    /// Creates the noise of a seed.
    pub fn new(distribution: Distribution, seed: u64) -> Self {
        Self { distribution, seed }
    }
}

impl Waveform for White {
    fn fill(&mut self, channel: usize, start: u64, gain: f64, out: &mut [f32]) {
        let sequence = Sequence::new(self.seed, channel);
        match self.distribution {
            Distribution::Uniform => {
                // The variance of the uniform distribution in -1..1 is 1/3.
                let gain = gain * 3f64.sqrt();
                for (frame, sample) in (start..).zip(out) {
                    *sample = (gain * sequence.symmetric(frame)) as f32;
                }
            }
            Distribution::Gaussian => {
                for (frame, sample) in (start..).zip(out) {
                    // Box and Muller, "A note on the generation of random normal deviates", 1958.
                    let radius = (-2.0 * sequence.unit(2 * frame).ln()).sqrt();
                    *sample = (gain * radius * (TAU * sequence.unit(2 * frame + 1)).cos()) as f32;
                }
            }
        }
    }

    fn differs_by_channel(&self) -> bool {
        true
    }
}
