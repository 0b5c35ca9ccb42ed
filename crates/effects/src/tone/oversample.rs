//! Oversampling: raises a stream to a multiple of its rate and back, so that harmonics from distortion do not alias.
//!
//! Each doubling is a linear-phase FIR, a sinc under a Kaiser window with 120 dB attenuation, used both ways. The
//! first, between the stream's rate and its double, passes up to 5/11 of the rate (20 kHz at 44.1 kHz) and stops from
//! half the rate on, so that nothing aliases there. The others are half-band filters, in which every second tap is
//! zero, because the band between is empty. Every sum has a fixed order, so that block sizes do not affect the bits.
//!
//! A `NaN` leaves the filters after their length.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use std::f64::consts::PI;

use base::simd::{Lanes, Simd, Task};
use dsp::design::{KaiserSinc, kaiser_beta};
use dsp::measure::resample::PASS_BAND;

const ATTENUATION_DB: f64 = 120.0;

/// The filters for one oversampling factor.
#[derive(Debug)]
pub(super) struct Filters {
    /// From the stream's rate upwards.
    stages: Vec<Stage>,
}

/// The filter of one doubling at the higher rate: `2 delay + 1` taps, without those that are zero.
#[derive(Debug)]
struct Stage {
    delay: usize,
    /// Even and odd taps: how many frames of the lower rate each looks back, and its weight.
    phases: [Vec<(usize, f64)>; 2],
    /// The number of frames of the lower rate that the filter looks back.
    reach: usize,
}

impl Filters {
    /// Designs the filters for a factor of `2^doublings`.
    pub fn new(doublings: usize) -> Self {
        let stages = (1..=doublings)
            .map(|stage| {
                let lower = 2f64.powi(stage as i32);
                // In cycles per frame of the higher rate. Above the first doubling, the spectrum only extends to half
                // the stream's rate.
                if stage == 1 { Stage::new(PASS_BAND / 2.0, 0.25) } else { Stage::new(0.5 / lower, 0.5 - 0.5 / lower) }
            })
            .collect();
        Self { stages }
    }

    /// Returns the delay of both directions together, in frames of the highest rate.
    pub fn delay(&self) -> usize {
        let doublings = self.stages.len();
        self.stages.iter().enumerate().map(|(index, stage)| (2 * stage.delay) << (doublings - 1 - index)).sum()
    }

    pub fn factor(&self) -> usize {
        1 << self.stages.len()
    }
}

impl Stage {
    fn new(pass: f64, stop: f64) -> Self {
        let wanted = (ATTENUATION_DB - 7.95) / (2.285 * 2.0 * PI * (stop - pass));
        // Odd, so that the middle tap of a half-band filter is among its odd taps and all the others there are zero.
        let delay = (wanted / 2.0).ceil() as usize | 1;
        let cutoff = f64::midpoint(pass, stop);
        let sinc = KaiserSinc { cutoff, half_width: (delay + 1) as f64, beta: kaiser_beta(ATTENUATION_DB) };
        let half_band = cutoff == 0.25;
        let tap = |index: usize| {
            let t = index as f64 - delay as f64;
            if half_band && index != delay && (index + delay).is_multiple_of(2) {
                return 0.0;
            }
            sinc.at(t)
        };
        let phases = [0, 1].map(|phase| {
            let taps: Vec<f64> = (phase..=2 * delay).step_by(2).map(tap).collect();
            // The gain of each phase at 0 Hz is exactly one half, so that a constant passes exactly.
            let sum: f64 = taps.iter().sum();
            taps.into_iter().enumerate().filter(|(_, tap)| *tap != 0.0).map(|(at, tap)| (at, 0.5 * tap / sum)).collect()
        });
        Self { delay, phases, reach: delay + 1 }
    }
}

/// The up and down conversion of one channel, with the past input of its filters.
#[derive(Debug)]
pub(super) struct Channel {
    up: Vec<Vec<f64>>,
    /// The even and odd frames, separately.
    down: Vec<[Vec<f64>; 2]>,
    scratch: [Vec<f64>; 2],
}

impl Channel {
    /// Creates a channel with silence before it.
    pub fn new(filters: &Filters) -> Self {
        let silence = |stage: &Stage| vec![0.0; stage.reach];
        Self {
            up: filters.stages.iter().map(silence).collect(),
            down: filters.stages.iter().map(|stage| [silence(stage), silence(stage)]).collect(),
            scratch: [Vec::new(), Vec::new()],
        }
    }

