//! A mel filter bank of 128 bands on power spectra.

use rayon::prelude::*;

use super::on_gpu::Rows;
use super::trial::{Limits, RATE_HZ, Reference, Run, Trial, powers, spread, transform, worst_error_db};
use crate::design::{Bank, FrequencyScale, MelNorm};
use crate::gpu::{Engine, Finished};
use crate::kernels::signal::band_sums::{BandSums, KERNEL};
use crate::kernels::signal::stft::Spectra;
use base::error::Result;

const BANDS: usize = 128;
/// The number of windows that a CPU thread takes at a time.
const BATCH: usize = 64;

struct MelBands {
    power: Spectra<f32>,
    rows: Vec<(usize, Vec<f32>)>,
    bands: BandSums,
    samples: u64,
}

pub(super) fn trial(frames: usize, _channels: usize) -> Result<Box<dyn Trial>> {
    let plan = transform()?;
    let power = powers(&plan, frames)?;
    let bank = Bank::triangles(plan.bins_at(RATE_HZ), FrequencyScale::Mel, [0.0, RATE_HZ / 2.0], BANDS, MelNorm::Area)?;
    let weights = |weights: &[f64]| weights.iter().map(|&weight| weight as f32).collect();
    let rows: Vec<(usize, Vec<f32>)> = bank.rows().iter().map(|row| (row.first_bin, weights(&row.weights))).collect();
    let bands = BandSums::new(power.bins, rows.iter().map(|(first, weights)| (*first, weights.as_slice())));
    Ok(Box::new(MelBands { power, rows, bands, samples: frames as u64 }))
}

impl Trial for MelBands {
    fn samples(&self) -> u64 {
        self.samples
    }

    fn operations(&self) -> f64 {
        let weights: usize = self.rows.iter().map(|(_, weights)| weights.len()).sum();
        2.0 * (weights * self.power.windows()) as f64
    }

    fn limits(&self) -> Limits {
        Limits::within(KERNEL.tolerance_db)
    }

    fn group(&self) -> usize {
        BANDS
    }

    fn on_cpu(&self) -> Result<Run> {
        let batches = self.power.values.par_chunks(BATCH * self.power.bins);
        let sums = || batches.map(|rows| self.bands.sums(rows)).collect::<Result<Vec<_>>>();
        Run::timed(sums, |sums| sums.concat())
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let (sums, finished) = sums_on_gpu(engine, &self.bands, &self.power.values)?;
        Ok(Run::finished(sums, finished))
    }

    fn reference(&self) -> Result<Reference> {
        Ok(Reference::of(spread(self.power.windows(), 64), |window| {
            let power = self.power.window(window);
            let sum = |(first, weights): &(usize, Vec<f32>)| {
                weights.iter().zip(&power[*first..]).map(|(w, x)| f64::from(*w) * f64::from(*x)).sum()
            };
            self.rows.iter().map(sum).collect()
        }))
    }

    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        worst_error_db(got.iter().zip(expected).map(|(&got, &expected)| ((f64::from(got) - expected).abs(), expected)))
    }
}

/// Returns the sums of all rows of `plane`, like [`BandSums::sums`].
pub fn sums_on_gpu(engine: &mut Engine, plan: &BandSums, plane: &[f32]) -> Result<(Vec<f32>, Finished)> {
    let (columns, wanted, count) = (plan.values(), 0..plan.rows(plane)?, plan.count());
    Rows { values: plane, columns, wanted, margins: [0; 2], results: count }.run(
        engine,
        None,
        |recording, plane, wanted| plan.record(recording, plane, wanted),
        |bytes, rows| bytemuck::pod_collect_to_vec(&bytes[..rows * count * 4]),
    )
}
