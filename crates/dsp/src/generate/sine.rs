//! A sine.

use std::f64::consts::TAU;

use super::Waveform;
use super::oscillator::Oscillator;
use base::units::SampleRate;

/// A sine with a peak of 1.
pub struct Sine(Oscillator);

impl Sine {
    /// Creates a sine of a frequency below half the sample rate.
    pub fn new(frequency_hz: f64, rate: SampleRate) -> Self {
        Self(Oscillator::new(frequency_hz, rate))
    }
}

impl Waveform for Sine {
    fn fill(&mut self, _: usize, start: u64, gain: f64, out: &mut [f32]) {
        self.0.fill(start, out, |cycles| gain * (TAU * cycles).sin());
    }
}
