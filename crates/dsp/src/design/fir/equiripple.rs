//! Parks-McClellan design: the linear-phase taps that minimise the largest weighted error over the bands.
//!
//! Uses the Remez exchange (T. W. Parks, J. H. `McClellan`, "Chebyshev approximation for nonrecursive digital filters
//! with linear phase", 1972). Of all amplitudes that are sums of `r` cosines, the best is the one whose error reaches
//! its largest magnitude at `r + 1` frequencies with alternating signs. Starting from a first guess of these
//! frequencies, each iteration finds the amplitude that has equal errors there, then moves the frequencies to the peaks
//! of its error, until they settle. The amplitude uses Lagrange interpolation in barycentric form. Its weights are
//! computed as logarithms, so that a thousand of them neither underflow nor overflow. Peaks are located on a grid and
//! refined by a parabola.

use std::f64::consts::PI;

use super::{DesiredBand, checked};
use base::error::{Error, Result};

/// The maximum number of taps.
pub const MAX_EQUIRIPPLE_TAPS: usize = 2049;
/// Grid points per peak of the error.
const DENSITY: usize = 20;
/// The maximum number of exchanges.
const MAX_EXCHANGES: usize = 100;
/// The smallest ripple that f64 can distinguish from rounding. It applies once [`FIRST_EXCHANGES`] exchanges are done,
/// because the ripple of a first guess starts small and grows.
const MIN_RIPPLE: f64 = 1e-12;
const FIRST_EXCHANGES: usize = 12;
/// The largest number of cosines for which evenly spaced frequencies are a good first guess.
const MAX_EVENLY: usize = 40;
/// The allowed difference between peaks, relative to the ripple.
const EVEN: f64 = 1e-5;

/// Returns the `taps` taps with the smallest maximum deviation from `bands`.
///
/// # Errors
/// [`Error::Invalid`] for fewer than 3 or more than [`MAX_EQUIRIPPLE_TAPS`] taps, for bands out of order, for an even
/// number of taps if the Nyquist frequency must pass, and if the exchange does not converge. It does not converge if
/// there are too few taps, or so many taps for such wide transitions that the ripple is below the precision of f64.
pub fn remez(bands: &[DesiredBand], taps: usize) -> Result<Vec<f64>> {
    checked(bands, taps, MAX_EQUIRIPPLE_TAPS)?;
    let problem = Problem { bands, even: taps.is_multiple_of(2) };
    let peaks = settled(&problem, taps.div_ceil(2))?;
    Ok(Amplitude::through(&problem, &peaks).taps(&problem, taps))
}

fn failed(got: String) -> Error {
    Error::invalid("equiripple design", got, "fewer taps, or narrower transitions, or another method")
}

/// Returns the peaks of the best amplitude's error, each as its band and frequency.
fn settled(problem: &Problem<'_>, unknowns: usize) -> Result<Vec<(usize, f64)>> {
    let count = unknowns + 1;
    let grid = problem.grid(unknowns);
    let evenly = || spread(&grid, count);
    // The peaks of the best filter of half the length are distributed nearly like those of this one (S.-I. Filip, "A
    // robust and scalable implementation of the Parks-McClellan algorithm", 2016).
    let mut peaks = if unknowns > MAX_EVENLY {
        settled(problem, unknowns / 2)
            .map_or_else(|_| evenly(), |coarse| stretched(&coarse, problem.bands.len(), count))
    } else {
        evenly()
    };
    let mut last = 0.0;
    for exchange in 0..MAX_EXCHANGES {
        let amplitude = Amplitude::through(problem, &peaks);
        let ripple = amplitude.ripple.abs();
        if !(ripple >= MIN_RIPPLE || ripple >= 0.0 && exchange < FIRST_EXCHANGES) {
            return Err(failed(format!("a ripple of {ripple:.1e}, less than can be told from rounding")));
        }
        let Some(found) = exchanged(problem, &amplitude, &grid, count) else {
            return Err(failed("an exchange that lost its peaks".into()));
        };
        let heights = found.iter().map(|peak| peak.error.abs());
        let (low, high) = heights.fold((f64::INFINITY, 0.0f64), |(low, high), error| (low.min(error), high.max(error)));
        peaks = found.iter().map(|peak| peak.frequency).collect();
        let rests = (ripple - last).abs() <= 1e-12 * ripple && high <= ripple * (1.0 + 10.0 * EVEN);
        if ripple >= MIN_RIPPLE && (rests || high - low <= EVEN * high) {
            return Ok(peaks);
        }
        last = ripple;
    }
    Err(failed(format!("no settled peaks after {MAX_EXCHANGES} exchanges")))
}

struct Problem<'a> {
    bands: &'a [DesiredBand],
    /// Whether the number of taps is even, so that the amplitude is `cos(pi f)` times a sum of cosines.
    even: bool,
}

