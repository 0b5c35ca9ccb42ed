//! Pitch by autocorrelation, as Praat's `To Pitch (ac)` finds it.
//!
//! P. Boersma, "Accurate short-term analysis of the fundamental frequency and the harmonics-to-noise ratio of a sampled
//! sound", IFA Proceedings 17, 1993: the autocorrelation of a windowed stretch is divided by that of the window; its
//! maxima, interpolated by a windowed sinc, are the candidates of the stretch beside "unvoiced"; the cheapest path
//! through the candidates of all stretches is the pitch. The settings are Praat's defaults, except for the range and
//! the voicing threshold.

use std::f64::consts::{PI, TAU};

use rayon::prelude::*;
use transforms::RealFftPlanner;
use transforms::num_complex::Complex64;

use base::error::Result;
use base::progress::Progress;

/// The range in Hz.
const FLOOR_HZ: f64 = 50.0;
const CEILING_HZ: f64 = 1100.0;
/// Periods of the lowest pitch in a window.
const PERIODS: f64 = 3.0;
/// Candidates of a window, "unvoiced" among them: one for each multiple of the lowest pitch, at least 15.
const CANDIDATES: usize = 22;
const SILENCE: f64 = 0.03;
const VOICING: f64 = 0.6;
const OCTAVE_COST: f64 = 0.01;
const JUMP_COST: f64 = 0.35;
const VOICED_UNVOICED_COST: f64 = 0.14;
/// The costs of changes are those for steps of this many seconds.
const COST_STEP_S: f64 = 0.01;
/// Samples on either side of an interpolated value: at first, and when a maximum is refined.
const FIRST_DEPTH: usize = 30;
const DEPTH: usize = 70;
/// Above this share of the rate, a maximum is refined with more.
const HIGH: f64 = 0.3;
const HIGH_DEPTH: usize = 700;

/// A pitch that a window may have.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// 0 for none.
    hz: f64,
    strength: f64,
    /// The lag of the sample next to the maximum.
    lag: usize,
}

struct Window {
    intensity: f64,
    candidates: Vec<Candidate>,
}

/// Returns the pitch in Hz of each step, 0 where there is none; `None` if the sound is shorter than a window.
pub(super) fn pitches(samples: &[f32], rate_hz: f64, step_s: f64, progress: &Progress) -> Result<Option<Vec<f64>>> {
    let window_s = PERIODS / FLOOR_HZ;
    let duration_s = samples.len() as f64 / rate_hz;
    if duration_s < window_s {
        return Ok(None);
    }
    let count = ((duration_s - window_s) / step_s).floor() as usize + 1;
    let first_s = 0.5 * duration_s - 0.5 * count as f64 * step_s + 0.5 * step_s;
    let mean = samples.iter().map(|&x| f64::from(x)).sum::<f64>() / samples.len() as f64;
    let peak = samples.iter().map(|&x| (f64::from(x) - mean).abs()).fold(0.0, f64::max);
    if peak == 0.0 {
        return Ok(Some(vec![0.0; count]));
    }
    let analysis = Analysis::new(rate_hz, peak)?;
    let window = |index: usize| {
        progress.check()?;
        analysis.window(samples, first_s + index as f64 * step_s)
    };
    let windows = (0..count).into_par_iter().with_min_len(64).map(window).collect::<Result<Vec<Window>>>()?;
    Ok(Some(path(&windows, step_s)))
}

struct Analysis {
    rate_hz: f64,
    peak: f64,
    /// Half a window, and half the range in which the local peak is searched for, in samples.
    half: usize,
    half_period: usize,
    /// Samples of the longest period.
    period: usize,
    /// The number of lags that are interpolated, below which maxima are searched for.
    lags: usize,
    longest_lag: usize,
    window: Vec<f64>,
    /// The autocorrelation of the window, 1 at lag 0.
    window_correlation: Vec<f64>,
    forward: std::sync::Arc<dyn transforms::RealToComplex<f64>>,
    inverse: std::sync::Arc<dyn transforms::ComplexToReal<f64>>,
}

impl Analysis {
    fn new(rate_hz: f64, peak: f64) -> Result<Self> {
        let whole = (PERIODS / FLOOR_HZ * rate_hz).floor() as usize;
        let half = whole / 2 - 1;
        let size = 2 * half;
        let points = (size as f64 * 1.5).ceil() as usize;
        let mut planner = RealFftPlanner::new();
        let points = points.next_power_of_two();
        let mut analysis = Self {
            rate_hz,
            peak,
            half,
            half_period: ((rate_hz / FLOOR_HZ).floor() as usize) / 2 + 1,
            period: (rate_hz / FLOOR_HZ).floor() as usize,
            lags: size / 2,
            longest_lag: ((size as f64 / PERIODS).floor() as usize + 2).min(size),
            window: (1..=size).map(|n| 0.5 - 0.5 * (n as f64 * TAU / (size + 1) as f64).cos()).collect(),
            window_correlation: Vec::new(),
            forward: planner.plan_fft_forward(points),
            inverse: planner.plan_fft_inverse(points),
        };
        let of_window = analysis.autocorrelation(&analysis.window)?;
        analysis.window_correlation = of_window.iter().map(|value| value / of_window[0]).collect();
        Ok(analysis)
    }

