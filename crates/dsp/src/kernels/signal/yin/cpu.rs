//! Detects pitch on the CPU.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use std::ops::Range;

use super::{Pitch, YinPlan};
use crate::kernels::signal::stft::Samples;
use base::simd::{Lanes, Simd, Task};

impl YinPlan {
    /// Returns the pitch of each window.
    pub fn pitches(&self, samples: Samples<'_>, windows: Range<u64>) -> Vec<Pitch> {
        let mut pitches = Vec::with_capacity(windows.end.saturating_sub(windows.start) as usize);
        let mut state = self.hops.start(windows.start as i64 - 2);
        let mut difference = vec![0f32; self.longest + 1];
        let simd = Simd::best();
        for _ in windows {
            let heard = state.next_difference(samples, &mut difference);
            pitches.push(if heard {
                simd.dispatch(Dip { plan: self, difference: &difference })
            } else {
                Pitch::UNVOICED
            });
        }
        pitches
    }

    /// Refines the period with the parabola through the minimum and its neighbours.
    pub(super) fn refined(&self, lag: usize, before: f32, at: f32, after: f32) -> Pitch {
        let mut shift = 0.0;
        // The shortest lag has no predecessor.
        if before.is_finite() {
            let (a, b, c) = (f64::from(before), f64::from(at), f64::from(after));
            let (curve, slope) = (c + a - 2.0 * b, (c - a) / 2.0);
            if slope.abs() < curve.abs() {
                shift = -slope / curve;
            }
        }
        Pitch { hz: (self.rate_hz / (lag as f64 + shift)) as f32, aperiodicity: at }
    }
}

/// The number of lags that are examined together.
const CHUNK: usize = 16;
/// A chunk is skipped if its values exceed the threshold by this factor, which covers rounding.
const SURELY: f64 = 1.001;

/// The search for the first dip of the normalised difference below the threshold.
struct Dip<'a> {
    plan: &'a YinPlan,
    difference: &'a [f32],
}

impl Task for Dip<'_> {
    type Output = Pitch;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Pitch {
        let Self { plan, difference } = self;
        let (longest, threshold) = (plan.longest, plan.threshold);
        let mut sum = 0f64;
        for &d in &difference[1..plan.shortest] {
            sum += f64::from(d);
        }
        // The values at the two preceding lags.
        let (mut last, mut before) = (f32::INFINITY, f32::INFINITY);
        let mut lag = plan.shortest;
        while lag <= longest {
            // A chunk without a value below the threshold needs no division.
            if !(last < threshold)
                && let Some(chunk) = difference[lag..=longest].first_chunk::<CHUNK>()
            {
                let (least, total) = least_and_total(chunk, lag);
                if f64::from(least) > SURELY * f64::from(threshold) * (sum + total) {
                    lag += CHUNK;
                    sum += total;
                    (before, last) = (f32::INFINITY, value(lag - 1, difference[lag - 1], sum));
                    continue;
                }
            }
            let end = lag + CHUNK.min(longest + 1 - lag);
            while lag < end {
                sum += f64::from(difference[lag]);
                let now = value(lag, difference[lag], sum);
                if last < threshold && last < before && last <= now {
                    return plan.refined(lag - 1, before, last, now);
                }
                (before, last) = (last, now);
                lag += 1;
            }
        }
        if last < threshold && last < before {
            return Pitch { hz: (plan.rate_hz / longest as f64) as f32, aperiodicity: last };
        }
        Pitch::UNVOICED
    }
}

/// Returns the normalised difference.
#[inline(always)]
fn value(lag: usize, difference: f32, sum: f64) -> f32 {
    if sum > 0.0 { (lag as f64 * f64::from(difference) / sum) as f32 } else { 1.0 }
}

/// Returns the smallest product of a difference and its lag, and the sum of the differences.
#[inline(always)]
fn least_and_total(chunk: &[f32; CHUNK], lag: usize) -> (f32, f64) {
    let (mut products, mut sums) = ([0f32; CHUNK], [0f64; CHUNK / 2]);
    for (n, (to, d)) in products.iter_mut().zip(chunk).enumerate() {
        *to = (lag + n) as f32 * d;
    }
    for (n, sum) in sums.iter_mut().enumerate() {
        *sum = f64::from(chunk[n]) + f64::from(chunk[n + CHUNK / 2]);
    }
    let mut least = f32::INFINITY;
    for product in products {
        least = if product < least { product } else { least };
    }
    (least, ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7])))
}
