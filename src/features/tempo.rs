//! Tempo: the period after which beginnings repeat, as beats a minute.
//!
//! [`librosa_lag`] is the estimate of `librosa.feature.tempo`: with the tempogram's mean `T` ([`super::tempogram`]),
//! the lag of the greatest
//!
//! ```text
//! ln(1 + 10^6 T(l)) - (log2(bpm(l) / 120))^2 / 2,   bpm(l) = 60 windows_per_s / l < 320
//! ```
//!
//! [`tempo`] takes the periodicity `r` in place of `T`, whose constant share draws every estimate to 120; of strengths
//! smoothed by a Gaussian of 30 ms, since no hand is exact; and lags from 40 to 200 BPM. Then accents decide between
//! the levels of the metre ([`super::onset`]): where half or a third of the period repeats in the accents at least
//! [`AS_STRONG`] as well as the whole, what stands between two beats is a beat too; where the period itself repeats
//! less than that as well as its double, only every second one is. The period is then refined at its multiples: a peak
//! of `r` at `n` periods, found by a parabola, tells the period `n` times as exactly as the first.
//!
//! **No tempo.** A series of `N` independent strengths has `r` of standard deviation `1 / sqrt(N)` at every lag; those
//! smoothed by a Gaussian of deviation `d` windows depend on each other such that it is `sqrt(d sqrt(2 pi) / N)`. A
//! peak has to stand [`CHANCE`] deviations out, which noise does in one of thousands of recordings at any lag, and to
//! explain a tenth of the changes. Nor is there a tempo where no strength reaches [`LEAST_STRENGTH_DB`], as in silence
//! or a steady tone, or where there are fewer than four periods.

use std::f64::consts::TAU;

use super::onset::Onsets;
use super::tempogram::{Tempogram, WINDOW_S};
use crate::error::Result;
use crate::progress::Progress;

/// The slowest and the fastest tempo that is told, in beats a minute.
pub const RANGE_BPM: [f64; 2] = [40.0, 200.0];
/// The middle of the log-normal prior in beats a minute; its standard deviation is an octave.
pub const PRIOR_BPM: f64 = 120.0;
/// How much of the change a period has to explain at the least.
pub const LEAST_CLARITY: f64 = 0.1;
/// Standard deviations by which a peak has to stand out of what chance gives.
pub const CHANCE: f64 = 4.5;
/// The strength that something has to begin with at the least, in dB on the average of all bands.
pub const LEAST_STRENGTH_DB: f32 = 0.5;
/// How well accents have to repeat after a part of a period, as a share of how well they do after the whole.
pub const AS_STRONG: f64 = 0.6;

/// The fastest tempo that librosa tells.
const LIBROSA_FASTEST_BPM: f64 = 320.0;
/// How exact beats are, in seconds.
const SMOOTH_S: f64 = 0.03;
/// Windows over which strengths depend on each other before they are smoothed, as a Gaussian's deviation: they are made
/// of spectra that overlap by three quarters.
const OVERLAP: f64 = 1.0;
/// Windows of a tempogram are this part of their length apart.
const STRIDE: usize = 80;

/// What something is, or why there is none of it.
pub type Reasoned<T> = std::result::Result<T, &'static str>;

/// A tempo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tempo {
    /// Beats a minute.
    pub bpm: f64,
    /// From one beat to the next, in windows.
    pub period: f64,
    /// How much of all change repeats after a beat: `r`, from 0.1 to about 1.
    pub clarity: f64,
}

/// The lag that `librosa.feature.tempo` takes, of the tempogram's mean; none for fewer than two lags.
pub fn librosa_lag(mean: &[f64], windows_per_s: f64) -> Option<usize> {
    best(mean, windows_per_s, 1.0 / LIBROSA_FASTEST_BPM * 60.0 * windows_per_s, mean.len() as f64)
}

/// The tempo of a recording, or why it has none.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub fn tempo(onsets: &Onsets, windows_per_s: f64, progress: &Progress) -> Result<Reasoned<Tempo>> {
    let strength = &onsets.strength;
    if !strength.iter().any(|&s| s >= LEAST_STRENGTH_DB) {
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
    if clarity < by_chance.max(LEAST_CLARITY) {
        return Err("nothing in it repeats more than chance would");
    }
    let accent = |period: f64| peak_near(accents, period).1;
    for times in [0.5, 1.0 / 3.0, 2.0] {
        let (other, height) = peak_near(r, period * times);
        let is_within = other >= shortest - 1.0 && other <= longest + 1.0;
        let (short, long) = (accent(other.min(period)), accent(other.max(period)));
        if is_within && height >= 0.5 * clarity && (short >= AS_STRONG * long) == (times < 1.0) && long > LEAST_CLARITY
        {
            period = other;
        }
    }
    let clarity = peak_near(r, period).1;
    let period = refined(r, period, clarity);
    Ok(Tempo { bpm: 60.0 * windows_per_s / period, period, clarity: clarity.min(1.0) })
}

/// Smoothed by a Gaussian of that deviation, with the ends repeated.
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

/// The period of the fastest tempo.
fn shortest(windows_per_s: f64) -> f64 {
    60.0 * windows_per_s / RANGE_BPM[1]
}

/// The best lag in `shortest..longest`, given the prior; the first of equals.
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

/// The top of the highest peak within a lag and a half, by a parabola: where, and how high.
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

/// The period by the peaks at its multiples, as long as they are there.
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