    fn autocorrelation(&self, samples: &[f64]) -> Result<Vec<f64>> {
        let (mut frames, mut bins) = (self.forward.make_input_vec(), self.forward.make_output_vec());
        frames[..samples.len()].copy_from_slice(samples);
        self.forward.process(&mut frames, &mut bins)?;
        bins.iter_mut().for_each(|bin| *bin = Complex64::new(bin.norm_sqr(), 0.0));
        self.inverse.process(&mut bins, &mut frames)?;
        Ok(frames)
    }

    fn window(&self, samples: &[f32], time_s: f64) -> Result<Window> {
        // Sample `n` lies at `(n + 0.5) / rate`.
        let left = (time_s * self.rate_hz - 0.5).floor() as i64;
        let right = left + 1;
        let at = |place: i64| {
            usize::try_from(place).ok().and_then(|place| samples.get(place)).map_or(0.0, |&sample| f64::from(sample))
        };
        let period = self.period as i64;
        let sum: f64 = (right - period..=left + period).map(at).sum();
        let mean = sum / (2 * self.period) as f64;
        let start = right - self.half as i64;
        let frame: Vec<f64> =
            self.window.iter().enumerate().map(|(n, weight)| (at(start + n as i64) - mean) * weight).collect();
        let near = self.half.saturating_sub(self.half_period)..(self.half + self.half_period).min(frame.len());
        let local = frame[near].iter().fold(0.0, |peak: f64, x| peak.max(x.abs()));
        let intensity = (local / self.peak).min(1.0);
        let mut candidates = vec![Candidate { hz: 0.0, strength: 0.0, lag: 0 }];
        if local > 0.0 {
            let correlation = self.autocorrelation(&frame)?;
            let lag = |lag: usize| {
                if lag == 0 { 1.0 } else { correlation[lag] / (correlation[0] * self.window_correlation[lag]) }
            };
            // Symmetrical around lag 0.
            let both: Vec<f64> = (0..=2 * self.lags).map(|at| lag(at.abs_diff(self.lags))).collect();
            self.find(&both, &mut candidates);
        }
        Ok(Window { intensity, candidates })
    }

    /// Adds the maxima of an autocorrelation, whose lag 0 is in its middle.
    fn find(&self, both: &[f64], candidates: &mut Vec<Candidate>) {
        let worth = |candidate: &Candidate| candidate.strength - OCTAVE_COST * (FLOOR_HZ / candidate.hz).log2();
        let value = |lag: usize| both[self.lags + lag];
        for lag in 2..self.longest_lag.min(self.lags) {
            let [before, here, after] = [lag - 1, lag, lag + 1].map(value);
            if !(here > 0.5 * VOICING && here > before && here >= after) {
                continue;
            }
            let place = lag as f64 + 0.5 * (after - before) / (2.0 * here - before - after);
            let strength = inverted(between(both, self.lags as f64 + place, FIRST_DEPTH));
            let found = Candidate { hz: self.rate_hz / place, strength, lag };
            if candidates.len() < CANDIDATES {
                candidates.push(found);
                continue;
            }
            let least = candidates[1..].iter_mut().min_by(|a, b| worth(a).total_cmp(&worth(b)));
            if let Some(least) = least.filter(|least| worth(&found) > worth(least)) {
                *least = found;
            }
        }
        for candidate in &mut candidates[1..] {
            let depth = if candidate.hz > HIGH * self.rate_hz { HIGH_DEPTH } else { DEPTH };
            let middle = (self.lags + candidate.lag) as f64;
            let place = highest([middle - 1.0, middle + 1.0], |place| between(both, place, depth));
            candidate.hz = self.rate_hz / (place - self.lags as f64);
            candidate.strength = inverted(between(both, place, depth));
        }
    }
}

/// Returns the reciprocal of a strength above 1, which the interpolation of very short windows can give.
fn inverted(strength: f64) -> f64 {
    if strength > 1.0 { 1.0 / strength } else { strength }
}

