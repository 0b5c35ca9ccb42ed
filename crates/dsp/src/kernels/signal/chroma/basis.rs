//! Basis spectra of the highest octave, which a signal's spectrum is multiplied by.

use std::f64::consts::TAU;

use transforms::RealFftPlanner;
use transforms::num_complex::Complex64;

use super::{BINS_PER_OCTAVE, LOWEST_HZ};
use base::error::{Error, Result};

/// Which of the smallest values of the basis spectra are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Those that make up a hundredth of the total magnitude, as in librosa.
    Librosa,
    /// Those that make up a millionth of the total magnitude.
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

/// The basis spectrum of one bin, without leading and trailing zeros.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub first: usize,
    pub re: Vec<f32>,
    pub im: Vec<f32>,
}

/// The basis of the highest octave.
#[derive(Clone, Debug)]
pub(super) struct Octave {
    /// How often the sample rate is halved before this octave.
    pub halvings: u32,
    /// Transform length in frames.
    pub points: usize,
    pub rows: Vec<Row>,
}

/// Returns Q, the number of periods in a window.
fn quality() -> f64 {
    let square = (2.0 / BINS_PER_OCTAVE as f64).exp2();
    (square + 1.0) / (square - 1.0)
}

/// Returns the window length of a bin in frames.
pub(super) fn length(bin: f64, rate_hz: f64) -> f64 {
    quality() * rate_hz / hz_from_bin(bin)
}

fn hz_from_bin(bin: f64) -> f64 {
    LOWEST_HZ * (bin / BINS_PER_OCTAVE as f64).exp2()
}

/// The noise bandwidth of a Hann window in bins; librosa's `window_bandwidth`.
const BANDWIDTH: f64 = 1.5;
/// The highest frequency that the half-band filter preserves, in cycles per frame after halving.
const KEPT: f64 = 0.38;

/// Returns the upper edge of the highest bin of the highest octave, in hertz.
fn end_hz(octaves: usize, tuning: f64) -> f64 {
    let highest = (octaves * BINS_PER_OCTAVE) as f64 - 1.0 + tuning;
    hz_from_bin(highest) * (1.0 + 0.5 * BANDWIDTH / quality())
}

/// Returns how many octaves fit below the Nyquist frequency.
pub(super) fn octaves_within(rate_hz: f64, tuning: f64) -> usize {
    (1..=super::OCTAVES).rev().find(|&octaves| end_hz(octaves, tuning) <= rate_hz / 2.0).unwrap_or(0)
}

/// Returns how often the rate is halved before the highest of `octaves` octaves: as often as librosa does, and once more
/// where the filter allows it.
pub(super) fn halvings(octaves: usize, tuning: f64, rate_hz: f64) -> [u32; 2] {
    let end = end_hz(octaves, tuning);
    // librosa halves the rate until the octave ends between an eighth and a quarter of it.
    let early = ((rate_hz / 2.0 / end).log2().ceil() as i64 - 2).max(0) as u32;
    let more = u32::from(end <= KEPT * rate_hz / f64::from(2 << early));
    [early, more]
}

impl Octave {
    /// Plans the highest of `octaves` octaves.
    pub fn highest(octaves: usize, tuning: f64, rate_hz: f64, basis: Basis) -> Result<Self> {
        // librosa's transform length is the grid on which it drops small values. One more halving gives the same bins
        // with half the points.
        let [early, more] = halvings(octaves, tuning, rate_hz);
        let rate_hz = rate_hz / f64::from(1 << early);
        let first = ((octaves - 1) * BINS_PER_OCTAVE) as f64 + tuning;
        let points = (length(first, rate_hz).log2().ceil().exp2() as usize).max(64);
        let bins = points / 2 / (1 << more);
        let row = |bin: usize| row(first + bin as f64, rate_hz, points, bins, basis.share());
        let rows = (0..BINS_PER_OCTAVE).map(row).collect::<Result<_>>()?;
        Ok(Self { halvings: early + more, points: 2 * bins, rows })
    }
}

/// Returns the spectrum of a window centred in `points` frames, scaled so that the product with a signal's spectrum is
/// the weighted mean of the signal.
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

/// Returns the magnitude below which the values make up `share` of the total.
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
