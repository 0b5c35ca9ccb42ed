//! Pitch classes of a melody.

use std::f64::consts::TAU;
use std::ops::Range;

use rayon::prelude::*;

use super::on_gpu::run;
use super::trial::{Limits, RATE_HZ, Reference, Run, Trial, music, spread, worst_error_db};
use crate::gpu::{Engine, Finished};
use crate::kernels::signal::FrameSpan;
use crate::kernels::signal::chroma::gpu::GpuChroma;
use crate::kernels::signal::chroma::{
    BINS_PER_OCTAVE, Basis, CLASSES, ConstantQ, ConstantQSpec, KERNEL, LOWEST_HZ, chroma,
};
use crate::kernels::signal::stft::{Samples, Spectra};
use base::error::Result;
use base::progress::Progress;

const HOP: usize = 512;
/// The number of windows that a CPU thread takes at a time.
const BATCH: usize = 256;
/// The limit against the definition: a hundredth of the largest class. The half-band filters ripple, and windows are
/// centred on frames of a lower rate.
const DEFINITION_DB: f64 = -40.0;
/// Operations per frame: transforms of 1024 points for each of seven octaves, and the products with the basis.
const OPERATIONS: f64 = 900.0;

struct Melody {
    samples: Vec<f32>,
    /// With the basis that is used by features, for timing.
    librosa: ConstantQ,
    /// With the whole basis, for comparing with the definition.
    exact: ConstantQ,
}

pub(super) fn trial(frames: usize, _channels: usize) -> Result<Box<dyn Trial>> {
    let plan = |basis| ConstantQ::new(ConstantQSpec { hop: HOP, tuning: 0.0, basis }, RATE_HZ);
    Ok(Box::new(Melody { samples: music(1, frames), librosa: plan(Basis::Librosa)?, exact: plan(Basis::Exact)? }))
}

impl Melody {
    fn windows(&self) -> u64 {
        self.exact.windows(self.samples.len() as u64)
    }

    fn run_cpu(&self, plan: &ConstantQ) -> Result<Run> {
        let windows = self.windows();
        let batch = |first: usize| -> Result<Spectra<f32>> {
            let some = first as u64..windows.min((first + BATCH) as u64);
            // Only the samples around the batch, as an analysis in blocks has them.
            let reach = plan.reach(some.clone());
            let mut around = Vec::new();
            Samples::whole(&self.samples).extract(reach.clone(), &mut around);
            plan.spectra(Samples { samples: &around, first_frame: reach.start }, some, &Progress::new())
        };
        let batches = (0..windows as usize).into_par_iter().step_by(BATCH);
        Run::timed(
            || batches.map(batch).collect::<Result<Vec<_>>>(),
            |spectra| spectra.iter().flat_map(chroma).flatten().collect(),
        )
    }

    fn run_gpu(&self, engine: &mut Engine, plan: &ConstantQ, windows: Range<u64>) -> Result<Run> {
        let gpu = GpuChroma::new(plan)?;
        let (classes, finished) = classes_on_gpu(engine, &gpu, Samples::whole(&self.samples), windows)?;
        Ok(Run::finished(classes.into_flattened(), finished))
    }
}

impl Trial for Melody {
    fn samples(&self) -> u64 {
        self.samples.len() as u64
    }

    fn operations(&self) -> f64 {
        OPERATIONS * self.samples.len() as f64
    }

    fn limits(&self) -> Limits {
        Limits { gpu_db: DEFINITION_DB, cpu_db: DEFINITION_DB, twin_db: KERNEL.tolerance_db }
    }

    fn group(&self) -> usize {
        CLASSES
    }

    fn on_cpu(&self) -> Result<Run> {
        self.run_cpu(&self.exact)
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        self.run_gpu(engine, &self.exact, 0..self.windows())
    }

    fn reference(&self) -> Result<Reference> {
        Ok(Reference::of(spread(self.windows() as usize, 4), |window| {
            exact(&self.samples, RATE_HZ, (window * HOP) as i64, self.exact.bins(), 0.0).to_vec()
        }))
    }

    /// Errors are relative to the largest class of the window.
    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        worst_error_db(got.chunks(CLASSES).zip(expected.chunks(CLASSES)).flat_map(|(got, expected)| {
            let largest = expected.iter().copied().fold(0.0, f64::max);
            got.iter().zip(expected).map(move |(&got, wanted)| ((f64::from(got) - wanted).abs(), largest))
        }))
    }

    fn time_cpu(&self) -> Result<f64> {
        Ok(self.run_cpu(&self.librosa)?.seconds)
    }

    fn time_gpu(&self, engine: &mut Engine) -> Result<Finished> {
        Ok(self.run_gpu(engine, &self.librosa, 0..self.windows())?.finished)
    }
}

/// Computes the classes around a frame from their definition, at the recording's rate.
pub fn exact(samples: &[f32], rate_hz: f64, centre: i64, bins: usize, tuning: f64) -> [f64; CLASSES] {
    let per_octave = BINS_PER_OCTAVE as f64;
    let square = (2.0 / per_octave).exp2();
    let quality = (square + 1.0) / (square - 1.0);
    let mut classes = [0.0; CLASSES];
    for bin in 0..bins {
        let hz = LOWEST_HZ * ((bin as f64 + tuning) / per_octave).exp2();
        let length = quality * rate_hz / hz;
        let first = (-length / 2.0).floor();
        let count = ((length / 2.0).floor() - first) as usize;
        let (mut re, mut im, mut all) = (0.0, 0.0, 0.0);
        for n in 0..count {
            let weight = 0.5 - 0.5 * (TAU * n as f64 / count as f64).cos();
            all += weight;
            let frame = centre + first as i64 + n as i64;
            let x = usize::try_from(frame).ok().and_then(|at| samples.get(at)).map_or(0.0, |&x| f64::from(x));
            let (sin, cos) = (TAU * hz / rate_hz * (first + n as f64)).sin_cos();
            re += weight * x * cos;
            im -= weight * x * sin;
        }
        classes[(bin + 1) / 3 % CLASSES] += length.sqrt() * re.hypot(im) / all;
    }
    classes
}

/// Returns the classes of `windows`, equivalent to [`chroma`] of [`ConstantQ::spectra`].
pub fn classes_on_gpu(
    engine: &mut Engine,
    gpu: &GpuChroma,
    samples: Samples<'_>,
    windows: Range<u64>,
) -> Result<(Vec<[f32; CLASSES]>, Finished)> {
    let count = windows.end.saturating_sub(windows.start) as usize;
    run(
        engine,
        count,
        gpu.max_windows(),
        None,
        |recording, chunk| {
            let part = windows.start + chunk.start as u64..windows.start + chunk.end as u64;
            let signal = FrameSpan::upload(recording, samples, gpu.plan().reach(part.clone()));
            gpu.record(recording, signal, part)
        },
        GpuChroma::read,
    )
}
