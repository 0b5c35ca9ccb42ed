//! The detector of dynamics effects: the signal, optionally filtered, as peaks or mean squares, with hold.
//!
//! The detector treats `NaN` and infinite samples as 0, so that they affect neither filter nor level. They pass to the
//! output unchanged, in their own channel only.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use super::sliding::Sliding;
use crate::bounds::below_nyquist;
use audio::{AudioBuffer, AudioFormat};
use base::error::{Error, Result};
use base::simd::{Lanes, Simd, Task};
use dsp::design::{Section, butterworth_highpass, butterworth_lowpass};
use dsp::kernels::signal::iir_cascade::{Cascade, CascadeState, cpu};

/// Keeps a decaying mean square from becoming subnormal: -300 dB.
const NOTHING: f64 = 1e-30;

/// How the level is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sense {
    /// The magnitude of each sample.
    Peak,
    /// The mean square under an exponential average. The value is the share of the old mean left after one frame.
    Rms(f64),
}

/// Returns the filter in front of a detector, second-order Butterworth on either side.
///
/// # Errors
/// [`Error::Setting`] for a high-pass at or above half the rate; `effect` names it in the error. A low-pass there is
/// omitted.
pub(super) fn filter(effect: &str, highpass_hz: f64, lowpass_hz: f64, input: AudioFormat) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    if highpass_hz > super::parameters::NO_HIGHPASS_HZ {
        let cutoff = below_nyquist(effect, "highpass", highpass_hz, input.rate)?;
        sections.extend(butterworth_highpass(2, cutoff));
    }
    if lowpass_hz < input.rate.nyquist_hz() {
        let cutoff = below_nyquist(effect, "lowpass", lowpass_hz, input.rate)?;
        sections.extend(butterworth_lowpass(2, cutoff));
    }
    Ok(sections)
}

/// A cascade with its state, for all channels.
#[derive(Debug)]
pub(super) struct Filter {
    cascade: Cascade,
    state: CascadeState,
}

impl Filter {
    pub fn new(sections: &[Section], channels: usize) -> Self {
        Self { cascade: Cascade::new(sections), state: CascadeState::new(channels, sections.len()) }
    }

    /// Returns whether it leaves the signal unchanged.
    pub fn is_empty(&self) -> bool {
        self.cascade.is_empty()
    }

    /// Filters `block` into `to`.
    pub fn run(&mut self, block: &AudioBuffer, to: &mut AudioBuffer) -> Result<()> {
        to.resize(block.channels(), 0);
        to.clear();
        for (to, from) in to.as_mut_vecs().iter_mut().zip(block.iter()) {
            to.extend_from_slice(from);
            Simd::best().dispatch(Numbers(to));
        }
        cpu::run(&self.cascade, &mut self.state, to)
    }

    /// Returns both integrators of every section of every channel.
    pub fn state(&self) -> impl Iterator<Item = f64> {
        self.state.channels.iter().flatten().flatten().copied()
    }

    /// Returns the same values for restoring.
    pub fn state_mut(&mut self) -> impl Iterator<Item = &mut f64> {
        self.state.channels.iter_mut().flatten().flatten()
    }
}

/// Turns the samples of one channel into levels.
#[derive(Debug)]
pub(super) struct Detector {
    sense: Sense,
    mean_square: f64,
    hold: Sliding,
}

impl Detector {
    /// Creates a detector. `hold` is the number of frames that a level is held while the following ones are lower.
    pub fn new(sense: Sense, hold: usize) -> Self {
        Self { sense, mean_square: 0.0, hold: Sliding::new(hold) }
    }

    /// Returns whether levels are mean squares.
    pub fn squared(&self) -> bool {
        self.sense != Sense::Peak
    }

    /// Fills `levels` with the magnitude or mean square at every sample, after hold.
    pub fn run(&mut self, samples: &[f32], levels: &mut Vec<f32>) {
        levels.clear();
        levels.extend_from_slice(samples);
        match self.sense {
            Sense::Peak => Simd::best().dispatch(Magnitudes(levels)),
            Sense::Rms(keep) => {
                let mean = &mut self.mean_square;
                Simd::best().dispatch(MeanSquares { samples: levels, keep, mean });
            }
        }
        self.hold.run(levels);
    }

    /// Returns the state carried to the next samples.
    pub fn state(&self) -> impl Iterator<Item = f64> {
        std::iter::once(self.mean_square).chain(self.hold.state().iter().map(|value| f64::from(*value)))
    }

    /// Returns the number of values in the state.
    pub fn state_length(&self) -> usize {
        1 + self.hold.state().len()
    }

    /// Restores what [`Detector::state`] returned.
    pub fn restore(&mut self, state: &mut impl Iterator<Item = f64>) -> Result<()> {
        let mut next = || state.next().ok_or_else(too_short);
        self.mean_square = next()?;
        for value in self.hold.state_mut() {
            *value = next()? as f32;
        }
        Ok(())
    }
}

pub(super) fn too_short() -> Error {
    Error::Internal("a dynamics effect was given the state of another one".into())
}

struct Numbers<'a>(&'a mut [f32]);

impl Task for Numbers<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for x in self.0 {
            *x = if x.abs() <= f32::MAX { *x } else { 0.0 };
        }
    }
}

struct Magnitudes<'a>(&'a mut [f32]);

impl Task for Magnitudes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for x in self.0 {
            let magnitude = x.abs();
            *x = if magnitude <= f32::MAX { magnitude } else { 0.0 };
        }
    }
}

struct MeanSquares<'a> {
    samples: &'a mut [f32],
    keep: f64,
    mean: &'a mut f64,
}

impl Task for MeanSquares<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { samples, keep, mean } = self;
        let mut now = *mean;
        for x in samples {
            let sample = if x.abs() <= f32::MAX { f64::from(*x) } else { 0.0 };
            now = L::mul_add_one(keep, now, (1.0 - keep) * (sample * sample + NOTHING));
            *x = now as f32;
        }
        *mean = now;
    }
}
