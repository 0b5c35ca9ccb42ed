//! Pitch candidates of a window: the minima of its normalised difference function and their probabilities.

use std::sync::Arc;

use transforms::num_complex::Complex;
use transforms::{ComplexToReal, RealFftPlanner, RealToComplex};

use super::{BINS_PER_SEMITONE, Candidate};
use crate::features::frames::Layout;
use base::error::{Error, Result};
use dsp::kernels::signal::stft::Samples;

/// The number of thresholds, evenly spaced up to 1.
const THRESHOLDS: usize = 100;
/// The parameter of the Boltzmann prior for short periods.
const BOLTZMANN: f64 = 2.0;
/// The share of a threshold's prior that the lowest minimum gets if no minimum is below the threshold.
const NO_TROUGH: f64 = 0.01;
/// The smallest normal number; prevents a division by 0 for silence.
const TINY: f64 = f64::MIN_POSITIVE;

/// Finds the candidates of windows of one layout.
#[derive(Clone)]
pub(super) struct Finder {
    size: usize,
    rate_hz: f64,
    low_hz: f64,
    bins: usize,
    shortest: usize,
    longest: usize,
    /// The probability of each threshold.
    prior: Arc<[f64]>,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

/// Working memory of one thread.
pub(super) struct Memory {
    samples: Vec<f32>,
    frames: Vec<f64>,
    spectrum: Vec<Complex<f64>>,
    scratch: Vec<Complex<f64>>,
    /// The normalised difference function from the shortest period to the longest.
    difference: Vec<f64>,
    troughs: Vec<usize>,
    probabilities: Vec<f64>,
}

impl Finder {
    pub fn new(layout: Layout, rate_hz: f64, [low_hz, high_hz]: [f64; 2], bins: usize) -> Self {
        let mut planner = RealFftPlanner::new();
        let points = 2 * layout.size;
        let edges: Vec<f64> = (0..=THRESHOLDS).map(|i| beta_2_18(i as f64 / THRESHOLDS as f64)).collect();
        Self {
            size: layout.size,
            rate_hz,
            low_hz,
            bins,
            shortest: (rate_hz / high_hz).floor() as usize,
            longest: ((rate_hz / low_hz).ceil() as usize).min(layout.size - 1),
            prior: edges.windows(2).map(|pair| pair[1] - pair[0]).collect(),
            forward: planner.plan_fft_forward(points),
            inverse: planner.plan_fft_inverse(points),
        }
    }

    pub fn memory(&self) -> Memory {
        let scratch = self.forward.get_scratch_len().max(self.inverse.get_scratch_len());
        Memory {
            samples: Vec::with_capacity(self.size),
            frames: self.forward.make_input_vec(),
            spectrum: self.forward.make_output_vec(),
            scratch: vec![Complex::new(0.0, 0.0); scratch],
            difference: Vec::new(),
            troughs: Vec::new(),
            probabilities: Vec::new(),
        }
    }

    /// Returns the candidates of the window that begins at frame `start`, shortest period first. If several minima fall
    /// into one bin, the bin has the probability of the last, as in librosa.
    pub fn candidates(&self, samples: Samples<'_>, start: i64, memory: &mut Memory) -> Result<Vec<Candidate>> {
        if !self.normalised_difference(samples, start, memory)? {
            return Ok(Vec::new());
        }
        let Memory { difference, troughs, probabilities, .. } = memory;
        troughs.clear();
        let count = difference.len();
        for i in 0..count {
            let before = i == 0 || difference[i] < difference[i - 1];
            let after = i + 1 == count
                || if i == 0 { difference[i] < difference[i + 1] } else { difference[i] <= difference[i + 1] };
            if before && after {
                troughs.push(i);
            }
        }
        self.probabilities(difference, troughs, probabilities);
        let mut found: Vec<Candidate> = Vec::new();
        for (&trough, &probability) in troughs.iter().zip(&*probabilities) {
            if probability == 0.0 {
                continue;
            }
            let period = (self.shortest + trough) as f64 + shift(difference, trough);
            let place = 12.0 * BINS_PER_SEMITONE as f64 * (self.rate_hz / period / self.low_hz).log2();
            let bin = place.round_ties_even().clamp(0.0, self.bins as f64) as u32;
            match found.iter_mut().find(|candidate| candidate.bin == bin) {
                Some(candidate) => candidate.probability = probability,
                None => found.push(Candidate { bin, probability }),
            }
        }
        Ok(found)
    }