/// Returns the value of a signal between its samples, by a sinc under a raised cosine of `depth` samples on either side,
/// or fewer near the ends.
fn between(samples: &[f64], place: f64, depth: usize) -> f64 {
    let below = place.floor();
    if place == below {
        return samples[below as usize];
    }
    let below = below as usize;
    let depth = depth.min(below + 1).min(samples.len() - 1 - below);
    let (first, last) = (below + 1 - depth, below + depth);
    let part = place - below as f64;
    let sine = (PI * part).sin();
    let (left, right) = (place - first as f64 + 1.0, last as f64 - place + 1.0);
    let mut sum = 0.0;
    for (at, sample) in samples[first..=last].iter().enumerate() {
        let distance = place - (first + at) as f64;
        let reach = if distance > 0.0 { left } else { right };
        // sin(pi distance), with alternating signs.
        let sign = if (below + first + at).is_multiple_of(2) { 1.0 } else { -1.0 };
        sum += sample * sign * sine / (PI * distance) * (0.5 + 0.5 * (PI * distance / reach).cos());
    }
    sum
}

/// Returns where a function is highest within a range, by golden sections.
fn highest([mut low, mut high]: [f64; 2], value: impl Fn(f64) -> f64) -> f64 {
    let golden = (5.0f64.sqrt() - 1.0) / 2.0;
    let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_a, mut at_b) = (value(a), value(b));
    while high - low > 1e-9 {
        if at_a >= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - golden * (high - low);
            at_a = value(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + golden * (high - low);
            at_b = value(b);
        }
    }
    f64::midpoint(low, high)
}

/// Returns the pitches on the cheapest path.
fn path(windows: &[Window], step_s: f64) -> Vec<f64> {
    let scale = COST_STEP_S / step_s;
    let is_voiced = |hz: f64| hz > 0.0 && hz <= CEILING_HZ;
    let change = |from: f64, to: f64| match (is_voiced(from), is_voiced(to)) {
        (true, true) => JUMP_COST * scale * (from / to).log2().abs(),
        (false, false) => 0.0,
        _ => VOICED_UNVOICED_COST * scale,
    };
    let worth = |window: &Window, candidate: &Candidate| {
        if is_voiced(candidate.hz) {
            candidate.strength - OCTAVE_COST * (CEILING_HZ / candidate.hz).log2()
        } else {
            VOICING + (2.0 - window.intensity / (SILENCE / (1.0 + VOICING))).max(0.0)
        }
    };
    let mut sums: Vec<Vec<f64>> = Vec::with_capacity(windows.len());
    let mut from: Vec<Vec<usize>> = Vec::with_capacity(windows.len());
    for (index, window) in windows.iter().enumerate() {
        let mut best_sums = Vec::with_capacity(window.candidates.len());
        let mut best_from = Vec::with_capacity(window.candidates.len());
        for candidate in &window.candidates {
            let here = worth(window, candidate);
            let before = index.checked_sub(1).map(|before| (&windows[before].candidates, &sums[before]));
            let (best, place) = before.map_or((0.0, 0), |(candidates, sums)| {
                let costs = candidates.iter().zip(sums).map(|(from, sum)| sum - change(from.hz, candidate.hz));
                first_highest(costs)
            });
            best_sums.push(best + here);
            best_from.push(place);
        }
        sums.push(best_sums);
        from.push(best_from);
    }
    let mut place = sums.last().map_or(0, |sums| first_highest(sums.iter().copied()).1);
    let mut out = vec![0.0; windows.len()];
    for index in (0..windows.len()).rev() {
        let hz = windows[index].candidates[place].hz;
        out[index] = hz;
        place = from[index][place];
    }
    out
}

/// Returns the highest value and its place, the first among equals.
fn first_highest(values: impl Iterator<Item = f64>) -> (f64, usize) {
    values.enumerate().fold((f64::NEG_INFINITY, 0), |best, (at, value)| if value > best.0 { (value, at) } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sinc_reads_between_samples() {
        let samples: Vec<f64> = (0..400).map(|n| (0.9 * f64::from(n)).sin()).collect();
        for place in [200.0, 200.25, 151.7, 199.999] {
            assert!((between(&samples, place, 70) - (0.9 * place).sin()).abs() < 1e-3, "{place}");
        }
    }

    #[test]
    fn tones_have_their_pitch_and_noise_has_none() {
        let progress = Progress::new();
        for hz in [80.0, 123.4, 440.0, 1000.0] {
            let tone: Vec<f32> = (0..22_050).map(|n| (TAU * hz * f64::from(n) / 22_050.0).sin() as f32).collect();
            let found = pitches(&tone, 22_050.0, 0.0116, &progress).unwrap().unwrap();
            assert!(found.iter().all(|got| (got / hz - 1.0).abs() < 1e-4), "{hz}: {found:?}");
        }
        let noise = crate::compare::noise::noise(1, 22_050);
        let found = pitches(&noise, 22_050.0, 0.0116, &progress).unwrap().unwrap();
        assert!(found.iter().filter(|&&hz| hz > 0.0).count() * 10 < found.len());
        assert!(pitches(&noise[..1000], 22_050.0, 0.0116, &progress).unwrap().is_none());
    }
}
