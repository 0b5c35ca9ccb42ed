//! Shapes of power spectra.

use rayon::prelude::*;

use super::on_gpu::Rows;
use super::trial::{Limits, RATE_HZ, Reference, Run, Trial, powers, spread, transform, worst_error_db};
use crate::design::Bins;
use crate::gpu::{Engine, Finished};
use crate::kernels::signal::spectral_shape::{BAND_EDGES_HZ, BANDS, FLATNESS_FLOOR, KERNEL, ShapePlan, SpectralShape};
use crate::kernels::signal::stft::Spectra;
use base::error::Result;

/// The number of windows that a CPU thread takes at a time.
const BATCH: usize = 64;
/// Values per window: centroid, bandwidth, rolloff, flatness, flux, and the bands.
const VALUES: usize = 5 + BANDS;
/// Operations per bin, with a root and a logarithm counted as one each.
const OPERATIONS: f64 = 20.0;

struct Shapes {
    power: Spectra<f32>,
    plan: ShapePlan,
    bins: Bins,
    power_scale: f64,
    /// The mean over windows of the sum of magnitudes.
    magnitude: f64,
    samples: u64,
}

pub(super) fn trial(frames: usize, _channels: usize) -> Result<Box<dyn Trial>> {
    let transform = transform()?;
    let (bins, power_scale) = (transform.bins_at(RATE_HZ), transform.power_scale());
    let power = powers(&transform, frames)?;
    let plan = ShapePlan::new(bins, power_scale);
    let magnitudes: f64 = power.values.iter().map(|&p| f64::from(p).sqrt()).sum();
    let magnitude = magnitudes / power.windows() as f64;
    Ok(Box::new(Shapes { power, plan, bins, power_scale, magnitude, samples: frames as u64 }))
}

fn values(shape: &SpectralShape) -> impl Iterator<Item = f32> {
    [shape.centroid_hz, shape.bandwidth_hz, shape.rolloff_hz, shape.flatness, shape.flux].into_iter().chain(shape.bands)
}

impl Trial for Shapes {
    fn samples(&self) -> u64 {
        self.samples
    }

    fn operations(&self) -> f64 {
        OPERATIONS * self.power.values.len() as f64
    }

    fn limits(&self) -> Limits {
        Limits::within(KERNEL.tolerance_db)
    }

    fn group(&self) -> usize {
        VALUES
    }

    fn on_cpu(&self) -> Result<Run> {
        let (bins, windows) = (self.power.bins, self.power.windows());
        let shapes = |first: usize| {
            // The batch begins one window earlier if there is one, because flux compares with the preceding window.
            let before = first.min(1);
            let rows = (first - before) * bins..windows.min(first + BATCH) * bins;
            self.plan.shapes(&Spectra { bins, values: self.power.values[rows].to_vec() }, before)
        };
        let batches = (0..windows).into_par_iter().step_by(BATCH);
        Run::timed(
            || Ok(batches.map(shapes).collect::<Vec<_>>()),
            |shapes| shapes.iter().flatten().flat_map(values).collect(),
        )
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let (shapes, finished) = shapes_on_gpu(engine, &self.plan, &self.power, 0)?;
        let broken = [f32::NAN; VALUES];
        let all = |shape: &Option<SpectralShape>| {
            shape.as_ref().map_or_else(|| broken.to_vec(), |shape| values(shape).collect())
        };
        Ok(Run::finished(shapes.iter().flat_map(all).collect(), finished))
    }

    fn reference(&self) -> Result<Reference> {
        Ok(Reference::of(spread(self.power.windows(), 64), |window| {
            exact(&self.power, window, self.bins, self.power_scale).to_vec()
        }))
    }

    /// Errors are relative to the value. For the flux, which is a difference, they are relative to the mean sum of
    /// magnitudes. For the rolloff, they are scaled so that the limit is one bin.
    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        let limit = 10_f64.powf(KERNEL.tolerance_db / 20.0);
        let bin_hz = 1.001 * self.bins.hz_from_bin(1);
        worst_error_db(got.iter().zip(expected).enumerate().map(|(index, (&got, &expected))| {
            let difference = (f64::from(got) - expected).abs();
            match index % VALUES {
                1 => (difference, expected + 1e-6 * RATE_HZ),
                2 => (difference, bin_hz / limit),
                4 => (difference, self.magnitude),
                5.. => (difference, expected + f64::from(f32::MIN_POSITIVE)),
                _ => (difference, expected),
            }
        }))
    }
}

/// Computes the values of a window's shape from their definitions.
fn exact(power: &Spectra<f32>, window: usize, bins: Bins, power_scale: f64) -> [f64; VALUES] {
    let magnitudes = |window: usize| power.window(window).iter().map(|&p| f64::from(p).sqrt());
    let m: Vec<f64> = magnitudes(window).collect();
    let p: Vec<f64> = power.window(window).iter().map(|&p| f64::from(p)).collect();
    let (count, all) = (p.len() as f64, m.iter().sum::<f64>());
    let hz = |bin: usize| bins.hz_from_bin(bin);
    let moment = |of: &dyn Fn(usize) -> f64| {
        if all > 0.0 { m.iter().enumerate().map(|(bin, m)| of(bin) * m).sum::<f64>() / all } else { 0.0 }
    };
    let centroid = moment(&hz);
    let bandwidth = moment(&|bin| (hz(bin) - centroid).powi(2)).sqrt();
    let mut reached = 0.0;
    let rolloff = m.iter().position(|m| {
        reached += m;
        reached >= 0.85 * all
    });
    let floored = || p.iter().map(|p| (p / power_scale).max(FLATNESS_FLOOR));
    let flatness = (floored().map(f64::ln).sum::<f64>() / count).exp() / (floored().sum::<f64>() / count);
    let flux = match window.checked_sub(1) {
        Some(before) => m.iter().zip(magnitudes(before)).map(|(m, before)| (m - before).max(0.0)).sum(),
        None => 0.0,
    };
    let mut values = [0.0; VALUES];
    values[..5].copy_from_slice(&[centroid, bandwidth, rolloff.filter(|_| all > 0.0).map_or(0.0, hz), flatness, flux]);
    for (band, value) in values[5..].iter_mut().enumerate() {
        let most = hz(p.len() - 1);
        let [low, high] = [BAND_EDGES_HZ[band].min(most), BAND_EDGES_HZ[band + 1].min(most)];
        let half = hz(1) / 2.0;
        let share = |bin: usize| ((hz(bin) + half).min(high) - (hz(bin) - half).max(low)).max(0.0) / hz(1);
        *value = p.iter().enumerate().map(|(bin, p)| p * share(bin)).sum();
    }
    values
}

/// Returns the shapes of the windows from `first` on, like [`ShapePlan::shapes`], but `None` for a window that is not
/// finite.
pub fn shapes_on_gpu(
    engine: &mut Engine,
    plan: &ShapePlan,
    power: &Spectra<f32>,
    first: usize,
) -> Result<(Vec<Option<SpectralShape>>, Finished)> {
    let (columns, wanted) = (plan.bins(), first..power.values.len() / plan.bins());
    // The flux of a window compares with the one before it.
    Rows { values: &power.values, columns, wanted, margins: [1, 0], results: 0 }.run(
        engine,
        None,
        |recording, plane, wanted| plan.record(recording, plane, wanted),
        |bytes, windows| plan.read(bytes, windows),
    )
}
