//! Sweeps: sines whose frequency changes linearly or exponentially.
//!
//! With `T` the length in seconds, `f0` and `f1` the frequencies at its ends and `r = f1 / f0`, the phase in cycles at
//! time `t` is the integral of the frequency:
//! - linear: `f0 t + (f1 - f0) t^2 / 2T`;
//! - logarithmic: `f0 T / ln r * (r^(t/T) - 1)` (Farina, "Simultaneous measurement of impulse response and distortion with
//!   a swept-sine technique", AES 108, 2000).
//!
//! It is computed for each frame by itself. The error is below 1e-7 cycles for an hour up to 20 kHz.

use std::f64::consts::TAU;

use super::{SweepScale, Waveform};
use base::units::SampleRate;

/// A sweep with a peak of 1.
pub struct Sweep {
    scale: SweepScale,
    from_hz: f64,
    to_hz: f64,
    seconds: f64,
    rate: f64,
}

impl Sweep {
    /// Creates a sweep over `frames` frames between frequencies above 0.
    pub fn new(scale: SweepScale, from_hz: f64, to_hz: f64, frames: u64, rate: SampleRate) -> Self {
        Self { scale, from_hz, to_hz, seconds: rate.seconds_from_frames(frames), rate: rate.as_f64() }
    }

    /// Returns the phase of a frame in cycles.
    fn cycles(&self, frame: u64) -> f64 {
        let time = frame as f64 / self.rate;
        let share = time / self.seconds;
        let log_ratio = (self.to_hz / self.from_hz).ln();
        match self.scale {
            SweepScale::Linear => time * (self.from_hz + 0.5 * (self.to_hz - self.from_hz) * share),
            // Equal frequencies, where the quotient is 0 / 0, give a constant one.
            SweepScale::Log if log_ratio == 0.0 => self.from_hz * time,
            SweepScale::Log => self.from_hz * self.seconds / log_ratio * (share * log_ratio).exp_m1(),
        }
    }
}

impl Waveform for Sweep {
    fn fill(&mut self, _: usize, start: u64, gain: f64, out: &mut [f32]) {
        for (frame, sample) in (start..).zip(out) {
            *sample = (gain * (TAU * self.cycles(frame).fract()).sin()) as f32;
        }
    }
}
