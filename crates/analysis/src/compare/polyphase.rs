//! Rate conversion as `scipy.signal.resample_poly` does it: a Kaiser-windowed sinc at the lower rate's edge, without delay,
//! silence before and after the recording. Measures that others define by their filter are computed with that filter.

use std::f64::consts::PI;

use rayon::prelude::*;

use base::units::SampleRate;
use dsp::design::bessel_i0;

/// The window of a sinc whose pass band ends at half the lower rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filter {
    /// Periods of the lower rate on either side.
    pub periods: f64,
    /// Kaiser's `beta`.
    pub beta: f64,
}

/// Frames per task.
const PIECE: usize = 1 << 12;

/// Converts a channel to `to_hz`.
pub(super) fn converted(samples: &[f32], rate: SampleRate, to_hz: u32, filter: Filter) -> Vec<f64> {
    let common = greatest_common(to_hz, rate.hz());
    let (up, down) = ((to_hz / common) as usize, (rate.hz() / common) as usize);
    if up == down || samples.is_empty() {
        return samples.iter().map(|&x| f64::from(x)).collect();
    }
    let phases = phases(up, down, filter);
    let value = |m: usize| {
        let (phase, at) = (m * down % up, (m * down / up) as i64);
        let (before, taps) = &phases[phase];
        // The frames that the taps lie on, as far as there are any.
        let first = at - before;
        let start = first.clamp(0, samples.len() as i64);
        let end = (first + taps.len() as i64).clamp(start, samples.len() as i64);
        let taps = &taps[(start - first) as usize..][..(end - start) as usize];
        taps.iter().zip(&samples[start as usize..end as usize]).map(|(tap, x)| tap * f64::from(*x)).sum()
    };
    (0..(samples.len() * up).div_ceil(down)).into_par_iter().with_min_len(PIECE).map(value).collect()
}

/// Returns for each phase how many frames earlier its taps begin, and the taps.
fn phases(up: usize, down: usize, filter: Filter) -> Vec<(i64, Vec<f64>)> {
    let most = up.max(down) as f64;
    let half = (filter.periods * most).ceil() as i64;
    let tap = |across: i64| {
        let x = across as f64 / most;
        let sinc = if across == 0 { 1.0 } else { (PI * x).sin() / (PI * x) };
        sinc * bessel_i0(filter.beta * (1.0 - (across as f64 / half as f64).powi(2)).max(0.0).sqrt())
    };
    let one = |phase: i64| {
        let (before, after) = ((half - phase).div_euclid(up as i64), (half + phase).div_euclid(up as i64));
        (before, (-before..=after).map(|k| tap(phase - k * up as i64)).collect::<Vec<f64>>())
    };
    let mut phases: Vec<(i64, Vec<f64>)> = (0..up as i64).into_par_iter().map(one).collect();
    let sum: f64 = phases.iter().map(|(_, taps)| taps.iter().sum::<f64>()).sum();
    let scale = up as f64 / sum;
    phases.iter_mut().flat_map(|(_, taps)| taps).for_each(|tap| *tap *= scale);
    phases
}

/// Returns the greatest common divisor.
pub(super) fn greatest_common(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.signal.resample_poly(numpy.arange(1, 13) ** 2 % 7, up, down)` of `SciPy` 1.17.1, whose filter this is.
    #[test]
    fn a_conversion_is_scipys() {
        let samples: Vec<f32> = (1..13).map(|n: i32| (n * n % 7) as f32).collect();
        let filter = Filter { periods: 10.0, beta: 5.0 };
        let down = [1.633_310_927_708, 3.042_751_822_841, 2.175_128_839_071, 3.033_901_505_276, -0.621_447_926_852];
        let up = [1.000_650_516_581, 2.376_269_517_511, 3.654_849_269_662, 4.058_115_413_008, 3.316_845_876_498];
        for (rate, to_hz, expected) in [(3, 2, down), (2, 5, up)] {
            let got = converted(&samples, SampleRate::new(rate).unwrap(), to_hz, filter);
            assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{got:?}");
            assert_eq!(got.len(), (12 * to_hz).div_ceil(rate) as usize);
        }
        assert!(converted(&[], SampleRate::new(3).unwrap(), 2, filter).is_empty());
    }
}