impl Problem<'_> {
    /// Returns the factor `cos(pi f)` at a frequency for an even number of taps, otherwise 1.
    fn factor(&self, frequency: f64) -> f64 {
        if self.even { (PI * frequency).cos() } else { 1.0 }
    }

    fn wanted(&self, band: usize, frequency: f64) -> f64 {
        self.bands[band].gain_at(frequency) / self.factor(frequency)
    }

    fn weight(&self, band: usize, frequency: f64) -> f64 {
        self.bands[band].weight * self.factor(frequency)
    }

    /// Returns the grid frequencies of each band, including both ends.
    fn grid(&self, unknowns: usize) -> Vec<Vec<f64>> {
        let step = 0.5 / (DENSITY * unknowns) as f64;
        let axis_end = if self.even { 0.5 - step } else { 0.5 };
        self.bands
            .iter()
            .map(|band| {
                let to = band.to.min(axis_end);
                let count = (((to - band.from) / step).ceil() as usize).max(DENSITY);
                (0..=count).map(|n| band.from + (to - band.from) * n as f64 / count as f64).collect()
            })
            .collect()
    }
}

/// Returns a first guess of `count` frequencies evenly spread over the grid, each with its band.
fn spread(grid: &[Vec<f64>], count: usize) -> Vec<(usize, f64)> {
    let places: Vec<(usize, f64)> =
        grid.iter().enumerate().flat_map(|(band, points)| points.iter().map(move |point| (band, *point))).collect();
    (0..count).map(|n| places[n * (places.len() - 1) / (count - 1)]).collect()
}

/// Returns `count` frequencies distributed over the bands like those of a shorter filter.
fn stretched(coarse: &[(usize, f64)], bands: usize, count: usize) -> Vec<(usize, f64)> {
    let mut places = Vec::with_capacity(count);
    let mut passed = 0;
    for band in 0..bands {
        let within: Vec<f64> = coarse.iter().filter(|(of, _)| *of == band).map(|(_, frequency)| *frequency).collect();
        passed += within.len();
        let share = (passed * count + coarse.len() / 2) / coarse.len() - places.len();
        let last = within.len().saturating_sub(1) as f64;
        for n in 0..share {
            let at = last * n as f64 / share.saturating_sub(1).max(1) as f64;
            let (low, high) = (at.floor() as usize, at.ceil() as usize);
            let Some((low, high)) = within.get(low).zip(within.get(high)) else { continue };
            places.push((band, low + (high - low) * at.fract()));
        }
    }
    places
}

/// The amplitude with errors of equal magnitude and alternating signs at given frequencies.
struct Amplitude {
    x: Vec<f64>,
    weights: Vec<f64>,
    values: Vec<f64>,
    ripple: f64,
}

impl Amplitude {
    fn through(problem: &Problem<'_>, peaks: &[(usize, f64)]) -> Self {
        let x: Vec<f64> = peaks.iter().map(|(_, frequency)| (2.0 * PI * frequency).cos()).collect();
        let logarithms: Vec<f64> = (0..x.len())
            .map(|k| {
                let product =
                    |sum: f64, j: usize| if j == k { sum } else { sum + (2.0 * difference(peaks, k, j)).abs().ln() };
                -(0..x.len()).fold(0.0, product)
            })
            .collect();
        let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // The cosines descend, so node k has k larger ones, and the sign of its product is (-1)^k.
        let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        let weights: Vec<f64> = logarithms.iter().enumerate().map(|(k, log)| sign(k) * (log - largest).exp()).collect();
        let wanted: Vec<f64> = peaks.iter().map(|(band, frequency)| problem.wanted(*band, *frequency)).collect();
        let unit: Vec<f64> = peaks
            .iter()
            .enumerate()
            .map(|(k, (band, frequency))| sign(k) / problem.weight(*band, *frequency))
            .collect();
        let dot = |values: &[f64]| -> f64 { values.iter().zip(&weights).map(|(value, weight)| value * weight).sum() };
        let ripple = dot(&wanted) / dot(&unit);
        let values = wanted.iter().zip(&unit).map(|(wanted, unit)| wanted - ripple * unit).collect();
        Self { x, weights, values, ripple }
    }

    /// Returns the sum of cosines at a frequency, without the factor for an even number of taps.
    fn at(&self, frequency: f64) -> f64 {
        let x = (2.0 * PI * frequency).cos();
        let (mut over, mut under) = (0.0, 0.0);
        for ((node, weight), value) in self.x.iter().zip(&self.weights).zip(&self.values) {
            let share = weight / (x - node);
            over += share * value;
            under += share;
        }
        let value = over / under;
        if value.is_finite() {
            return value;
        }
        // The frequency is a node.
        let distance = |k: &usize| (self.x[*k] - x).abs();
        let nearest = (0..self.x.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0);
        self.values[nearest]
    }

