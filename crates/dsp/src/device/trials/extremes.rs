//! The smallest and the largest fiftieth of each octave of power spectra.

use rayon::prelude::*;

use super::on_gpu::Rows;
use super::trial::{Limits, Reference, Run, Trial, powers, spread, transform, worst_error_db};
use crate::gpu::{Engine, Finished};
use crate::kernels::signal::extremes::{Extremes, KERNEL, Means, Run as Octave};
use crate::kernels::signal::stft::Spectra;
use base::error::Result;

/// The number of windows that a CPU thread takes at a time.
const BATCH: usize = 64;
/// The number of passes over the values for one extreme on a GPU.
const PASSES: f64 = 5.0;

struct Octaves {
    power: Spectra<f32>,
    extremes: Extremes,
    samples: u64,
}

pub(super) fn trial(frames: usize, _channels: usize) -> Result<Box<dyn Trial>> {
    let power = powers(&transform()?, frames)?;
    let extremes = Extremes::new(power.bins, octaves(power.bins))?;
    Ok(Box::new(Octaves { power, extremes, samples: frames as u64 }))
}

fn octaves(bins: usize) -> Vec<Octave> {
    let first = (bins / 128).max(1);
    let starts = std::iter::successors(Some(first), |start| Some(2 * start)).take_while(|&start| start < bins);
    starts
        .map(|start| (start, (2 * start).min(bins)))
        .map(|(from, to)| Octave { from, to, count: (to - from).div_ceil(50) })
        .collect()
}

fn values(means: &[Means]) -> Vec<f32> {
    means.iter().flat_map(|means| [means.low, means.high]).collect()
}

impl Trial for Octaves {
    fn samples(&self) -> u64 {
        self.samples
    }

    fn operations(&self) -> f64 {
        PASSES * self.power.values.len() as f64
    }

    fn limits(&self) -> Limits {
        Limits::within(KERNEL.tolerance_db)
    }

    fn group(&self) -> usize {
        2 * self.extremes.runs().len()
    }

    fn on_cpu(&self) -> Result<Run> {
        let batches = self.power.values.par_chunks(BATCH * self.power.bins);
        let means = || batches.map(|rows| self.extremes.means(rows)).collect::<Result<Vec<_>>>();
        Run::timed(means, |means| values(&means.concat()))
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let (means, finished) = means_on_gpu(engine, &self.extremes, &self.power.values)?;
        Ok(Run::finished(values(&means), finished))
    }

    fn reference(&self) -> Result<Reference> {
        Ok(Reference::of(spread(self.power.windows(), 64), |window| {
            self.extremes.runs().iter().flat_map(|run| exact(run, self.power.window(window))).collect()
        }))
    }

    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        worst_error_db(got.iter().zip(expected).map(|(&got, &expected)| ((f64::from(got) - expected).abs(), expected)))
    }
}

/// Computes the means of the smallest and of the largest magnitudes of a run in f64, by sorting.
pub fn exact(run: &Octave, row: &[f32]) -> [f64; 2] {
    let mut roots: Vec<f64> = row[run.from..run.to].iter().map(|&x| f64::from(x).sqrt()).collect();
    roots.sort_by(f64::total_cmp);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / run.count as f64;
    [mean(&roots[..run.count]), mean(&roots[roots.len() - run.count..])]
}

/// Returns the means of all rows of `plane`, like [`Extremes::means`].
pub fn means_on_gpu(engine: &mut Engine, plan: &Extremes, plane: &[f32]) -> Result<(Vec<Means>, Finished)> {
    let (columns, wanted) = (plan.values(), 0..plan.rows(plane)?);
    Rows { values: plane, columns, wanted, margins: [0; 2], results: 2 * plan.runs().len() }.run(
        engine,
        None,
        |recording, plane, wanted| plan.record(recording, plane, wanted),
        |bytes, rows| plan.read(bytes, rows),
    )
}
