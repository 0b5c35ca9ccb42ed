//! Beat tracking: where a listener would tap, and how evenly.
//!
//! D. Ellis, "Beat tracking by dynamic programming", JNMR 36 (2007), as in `librosa.beat.beat_track`. With onset
//! strengths `s` of standard deviation `d`, and the period `p(k)` at window `k` in whole windows,
//!
//! ```text
//! local(k) = sum over j = -p..=p of exp(-(32 j / p)^2 / 2) s(k + j) / d
//! score(k) = local(k) + max over i from k - 2 p to k - p/2 of (score(i) - 100 (ln((k - i) / p))^2)
//! ```
//!
//! Beats are traced back from the last peak of `score` that reaches half the median of all peaks. Leading and trailing
//! beats outside the music (`local` at most half the RMS of the beats' values) are left out.
//!
//! librosa uses one period for the whole recording. Here the period may change: [`periods`] is the path through the
//! periodicities of windows of 6 s, half a second apart, with the greatest sum of `ln r - (log2(p / period))^2 * 2`
//! minus 20 per octave of change, where `period` is that of the overall tempo. An accelerando therefore costs little, a
//! passage in another tempo pays for its cost within a few beats, and another metrical level does not.

use super::tempo::{RANGE_BPM, Reasoned, Tempo};
use super::tempogram::Tempogram;
use base::error::Result;
use base::progress::Progress;

/// The weight of a beat's deviation from the period.
const TIGHTNESS: f64 = 100.0;
/// The length of a window for a local period, in seconds.
const LOCAL_S: f64 = 6.0;
/// The step from one such window to the next, in seconds.
const LOCAL_STEP_S: f64 = 0.5;
/// The cost of a change of period, per octave.
const CHANGE: f64 = 20.0;
/// The cost of the distance from the overall period, per squared octave.
const DISTANCE: f64 = 2.0;
/// Periodicities below this floor are raised to it.
const MIN_R: f64 = 0.05;

/// Returns the times of the beats in windows, with fractions from a parabola through `local`. `periods` has one value
/// for all windows or one for each. Empty if the strengths are constant.
pub fn beats(strength: &[f32], periods: &[usize]) -> Vec<f64> {
    let Some(local) = local_scores(strength, periods) else { return Vec::new() };
    let found = track(&local, periods);
    found.into_iter().map(|k| between(&local, k)).collect()
}

/// Returns the windows of the beats, as librosa does.
pub fn beat_windows(strength: &[f32], periods: &[usize]) -> Vec<usize> {
    local_scores(strength, periods).map_or_else(Vec::new, |local| track(&local, periods))
}

