//! Decimation of a signal to half its rate.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use std::ops::Range;

use crate::kernels::signal::stft::Samples;
use base::simd::{LANES, Lanes, Simd, Singles, Task};

/// Vectors of sums computed in parallel.
const CHAINS: usize = 4;
/// Output frames computed at a time.
const BLOCK: usize = CHAINS * LANES;

/// Halves the rate of signals and reuses its scratch memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Halver {
    taken: Vec<f32>,
    even: Vec<f32>,
    odd: Vec<f32>,
}

/// Returns the input frames that the given `frames` at half the rate depend on, for a half-band filter with `taps` taps
/// per side.
pub(super) fn needed(frames: &Range<i64>, taps: usize) -> Range<i64> {
    let reach = 2 * taps as i64;
    2 * frames.start - reach..2 * frames.end + reach
}

impl Halver {
    /// Computes the `frames` of `signal` at half its rate, with silence around the signal: `y(m) = x(2 m) / 2 + sum
    /// over j of taps(j) (x(2 m - 2 j - 1) + x(2 m + 2 j + 1))`.
    pub fn halve(&mut self, signal: Samples<'_>, frames: Range<i64>, taps: &[f32], to: &mut Vec<f32>) {
        // Split into even and odd frames.
        let pairs = signal.frames(needed(&frames, taps.len()), &mut self.taken).as_chunks::<2>().0;
        self.even.resize(pairs.len(), 0.0);
        self.odd.resize(pairs.len(), 0.0);
        to.resize((frames.end - frames.start) as usize, 0.0);
        Simd::best().dispatch(Split { pairs, even: &mut self.even, odd: &mut self.odd });
        Simd::best().dispatch(Halve { even: &self.even[taps.len()..], odd: &self.odd, taps, to });
    }
}

struct Split<'a> {
    pairs: &'a [[f32; 2]],
    even: &'a mut [f32],
    odd: &'a mut [f32],
}

impl Task for Split<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for ((&[a, b], even), odd) in self.pairs.iter().zip(self.even).zip(self.odd) {
            (*even, *odd) = (a, b);
        }
    }
}

struct Halve<'a> {
    /// Starts at the middle frame of the first output.
    even: &'a [f32],
    /// Starts at the first odd frame that the first output depends on.
    odd: &'a [f32],
    taps: &'a [f32],
    to: &'a mut [f32],
}

impl Task for Halve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { even, odd, taps, to } = self;
        let reach = taps.len();
        let (whole, rest) = to.as_chunks_mut::<BLOCK>();
        let done = whole.len() * BLOCK;
        for ((index, to), even) in whole.iter_mut().enumerate().zip(even.as_chunks::<BLOCK>().0) {
            let odd = &odd[index * BLOCK..][..BLOCK + 2 * reach - 1];
            let half = L::Singles::splat(0.5);
            let mut sums = [half; CHAINS];
            for (sum, even) in sums.iter_mut().zip(even.as_chunks().0) {
                *sum = half.mul(L::Singles::load(even));
            }
            for (j, &tap) in taps.iter().enumerate() {
                let tap = L::Singles::splat(tap);
                let before = odd[reach - 1 - j..][..BLOCK].as_chunks().0;
                let behind = odd[reach + j..][..BLOCK].as_chunks().0;
                for ((sum, a), b) in sums.iter_mut().zip(before).zip(behind) {
                    *sum = sum.add(tap.mul(L::Singles::load(a).add(L::Singles::load(b))));
                }
            }
            for (to, sum) in to.as_chunks_mut().0.iter_mut().zip(sums) {
                sum.store(to);
            }
        }
        for (index, to) in rest.iter_mut().enumerate() {
            let at = done + index;
            let mut sum = 0.5 * even[at];
            for (j, tap) in taps.iter().enumerate() {
                sum += tap * (odd[at + reach - 1 - j] + odd[at + reach + j]);
            }
            *to = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_frame_is_the_filter_s_whatever_is_asked_for() {
        let x: Vec<f32> = (0..500_i64).map(|n| ((n * n * 7 + n) % 101) as f32 / 50.0 - 1.0).collect();
        let taps = [0.3_f32, -0.1, 0.05];
        let signal = Samples { samples: &x, first_frame: -20 };
        let at = |frame: i64| usize::try_from(frame + 20).ok().and_then(|at| x.get(at)).copied().unwrap_or(0.0);
        let mut halver = Halver::default();
        for frames in [-10..230, 0..1, 5..38, 100..100, 200..300] {
            let mut to = vec![f32::NAN; 3];
            halver.halve(signal, frames.clone(), &taps, &mut to);
            assert_eq!(to.len() as i64, frames.end - frames.start);
            for (m, got) in frames.zip(to) {
                let mut sum = 0.5 * at(2 * m);
                for (j, tap) in (0..).zip(&taps) {
                    sum += tap * (at(2 * m - 2 * j - 1) + at(2 * m + 2 * j + 1));
                }
                assert_eq!(got, sum, "frame {m}");
            }
        }
    }
}