    /// Converts samples from the stream's rate to the highest rate.
    pub fn up(&mut self, filters: &Filters, samples: &mut Vec<f64>) {
        for (stage, held) in filters.stages.iter().zip(&mut self.up) {
            held.extend_from_slice(samples);
            for (phase, out) in stage.phases.iter().zip(&mut self.scratch) {
                weigh(phase, held, stage.reach, samples.len(), out);
            }
            held.drain(..samples.len());
            samples.clear();
            let [even, odd] = &self.scratch;
            // Half of each pair is zero-stuffed, which halves the level.
            samples.extend(even.iter().zip(odd).flat_map(|(even, odd)| [2.0 * even, 2.0 * odd]));
        }
    }

    /// Converts samples from the highest rate to the stream's rate.
    pub fn down(&mut self, filters: &Filters, samples: &mut Vec<f64>) {
        for (stage, [evens, odds]) in filters.stages.iter().zip(&mut self.down).rev() {
            let count = samples.len() / 2;
            evens.extend(samples.iter().step_by(2));
            odds.extend(samples.iter().skip(1).step_by(2));
            let [even, odd] = &mut self.scratch;
            weigh(&stage.phases[0], evens, stage.reach, count, even);
            // An odd tap before an even frame meets the odd frame of the previous pair.
            weigh(&stage.phases[1], odds, stage.reach - 1, count, odd);
            evens.drain(..count);
            odds.drain(..count);
            samples.clear();
            samples.extend(even.iter().zip(odd.iter()).map(|(even, odd)| even + odd));
        }
    }

    /// Returns the past input of the filters.
    pub fn state(&self) -> impl Iterator<Item = f64> {
        self.up.iter().chain(self.down.iter().flatten()).flatten().copied()
    }

    /// Restores what [`Channel::state`] returned. Returns `false` if it is too short.
    pub fn restore(&mut self, state: &mut impl Iterator<Item = f64>) -> bool {
        self.up
            .iter_mut()
            .chain(self.down.iter_mut().flatten())
            .flatten()
            .all(|to| state.next().map(|from| *to = from).is_some())
    }
}

/// Computes the weighted sums of `held` for `count` frames from `from` on.
fn weigh(taps: &[(usize, f64)], held: &[f64], from: usize, count: usize, out: &mut Vec<f64>) {
    out.clear();
    out.resize(count, 0.0);
    Simd::best().dispatch(Weigh { taps, held, from, out });
}

struct Weigh<'a> {
    taps: &'a [(usize, f64)],
    held: &'a [f64],
    from: usize,
    out: &'a mut [f64],
}

impl Task for Weigh<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { taps, held, from, out } = self;
        for &(back, tap) in taps {
            for (sum, sample) in out.iter_mut().zip(&held[from - back..]) {
                *sum += tap * sample;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_and_down_again_is_a_plain_delay_in_the_pass_band() {
        for doublings in 1..=4 {
            let filters = Filters::new(doublings);
            let factor = filters.factor();
            let mut channel = Channel::new(&filters);
            let at = |time: f64| [0.03, 0.2, 0.43].iter().map(|hz| (2.0 * PI * hz * time).sin()).sum::<f64>();
            let mut samples: Vec<f64> = (0..2000).map(|frame| at(f64::from(frame))).collect();
            channel.up(&filters, &mut samples);
            assert_eq!(samples.len(), 2000 * factor);
            let up_delay = filters.delay() as f64 / 2.0;
            for (frame, sample) in samples.iter().enumerate().skip(1000 * factor) {
                let expected = at((frame as f64 - up_delay) / factor as f64);
                assert!((sample - expected).abs() < 1e-5, "x{factor} {frame}: {sample} for {expected}");
            }
            channel.down(&filters, &mut samples);
            let delay = filters.delay() as f64 / factor as f64;
            for (frame, sample) in samples.iter().enumerate().skip(1000) {
                let expected = at(frame as f64 - delay);
                assert!((sample - expected).abs() < 1e-5, "x{factor} {frame}: {sample} for {expected}");
            }
        }
    }

    #[test]
    fn what_lies_above_half_the_rate_does_not_fold() {
        let filters = Filters::new(3);
        for hz in [0.5, 0.52, 0.7, 1.0, 1.3, 1.5, 2.1, 3.0, 3.51] {
            let mut channel = Channel::new(&filters);
            let mut samples: Vec<f64> =
                (0..8 * 1500).map(|n| (2.0 * PI * hz * f64::from(n) / 8.0 + 0.3).sin()).collect();
            channel.down(&filters, &mut samples);
            let most = samples[500..].iter().fold(0.0f64, |most, sample| most.max(sample.abs()));
            assert!(most < 3e-6, "{hz}: {most}");
        }
    }
}
