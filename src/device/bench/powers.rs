//! Benchmarks of the kernels that take power spectra.

use std::time::Instant;

use rayon::prelude::*;

use super::median;
use crate::design::{Bank, FrequencyScale, MelNorm};
use crate::error::{Error, Result};
use crate::gpu::{Engine, Recording};
use crate::kernels::band_sums::BandSums;
use crate::kernels::extremes::{Extremes, Run};
use crate::kernels::median::gpu::{Axis, record as record_medians};
use crate::kernels::median::{self, Median};
use crate::kernels::spectral_shape::ShapePlan;
use crate::kernels::stft::{Samples, Spectra, StftPlan, cpu};
use crate::kernels::{Plane, hpss};
use crate::progress::Progress;

/// The names of those kernels.
pub(super) const KERNELS: [&str; 5] = ["band_sums", "extremes", "hpss", "median", "spectral_shape"];

/// The number of bands of the mel filter bank.
const BANDS: usize = 128;
/// The number of windows that a CPU thread takes at a time.
const BATCH: usize = median::LANES;

/// Divides the bins into octaves. For each, the kernel averages the smallest and the largest fiftieth.
fn octaves(bins: usize) -> Vec<Run> {
    let first = (bins / 128).max(1);
    let starts = std::iter::successors(Some(first), |start| Some(2 * start)).take_while(|&start| start < bins);
    starts
        .map(|start| (start, (2 * start).min(bins)))
        .map(|(start, end)| Run { from: start, to: end, count: (end - start).div_ceil(50) })
        .collect()
}

/// The power spectra and plans to benchmark with.
pub(super) struct Powers {
    power: Spectra<f32>,
    shapes: ShapePlan,
    bands: BandSums,
    extremes: Extremes,
}

impl Powers {
    /// Computes the power spectra of a channel at 48 kHz.
    pub fn new(plan: &StftPlan, samples: Samples<'_>) -> Result<Self> {
        let bins = plan.bins_at(48e3);
        let bank = Bank::triangles(bins, FrequencyScale::Mel, [0.0, 24e3], BANDS, MelNorm::Area)?;
        let rows: Vec<(usize, Vec<f32>)> = (bank.rows().iter())
            .map(|row| (row.first_bin, row.weights.iter().map(|&weight| weight as f32).collect()))
            .collect();
        let windows = plan.windows(samples.samples.len() as u64);
        Ok(Self {
            power: cpu::power(plan, samples, 0..windows)?,
            shapes: ShapePlan::new(bins, plan.power_scale()),
            extremes: Extremes::new(bins.count(), octaves(bins.count()))?,
            bands: BandSums::new(bins.count(), rows.iter().map(|(first, weights)| (*first, weights.as_slice()))),
        })
    }

    /// Returns the median time of several runs on all CPU threads, in seconds.
    pub fn cpu_seconds(&self, kernel: &str) -> Result<f64> {
        let Self { power, shapes, bands, extremes } = self;
        let (bins, windows) = (power.bins, power.windows());
        let batches = || (0..windows).into_par_iter().step_by(BATCH).map(|first| first..windows.min(first + BATCH));
        median(|| {
            let started = Instant::now();
            match kernel {
                "band_sums" => batches().try_for_each(|batch| {
                    let rows = &power.values[batch.start * bins..batch.end * bins];
                    bands.sums(rows).map(|sums| drop(std::hint::black_box(sums)))
                })?,
                "extremes" => batches().try_for_each(|batch| {
                    let rows = &power.values[batch.start * bins..batch.end * bins];
                    extremes.means(rows).map(|means| drop(std::hint::black_box(means)))
                })?,
                "hpss" => drop(std::hint::black_box(hpss::energies(power, 0..windows, &Progress::new())?)),
                "median" => batches().for_each_init(
                    || (Median::new(bins), vec![0.0; BATCH * bins]),
                    |(median, to), batch| {
                        median.along_columns(&power.values, batch.clone(), to);
                        std::hint::black_box(&to);
                        median.along_rows(&power.values, batch, to);
                        std::hint::black_box(&to);
                    },
                ),
                "spectral_shape" => batches().for_each(|batch| {
                    let values = power.values[batch.start * bins..batch.end * bins].to_vec();
                    std::hint::black_box(shapes.shapes(&Spectra { bins, values }, 0));
                }),
                other => return Err(Error::Internal(format!("no bench of {other}"))),
            }
            Ok(started.elapsed().as_secs_f64())
        })
    }

    /// Returns the median time of several runs on the device, in seconds.
    pub fn gpu_seconds(&self, engine: &mut Engine, kernel: &str) -> Result<f64> {
        let Self { power, shapes, bands, extremes } = self;
        let windows = power.windows().min(Plane::most_rows(power.bins));
        let values = &power.values[..windows * power.bins];
        // The time for fewer windows is scaled to all of them.
        let all = power.windows() as f64 / windows.max(1) as f64;
        let mut once = || {
            let mut recording = Recording::new();
            let plane = Plane::upload(&mut recording, power.bins, values);
            match kernel {
                "band_sums" => drop(bands.record(&mut recording, plane, 0..windows)),
                "extremes" => drop(extremes.record(&mut recording, plane, 0..windows)),
                "hpss" => drop(hpss::gpu::record(&mut recording, plane, 0..windows)),
                "median" => {
                    record_medians(&mut recording, plane, 0..windows, Axis::Columns);
                    record_medians(&mut recording, plane, 0..windows, Axis::Rows);
                }
                "spectral_shape" => drop(shapes.record(&mut recording, plane, 0..windows)),
                other => return Err(Error::Internal(format!("no bench of {other}"))),
            }
            Ok(all * engine.execute(&recording, None, &mut |_, _| {})?.seconds.kernels)
        };
        // The first run compiles the pipelines and lets the engine choose its submission sizes.
        once()?;
        median(once)
    }
}