/// Returns the period at every window, in whole windows.
pub fn periods(strength: &[f32], windows_per_s: f64, tempo: &Tempo, progress: &Progress) -> Result<Vec<usize>> {
    let whole = tempo.period.round().max(1.0) as usize;
    let length = (LOCAL_S * windows_per_s) as usize;
    let step = ((LOCAL_STEP_S * windows_per_s) as usize).max(1);
    if strength.len() < length + step {
        return Ok(vec![whole; strength.len()]);
    }
    let starts: Vec<usize> = (0..=strength.len() - length).step_by(step).collect();
    let rows = Tempogram::new(length)?.changes(strength, &starts, progress)?;
    let [slowest, fastest] = RANGE_BPM.map(|bpm| 60.0 * windows_per_s / bpm);
    let lags: Vec<usize> = (fastest.ceil() as usize..=slowest.min(length as f64 / 3.0) as usize).collect();
    if lags.is_empty() {
        return Ok(vec![whole; strength.len()]);
    }
    let octaves: Vec<f64> = lags.iter().map(|&lag| (lag as f64).log2()).collect();
    let far: Vec<f64> = octaves.iter().map(|o| DISTANCE * (o - tempo.period.log2()).powi(2)).collect();
    let fit = |row: usize, state: usize| f64::from(rows.window(row)[lags[state]]).max(MIN_R).ln() - far[state];
    let mut scores: Vec<f64> = (0..lags.len()).map(|state| fit(0, state)).collect();
    let mut from: Vec<Vec<usize>> = Vec::with_capacity(starts.len());
    for row in 1..starts.len() {
        progress.check()?;
        let best = best_ways(&scores, &octaves);
        scores = best.iter().enumerate().map(|(state, &(_, score))| score + fit(row, state)).collect();
        from.push(best.into_iter().map(|(state, _)| state).collect());
    }
    let mut state = (0..lags.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap_or(0);
    let mut path = vec![lags[state]];
    for ways in from.iter().rev() {
        state = ways[state];
        path.push(lags[state]);
    }
    path.reverse();
    // A window has the period of the span whose centre is nearest.
    let nearest = |k: usize| (k.saturating_sub(length / 2) + step / 2) / step;
    Ok((0..strength.len()).map(|k| path[nearest(k).min(path.len() - 1)]).collect())
}

/// Returns, for each state, the best previous state and its score minus the cost of the transition. The cost is linear
/// in both directions, so two sweeps suffice.
fn best_ways(scores: &[f64], octaves: &[f64]) -> Vec<(usize, f64)> {
    let mut best: Vec<(usize, f64)> = scores.iter().copied().enumerate().collect();
    let mut look = |state: usize, neighbour: usize| {
        let price = CHANGE * (octaves[state] - octaves[neighbour]).abs();
        let (from, score) = best[neighbour];
        if score - price > best[state].1 {
            best[state] = (from, score - price);
        }
    };
    (1..scores.len()).for_each(|state| look(state, state - 1));
    (0..scores.len().saturating_sub(1)).rev().for_each(|state| look(state, state + 1));
    best
}

/// Returns how well a beat fits each window by itself; `None` if all strengths are equal or one is not finite.
fn local_scores(strength: &[f32], periods: &[usize]) -> Option<Vec<f64>> {
    let count = strength.len();
    if count < 2 || periods.is_empty() {
        return None;
    }
    let mean = strength.iter().map(|&s| f64::from(s)).sum::<f64>() / count as f64;
    let squares: f64 = strength.iter().map(|&s| (f64::from(s) - mean).powi(2)).sum();
    let deviation = (squares / (count - 1) as f64).sqrt();
    if !(deviation > f64::from(f32::MIN_POSITIVE) && deviation.is_finite()) {
        return None;
    }
    let mut taps: Vec<f64> = Vec::new();
    let mut taps_of = 0;
    let local = |k: usize| {
        let period = at(periods, k);
        if taps_of != period {
            taps_of = period;
            let tap = |j: usize| (-0.5 * (32.0 * (j as f64 - period as f64) / period as f64).powi(2)).exp();
            taps = (0..=2 * period).map(tap).collect();
        }
        // The very first strength is left out, as in librosa.
        let first = k.saturating_sub(period).max(1);
        let from = &strength[first..count.min(k + period + 1)];
        let taps = &taps[first + period - k..];
        from.iter().zip(taps).map(|(&s, tap)| tap * f64::from(s)).sum::<f64>() / deviation
    };
    Some((0..count).map(local).collect())
}

fn at(periods: &[usize], k: usize) -> usize {
    periods[k.min(periods.len() - 1)].max(1)
}

fn track(local: &[f64], periods: &[usize]) -> Vec<usize> {
    let least = 0.01 * local.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut scores, mut from) = (Vec::with_capacity(local.len()), Vec::with_capacity(local.len()));
    let (mut prices, mut prices_of) = (Vec::new(), 0);
    let mut before_first = true;
    for (k, &here) in local.iter().enumerate() {
        let period = at(periods, k);
        if prices_of != period {
            prices_of = period;
            let price = |gap: usize| TIGHTNESS * ((gap as f64).ln() - (period as f64).ln()).powi(2);
            prices = (0..=2 * period).map(price).collect();
        }
        let nearest = ((period as f64 / 2.0).round_ties_even() as usize).max(1);
        let mut best: Option<(usize, f64)> = None;
        for gap in nearest..=(2 * period).min(k) {
            let score: f64 = scores[k - gap] - prices[gap];
            if best.is_none_or(|(_, most)| score > most) {
                best = Some((k - gap, score));
            }
        }
        scores.push(here + best.map_or(0.0, |(_, score)| score));
        before_first &= here < least;
        from.push(if before_first { None } else { best.map(|(place, _)| place) });
    }
    let mut next = Some(last_beat(&scores));
    let mut found = Vec::new();
    while let Some(k) = next {
        found.push(k);
        next = from[k];
    }
    found.reverse();
    trimmed(local, found)
}

