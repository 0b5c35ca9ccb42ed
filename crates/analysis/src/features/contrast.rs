//! Spectral contrast: the level of peaks above valleys, octave by octave.
//!
//! As in `librosa.feature.spectral_contrast` (D. Jiang and others, "Music type classification by spectral contrast
//! feature", ICME 2002): the bands are 0..200 Hz, 200..400 Hz, .. 6400 Hz and up. In each band, the mean of the largest
//! and of the smallest 2 % of the magnitudes (at least one bin) is taken, in dB. Bands that begin at or above half the
//! rate are left out.

use base::error::Result;
use dsp::design::Bins;
use dsp::kernels::signal::extremes::{Extremes, Means, Run};
use dsp::kernels::signal::stft::Spectra;

/// The upper edge of the lowest band, in Hz.
const LOWEST_HZ: f64 = 200.0;
/// The number of octave bands above it.
const OCTAVES: usize = 6;
/// The share of a band's bins that counts as peak, and as valley.
const SHARE: f64 = 0.02;
/// The lowest magnitude, unscaled. Lower ones are raised to it.
const FLOOR: f64 = 1e-10;
/// Levels are clamped to this many dB below the highest of the recording.
const RANGE_DB: f64 = 80.0;

/// Spectral contrast, planned for the spectra of one transform.
#[derive(Clone, Debug)]
pub struct ContrastPlan {
    bands: Extremes,
    magnitude_scale: f32,
}

/// Peaks and valleys of windows, in magnitude.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contrast {
    /// Bands per window.
    pub bands: usize,
    /// The mean of each band's largest magnitudes, window by window.
    pub peaks: Vec<f32>,
    /// The mean of each band's smallest magnitudes, window by window.
    pub valleys: Vec<f32>,
}

impl ContrastPlan {
    /// Plans the measurement for a transform whose powers were multiplied by `power_scale`.
    pub fn new(bins: Bins, power_scale: f64) -> Result<Self> {
        let count = bins.count();
        // A bin exactly at an edge belongs to both bands, as in librosa.
        let from = |hz: f64| (0..count).find(|&bin| bins.hz_from_bin(bin) >= hz).unwrap_or(count);
        let end = |hz: f64| (0..count).rfind(|&bin| bins.hz_from_bin(bin) <= hz).map_or(0, |bin| bin + 1);
        let edge = |index: usize| LOWEST_HZ * (index as f64).exp2();
        let octaves = (0..=OCTAVES).take_while(|&octave| edge(octave) < bins.rate_hz / 2.0).count();
        let mut bands = Vec::new();
        for band in 0..=octaves.min(OCTAVES) {
            let low = if band == 0 { 0 } else { from(edge(band - 1)) };
            let last = band == octaves.min(OCTAVES);
            let high = if last { count } else { end(edge(band)) };
            if low >= high {
                continue;
            }
            // Each band but the lowest includes the bin below its first; all but the last exclude their highest bin.
            let low = if band == 0 { low } else { low.saturating_sub(1) };
            let share = ((high - low) as f64 * SHARE).round_ties_even().max(1.0) as usize;
            let to = if last { high } else { (high - 1).max(low + 1) };
            bands.push(Run { from: low, to, count: share.min(to - low) });
        }
        Ok(Self { bands: Extremes::new(count, bands)?, magnitude_scale: power_scale.sqrt().recip() as f32 })
    }

    /// Returns the number of bands.
    pub fn bands(&self) -> usize {
        self.bands.runs().len()
    }

    /// Returns the runs of bins whose extremes are needed, so that a GPU can find them.
    pub fn extremes(&self) -> &Extremes {
        &self.bands
    }

    /// Appends the peaks and valleys of the given windows.
    pub fn add(&self, spectra: &Spectra<f32>, windows: impl Iterator<Item = usize>, to: &mut Contrast) {
        let (mut memory, mut means) = (Vec::new(), Vec::new());
        windows.for_each(|window| self.bands.add(spectra.window(window), &mut memory, &mut means));
        self.add_means(&means, to);
    }

    /// Appends the peaks and valleys from `means`, the extremes of the windows' powers.
    pub fn add_means(&self, means: &[Means], to: &mut Contrast) {
        to.bands = self.bands();
        to.valleys.extend(means.iter().map(|means| means.low * self.magnitude_scale));
        to.peaks.extend(means.iter().map(|means| means.high * self.magnitude_scale));
    }
}

impl Contrast {
    /// Appends the measurements of later windows.
    pub fn append(&mut self, later: &Self) {
        self.bands = later.bands.max(self.bands);
        self.peaks.extend_from_slice(&later.peaks);
        self.valleys.extend_from_slice(&later.valleys);
    }

    /// Returns the number of windows measured.
    pub fn windows(&self) -> usize {
        self.peaks.len().checked_div(self.bands).unwrap_or(0)
    }

    /// Returns the contrast in dB, window by window: peak level minus valley level. Each is clamped to 80 dB below the
    /// highest of its kind in the whole series.
    pub fn db(&self) -> Vec<f32> {
        let level = |values: &[f32]| -> Vec<f64> {
            let level: Vec<f64> = values.iter().map(|&v| 10.0 * f64::from(v).max(FLOOR).log10()).collect();
            let highest = level.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            level.into_iter().map(|db| db.max(highest - RANGE_DB)).collect()
        };
        let (peaks, valleys) = (level(&self.peaks), level(&self.valleys));
        peaks.iter().zip(&valleys).map(|(peak, valley)| (peak - valley) as f32).collect()
    }

    /// Returns the mean of each band's contrast over all windows in dB; `None` if there is no window.
    pub fn mean_db(&self) -> Option<Vec<f64>> {
        let windows = self.windows();
        (windows > 0).then(|| mean_rows(&self.db(), self.bands))
    }
}

/// Returns the mean of each column of rows of `columns` values.
fn mean_rows(values: &[f32], columns: usize) -> Vec<f64> {
    let mut sums = vec![0f64; columns];
    for row in values.chunks_exact(columns) {
        for (sum, &x) in sums.iter_mut().zip(row) {
            *sum += f64::from(x);
        }
    }
    let rows = (values.len() / columns).max(1) as f64;
    sums.into_iter().map(|sum| sum / rows).collect()
}
