//! A constant-Q spectrogram of 36 bins per octave from 20 Hz up, on 512 rows.

use std::f64::consts::TAU;

use super::exact::db;
use super::trial::{Limits, RATE_HZ, Reference, Run, Trial, columns, level_error_db, music, spread};
use crate::design::{Bank, BankRow, FrequencyScale, RowKind, Window};
use crate::gpu::{Engine, Finished};
use crate::kernels::signal::constant_q::gpu::GpuConstantQ;
use crate::kernels::signal::constant_q::half_band::REACH;
use crate::kernels::signal::constant_q::{ConstantQPlan, ConstantQSpec, KERNEL, cpu, half_band};
use crate::kernels::signal::stft::gpu::GpuColumns;
use crate::kernels::signal::stft::{ColumnAnalysis as _, ColumnGrid, Samples, Spacing};
use base::error::Result;

const WINDOW: Window = Window::Hann;
const SCALE: FrequencyScale = FrequencyScale::Mel;
const SPAN_HZ: [f64; 2] = [20.0, RATE_HZ / 2.0];
const ROWS: usize = 512;
const HOP: usize = 512;

struct Picture {
    samples: Vec<f32>,
    plan: ConstantQPlan,
    grid: ColumnGrid,
}

pub(super) fn trial(frames: usize, _channels: usize) -> Result<Box<dyn Trial>> {
    let spec = ConstantQSpec { window: WINDOW, bins_per_octave: 36, low_hz: SPAN_HZ[0] };
    let plan = ConstantQPlan::new(spec, RATE_HZ, SCALE, SPAN_HZ, ROWS)?;
    let count = 1 + frames / HOP;
    let grid = ColumnGrid { count, first_centre: 0.0, frames_each: HOP as f64, spacing: Spacing::One };
    Ok(Box::new(Picture { samples: music(1, frames), plan, grid }))
}

impl Trial for Picture {
    fn samples(&self) -> u64 {
        self.samples.len() as u64
    }

    /// [`ConstantQPlan::work`] counts fourteen operations as one.
    fn operations(&self) -> f64 {
        14.0 * self.plan.work(&self.grid)
    }

    fn limits(&self) -> Limits {
        Limits::within(KERNEL.tolerance_db)
    }

    fn group(&self) -> usize {
        ROWS
    }

    fn on_cpu(&self) -> Result<Run> {
        let samples = Samples::whole(&self.samples);
        Run::timed(|| cpu::levels(&self.plan, &self.grid, samples, None), |tile| columns(&tile))
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let gpu = GpuConstantQ::new(&self.plan);
        let (tile, finished) = gpu.levels(engine, &self.grid, Samples::whole(&self.samples), None)?;
        Ok(Run::finished(columns(&tile), finished))
    }

    fn reference(&self) -> Result<Reference> {
        let bank = Bank::display_octaves(self.plan.bins(), SCALE, SPAN_HZ, ROWS)?;
        let rates = halved(&self.samples, self.plan.bins().count / self.plan.bins().per_octave as usize);
        Ok(Reference::of(spread(self.grid.count, 2), |column| {
            levels(&bank, &exact(&self.plan, WINDOW, RATE_HZ, &rates, column * HOP))
        }))
    }

    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        let columns = got.chunks(ROWS).zip(expected.chunks(ROWS));
        columns.map(|(got, expected)| level_error_db(got, expected)).fold(f64::NEG_INFINITY, f64::max)
    }

    fn time_cpu(&self) -> Result<f64> {
        Ok(Run::timed(|| self.plan.fine(&self.grid, Samples::whole(&self.samples), None), |_| Vec::new())?.seconds)
    }

    fn time_gpu(&self, engine: &mut Engine) -> Result<Finished> {
        let gpu = GpuConstantQ::new(&self.plan);
        Ok(gpu.fine(engine, &self.grid, Samples::whole(&self.samples), None)?.1)
    }
}

