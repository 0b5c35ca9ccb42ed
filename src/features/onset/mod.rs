//! Where sounds begin: how much louder the spectrum became from one window to the next, and the peaks of that.
//!
//! With the mel bands `m = 0..128` of `librosa.filters.mel` from 0 Hz to half the rate, applied to the powers `|X|^2`
//! of Hann windows of `size` frames, and the loudest level `top` of any band of the whole recording,
//!
//! ```text
//! L(k, m) = max(10 log10 max(mel(k, m), 1e-10), top - 80 dB)
//! strength(k + 1 + size / (2 hop)) = mean over m of max(0, L(k + 1, m) - L(k, m))    in dB
//! ```
//!
//! as `librosa.onset.onset_strength` with its defaults (lag 1, no maximum filter, mean; S. Böck and G. Widmer's
//! "Maximum filter vibrato suppression for onset detection", `DAFx` 2013, without that filter). The delay stands for the
//! half of a window by which its spectrum feels a beginning before it is reached. Series begin with zeros and are as
//! long as the windows are many.
//!
//! Levels in dB hear a hat as well as a drum. What is louder than what else strikes is told by the second series,
//!
//! ```text
//! accent(k + 1 + size / (2 hop)) = mean over m of max(0, sqrt(mel(k + 1, m)) - sqrt(mel(k, m)))
//! ```
//!
//! on the scale of a full-scale sine's magnitude, 1.
//!
//! Non-finite input: from and to a window that is not finite nothing rises.

mod bands;

pub use bands::{Bands, MelBands};

use crate::error::Result;
use crate::kernels::stft::Spectra;

/// Mel bands.
pub const BANDS: usize = 128;
/// The least power of a band, on the scale of unweighted spectra.
const LEAST_POWER: f32 = 1e-10;
/// What is further below the recording's loudest band is as good as silent, in dB.
const RANGE_DB: f32 = 80.0;
/// So many windows are kept in dB until the loudest band is known: 12.7 minutes at 44.1 kHz, 33 MB. What is longer has
/// its range from the loudest band so far.
const KEPT_WINDOWS: usize = 1 << 16;

/// Onset strength and accents of a stream of power spectra.
#[derive(Clone, Debug)]
pub struct OnsetStrength {
    plan: MelBands,
    delay: usize,
    top_db: f32,
    kept_windows: usize,
    /// Levels of all windows while their range is not settled, then of the last one; none for a window that is not
    /// finite.
    levels: Vec<Option<[f32; BANDS]>>,
    settled: bool,
    strength: Vec<f32>,
    /// Magnitudes of the last window, unless that is not finite.
    magnitudes: Option<[f32; BANDS]>,
    accent: Vec<f32>,
}

/// How strongly something begins at each window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Onsets {
    /// In dB, as librosa.
    pub strength: Vec<f32>,
    /// In magnitude.
    pub accent: Vec<f32>,
}

impl OnsetStrength {
    /// For windows of `size` frames, `hop` apart, of a recording at a rate.
    ///
    /// # Errors
    /// As [`MelBands::new`].
    pub fn new(size: usize, hop: usize, rate_hz: f64) -> Result<Self> {
        Ok(Self {
            plan: MelBands::new(size, rate_hz)?,
            delay: size.checked_div(2 * hop).unwrap_or(0),
            top_db: f32::NEG_INFINITY,
            kept_windows: KEPT_WINDOWS,
            levels: Vec::new(),
            settled: false,
            strength: Vec::new(),
            magnitudes: None,
            accent: Vec::new(),
        })
    }

    /// What makes the bands that [`OnsetStrength::push_bands`] takes, on any thread.
    pub fn plan(&self) -> &MelBands {
        &self.plan
    }

    /// Takes up the powers of the next windows, as [`crate::kernels::stft::cpu::power`] gives them.
    ///
    /// # Errors
    /// As [`MelBands::bands`].
    pub fn push(&mut self, power: &Spectra<f32>) -> Result<()> {
        let bands = self.plan.bands(power)?;
        self.push_bands(&bands);
        Ok(())
    }

