//! The filter bank of the rate converter: a Kaiser-windowed sinc, sampled at each fractional position that occurs.
//!
//! With `f = min(1, 0.8 out/in)`, `T = ceil(16 / f)` rounded up to an even number of taps and `c = T/2 - 1`,
//!
//! ```text
//! h_p(i) = sinc(f t) I0(9 sqrt(1 - (2 t / T)^2)) / N,   t = i - c - p / P,   i = 0..T,   p = 0..=P
//! ```
//!
//! `N` normalises the taps of `h_0` to a sum of 1. Output `n` is at input position `n in / out`. `P` is
//! `out / gcd(in, out)` if that is at most 256. Otherwise `P` is 256, and the two filters around the position are
//! interpolated linearly. These are the settings that `fpcalc` uses for `FFmpeg`'s `swresample`:
//! `filter_size=16:phase_shift=8:cutoff=0.8:linear_interp=1`, whose default window is a Kaiser window with beta 9.

use super::resampler::Sample;
use dsp::design::KaiserSinc;

/// Taps per filter if `f` is 1.
const MIN_TAPS: f64 = 16.0;
/// Maximum number of phases in a bank.
const MAX_PHASES: u64 = 256;
/// Cutoff relative to half the lower of the two rates.
const CUTOFF: f64 = 0.8;
const KAISER_BETA: f64 = 9.0;

/// A distance between input positions, in whole samples, phases and parts of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub samples: i64,
    pub phases: u64,
    pub parts: u64,
}

/// A filter bank for one conversion ratio.
pub(super) struct Bank<T> {
    /// Taps per filter, an even number.
    pub taps: usize,
    /// Number of filter phases per input sample.
    pub phases: u64,
    /// The step from one output to the next.
    pub step: Step,
    /// Number of parts per phase. It is 1 if every output position has a separate filter.
    pub divisor: u64,
    filters: Vec<T>,
}

impl<T: Sample> Bank<T> {
    pub fn new(rate_in: u32, rate_out: u32) -> Self {
        let factor = (CUTOFF * f64::from(rate_out) / f64::from(rate_in)).min(1.0);
        let taps = ((MIN_TAPS / factor).ceil() as usize).next_multiple_of(2);
        let common = greatest_common_divisor(u64::from(rate_in), u64::from(rate_out));
        let (up, down) = (u64::from(rate_out) / common, u64::from(rate_in) / common);
        let (phases, step, divisor) =
            if up <= MAX_PHASES { (up, down, 1) } else { (MAX_PHASES, down * MAX_PHASES, up) };
        let step =
            Step { samples: (step / divisor / phases) as i64, phases: step / divisor % phases, parts: step % divisor };
        let row = |phase: u64| prototype(factor, taps, phase as f64 / phases as f64);
        let sum: f64 = row(0).iter().sum();
        let filters = (0..=phases).flat_map(row).map(|tap| T::tap(tap / sum)).collect();
        Self { taps, phases, step, divisor, filters }
    }

    pub fn filter(&self, phase: u64) -> &[T] {
        &self.filters[phase as usize * self.taps..][..self.taps]
    }
}

fn prototype(factor: f64, taps: usize, place: f64) -> Vec<f64> {
    let centre = (taps / 2 - 1) as f64;
    let sinc = KaiserSinc { cutoff: factor / 2.0, half_width: taps as f64 / 2.0, beta: KAISER_BETA };
    (0..taps).map(|i| sinc.at(i as f64 - centre - place)).collect()
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banks_have_a_filter_for_every_place_or_interpolate() {
        let shape = |rate| {
            let bank = Bank::<f32>::new(rate, 11_025);
            let Step { samples, phases, parts } = bank.step;
            let all = (samples as u64 * bank.phases + phases) * bank.divisor + parts;
            (bank.taps, bank.phases, all, bank.divisor)
        };
        assert_eq!(shape(44_100), (80, 1, 4, 1));
        assert_eq!(shape(48_000), (88, 147, 640, 1));
        assert_eq!(shape(32_000), (60, 256, 1280 * 256, 441));
        assert_eq!(shape(8_000), (16, 256, 320 * 256, 441));
    }

    #[test]
    fn filters_pass_a_constant_and_are_mirrored() {
        let bank = Bank::<f32>::new(48_000, 11_025);
        for phase in 0..=147 {
            let sum: f32 = bank.filter(phase).iter().sum();
            assert!((sum - 1.0).abs() < 1e-3, "phase {phase}: {sum}");
        }
        for (a, b) in bank.filter(1).iter().zip(bank.filter(146).iter().rev()) {
            assert!((a - b).abs() < 1e-7);
        }
    }
}
