//! Preserves the spectral envelope while the frequencies below it shift.
//!
//! The envelope is the smoothest curve over the peaks of the spectrum. The log spectrum, as maxima of cells of about 94
//! Hz, is smoothed by dropping its cepstrum beyond 1.5 ms. Where the result lies above the spectrum, it replaces the
//! spectrum, and the smoothing repeats, eight times in all (the true envelope of Roebel and Rodet, 2005). A frequency
//! `f` that moves to `a f` is scaled by `E(a f) / E(f)`, by at most 30 dB.

use std::fmt;
use std::sync::Arc;

use transforms::{ComplexToReal, RealFftPlanner, RealToComplex};

use base::error::Result;
use base::units::SampleRate;
use dsp::kernels::signal::stft::Complex32;

/// The approximate width of a cell in Hz.
const CELL_HZ: f64 = 94.0;
/// The length of the cepstrum kept, in seconds.
const KEPT_S: f64 = 0.0015;
/// The number of smoothing rounds.
const ROUNDS: usize = 8;
/// The maximum change of a bin as a natural logarithm of amplitude: 30 dB.
const MOST: f32 = 3.454;

/// Preserves the spectral envelope.
pub(super) struct Envelope {
    factor: f64,
    /// Bins of the spectrum per cell.
    bins_of_cell: f64,
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
    /// The weights of the cepstrum.
    lifter: Vec<f32>,
    gain: Vec<f32>,
}

impl fmt::Debug for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Envelope").field("factor", &self.factor).finish_non_exhaustive()
    }
}

impl Envelope {
    /// Creates an envelope for windows of `size` frames whose frequencies will be multiplied by `factor`.
    pub fn new(factor: f64, size: usize, rate: SampleRate) -> Self {
        let cells = ((rate.as_f64() / CELL_HZ).log2().round() as u32).clamp(5, size.ilog2());
        let length = 1usize << cells;
        let kept = (KEPT_S * rate.as_f64()).max(2.0);
        // A raised cosine over the second half of the kept part avoids ringing.
        let weight = |quefrency: usize| {
            let share = (quefrency as f64 / kept - 0.5).clamp(0.0, 0.5) * 2.0;
            0.5 + 0.5 * (std::f64::consts::PI * share).cos()
        };
        let lifter = (0..=length / 2).map(|quefrency| (weight(quefrency) / length as f64) as f32).collect();
        let mut planner = RealFftPlanner::new();
        Self {
            factor,
            bins_of_cell: size as f64 / length as f64,
            forward: planner.plan_fft_forward(length),
            inverse: planner.plan_fft_inverse(length),
            lifter,
            gain: vec![1.0; size / 2 + 1],
        }
    }

    /// Scales spectra with this total power, so that their envelope stays in place after the shift.
    pub fn apply(&mut self, power: &[f32], spectra: &mut [Vec<Complex32>]) -> Result<()> {
        let most = power.iter().fold(0.0f32, |most, power| most.max(*power));
        if most <= 0.0 {
            return Ok(());
        }
        let envelope = self.envelope(power, most)?;
        let at = |bin: f64| {
            let cell = (bin / self.bins_of_cell).min((envelope.len() - 1) as f64);
            let low = (cell as usize).min(envelope.len() - 2);
            let share = (cell - low as f64) as f32;
            envelope[low] * (1.0 - share) + envelope[low + 1] * share
        };
        for (bin, gain) in self.gain.iter_mut().enumerate() {
            let bin = bin as f64;
            *gain = (at(bin * self.factor) - at(bin)).clamp(-MOST, MOST).exp();
        }
        for spectrum in spectra {
            for (x, gain) in spectrum.iter_mut().zip(&self.gain) {
                *x *= gain;
            }
        }
        Ok(())
    }

    /// Returns the log amplitude of the envelope by cell.
    fn envelope(&self, power: &[f32], most: f32) -> Result<Vec<f32>> {
        let length = self.forward.len();
        let half = length / 2;
        let target: Vec<f32> = (0..=half)
            .map(|cell| {
                let from = ((cell as f64 - 0.5) * self.bins_of_cell).ceil().max(0.0) as usize;
                let to = (((cell as f64 + 0.5) * self.bins_of_cell).ceil() as usize).clamp(from + 1, power.len());
                let top = power[from.min(to - 1)..to].iter().fold(0.0f32, |top, power| top.max(*power));
                0.5 * top.max(most * 1e-9).ln()
            })
            .collect();
        let mut curve = target.clone();
        let mut frames = self.forward.make_input_vec();
        let mut cepstrum = self.forward.make_output_vec();
        for _ in 0..ROUNDS {
            for (cell, value) in curve.iter().enumerate() {
                frames[cell] = *value;
                frames[(length - cell) % length] = *value;
            }
            self.forward.process(&mut frames, &mut cepstrum)?;
            for (c, weight) in cepstrum.iter_mut().zip(&self.lifter) {
                *c = Complex32::new(c.re * weight, 0.0);
            }
            self.inverse.process(&mut cepstrum, &mut frames)?;
            for ((curve, target), smooth) in curve.iter_mut().zip(&target).zip(&frames) {
                *curve = target.max(*smooth);
            }
        }
        frames.truncate(half + 1);
        Ok(frames)
    }
}
