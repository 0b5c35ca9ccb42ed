//! Spectra of the highest octave's windows: what a signal's spectrum is multiplied by.

use std::f64::consts::TAU;

use realfft::RealFftPlanner;
use realfft::num_complex::Complex64;

use super::{BINS_PER_OCTAVE, LOWEST_HZ};
use crate::error::{Error, Result};

/// Which of the basis spectra's smallest values are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Those that make up a hundredth of all magnitude, as in librosa.
    Librosa,
    /// Those that make up a millionth.
    Exact,
}

impl Basis {
    fn share(self) -> f64 {
        match self {
            Self::Librosa => 0.01,
            Self::Exact => 1e-6,
        }
    }
}

/// One bin's basis spectrum, without what is zero before and behind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub first: usize,
    pub re: Vec<f32>,
    pub im: Vec<f32>,
}

/// The basis of the highest octave.
#[derive(Clone, Debug)]
pub(super) struct Octave {
    /// Halvings of the rate before it.
    pub halvings: u32,
    /// Points of its transforms.
    pub points: usize,
    pub rows: Vec<Row>,
}

/// Periods in a window.
fn quality() -> f64 {
    let square = (2.0 / BINS_PER_OCTAVE as f64).exp2();
    (square + 1.0) / (square - 1.0)
}

/// The window's length of a bin, in frames of a rate.
pub(super) fn length(bin: f64, rate_hz: f64) -> f64 {
    quality() * rate_hz / hz_from_bin(bin)
}

fn hz_from_bin(bin: f64) -> f64 {
    LOWEST_HZ * (bin / BINS_PER_OCTAVE as f64).exp2()
}

/// The noise bandwidth of a Hann window, in bins; librosa's `window_bandwidth`.
const BANDWIDTH: f64 = 1.5;
/// The highest frequency that halved signals keep whole, in cycles a frame after halving.
const KEPT: f64 = 0.38;

/// Where the highest octave's highest bin ends, in hertz.
fn end_hz(octaves: usize, tuning: f64) -> f64 {
    let highest = (octaves * BINS_PER_OCTAVE) as f64 - 1.0 + tuning;
    hz_from_bin(highest) * (1.0 + 0.5 * BANDWIDTH / quality())
}

/// How many octaves fit below half the rate.
pub(super) fn octaves_within(rate_hz: f64, tuning: f64) -> usize {
    (1..=super::OCTAVES).rev().find(|&octaves| end_hz(octaves, tuning) <= rate_hz / 2.0).unwrap_or(0)
}

impl Octave {
    /// The highest of so many octaves.
    pub fn highest(octaves: usize, tuning: f64, rate_hz: f64, basis: Basis) -> Result<Self> {
        let end = end_hz(octaves, tuning);
        // librosa halves until the octave ends between an eighth and a quarter of the rate, and its transforms have as
        // many points as that takes: they are the grid on which it leaves small values out. One more halving, where the
        // filter allows it, has the same bins and half the points.
        let early = ((rate_hz / 2.0 / end).log2().ceil() as i64 - 2).max(0) as u32;
        let more = u32::from(end <= KEPT * rate_hz / f64::from(2 << early));
        let rate_hz = rate_hz / f64::from(1 << early);
        let first = ((octaves - 1) * BINS_PER_OCTAVE) as f64 + tuning;
        let points = (length(first, rate_hz).log2().ceil().exp2() as usize).max(64);
        let bins = points / 2 / (1 << more);
        let row = |bin: usize| row(first + bin as f64, rate_hz, points, bins, basis.share());
        let rows = (0..BINS_PER_OCTAVE).map(row).collect::<Result<_>>()?;
        Ok(Self { halvings: early + more, points: 2 * bins, rows })
    }
}

/// The spectrum of a window in the middle of `points` frames, scaled so that the product with a signal's spectrum is
/// the mean of the weighted signal.
fn row(bin: f64, rate_hz: f64, points: usize, bins: usize, left_out: f64) -> Result<Row> {
    let (length, cycles) = (length(bin, rate_hz), hz_from_bin(bin) / rate_hz);
    let first = (-length / 2.0).floor();
    let count = ((length / 2.0).floor() - first) as usize;
    let weight = |n: usize| 0.5 - 0.5 * (TAU * n as f64 / count as f64).cos();
    let sum: f64 = (0..count).map(weight).sum();
    let mut frames = [vec![0.0; points], vec![0.0; points]];
    let before = (points - count) / 2;
    for n in 0..count {
        let (im, re) = (TAU * cycles * (first + n as f64)).sin_cos();
        frames[0][before + n] = re * weight(n) / sum / (2 * bins) as f64;
        frames[1][before + n] = im * weight(n) / sum / (2 * bins) as f64;
    }
    let forward = RealFftPlanner::new().plan_fft_forward(points);
    let mut spectra = [forward.make_output_vec(), forward.make_output_vec()];
    for (frames, spectrum) in frames.iter_mut().zip(&mut spectra) {
        forward
            .process(frames, spectrum)
            .map_err(|error| Error::Internal(format!("a transform was refused: {error}")))?;
    }
    let values: Vec<Complex64> = spectra[0].iter().zip(&spectra[1]).map(|(re, im)| re + Complex64::i() * im).collect();
    let least = least(&values, left_out);
    let kept = |x: &Complex64| x.norm() >= least;
    let (from, to) = (values.iter().position(kept).unwrap_or(0), values.iter().rposition(kept).unwrap_or(0));
    let values = values[from..(to + 1).min(bins)].iter().map(|x| if kept(x) { *x } else { Complex64::default() });
    let (re, im) = values.map(|x| (x.re as f32, x.im as f32)).unzip();
    Ok(Row { first: from, re, im })
}

/// The magnitude below which values make up that share of all.
fn least(values: &[Complex64], share: f64) -> f64 {
    let mut magnitudes: Vec<f64> = values.iter().map(|x| x.norm()).collect();
    magnitudes.sort_by(f64::total_cmp);
    let limit = share * magnitudes.iter().sum::<f64>();
    let mut sum = 0.0;
    let reached = |magnitude: &&f64| {
        sum += **magnitude;
        sum >= limit
    };
    magnitudes.iter().find(reached).copied().unwrap_or(0.0)
}
