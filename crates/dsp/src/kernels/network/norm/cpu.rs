//! Normalisations on the CPU. Sums are in f64 and in an order that the threads do not change.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use rayon::prelude::*;

use super::{Gate, Norm, Over};
use crate::kernels::network::convolution::Size;
use crate::kernels::network::pointwise::functions::logistic;
use base::simd::{LANES, Lanes, Simd, Task};

/// Places that are normalised together.
const PLACES: usize = 256;

/// Normalises `x` to `y`.
///
/// # Panics
/// Panics if the blocks do not have the size.
pub fn run(norm: Norm<'_>, size: Size, x: &[f32], y: &mut [f32]) {
    assert!(x.len() == size.len() && y.len() == size.len(), "the size of a block");
    if size.is_empty() {
        return;
    }
    match norm.over {
        Over::Channels | Over::ChannelsRms | Over::Length => of_places(norm, size, x, y),
        Over::Groups(groups) => of_groups(norm, size, groups, size.rows * size.frames, x, y),
        Over::GroupsOfRow(groups) => of_groups(norm, size, groups, size.frames, x, y),
    }
}

/// Normalises groups of `x`, and gates them: `y` has half as many channels.
///
/// # Panics
/// Panics if the blocks do not have the size, and for normalisations other than those of groups.
pub fn gated(norm: Norm<'_>, gate: Gate<'_>, size: Size, x: &[f32], y: &mut [f32]) {
    assert!(x.len() == size.len() && 2 * y.len() == x.len(), "the size of a block");
    let (groups, run) = match norm.over {
        Over::Groups(groups) => (groups, size.rows * size.frames),
        Over::GroupsOfRow(groups) => (groups, size.frames),
        over => panic!("a gate after {over:?}"),
    };
    if y.is_empty() {
        return;
    }
    let lines = Lines::of(norm, size, groups, run, x);
    let (runs, half) = (lines.runs, size.channels / 2);
    let (values, gates) = x.split_at(y.len());
    let simd = Simd::best();
    y.par_chunks_mut(run).zip(values.par_chunks(run).zip(gates.par_chunks(run))).enumerate().for_each(
        |(n, (y, (x, gates)))| {
            let (channel, row) = (n / runs, n % runs);
            let gain = gate.gains.map_or(1.0, |gains| gains[channel]);
            let residual = gate.residual.map(|residual| &residual[n * run..][..y.len()]);
            let lines = [lines.at(channel, row), lines.at(half + channel, row)];
            simd.dispatch(Gated { lines, gain, x, gates, residual, y });
        },
    );
}

/// Sum and sum of squares.
struct Sums<'a>(&'a [f32]);

impl Task for Sums<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [f64; 2] {
        let (mut sum, mut squares) = (L::splat(0.0), L::splat(0.0));
        let (whole, rest) = self.0.as_chunks::<LANES>();
        for x in whole {
            let x = L::widen(x);
            sum = sum.add(x);
            squares = x.mul_add(x, squares);
        }
        let mut last = [0.0; LANES];
        last[..rest.len()].copy_from_slice(rest);
        let x = L::widen(&last);
        sum = sum.add(x);
        squares = x.mul_add(x, squares);
        let total = |vector: L| {
            let mut lanes = [0.0; LANES];
            vector.store(&mut lanes);
            lanes.iter().sum()
        };
        [total(sum), total(squares)]
    }
}

/// Groups of channels, each over stretches of `run` numbers of its channels.
fn of_groups(norm: Norm<'_>, size: Size, groups: usize, run: usize, x: &[f32], y: &mut [f32]) {
    let lines = Lines::of(norm, size, groups, run, x);
    let (runs, simd) = (lines.runs, Simd::best());
    y.par_chunks_mut(run).zip(x.par_chunks(run)).enumerate().for_each(|(n, (y, x))| {
        let [factor, term] = lines.at(n / runs, n % runs);
        simd.dispatch(Affine { factor, term, x, y });
    });
}

/// The factor and the term that normalise each run of each channel.
struct Lines<'a> {
    norm: Norm<'a>,
    /// Mean and scale of every group and run.
    scales: Vec<[f64; 2]>,
    /// Channels of a group.
    channels: usize,
    /// Runs of a channel.
    runs: usize,
}

impl<'a> Lines<'a> {
    fn of(norm: Norm<'a>, size: Size, groups: usize, run: usize, x: &[f32]) -> Self {
        let runs = size.rows * size.frames / run;
        let channels = size.channels / groups;
        let simd = Simd::best();
        let sums: Vec<[f64; 2]> = x.par_chunks(run).map(|x| simd.dispatch(Sums(x))).collect();
        let scale = |n: usize| {
            let (group, row) = (n / runs, n % runs);
            let of_channels = (0..channels).map(|channel| sums[(group * channels + channel) * runs + row]);
            let [sum, squares] = of_channels.fold([0.0; 2], |all, channel| [all[0] + channel[0], all[1] + channel[1]]);
            let count = (channels * run) as f64;
            let mean = sum / count;
            let variance = (squares / count - mean * mean).max(0.0);
            // A value that is not finite has no variance, and gives NaN.
            let variance = if squares.is_finite() { variance } else { f64::NAN };
            [mean, 1.0 / (variance + f64::from(norm.epsilon)).sqrt()]
        };
        Self { norm, scales: (0..groups * runs).map(scale).collect(), channels, runs }
    }

