//! Tempo: the period at which onsets repeat, in beats per minute.
//!
//! [`librosa_lag`] is the estimate of `librosa.feature.tempo`. With the tempogram's mean `T` ([`super::tempogram`]), it
//! is the lag with the greatest
//!
//! ```text
//! ln(1 + 10^6 T(l)) - (log2(bpm(l) / 120))^2 / 2,   bpm(l) = 60 windows_per_s / l < 320
//! ```
//!
//! [`tempo`] uses the periodicity `r` instead of `T`, because the constant share of `T` draws every estimate towards
//! 120 BPM. The strengths are smoothed by a Gaussian of 30 ms, since no player is exact, and the lags are those from 40
//! to 200 BPM. Accents then decide between metrical levels ([`super::onset`]). If half or a third of the period repeats
//! in the accents at least [`AS_STRONG`] times as well as the whole, the subdivisions are beats too. If the period
//! itself repeats less well than that compared with its double, only every second beat counts. Finally the period is
//! refined at its multiples: a peak of `r` at `n` periods, interpolated by a parabola, gives the period `n` times as
//! precisely as the first.
//!
//! **No tempo.** A series of `N` independent strengths has an `r` with a standard deviation of `1 / sqrt(N)` at every
//! lag. Strengths smoothed by a Gaussian of `d` windows are correlated, and the deviation is `sqrt(d sqrt(2 pi) / N)`.
//! A peak must exceed [`CHANCE`] deviations, which noise does at any lag in one of thousands of recordings, and must
//! explain a tenth of the changes. There is also no tempo if no strength reaches [`MIN_STRENGTH_DB`], as in silence
//! or a steady tone, or if the recording is shorter than four periods.

use std::f64::consts::TAU;

use super::onset::Onsets;
use super::tempogram::{Tempogram, WINDOW_S};
use base::error::Result;
use base::progress::Progress;

/// The slowest and the fastest tempo reported, in BPM.
pub const RANGE_BPM: [f64; 2] = [40.0, 200.0];
/// The centre of the log-normal prior in BPM; its standard deviation is one octave.
pub const PRIOR_BPM: f64 = 120.0;
/// The minimum share of the change that a period must explain.
pub const MIN_CLARITY: f64 = 0.1;
/// The number of standard deviations by which a peak must exceed chance.
pub const CHANCE: f64 = 4.5;
/// The lowest onset strength that counts, in dB averaged over all bands.
pub const MIN_STRENGTH_DB: f32 = 0.5;
/// How well the accents must repeat at a subdivision of the period, as a share of how well they repeat at the whole.
pub const AS_STRONG: f64 = 0.6;

/// The fastest tempo that librosa reports, in BPM.
const LIBROSA_FASTEST_BPM: f64 = 320.0;
/// The timing accuracy assumed for beats, in seconds.
const SMOOTH_S: f64 = 0.03;
/// The correlation length of unsmoothed strengths in windows, as the deviation of a Gaussian: their spectra overlap by
/// three quarters.
const OVERLAP: f64 = 1.0;
/// Windows of a tempogram are spaced by their length divided by this.
const STRIDE: usize = 80;

/// A value, or the reason why there is none.
pub type Reasoned<T> = std::result::Result<T, &'static str>;

/// A tempo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tempo {
    /// Beats a minute.
    pub bpm: f64,
    /// The time from one beat to the next, in windows.
    pub period: f64,
    /// The share of all change that repeats after a beat: `r`, from 0.1 to 1.
    pub clarity: f64,
}

/// Returns the lag that `librosa.feature.tempo` picks from the tempogram's mean; `None` for fewer than two lags.
pub fn librosa_lag(mean: &[f64], windows_per_s: f64) -> Option<usize> {
    best(mean, windows_per_s, 1.0 / LIBROSA_FASTEST_BPM * 60.0 * windows_per_s, mean.len() as f64)
}

/// Returns the tempo of a recording, or the reason why it has none.
pub fn tempo(onsets: &Onsets, windows_per_s: f64, progress: &Progress) -> Result<Reasoned<Tempo>> {
    let strength = &onsets.strength;
    if !strength.iter().any(|&s| s >= MIN_STRENGTH_DB) {
        return Ok(Err("nothing begins in it"));
    }
    let length = strength.len().min((WINDOW_S * windows_per_s) as usize);
    if length < 4 * shortest(windows_per_s).ceil() as usize {
        return Ok(Err("it is shorter than four beats"));
    }
    let (plan, stride) = (Tempogram::new(length)?, (length / STRIDE).max(1));
    let of = |series: &[f32]| plan.periodicity(&smoothed(series, SMOOTH_S * windows_per_s), stride, progress);
    let (r, accents) = (of(strength)?.change, of(&onsets.accent)?.change);
    Ok(of_periodicities(&r, &accents, strength.len(), windows_per_s))
}

