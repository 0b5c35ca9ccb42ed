//! The plan of a constant-Q transform.

use std::ops::Range;

use super::BINS_PER_OCTAVE;
use super::basis::{Basis, Octave, length, octaves_within};
use super::halve::needed;
use super::products::Products;
use crate::kernels::signal::constant_q::half_band;
use crate::kernels::signal::stft::EightReal;
use base::error::{Error, Result};

/// The parameters of a constant-Q transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstantQSpec {
    /// The hop: frames of the recording from one window to the next.
    pub hop: usize,
    /// The recording's tuning relative to A4 = 440 Hz, in bins of a third of a semitone: the value of
    /// `features::tuning::Tuning`, or 0.
    pub tuning: f64,
    /// Which of the smallest basis values are dropped.
    pub basis: Basis,
}

/// A planned constant-Q transform of 36 bins per octave.
#[derive(Clone)]
pub struct ConstantQ {
    pub(super) spec: ConstantQSpec,
    pub(super) octaves: usize,
    /// How often the sample rate is halved before the highest octave.
    pub(super) halvings: u32,
    /// Transform length in frames.
    pub(super) points: usize,
    pub(super) products: Products,
    /// Scale factor of each bin, lowest bin first.
    pub(super) weights: Vec<f32>,
    pub(super) half_band: Vec<f32>,
    pub(super) transform: EightReal,
}

impl std::fmt::Debug for ConstantQ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConstantQ").field("spec", &self.spec).field("octaves", &self.octaves).finish_non_exhaustive()
    }
}

impl ConstantQ {
    /// Plans the transform for a sample rate.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the hop is 0, the tuning exceeds half a bin, or the rate is too low for one octave.
    pub fn new(spec: ConstantQSpec, rate_hz: f64) -> Result<Self> {
        if spec.hop == 0 {
            return Err(Error::invalid("hop", "0 frames", "1 frame or more"));
        }
        if !(spec.tuning.abs() <= 0.5) {
            return Err(Error::invalid("tuning", format!("{} bins", spec.tuning), "-0.5 to 0.5 bins"));
        }
        let octaves = if rate_hz.is_finite() { octaves_within(rate_hz, spec.tuning) } else { 0 };
        if octaves == 0 {
            return Err(Error::invalid("sample rate", format!("{rate_hz} Hz"), "132 Hz or more for pitch classes"));
        }
        let octave = Octave::highest(octaves, spec.tuning, rate_hz, spec.basis)?;
        let weight = |bin: usize| length(bin as f64 + spec.tuning, rate_hz).sqrt() as f32;
        Ok(Self {
            weights: (0..octaves * BINS_PER_OCTAVE).map(weight).collect(),
            half_band: half_band().iter().map(|&tap| tap as f32).collect(),
            transform: EightReal::new(octave.points),
            products: Products::new(&octave.rows),
            spec,
            octaves,
            halvings: octave.halvings,
            points: octave.points,
        })
    }

    /// Returns the number of bins per window, 36 per octave.
    pub fn bins(&self) -> usize {
        self.weights.len()
    }

    /// Returns the number of windows centred within a signal or on its end: `1 + frames / hop`, or 0 for an empty
    /// signal.
    pub fn windows(&self, frames: u64) -> u64 {
        if frames == 0 { 0 } else { 1 + frames / self.spec.hop as u64 }
    }

    /// Returns the frames that the windows depend on, including a margin of about 1.5 s on either side.
    pub fn reach(&self, windows: Range<u64>) -> Range<i64> {
        self.needs(&windows).first().cloned().unwrap_or(0..0)
    }

    /// Returns the frame nearest to a window's centre, in the signal halved `level` times.
    pub(super) fn centre(&self, window: u64, level: u32) -> i64 {
        let frame = window * self.spec.hop as u64;
        ((frame + (1 << level) / 2) >> level) as i64
    }

    /// Returns the frames that are needed at the original rate, at half of it, and so on.
    pub(super) fn needs(&self, windows: &Range<u64>) -> Vec<Range<i64>> {
        if windows.start >= windows.end {
            return Vec::new();
        }
        let levels = self.halvings + self.octaves as u32;
        let half = self.points as i64 / 2;
        let mut needs: Vec<Range<i64>> = Vec::new();
        for level in (0..levels).rev() {
            let below = needs.last().map(|below| needed(below, self.half_band.len()));
            let octave = (level >= self.halvings)
                .then(|| self.centre(windows.start, level) - half..self.centre(windows.end - 1, level) + half);
            let both = octave.into_iter().chain(below).reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
            needs.extend(both);
        }
        needs.reverse();
        needs
    }
}