/// Returns the last peak that reaches half the median of all peaks.
fn last_beat(scores: &[f64]) -> usize {
    let is_peak =
        |&k: &usize| k > 0 && scores[k] > scores[k - 1] && (k + 1 == scores.len() || scores[k] >= scores[k + 1]);
    let peaks: Vec<usize> = (0..scores.len()).filter(is_peak).collect();
    let mut heights: Vec<f64> = peaks.iter().map(|&k| scores[k]).collect();
    heights.sort_by(f64::total_cmp);
    let middle = heights.len() / 2;
    let median = match heights.len() {
        0 => return scores.len() - 1,
        count if count.is_multiple_of(2) => 0.5 * (heights[middle - 1] + heights[middle]),
        _ => heights[middle],
    };
    peaks.into_iter().rev().find(|&k| scores[k] >= 0.5 * median).unwrap_or(scores.len() - 1)
}

/// Removes the beats before the first window and after the last whose local score is above the threshold.
fn trimmed(local: &[f64], found: Vec<usize>) -> Vec<usize> {
    let of_beats: Vec<f64> = found.iter().map(|&k| local[k]).collect();
    let heard = |k: i64| usize::try_from(k).ok().and_then(|k| of_beats.get(k)).copied().unwrap_or(0.0);
    // Smoothed by a Hann window of three; librosa's series begins at the first beat and ends two after the last.
    let smooth = (0..of_beats.len() as i64 + 2).map(|k| 0.5 * heard(k - 1) + heard(k) + 0.5 * heard(k + 1));
    let threshold = 0.5 * (smooth.map(|x| x * x).sum::<f64>() / (of_beats.len() + 2) as f64).sqrt();
    let first = local.iter().position(|&score| score > threshold).unwrap_or(local.len());
    let last = local.iter().rposition(|&score| score > threshold).unwrap_or(0);
    found.into_iter().filter(|&k| (first..=last).contains(&k)).collect()
}

/// Returns the position of the maximum near a window, by parabolic interpolation.
fn between(local: &[f64], k: usize) -> f64 {
    if k == 0 || k + 1 >= local.len() {
        return k as f64;
    }
    let (before, here, behind) = (local[k - 1], local[k], local[k + 1]);
    let bend = before - 2.0 * here + behind;
    let shift = if here >= before && here >= behind && bend < 0.0 { 0.5 * (before - behind) / bend } else { 0.0 };
    k as f64 + shift
}

/// Returns how even the beats are: `1 / (1 + CV)`, where `CV` is the standard deviation of the intervals between beats
/// over their mean. A machine has 1. It is undefined for fewer than three intervals.
pub fn rhythm_stability(beats: &[f64]) -> Reasoned<f64> {
    let intervals: Vec<f64> = beats.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if intervals.len() < 3 {
        return Err("it has fewer than four beats");
    }
    let count = intervals.len() as f64;
    let mean = intervals.iter().sum::<f64>() / count;
    let deviation = (intervals.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt();
    Ok(1.0 / (1.0 + deviation / mean))
}