/// A signal at a lower rate.
#[derive(Clone, Debug)]
pub struct Halved {
    /// The position of the first frame. Negative, because filters begin before the signal.
    first: i64,
    samples: Vec<f64>,
}

impl Halved {
    fn at(&self, frame: i64) -> f64 {
        usize::try_from(frame - self.first).ok().and_then(|at| self.samples.get(at)).copied().unwrap_or(0.0)
    }
}

/// Returns the signal, followed by `times` signals of half the rate of the one before.
pub fn halved(samples: &[f32], times: usize) -> Vec<Halved> {
    let taps = half_band();
    let reach = REACH as i64;
    let mut rates = vec![Halved { first: 0, samples: samples.iter().map(|&x| f64::from(x)).collect() }];
    for _ in 0..times {
        let x = &rates[rates.len() - 1];
        let first = (x.first - reach).div_euclid(2);
        let end = (x.first + x.samples.len() as i64 + reach).div_euclid(2) + 1;
        let filtered = |n: i64| {
            let pairs = taps.iter().zip(0_i64..);
            let sides = pairs.map(|(tap, m)| tap * (x.at(2 * n - 1 - 2 * m) + x.at(2 * n + 1 + 2 * m)));
            0.5 * x.at(2 * n) + sides.sum::<f64>()
        };
        let half = Halved { first, samples: (first..end).map(filtered).collect() };
        rates.push(half);
    }
    rates
}

/// Computes the amplitudes of all bins around a frame from the definition by octaves. `rates` holds the signal at each
/// rate. If it holds only one, every bin is computed from the signal itself.
pub fn exact(plan: &ConstantQPlan, window: Window, rate_hz: f64, rates: &[Halved], centre: usize) -> Vec<f64> {
    let bins = plan.bins();
    let amplitude = |bin: usize| {
        let octave = (bins.count - 1 - bin) / bins.per_octave as usize;
        let halvings = octave.saturating_sub(1);
        // The same frame at every rate.
        let grain = 1 << halvings;
        let centre = (centre + grain / 2) / grain * grain;
        let used = halvings.min(rates.len() - 1);
        let hz = bins.hz_from_bin(bin as f64);
        direct(&rates[used], 1 << used, window, [plan.quality() * rate_hz / hz, TAU * hz / rate_hz], centre)
    };
    (0..bins.count).map(amplitude).collect()
}

/// Computes the amplitude of a bin from the sum that defines it, over every `step`-th frame, for a window of `length`
/// frames and `w` radians per frame.
fn direct(x: &Halved, step: usize, window: Window, [length, w]: [f64; 2], centre: usize) -> f64 {
    let nearest = (centre + step / 2) / step;
    let reach = (length / 2.0 / step as f64).floor() as i64;
    let (mut re, mut im, mut weights) = (0.0, 0.0, 0.0);
    for m in -reach..=reach {
        let weight = window.at_distance(2.0 * m as f64 * step as f64 / length);
        weights += weight;
        let x = x.at(nearest as i64 + m);
        let angle = w * m as f64 * step as f64;
        re += weight * x * angle.cos();
        im -= weight * x * angle.sin();
    }
    2.0 * re.hypot(im) / weights
}

/// Returns the levels in dB of the rows of a picture, from the amplitudes of all bins.
pub fn levels(bank: &Bank, amplitudes: &[f64]) -> Vec<f64> {
    let power = |amplitude: &f64| amplitude * amplitude;
    let level = |row: &BankRow| {
        let bins = &amplitudes[row.first_bin..][..row.weights.len()];
        match row.kind {
            RowKind::Level if !bins.is_empty() => {
                bins.iter().zip(&row.weights).map(|(a, weight)| weight * db(power(a))).sum()
            }
            _ => db(bins.iter().map(power).fold(0.0, f64::max)),
        }
    };
    bank.rows().iter().map(level).collect()
}
