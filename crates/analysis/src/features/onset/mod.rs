//! Onset detection: how much louder the spectrum becomes from one window to the next, and the peaks of that series.
//!
//! With the mel bands `m = 0..128` of `librosa.filters.mel` from 0 Hz to half the rate, applied to the powers `|X|^2`
//! of Hann windows of `size` frames, and the loudest level `top` of any band in the whole recording, the strength is
//!
//! ```text
//! L(k, m) = max(10 log10 max(mel(k, m), 1e-10), top - 80 dB)
//! strength(k + 1 + size / (2 hop)) = mean over m of max(0, L(k + 1, m) - L(k, m))    in dB
//! ```
//!
//! This is `librosa.onset.onset_strength` with its defaults: lag 1, no maximum filter, mean (S. Böck and G. Widmer,
//! "Maximum filter vibrato suppression for onset detection", `DAFx` 2013, without that filter). The delay compensates
//! for the half window by which a spectrum registers an onset before its centre reaches it. A series begins with zeros
//! and has one value per window.
//!
//! Levels in dB rise as much for a hi-hat as for a drum. The second series also reflects how loud an onset is:
//!
//! ```text
//! accent(k + 1 + size / (2 hop)) = mean over m of max(0, sqrt(mel(k + 1, m)) - sqrt(mel(k, m)))
//! ```
//!
//! It is measured in magnitudes, where a full-scale sine has magnitude 1.
//!
//! Non-finite input: the rise into and out of a non-finite window is 0.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

mod bands;

pub use bands::{Bands, MelBands};

use base::error::Result;
use base::simd::{Lanes, Simd, Task};
use dsp::kernels::signal::stft::Spectra;

/// The number of mel bands.
pub const BANDS: usize = 128;
/// The power floor of a band, on the scale of unscaled spectra.
const MIN_POWER: f32 = 1e-10;
/// Levels more than this many dB below the recording's loudest band are treated as silence.
const RANGE_DB: f32 = 80.0;
/// The number of windows whose levels are kept until the loudest band is known: 12.7 minutes at 44.1 kHz, 33 MB. In a
/// longer recording the range depends on the loudest band so far.
const KEPT_WINDOWS: usize = 1 << 16;

/// Computes onset strength and accents of a stream of power spectra.
#[derive(Clone, Debug)]
pub struct OnsetStrength {
    plan: MelBands,
    delay: usize,
    top_db: f32,
    kept_windows: usize,
    /// The levels of all windows until the range is settled, then of the last window only; `None` for a non-finite
    /// window.
    levels: Vec<Option<[f32; BANDS]>>,
    settled: bool,
    strength: Vec<f32>,
    /// The magnitudes of the last window, unless it was non-finite.
    magnitudes: Option<[f32; BANDS]>,
    accent: Vec<f32>,
}

/// Onset strength at each window, on two scales.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Onsets {
    /// In dB, as in librosa.
    pub strength: Vec<f32>,
    /// In magnitude.
    pub accent: Vec<f32>,
}

impl OnsetStrength {
    /// Creates the stage for windows of `size` frames, `hop` frames apart, at a rate of `rate_hz`.
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

    /// Returns the plan that computes the bands for [`OnsetStrength::push_bands`], on any thread.
    pub fn plan(&self) -> &MelBands {
        &self.plan
    }

    /// Makes room for a stream of `windows` windows.
    pub fn reserve(&mut self, windows: u64) {
        self.levels.reserve(windows.min(self.kept_windows as u64) as usize + 1);
    }

    /// Adds the power spectra of the next windows, as returned by [`dsp::kernels::signal::stft::cpu::power`].
    pub fn push(&mut self, power: &Spectra<f32>) -> Result<()> {
        let bands = self.plan.bands(power)?;
        self.push_bands(&bands);
        Ok(())
    }