fn of_periodicities(r: &[f64], accents: &[f64], strengths: usize, windows_per_s: f64) -> Reasoned<Tempo> {
    let (shortest, deviation) = (shortest(windows_per_s), (SMOOTH_S * windows_per_s).hypot(OVERLAP));
    let longest = (60.0 * windows_per_s / RANGE_BPM[0]).min(strengths as f64 / 4.0);
    let Some(lag) = best(r, windows_per_s, shortest, longest + 1.0) else {
        return Err("nothing in it repeats");
    };
    let by_chance = CHANCE * (deviation * TAU.sqrt() / strengths as f64).sqrt();
    let (mut period, clarity) = peak_near(r, lag as f64);
    if clarity < by_chance.max(MIN_CLARITY) {
        return Err("nothing in it repeats more than chance would");
    }
    let accent = |period: f64| peak_near(accents, period).1;
    for times in [0.5, 1.0 / 3.0, 2.0] {
        let (other, height) = peak_near(r, period * times);
        let is_within = other >= shortest - 1.0 && other <= longest + 1.0;
        let (short, long) = (accent(other.min(period)), accent(other.max(period)));
        if is_within && height >= 0.5 * clarity && (short >= AS_STRONG * long) == (times < 1.0) && long > MIN_CLARITY {
            period = other;
        }
    }
    let clarity = peak_near(r, period).1;
    let period = refined(r, period, clarity);
    Ok(Tempo { bpm: 60.0 * windows_per_s / period, period, clarity: clarity.min(1.0) })
}

/// Smooths a series by a Gaussian of the given standard deviation, with the end values repeated.
fn smoothed(series: &[f32], deviation: f64) -> Vec<f32> {
    let reach = (3.0 * deviation).ceil() as usize;
    let weights: Vec<f64> =
        (0..=2 * reach).map(|n| (n as f64 - reach as f64) / deviation).map(|x| (-0.5 * x * x).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let last = series.len().saturating_sub(1);
    let at = |k: usize| {
        let near =
            weights.iter().enumerate().map(|(n, w)| w * f64::from(series[(k + n).saturating_sub(reach).min(last)]));
        (near.sum::<f64>() / sum) as f32
    };
    (0..series.len()).map(at).collect()
}

/// Returns the period of the fastest tempo, in windows.
fn shortest(windows_per_s: f64) -> f64 {
    60.0 * windows_per_s / RANGE_BPM[1]
}

/// Returns the best lag in `shortest..longest` given the prior, the first of equals.
fn best(r: &[f64], windows_per_s: f64, shortest: f64, longest: f64) -> Option<usize> {
    let score = |lag: usize| {
        let octaves = (60.0 * windows_per_s / lag as f64 / PRIOR_BPM).log2();
        (1e6 * r[lag].max(0.0)).ln_1p() - 0.5 * octaves * octaves
    };
    let mut best: Option<(usize, f64)> = None;
    for lag in (1..r.len()).filter(|&lag| lag as f64 > shortest - 1e-9 && (lag as f64) < longest) {
        if best.is_none_or(|(_, most)| score(lag) > most) {
            best = Some((lag, score(lag)));
        }
    }
    best.map(|(lag, _)| lag)
}

/// Returns the position and the height of the highest peak within a lag and a half, by parabolic interpolation.
fn peak_near(r: &[f64], place: f64) -> (f64, f64) {
    let from = ((place - 1.5).ceil().max(1.0)) as usize;
    let to = ((place + 1.5).floor() as usize).min(r.len().saturating_sub(2));
    let Some(top) = (from..=to).max_by(|&a, &b| r[a].total_cmp(&r[b])) else { return (place, 0.0) };
    let (before, at, behind) = (r[top - 1], r[top], r[top + 1]);
    let bend = before - 2.0 * at + behind;
    if at < before || at < behind || bend >= 0.0 {
        return (top as f64, at);
    }
    let shift = 0.5 * (before - behind) / bend;
    (top as f64 + shift, at - 0.25 * (before - behind) * shift)
}

/// Refines the period by the peaks at its multiples, as long as they exist.
fn refined(r: &[f64], period: f64, clarity: f64) -> f64 {
    let (mut exact, mut multiple) = (period, 2.0);
    while multiple * exact + 2.0 < 0.6 * r.len() as f64 {
        let (place, height) = peak_near(r, multiple * exact);
        if height < 0.6 * clarity || (place / multiple - exact).abs() > 0.75 / multiple {
            break;
        }
        exact = place / multiple;
        multiple += 1.0;
    }
    exact
}