    fn at(&self, channel: usize, row: usize) -> [f32; 2] {
        let [mean, scale] = self.scales[channel / self.channels * self.runs + row];
        let gain = self.norm.gain.map_or(1.0, |gain| f64::from(gain[channel]));
        let bias = self.norm.bias.map_or(0.0, |bias| f64::from(bias[channel]));
        [(scale * gain) as f32, (bias - mean * scale * gain) as f32]
    }
}

/// Two normalised numbers, the first times the logistic function of the second, times a gain, plus what is added.
struct Gated<'a> {
    lines: [[f32; 2]; 2],
    gain: f32,
    x: &'a [f32],
    gates: &'a [f32],
    residual: Option<&'a [f32]>,
    y: &'a mut [f32],
}

impl Task for Gated<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { lines: [[factor, term], [factor_of_gate, term_of_gate]], gain, x, gates, residual, y } = self;
        for ((y, x), gate) in y.iter_mut().zip(x).zip(gates) {
            *y = (x * factor + term) * logistic(gate * factor_of_gate + term_of_gate) * gain;
        }
        if let Some(residual) = residual {
            y.iter_mut().zip(residual).for_each(|(y, x)| *y += x);
        }
    }
}

/// `y = factor x + term`
struct Affine<'a> {
    factor: f32,
    term: f32,
    x: &'a [f32],
    y: &'a mut [f32],
}

impl Task for Affine<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { factor, term, x, y } = self;
        y.iter_mut().zip(x).for_each(|(y, x)| *y = x * factor + term);
    }
}

/// The channels of each place.
fn of_places(norm: Norm<'_>, size: Size, x: &[f32], y: &mut [f32]) {
    let plane = size.rows * size.frames;
    let simd = Simd::best();
    let factors: Vec<[Vec<f32>; 2]> = (0..plane.div_ceil(PLACES))
        .into_par_iter()
        .map(|n| {
            let first = n * PLACES;
            simd.dispatch(Places { norm, channels: size.channels, plane, first, count: PLACES.min(plane - first), x })
        })
        .collect();
    y.par_chunks_mut(plane).zip(x.par_chunks(plane)).enumerate().for_each(|(channel, (y, x))| {
        let gain = norm.gain.map_or(1.0, |gain| gain[channel]);
        let bias = norm.bias.map_or(0.0, |bias| bias[channel]);
        for ((y, x), [means, scales]) in y.chunks_mut(PLACES).zip(x.chunks(PLACES)).zip(&factors) {
            for (((y, x), mean), scale) in y.iter_mut().zip(x).zip(means).zip(scales) {
                *y = (x - mean) * scale * gain + bias;
            }
        }
    });
}

/// Mean and scale of some places.
struct Places<'a> {
    norm: Norm<'a>,
    channels: usize,
    plane: usize,
    first: usize,
    count: usize,
    x: &'a [f32],
}

impl Task for Places<'_> {
    type Output = [Vec<f32>; 2];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [Vec<f32>; 2] {
        let Self { norm, channels, plane, first, count, x } = self;
        let (mut sums, mut squares) = ([0.0_f64; PLACES], [0.0_f64; PLACES]);
        for channel in 0..channels {
            let x = &x[channel * plane + first..][..count];
            for ((sum, square), &x) in sums.iter_mut().zip(&mut squares).zip(x) {
                let x = f64::from(x);
                *sum += x;
                *square += x * x;
            }
        }
        let of = |n: usize| {
            let (sum, square, channels) = (sums[n], squares[n], channels as f64);
            let (mean, scale) = match norm.over {
                // By the limit, NaN stays.
                Over::Length => (0.0, 1.0 / if square < 1e-24 { 1e-12 } else { square.sqrt() }),
                Over::ChannelsRms => (0.0, 1.0 / (square / channels + f64::from(norm.epsilon)).sqrt()),
                _ => {
                    let mean = sum / channels;
                    let variance = square / channels - mean * mean;
                    let variance = if variance < 0.0 { 0.0 } else { variance };
                    (mean, 1.0 / (variance + f64::from(norm.epsilon)).sqrt())
                }
            };
            [mean as f32, scale as f32]
        };
        let all: Vec<[f32; 2]> = (0..count).map(of).collect();
        [all.iter().map(|of| of[0]).collect(), all.iter().map(|of| of[1]).collect()]
    }
}