    /// Computes the normalised difference function at every period. Returns whether the window has any signal.
    fn normalised_difference(&self, samples: Samples<'_>, start: i64, memory: &mut Memory) -> Result<bool> {
        let refused = |error| Error::Internal(format!("a transform was refused: {error}"));
        let Memory { samples: window, frames, spectrum, scratch, difference, .. } = memory;
        window.clear();
        samples.extract(start..start + self.size as i64, window);
        if window.iter().all(|&x| x == 0.0) {
            return Ok(false);
        }
        frames.fill(0.0);
        for (to, &x) in frames.iter_mut().zip(&*window) {
            *to = f64::from(x);
        }
        self.forward.process_with_scratch(frames, spectrum, scratch).map_err(refused)?;
        for x in spectrum.iter_mut() {
            *x = Complex::new(x.norm_sqr(), 0.0);
        }
        self.inverse.process_with_scratch(spectrum, frames, scratch).map_err(refused)?;
        let scale = 1.0 / (2 * self.size) as f64;
        let (mut energy, mut sum) = (0.0, 0.0);
        difference.clear();
        for lag in 1..=self.longest {
            energy += f64::from(window[lag - 1]).powi(2);
            let d = 2.0 * scale * (frames[0] - frames[lag]) - energy;
            sum += d;
            if lag >= self.shortest {
                difference.push(d / (sum / lag as f64 + TINY));
            }
        }
        Ok(true)
    }

    fn probabilities(&self, difference: &[f64], troughs: &[usize], to: &mut Vec<f64>) {
        to.clear();
        to.resize(troughs.len(), 0.0);
        let Some(lowest) = troughs.iter().enumerate().min_by(|a, b| difference[*a.1].total_cmp(&difference[*b.1]))
        else {
            return;
        };
        for (index, &prior) in self.prior.iter().enumerate() {
            let threshold = (index + 1) as f64 / THRESHOLDS as f64;
            let below = troughs.iter().filter(|&&trough| difference[trough] < threshold).count();
            if below == 0 {
                to[lowest.0] += NO_TROUGH * prior;
                continue;
            }
            // A Boltzmann distribution over the minima below the threshold: exp(-2 i), normalised.
            let norm = (1.0 - (-BOLTZMANN).exp()) / (1.0 - (-BOLTZMANN * below as f64).exp());
            let mut position = 0.0;
            for (to, &trough) in to.iter_mut().zip(troughs) {
                if difference[trough] < threshold {
                    *to += norm * (-BOLTZMANN * position).exp() * prior;
                    position += 1.0;
                }
            }
        }
    }
}

/// Returns the offset of the vertex of the parabola through three neighbouring values from the middle one; 0 at the
/// ends.
fn shift(values: &[f64], at: usize) -> f64 {
    if at == 0 || at + 1 == values.len() {
        return 0.0;
    }
    let [before, here, after] = [values[at - 1], values[at], values[at + 1]];
    let (curve, slope) = (after + before - 2.0 * here, (after - before) / 2.0);
    if slope.abs() >= curve.abs() { 0.0 } else { -slope / curve }
}

/// The cumulative distribution function of the beta distribution with the integer parameters 2 and 18, a binomial sum:
/// `1 - (1 - x)^18 (1 + 18 x)`.
fn beta_2_18(x: f64) -> f64 {
    1.0 - (1.0 - x).powi(18) * (1.0 + 18.0 * x)
}