    /// Adds the bands of the next windows.
    pub fn push_bands(&mut self, windows: &[Bands]) {
        let magnitudes = windows.iter().map(|window| (!window.top_db.is_nan()).then_some(&window.magnitudes));
        let last = self.magnitudes.take();
        let pairs = std::iter::once(last.as_ref()).chain(magnitudes.clone()).zip(magnitudes.clone());
        Simd::best().dispatch(Rises { pairs, floor: f32::NEG_INFINITY, to: &mut self.accent });
        self.magnitudes = match magnitudes.clone().next_back() {
            Some(magnitudes) => magnitudes.copied(),
            None => last,
        };
        for window in windows {
            self.top_db = self.top_db.max(window.top_db);
            self.levels.push((!window.top_db.is_nan()).then_some(window.levels_db));
            if self.settled || self.levels.len() > self.kept_windows {
                self.settle();
            }
        }
    }

    /// Returns both series, with one value for every window so far.
    pub fn finish(mut self) -> Onsets {
        self.settle();
        // A rise is placed `delay` windows later; values beyond the end are dropped.
        let delayed = |series: &[f32]| {
            let mut later = vec![0.0; self.delay.min(series.len())];
            later.extend_from_slice(&series[..series.len() - later.len()]);
            later
        };
        Onsets { strength: delayed(&self.strength), accent: delayed(&self.accent) }
    }

    /// Converts the levels to strengths and keeps the last window's levels for the next call.
    fn settle(&mut self) {
        if !self.settled && !self.levels.is_empty() {
            self.strength.push(0.0);
        }
        let floor = self.top_db - RANGE_DB;
        let pairs = self.levels.iter().zip(self.levels.iter().skip(1));
        let pairs = pairs.map(|(from, to)| (from.as_ref(), to.as_ref()));
        Simd::best().dispatch(Rises { pairs, floor, to: &mut self.strength });
        self.levels.drain(..self.levels.len().saturating_sub(1));
        self.settled |= !self.levels.is_empty();
    }
}

/// The rises between the windows of each pair; 0 if one is not finite.
struct Rises<'a, P> {
    pairs: P,
    floor: f32,
    to: &'a mut Vec<f32>,
}

impl<'b, P: Iterator<Item = (Option<&'b [f32; BANDS]>, Option<&'b [f32; BANDS]>)>> Task for Rises<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for pair in self.pairs {
            self.to.push(if let (Some(from), Some(to)) = pair { rise(from, to, self.floor) } else { 0.0 });
        }
    }
}

/// Returns the mean rise over all bands, with levels below `floor` raised to it. Summed in lanes, so that additions do
/// not depend on each other.
#[inline(always)]
fn rise(from: &[f32; BANDS], to: &[f32; BANDS], floor: f32) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    for (from, to) in from.as_chunks::<LANES>().0.iter().zip(to.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += higher(higher(to[lane], floor) - higher(from[lane], floor), 0.0);
        }
    }
    sums.iter().sum::<f32>() / BANDS as f32
}

/// The higher of two numbers. `f32::max` also handles `NaN`, which takes three instructions instead of one.
#[inline(always)]
fn higher(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The criteria for a peak, in seconds and in shares of the series' range (maximum minus minimum). The defaults are
/// those of `librosa.onset.onset_detect`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeakSpec {
    /// A peak is the maximum over this time before and after it.
    pub greatest_s: [f64; 2],
    /// A peak is compared with the mean over this time before and after it.
    pub mean_s: [f64; 2],
    /// The minimum height above that mean, as a share of the range.
    pub above: f32,
    /// The minimum height above that mean in units of the series, whatever the range: noise and steady tones also have
    /// peaks, but a listener does not hear them as onsets. 0 in librosa.
    pub above_least: f32,
    /// The time after a peak in which no other peak is accepted.
    pub wait_s: f64,
}

impl PeakSpec {
    /// The defaults of librosa, without a minimum height.
    pub const LIBROSA: Self =
        Self { greatest_s: [0.03, 0.0], mean_s: [0.1, 0.1], above: 0.07, above_least: 0.0, wait_s: 0.03 };
    /// For onset strengths: peaks that rise 0.75 dB above their surroundings, averaged over all bands. White noise has
    /// about one such peak in 5 s.
    pub const ONSETS: Self = Self { above_least: 0.75, ..Self::LIBROSA };
}

/// Returns the windows at which onsets occur.
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
