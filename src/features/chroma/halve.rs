//! A signal at half its rate.

use std::ops::Range;

use rayon::prelude::*;

use crate::kernels::Simd;
use crate::kernels::simd::{Lanes, Task};

/// Frames that are made at a time.
const BATCH: usize = 1024;

/// Part of a signal.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub first_frame: i64,
    pub samples: Vec<f32>,
}

/// The frames of the signal above that some frames of half its rate are made of, with half-band filters of so many taps
/// to a side.
pub(super) fn needed(frames: &Range<i64>, taps: usize) -> Range<i64> {
    let reach = 2 * taps as i64;
    2 * frames.start - reach..2 * frames.end + reach
}

/// The `frames` of half the rate of `signal`, which has at least those that are [`needed`]: `y(m) = x(2 m) / 2 + sum
/// over j of taps(j) (x(2 m - 2 j - 1) + x(2 m + 2 j + 1))`.
pub(super) fn halved(signal: &Part, frames: Range<i64>, taps: &[f32]) -> Part {
    let from = (needed(&frames, taps.len()).start - signal.first_frame) as usize;
    // Frames with even numbers, and those with odd ones.
    let pairs = signal.samples[from..].as_chunks::<2>().0;
    let (even, odd): (Vec<f32>, Vec<f32>) = pairs.iter().map(|&[even, odd]| (even, odd)).unzip();
    let mut samples = vec![0.0; (frames.end - frames.start) as usize];
    samples.par_chunks_mut(BATCH).enumerate().for_each(|(batch, to)| {
        let at = batch * BATCH;
        Simd::best().dispatch(Halve { even: &even[at..], odd: &odd[at..], taps, to });
    });
    Part { first_frame: frames.start, samples }
}

struct Halve<'a> {
    even: &'a [f32],
    odd: &'a [f32],
    taps: &'a [f32],
    to: &'a mut [f32],
}

impl Task for Halve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (count, reach) = (self.to.len(), self.taps.len());
        self.to.iter_mut().zip(&self.even[reach..]).for_each(|(to, x)| *to = 0.5 * x);
        for (j, tap) in self.taps.iter().enumerate() {
            let (before, behind) = (&self.odd[reach - 1 - j..][..count], &self.odd[reach + j..][..count]);
            for ((to, a), b) in self.to.iter_mut().zip(before).zip(behind) {
                *to += tap * (a + b);
            }
        }
    }
}
