//! The pitch of a melody.

use std::ops::Range;

use rayon::prelude::*;

use super::on_gpu::run;
use super::trial::{Limits, RATE_HZ, Reference, Run, Trial, music, spread};
use crate::gpu::{Engine, Finished, Recording};
use crate::kernels::signal::FrameSpan;
use crate::kernels::signal::stft::Samples;
use crate::kernels::signal::yin::{KERNEL, Pitch, YinPlan, YinSpec};
use base::error::Result;

const HOP: usize = 512;
/// The number of windows that a CPU thread takes at a time.
const BATCH: usize = 256;
/// The limit of the CPU twin, whose transforms are in f32: a cent, or a ratio of 2^(1/1200).
const CENT_DB: f64 = -64.75;
/// The weight of the aperiodicity's error, chosen so that pitch and aperiodicity have the same limit.
const APERIODICITY_SHARE: f64 = 3.0;
/// If the aperiodicity is this close to the threshold, rounding decides whether the window is voiced.
const DOUBT: f64 = 1e-4;

struct Melody {
    samples: Vec<f32>,
    spec: YinSpec,
    plan: YinPlan,
}

pub(super) fn trial(frames: usize, _channels: usize) -> Result<Box<dyn Trial>> {
    let spec = YinSpec::default();
    Ok(Box::new(Melody { samples: music(1, frames), spec, plan: YinPlan::new(HOP, RATE_HZ, spec)? }))
}

fn values(pitches: &[Pitch]) -> Vec<f32> {
    pitches.iter().flat_map(|pitch| [pitch.hz, pitch.aperiodicity]).collect()
}

impl Melody {
    fn windows(&self) -> u64 {
        1 + (self.samples.len() / HOP) as u64
    }

    /// Returns the longest lag, the period of the lowest pitch.
    fn longest(&self) -> usize {
        ((RATE_HZ / self.spec.low_hz).ceil() as usize).min(2 * HOP)
    }
}

impl Trial for Melody {
    fn samples(&self) -> u64 {
        self.samples.len() as u64
    }

    /// Three operations per lag and frame, because windows share the differences of their hops.
    fn operations(&self) -> f64 {
        3.0 * (self.longest() * self.samples.len()) as f64
    }

    fn limits(&self) -> Limits {
        Limits { gpu_db: KERNEL.tolerance_db, cpu_db: CENT_DB, twin_db: CENT_DB }
    }

    fn group(&self) -> usize {
        2
    }

    fn on_cpu(&self) -> Result<Run> {
        let windows = self.windows();
        let batch = |first: usize| {
            let some = first as u64..windows.min((first + BATCH) as u64);
            self.plan.pitches(Samples::whole(&self.samples), some)
        };
        let batches = (0..windows as usize).into_par_iter().step_by(BATCH);
        Run::timed(|| Ok(batches.map(batch).collect::<Vec<_>>()), |pitches| values(&pitches.concat()))
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let samples = Samples::whole(&self.samples);
        let (pitches, finished) = pitches_on_gpu(engine, &self.plan, samples, 0..self.windows())?;
        Ok(Run::finished(values(&pitches), finished))
    }

    fn reference(&self) -> Result<Reference> {
        Ok(Reference::of(spread(self.windows() as usize, 16), |window| {
            let (pitch, _) = exact(&self.samples, HOP, RATE_HZ, &self.spec, window as u64);
            pitch.map_or([f64::NAN; 2], |(hz, aperiodicity)| [hz, aperiodicity]).to_vec()
        }))
    }

    /// Errors are relative to the period. Windows in which rounding decides are left out.
    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        let threshold = self.spec.threshold;
        let mut worst = f64::NEG_INFINITY;
        for (got, wanted) in got.chunks(2).zip(expected.chunks(2)) {
            let [hz, aperiodicity] = [f64::from(got[0]), f64::from(got[1])];
            let doubtful = |aperiodicity: f64| (aperiodicity - threshold).abs() < DOUBT;
            let unvoiced = hz.is_nan() && wanted[0].is_nan();
            if unvoiced || doubtful(aperiodicity) || doubtful(wanted[1]) {
                continue;
            }
            let error = (hz / wanted[0] - 1.0).abs().max((aperiodicity - wanted[1]).abs() * APERIODICITY_SHARE);
            let db = if hz.is_nan() || wanted[0].is_nan() { f64::INFINITY } else { 20.0 * error.log10() };
            worst = worst.max(db);
        }
        worst
    }
}

/// Computes the pitch in Hz and the aperiodicity of a window from the definition, or `None` if it is unvoiced. Also
/// returns the smallest distance between a normalised difference and the threshold.
pub fn exact(samples: &[f32], hop: usize, rate_hz: f64, spec: &YinSpec, window: u64) -> (Option<(f64, f64)>, f64) {
    let threshold = spec.threshold;
    let start = window as i64 * hop as i64 - 2 * hop as i64;
    let at = |frame: i64| usize::try_from(frame).ok().and_then(|n| samples.get(n)).map_or(0.0, |&x| f64::from(x));
    let longest = ((rate_hz / spec.low_hz).ceil() as usize).min(2 * hop);
    let shortest = (rate_hz / spec.high_hz.min(rate_hz / 4.0)).floor() as usize;
    let frames: Vec<f64> = (0..(2 * hop + longest) as i64).map(|n| at(start + n)).collect();
    let mut sum = 0.0;
    let mut values = vec![1.0; longest + 1];
    for lag in 1..=longest {
        let d: f64 = (0..2 * hop).map(|j| (frames[j] - frames[j + lag]).powi(2)).sum();
        sum += d;
        values[lag] = if sum > 0.0 { lag as f64 * d / sum } else { 1.0 };
    }
    let mut doubt = f64::INFINITY;
    for lag in shortest..=longest {
        doubt = doubt.min((values[lag] - threshold).abs());
        let falls = lag == shortest || values[lag] < values[lag - 1];
        let rises = lag == longest || values[lag] <= values[lag + 1];
        if values[lag] < threshold && falls && rises {
            let mut shift = 0.0;
            if lag > shortest && lag < longest {
                let (a, b, c) = (values[lag - 1], values[lag], values[lag + 1]);
                let (curve, slope) = (c + a - 2.0 * b, (c - a) / 2.0);
                shift = if slope.abs() < curve.abs() { -slope / curve } else { 0.0 };
            }
            return (Some((rate_hz / (lag as f64 + shift), values[lag])), doubt);
        }
    }
    (None, doubt)
}

/// Returns the pitch of each window, like [`YinPlan::pitches`].
pub fn pitches_on_gpu(
    engine: &mut Engine,
    plan: &YinPlan,
    samples: Samples<'_>,
    windows: Range<u64>,
) -> Result<(Vec<Pitch>, Finished)> {
    let count = windows.end.saturating_sub(windows.start) as usize;
    let record = |recording: &mut Recording<'_>, chunk: Range<usize>| {
        let part = windows.start + chunk.start as u64..windows.start + chunk.end as u64;
        let signal = FrameSpan::upload(recording, samples, plan.frames(&part));
        plan.record(recording, signal, &part)
    };
    run(engine, count, plan.max_windows(), None, record, |bytes, windows| plan.read(bytes, windows))
}
