//! A reassigned spectrogram of windows of 2048 frames, on 512 rows.

use std::f64::consts::TAU;

use super::exact::{spectrum, windowed};
use super::trial::{Limits, RATE_HZ, Reference, Run, Trial, music};
use crate::design::{FrequencyScale, Window};
use crate::gpu::{Engine, Finished};
use crate::kernels::signal::reassigned::gpu::GpuReassigned;
use crate::kernels::signal::reassigned::{KERNEL, ReassignedPlan, ReassignedSpec, STILL_DB, cpu};
use crate::kernels::signal::stft::gpu::GpuColumns;
use crate::kernels::signal::stft::{ColumnAnalysis as _, ColumnGrid, Samples, Spacing, Tile};
use base::error::Result;

const SIZE: usize = 2048;
const ROWS: usize = 512;
const HOP: usize = 512;
/// The share of the places within 60 dB of the loudest that must be within 0.01 dB. Where a centre of gravity lies on
/// the edge between two places, rounding decides.
const MIN_NEAR: f64 = 0.98;

struct Picture {
    samples: Vec<f32>,
    plan: ReassignedPlan,
    grid: ColumnGrid,
}

pub(super) fn trial(frames: usize, _channels: usize) -> Result<Box<dyn Trial>> {
    let spec = ReassignedSpec { window: Window::Hann, size: SIZE, padding: 1 };
    let plan = ReassignedPlan::new(spec, RATE_HZ, FrequencyScale::Linear, [0.0, RATE_HZ / 2.0], ROWS)?;
    let grid = ColumnGrid {
        count: frames.div_ceil(HOP),
        first_centre: HOP as f64 / 2.0,
        frames_each: HOP as f64,
        spacing: Spacing::Within(0.5),
    };
    Ok(Box::new(Picture { samples: music(1, frames), plan, grid }))
}

/// Returns powers instead of levels, because energies are compared.
fn powers(tile: &Tile<f32>) -> Vec<f32> {
    tile.values.iter().map(|&db| if db <= -200.0 { 0.0 } else { 10_f32.powf(db / 10.0) }).collect()
}

impl Trial for Picture {
    fn samples(&self) -> u64 {
        self.samples.len() as u64
    }

    /// A transform of `N` real values takes `2.5 N log2 N` operations; [`ReassignedPlan::work`] counts `N log2 N / 11`.
    fn operations(&self) -> f64 {
        2.5 * 11.0 * self.plan.work(&self.grid)
    }

    fn limits(&self) -> Limits {
        Limits::within(KERNEL.tolerance_db)
    }

    /// The group is the whole picture, because energy moves between columns.
    fn group(&self) -> usize {
        ROWS * self.grid.count
    }

    fn on_cpu(&self) -> Result<Run> {
        let samples = Samples::whole(&self.samples);
        Run::timed(|| cpu::levels(&self.plan, &self.grid, samples, None), |tile| powers(&tile))
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let gpu = GpuReassigned::new(&self.plan)?;
        let (tile, finished) = gpu.levels(engine, &self.grid, Samples::whole(&self.samples), None)?;
        Ok(Run::finished(powers(&tile), finished))
    }

    fn reference(&self) -> Result<Reference> {
        Ok(Reference::of(vec![0], |_| exact(SIZE, ROWS, self.grid.count, HOP, &self.samples)))
    }

    /// The difference in energy, if enough of the places agree.
    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        let (near, energy) = agreement(got.iter().map(|&power| f64::from(power)), expected);
        match energy.abs() {
            _ if near < MIN_NEAR => f64::INFINITY,
            0.0 => f64::NEG_INFINITY,
            difference if difference.is_finite() => 20.0 * difference.log10(),
            _ => f64::INFINITY,
        }
    }

    fn time_cpu(&self) -> Result<f64> {
        let samples = Samples::whole(&self.samples);
        Ok(Run::timed(|| self.plan.fine(&self.grid, samples, None), |_| Vec::new())?.seconds)
    }

    fn time_gpu(&self, engine: &mut Engine) -> Result<Finished> {
        let gpu = GpuReassigned::new(&self.plan)?;
        Ok(gpu.fine(engine, &self.grid, Samples::whole(&self.samples), None)?.1)
    }
}

/// Returns the share of the places within 60 dB of the loudest whose error is below 0.01 dB, and the relative
/// difference of the total energy.
pub fn agreement(got: impl Iterator<Item = f64>, expected: &[f64]) -> (f64, f64) {
    let loudest = expected.iter().fold(0.0, |most: f64, &power| most.max(power));
    let (mut heard, mut near, mut sum) = (0.0, 0.0, 0.0);
    for (got, &expected) in got.zip(expected) {
        sum += got;
        if expected > 1e-6 * loudest {
            heard += 1.0;
            near += if (10.0 * (got / expected).log10()).abs() < 0.01 { 1.0 } else { 0.0 };
        }
    }
    (near / heard, sum / expected.iter().sum::<f64>() - 1.0)
}

/// Computes the powers of a picture from the definition, row after row, on a linear scale from 0 Hz to the Nyquist
/// frequency. Each column of `each` frames has one Hann window of `size` frames, a power of two.
pub fn exact(size: usize, rows: usize, columns: usize, each: usize, samples: &[f32]) -> Vec<f64> {
    let window = Window::Hann.periodic(size);
    let slope: Vec<f64> = (0..size).map(|n| (window[(n + 1) % size] - window[(n + size - 1) % size]) / 2.0).collect();
    let ramp: Vec<f64> = window.iter().enumerate().map(|(n, w)| w * (n as f64 - size as f64 / 2.0)).collect();
    let bins = size / 2 + 1;
    let scale = 4.0 / (size as f64 * window.iter().map(|w| w * w).sum::<f64>());
    let still = 10_f64.powf(STILL_DB / 10.0);
    let mut sums = vec![0.0; rows * columns];
    // Windows beyond the ends of the picture move energy into it.
    let beyond = 1 + (size / each) as i64;
    for index in -beyond..columns as i64 + beyond {
        let centre = index * each as i64 + each as i64 / 2;
        let start = centre - size as i64 / 2;
        let [plain, slope, ramp] =
            [&window, &slope, &ramp].map(|window| spectrum(&windowed(window, samples, start), size));
        for (bin, ((plain, slope), ramp)) in plain.iter().zip(&slope).zip(&ramp).enumerate() {
            let squared = plain[0] * plain[0] + plain[1] * plain[1];
            let cell = scale * squared * if bin == 0 || bin == bins - 1 { 0.5 } else { 1.0 };
            let (mut frames, mut place) = (0.0, bin as f64);
            if cell >= still {
                let time = (ramp[0] * plain[0] + ramp[1] * plain[1]) / squared;
                let moved = place - (slope[1] * plain[0] - slope[0] * plain[1]) / squared * size as f64 / TAU;
                if time.abs() <= size as f64 / 2.0 && (0.0..=(bins - 1) as f64).contains(&moved) {
                    (frames, place) = (time, moved);
                }
            }
            let row = ((place / (bins - 1) as f64 * rows as f64) as usize).min(rows - 1);
            let frame = centre as f64 + (frames + 0.5).floor();
            if (0.0..(columns * each) as f64).contains(&frame) {
                sums[row * columns + frame as usize / each] += cell;
            }
        }
    }
    sums
}
