//! Mel-frequency cepstral coefficients with the defaults of `librosa.feature.mfcc`.
//!
//! A bank of 128 triangles of unit area on Slaney's mel scale, from 0 Hz to half the rate, sums the powers. The sums
//! are converted to dB, with a floor of 1e-10 and at most 80 dB below the highest level of the whole series. An
//! orthonormal DCT-II transforms them; the first 20 coefficients are kept. Powers are unscaled: `|sum w x exp|^2`.
//!
//! The 80 dB floor depends on all windows. [`LogMel`] therefore collects the levels, and the coefficients are computed
//! from it at the end.

use std::f64::consts::PI;

use base::error::Result;
use dsp::design::{Bank, BankRow, Bins, FrequencyScale, MelNorm};
use dsp::kernels::signal::stft::Spectra;

/// Bands of the mel bank.
pub const MELS: usize = 128;
/// Coefficients per window.
pub const COEFFICIENTS: usize = 20;
/// The lowest power, unscaled. Lower ones are raised to it.
const FLOOR: f64 = 1e-10;
/// Levels are clamped to this many dB below the highest.
const RANGE_DB: f32 = 80.0;

/// A mel bank, planned for the spectra of one transform.
#[derive(Clone, Debug)]
pub struct MelPlan {
    rows: Vec<(usize, Vec<f32>)>,
    power_scale: f64,
}

/// Levels of the mel bands in dB, window by window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogMel {
    levels: Vec<f32>,
}

impl MelPlan {
    /// Plans the bank for the spectra of a transform whose powers were multiplied by `power_scale`.
    pub fn new(bins: Bins, power_scale: f64) -> Result<Self> {
        let bank = Bank::triangles(bins, FrequencyScale::Mel, [0.0, bins.rate_hz / 2.0], MELS, MelNorm::Area)?;
        let row =
            |row: &BankRow| (row.first_bin, row.weights.iter().map(|weight| (weight / power_scale) as f32).collect());
        Ok(Self { rows: bank.rows().iter().map(row).collect(), power_scale })
    }

    /// Appends the levels of the given windows.
    pub fn add(&self, spectra: &Spectra<f32>, windows: impl Iterator<Item = usize>, to: &mut LogMel) {
        for window in windows {
            let power = spectra.window(window);
            to.levels.extend(self.rows.iter().map(|(first, weights)| {
                let sum: f64 = weights.iter().zip(&power[*first..]).map(|(w, p)| f64::from(*w) * f64::from(*p)).sum();
                level(sum)
            }));
        }
    }

    /// Appends the levels of windows from `sums`, the band sums of their scaled powers.
    pub(super) fn add_sums<'a>(&self, windows: impl Iterator<Item = &'a [f32; MELS]>, to: &mut LogMel) {
        for sums in windows {
            to.levels.extend(sums.iter().map(|&sum| level(f64::from(sum) / self.power_scale)));
        }
    }
}

fn level(power: f64) -> f32 {
    (10.0 * power.max(FLOOR).log10()) as f32
}

impl LogMel {
    /// Returns the number of windows measured.
    pub fn windows(&self) -> usize {
        self.levels.len() / MELS
    }

    /// Appends the levels of later windows.
    pub fn append(&mut self, later: &Self) {
        self.levels.extend_from_slice(&later.levels);
    }

    /// Returns the highest level of any window.
    fn highest(&self) -> f32 {
        self.levels.iter().copied().fold(f32::NEG_INFINITY, f32::max)
    }

    /// Returns the coefficients, [`COEFFICIENTS`] per window.
    pub fn mfcc(&self) -> Vec<f32> {
        let highest = self.highest();
        let table = dct_table();
        let mut coefficients = Vec::with_capacity(self.windows() * COEFFICIENTS);
        let mut clamped = [0f64; MELS];
        for levels in self.levels.chunks_exact(MELS) {
            for (to, &db) in clamped.iter_mut().zip(levels) {
                *to = f64::from(db.max(highest - RANGE_DB));
            }
            for row in table.chunks_exact(MELS) {
                let sum: f64 = row.iter().zip(&clamped).map(|(a, b)| a * b).sum();
                coefficients.push(sum as f32);
            }
        }
        coefficients
    }

    /// Returns the mean of each coefficient over all windows; `None` if there is no window.
    pub fn mean_mfcc(&self) -> Option<Vec<f64>> {
        if self.windows() == 0 {
            return None;
        }
        // The mean of transforms is the transform of the mean.
        let mut mean = [0f64; MELS];
        let floor = self.highest() - RANGE_DB;
        for levels in self.levels.chunks_exact(MELS) {
            for (sum, &db) in mean.iter_mut().zip(levels) {
                *sum += f64::from(if db > floor { db } else { floor });
            }
        }
        mean.iter_mut().for_each(|sum| *sum /= self.windows() as f64);
        let row = |row: &[f64]| row.iter().zip(&mean).map(|(a, b)| a * b).sum();
        Some(dct_table().chunks_exact(MELS).map(row).collect())
    }
}

/// Returns the rows of the orthonormal DCT-II: `sqrt(2/n) cos(pi k (2 i + 1) / (2 n))`, the first divided by `sqrt 2`.
fn dct_table() -> Vec<f64> {
    let n = MELS as f64;
    let value = |k: usize, i: usize| {
        let scale = if k == 0 { (1.0 / n).sqrt() } else { (2.0 / n).sqrt() };
        scale * (PI * k as f64 * (2 * i + 1) as f64 / (2.0 * n)).cos()
    };
    (0..COEFFICIENTS).flat_map(|k| (0..MELS).map(move |i| value(k, i))).collect()
}
