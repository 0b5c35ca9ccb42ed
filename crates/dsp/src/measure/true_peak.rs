//! True peak: the highest magnitude of the waveform, including between samples (ITU-R BS.1770-4, annex 2).
//!
//! The signal is interpolated fourfold below 96 kHz and twofold below 192 kHz by a Hann-windowed sinc of 49 taps at the
//! higher rate, as in the `ebur128` crate. From 192 kHz on the sample peak is used. Stretches whose samples cannot
//! exceed the highest peak so far are skipped; this does not change the result.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use std::f64::consts::PI;

use rayon::prelude::*;

use crate::kernels::signal::peak::peak;
use base::simd::{Lanes, Simd, Task};
use base::sound::AudioFormat;

/// Taps over all phases; the 49th is zero.
const TAPS: usize = 48;
/// Frames per stretch.
const STRETCH: usize = 128;
/// The least number of frames that are divided among threads by channel.
const WORTH_SHARING: usize = 1 << 13;

/// The interpolation filter for a rate.
#[derive(Clone, Debug)]
pub struct TruePeakPlan {
    /// Coefficients of the phases between samples, the one for the newest sample first.
    phases: Vec<Vec<f32>>,
    /// The largest ratio of a true peak to its sample peak.
    most: f32,
}

impl TruePeakPlan {
    /// Plans the interpolation for a rate.
    pub fn new(rate_hz: u32) -> Self {
        let factor = match rate_hz {
            0..96_000 => 4,
            96_000..192_000 => 2,
            _ => 1,
        };
        let value = |j: usize| {
            let x = PI * (j as f64 - TAPS as f64 / 2.0) / factor as f64;
            let hann = 0.5 * (1.0 - (2.0 * PI * j as f64 / TAPS as f64).cos());
            if x == 0.0 { hann } else { hann * x.sin() / x }
        };
        // Phase 0 is the samples themselves.
        let phase = |phase: usize| (phase..TAPS).step_by(factor).map(|j| value(j) as f32).collect();
        let phases: Vec<Vec<f32>> = (1..factor).map(phase).collect();
        let sum = |taps: &Vec<f32>| taps.iter().map(|tap| tap.abs()).sum::<f32>();
        let most = phases.iter().map(sum).fold(1.0, f32::max) * 1.000_01;
        Self { phases, most }
    }

    /// The number of frames before a block that its interpolation needs.
    pub const LEAD: usize = TAPS / 2;

    /// Returns the true peak of the frames after the first [`TruePeakPlan::LEAD`] of `samples`, or `highest` if that is
    /// higher, as a linear gain.
    pub fn peak(&self, samples: &[f32], highest: f32) -> f32 {
        let frames = samples.len().saturating_sub(Self::LEAD);
        let (lead, block) = samples.split_at(samples.len() - frames);
        let peaks: Vec<f32> = block.chunks(STRETCH).map(peak).collect();
        let mut highest = peaks.iter().copied().fold(highest, f32::max);
        // The samples that a stretch is interpolated from begin within the stretch before it.
        let mut before = peak(lead);
        for (start, level) in (0..frames).step_by(STRETCH).zip(peaks) {
            let end = frames.min(start + STRETCH);
            let stretch = &samples[start..Self::LEAD + end];
            let around = std::mem::replace(&mut before, level).max(level);
            if around * self.most > highest {
                highest = highest.max(Simd::best().dispatch(PeakSegment { plan: self, samples: stretch }));
            }
        }
        highest
    }
}

/// The true peak of each channel of a stream, measured block by block.
pub struct TruePeaks {
    plan: TruePeakPlan,
    /// The last frames, which the interpolation needs, followed by the current block.
    seen: Vec<Vec<f32>>,
    peaks: Vec<f32>,
}

impl TruePeaks {
    /// Creates a meter for a stream.
    pub fn new(format: AudioFormat) -> Self {
        Self {
            plan: TruePeakPlan::new(format.rate.hz()),
            seen: vec![vec![0.0; TruePeakPlan::LEAD]; format.channels],
            peaks: vec![0.0; format.channels],
        }
    }

    /// Adds the next frames, a plane per channel. Interpolated values next to a `NaN` are ignored.
    pub fn add(&mut self, planes: &[&[f32]]) {
        let plan = &self.plan;
        let add = |seen: &mut Vec<f32>, most: &mut f32, samples: &[f32]| {
            seen.extend_from_slice(samples);
            *most = plan.peak(seen, *most);
            seen.drain(..seen.len() - TruePeakPlan::LEAD);
        };
        if planes.first().is_some_and(|plane| plane.len() >= WORTH_SHARING) {
            let channels = self.seen.par_iter_mut().zip(&mut self.peaks).zip(planes);
            channels.for_each(|((seen, most), samples)| add(seen, most, samples));
        } else {
            let channels = self.seen.iter_mut().zip(&mut self.peaks).zip(planes);
            channels.for_each(|((seen, most), samples)| add(seen, most, samples));
        }
    }

    /// Returns the highest peak of any channel so far as a linear gain.
    pub fn highest(&self) -> f64 {
        self.peaks.iter().copied().fold(0.0, f32::max).into()
    }

    /// Returns the peaks as linear gains, after the interpolation of the last frames has settled.
    pub fn finish(mut self) -> Vec<f64> {
        let silence = [0.0; TruePeakPlan::LEAD];
        self.add(&vec![&silence[..]; self.peaks.len()]);
        self.peaks.into_iter().map(f64::from).collect()
    }
}

struct PeakSegment<'a> {
    plan: &'a TruePeakPlan,
    samples: &'a [f32],
}

impl Task for PeakSegment<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f32 {
        let Self { plan, samples } = self;
        let count = samples.len() - TruePeakPlan::LEAD;
        let mut sums = [0f32; STRETCH];
        let mut most = 0;
        for taps in &plan.phases {
            sums.fill(0.0);
            for (back, tap) in taps.iter().enumerate() {
                let from = &samples[TruePeakPlan::LEAD - back..][..count];
                for (sum, x) in sums.iter_mut().zip(from) {
                    *sum += tap * x;
                }
            }
            most = sums[..count].iter().fold(most, |most: u32, x| (x.to_bits() & 0x7fff_ffff).max(most));
        }
        f32::from_bits(most)
    }
}