    /// Takes up the next windows' bands.
    pub fn push_bands(&mut self, windows: &[Bands]) {
        for window in windows {
            let is_finite = !window.top_db.is_nan();
            let last = std::mem::replace(&mut self.magnitudes, is_finite.then_some(window.magnitudes));
            let risen = last.filter(|_| is_finite).map(|last| rise(&last, &window.magnitudes, f32::NEG_INFINITY));
            self.accent.push(risen.unwrap_or(0.0));
            self.top_db = self.top_db.max(window.top_db);
            self.levels.push(is_finite.then_some(window.levels_db));
            if self.settled || self.levels.len() > self.kept_windows {
                self.settle();
            }
        }
    }

    /// Both series, with a value for every window so far.
    pub fn finish(mut self) -> Onsets {
        self.settle();
        // What was found for a window stands `delay` windows later; what falls behind the end is left out.
        let delayed = |series: &[f32]| {
            let mut later = vec![0.0; self.delay.min(series.len())];
            later.extend_from_slice(&series[..series.len() - later.len()]);
            later
        };
        Onsets { strength: delayed(&self.strength), accent: delayed(&self.accent) }
    }

    /// Turns levels into strengths; the last window's are kept for what comes next.
    fn settle(&mut self) {
        if !self.settled && !self.levels.is_empty() {
            self.strength.push(0.0);
        }
        let floor = self.top_db - RANGE_DB;
        self.strength.extend(self.levels.windows(2).map(|pair| match pair {
            [Some(from), Some(to)] => rise(from, to, floor),
            _ => 0.0,
        }));
        self.levels.drain(..self.levels.len().saturating_sub(1));
        self.settled |= !self.levels.is_empty();
    }
}

/// The mean rise of all bands, from nothing below `floor`; in lanes, so that sums do not wait for each other.
fn rise(from: &[f32; BANDS], to: &[f32; BANDS], floor: f32) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    for (from, to) in from.as_chunks::<LANES>().0.iter().zip(to.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += (to[lane].max(floor) - from[lane].max(floor)).max(0.0);
        }
    }
    sums.iter().sum::<f32>() / BANDS as f32
}

/// How peaks are told from what is around them, in seconds and in shares of the range from the series' least to its
/// greatest value; the defaults are those of `librosa.onset.onset_detect`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeakSpec {
    /// A peak is the greatest from so long before to so long after it.
    pub greatest_s: [f64; 2],
    /// It stands above the mean from so long before to so long after it..
    pub mean_s: [f64; 2],
    /// ..by this share of the range.
    pub above: f32,
    /// And by so many units of the series, whatever the range: noise and steady tones have peaks too, but none that a
    /// listener would call a beginning. 0 in librosa.
    pub above_least: f32,
    /// Nothing is a peak for so long after one.
    pub wait_s: f64,
}

impl PeakSpec {
    /// As librosa, whatever the peak's height.
    pub const LIBROSA: Self =
        Self { greatest_s: [0.03, 0.0], mean_s: [0.1, 0.1], above: 0.07, above_least: 0.0, wait_s: 0.03 };
    /// For onset strengths: peaks that rise 0.75 dB above what is around them, on the average of all bands; white noise
    /// has about one such in 5 s.
    pub const ONSETS: Self = Self { above_least: 0.75, ..Self::LIBROSA };
}

/// The windows at which sounds begin.
pub fn onsets(strength: &[f32], windows_per_s: f64, spec: PeakSpec) -> Vec<usize> {
    let least = strength.iter().copied().fold(f32::INFINITY, f32::min);
    let range = strength.iter().copied().fold(f32::NEG_INFINITY, f32::max) - least;
    if !(range > 0.0 && range.is_finite()) {
        return Vec::new();
    }
    let windows = |seconds: f64| (seconds * windows_per_s).floor() as usize;
    let [greatest, mean] = [spec.greatest_s, spec.mean_s].map(|[before, after]| [windows(before), windows(after) + 1]);
    let above = (spec.above * range).max(spec.above_least);
    let around = |at: usize, [before, after]: [usize; 2]| {
        &strength[at.saturating_sub(before)..strength.len().min(at.saturating_add(after))]
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < strength.len() {
        let value = strength[at];
        let is_greatest = around(at, greatest).iter().all(|&other| other <= value);
        let near = around(at, mean);
        let level = near.iter().sum::<f32>() / near.len() as f32;
        if is_greatest && value >= level + above {
            found.push(at);
            at += windows(spec.wait_s);
        }
        at += 1;
    }
    found
}