    /// Returns the taps, computed from samples of the amplitude.
    fn taps(&self, problem: &Problem<'_>, taps: usize) -> Vec<f64> {
        let count = taps.div_ceil(2);
        let samples: Vec<f64> = (0..count)
            .map(|j| {
                let frequency = j as f64 / taps as f64;
                self.at(frequency) * problem.factor(frequency)
            })
            .collect();
        let tap = |n: usize| {
            // Twice the distance from the middle, which is an integer.
            let twice = (2 * n).abs_diff(taps - 1);
            let term = |(j, sample): (usize, &f64)| {
                let turns = (j * twice) % (2 * taps);
                2.0 * sample * (PI * turns as f64 / taps as f64).cos()
            };
            (samples[0] + samples.iter().enumerate().skip(1).map(term).sum::<f64>()) / taps as f64
        };
        (0..taps).map(tap).collect()
    }
}

/// Returns the difference of the cosines of two nodes without cancellation.
fn difference(peaks: &[(usize, f64)], k: usize, j: usize) -> f64 {
    let (a, b) = (peaks[k].1, peaks[j].1);
    2.0 * (PI * (a + b)).sin() * (PI * (b - a)).sin()
}

/// A peak of the error, at a band and frequency.
#[derive(Clone, Copy)]
struct Peak {
    frequency: (usize, f64),
    error: f64,
}

/// Returns the position, within -1 to 1, of the maximum of the parabola through values at -1, 0 and 1; 0 if it has
/// none.
fn vertex(before: f64, here: f64, after: f64) -> f64 {
    let bend = before - 2.0 * here + after;
    if bend < 0.0 { (0.5 * (before - after) / bend).clamp(-1.0, 1.0) } else { 0.0 }
}

/// Returns `count` peaks of an amplitude's error with alternating signs, or `None` if there are too few.
fn exchanged(problem: &Problem<'_>, amplitude: &Amplitude, grid: &[Vec<f64>], count: usize) -> Option<Vec<Peak>> {
    let error_at = |band: usize, frequency: f64| {
        problem.weight(band, frequency) * (problem.wanted(band, frequency) - amplitude.at(frequency))
    };
    let mut peaks: Vec<Peak> = Vec::with_capacity(count + 8);
    for (band, points) in grid.iter().enumerate() {
        let errors: Vec<f64> = points.iter().map(|point| error_at(band, *point)).collect();
        for (n, &error) in errors.iter().enumerate() {
            let beside =
                |n: Option<usize>| n.and_then(|n| errors.get(n)).map_or(f64::NEG_INFINITY, |e| e * error.signum());
            let (before, after) = (beside(n.checked_sub(1)), beside(Some(n + 1)));
            if !(error.abs() >= before && error.abs() > after) {
                continue;
            }
            let step = points[1] - points[0];
            let at = |steps: f64| (points[n] + steps * step).clamp(points[0], points[points.len() - 1]);
            let height = |steps: f64| error_at(band, at(steps)) * error.signum();
            // A parabola through the peak and its two neighbours. At an end of the band, through the points half a step
            // and one step inwards.
            let offset = match (before.is_finite(), after.is_finite()) {
                (true, true) => vertex(before, error.abs(), after),
                (false, true) => 0.5 + 0.5 * vertex(error.abs(), height(0.5), after),
                (true, false) => -0.5 + 0.5 * vertex(before, height(-0.5), error.abs()),
                (false, false) => 0.0,
            };
            let mut peak = Peak { frequency: (band, points[n]), error };
            let refined = error_at(band, at(offset));
            if refined * error.signum() > error.abs() {
                peak = Peak { frequency: (band, at(offset)), error: refined };
            }
            match peaks.last_mut() {
                Some(last) if last.error.signum() == peak.error.signum() => {
                    if peak.error.abs() > last.error.abs() {
                        *last = peak;
                    }
                }
                _ => peaks.push(peak),
            }
        }
    }
    while peaks.len() > count {
        let height = |n: &usize| peaks[*n].error.abs();
        let ends = [0, peaks.len() - 1];
        let lowest = if peaks.len() == count + 1 {
            ends.into_iter().min_by(|a, b| height(a).total_cmp(&height(b)))?
        } else {
            (0..peaks.len()).min_by(|a, b| height(a).total_cmp(&height(b)))?
        };
        if ends.contains(&lowest) {
            peaks.remove(lowest);
        } else {
            // Both neighbours have the same sign; keep the higher one.
            let other = if height(&(lowest - 1)) < height(&(lowest + 1)) { lowest - 1 } else { lowest + 1 };
            peaks.drain(lowest.min(other)..=lowest.max(other));
        }
    }
    (peaks.len() == count).then_some(peaks)
}
