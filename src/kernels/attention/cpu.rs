//! Attention on the CPU, by heads and tiles of frames. The lanes of a vector are frames of the query.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use rayon::prelude::*;

use super::{BLOCK, Plan, Sight};
use crate::error::Result;
use crate::kernels::convolution::cpu::product::{COLUMNS, FEW_COLUMNS, panels};
use crate::kernels::convolution::weights::ROWS;
use crate::kernels::pointwise::functions::exp;
use crate::progress::Progress;
use crate::simd::{Lanes, Simd, Task};

/// One attention of a batch.
#[derive(Debug)]
pub struct Job<'a> {
    /// `heads x width` components of `frames` frames.
    pub query: &'a [f32],
    /// `key_heads x width` components of `keys` frames.
    pub keys: &'a [f32],
    /// `key_heads x value_width` components of `keys` frames.
    pub values: &'a [f32],
    /// Which frames are seen.
    pub sight: Sight,
    /// `heads x value_width` components of `frames` frames.
    pub y: &'a mut [f32],
}

/// Computes the attentions of a batch.
///
/// # Errors
/// [`crate::Error::Cancelled`] between tiles.
pub fn run(plan: &Plan, jobs: &mut [Job<'_>], progress: &Progress) -> Result<()> {
    let head_of_y = plan.value_width * plan.frames;
    if head_of_y == 0 {
        return Ok(());
    }
    let simd = Simd::best();
    jobs.par_iter_mut().try_for_each(|job| {
        let Job { query, keys, values, sight, .. } = *job;
        job.y.par_chunks_mut(head_of_y).enumerate().try_for_each(|(head, y)| {
            // A head's tiles are computed one beside the other, then brought in place.
            let tiles: Vec<(usize, usize, Vec<f32>)> = (0..plan.frames.div_ceil(COLUMNS))
                .into_par_iter()
                .map(|tile| {
                    progress.check()?;
                    let first = tile * COLUMNS;
                    let count = COLUMNS.min(plan.frames - first);
                    let tile = Tile { plan, sight, query, keys, values, head, first, count };
                    let (columns, result) = simd.dispatch(tile);
                    Ok((first, columns, result))
                })
                .collect::<Result<_>>()?;
            for (first, columns, result) in tiles {
                let count = columns.min(plan.frames - first);
                for (y, row) in y.chunks_exact_mut(plan.frames).zip(result.chunks_exact(columns)) {
                    y[first..first + count].copy_from_slice(&row[..count]);
                }
            }
            Ok(())
        })
    })
}

/// Frames `first..first + count` of a head.
struct Tile<'a> {
    plan: &'a Plan,
    sight: Sight,
    query: &'a [f32],
    keys: &'a [f32],
    values: &'a [f32],
    head: usize,
    first: usize,
    count: usize,
}

impl Task for Tile<'_> {
    /// The number of columns, and `value_width` rows of them.
    type Output = (usize, Vec<f32>);

    #[inline(always)]
    fn run<L: Lanes>(self) -> (usize, Vec<f32>) {
        if self.count > FEW_COLUMNS {
            (COLUMNS, self.columns::<L, COLUMNS>())
        } else {
            (FEW_COLUMNS, self.columns::<L, FEW_COLUMNS>())
        }
    }
}

impl Tile<'_> {
    #[inline(always)]
    fn columns<L: Lanes, const N: usize>(&self) -> Vec<f32> {
        let Self { plan, sight, .. } = *self;
        let (width, value_width) = (plan.width, plan.value_width);
        let key_head = self.head / (plan.heads / plan.key_heads);
        let share = 1.0 / (width as f32).sqrt();
        let mut query = vec![[0.0; N]; width];
        for (n, to) in query.iter_mut().enumerate() {
            let from = &self.query[(self.head * width + n) * plan.frames + self.first..][..self.count];
            to.iter_mut().zip(from).for_each(|(to, x)| *to = x * share);
        }
        let keys = &self.keys[key_head * width * plan.keys..][..width * plan.keys];
        let values = &self.values[key_head * value_width * plan.keys..][..value_width * plan.keys];
        let mut from = [0; N];
        let mut until = [0; N];
        for column in 0..self.count {
            let seen = plan.seen(sight, self.first + column);
            (from[column], until[column]) = (seen.start, seen.end);
        }
        let panels_down = value_width.div_ceil(ROWS);
        let mut result = vec![0.0; panels_down * ROWS * N];
        let (mut most, mut sum) = ([f32::NEG_INFINITY; N], [0.0_f32; N]);
        let mut packed_keys = vec![[0.0; ROWS]; width];
        let mut packed_values = vec![[0.0; ROWS]; BLOCK];
        let mut scores = [[0.0; N]; BLOCK];
        let lowest = from[..self.count].iter().copied().min().unwrap_or(0);
        let highest = until[..self.count].iter().copied().max().unwrap_or(0).min(plan.keys);
        // The start of the block on the sequence's grid in which the first seen key lies.
        let mut start = lowest as isize - ((lowest + sight.phase) % BLOCK) as isize;
        while start < highest as isize {
            let (begin, end) = (start.max(0) as usize, ((start + BLOCK as isize) as usize).min(plan.keys));
            let count = end - begin;
            for panel in (0..count).step_by(ROWS) {
                let rows = ROWS.min(count - panel);
                for (n, to) in packed_keys.iter_mut().enumerate() {
                    *to = [0.0; ROWS];
                    to[..rows].copy_from_slice(&keys[n * plan.keys + begin + panel..][..rows]);
                }
                let scores = &mut scores.as_flattened_mut()[panel * N..][..ROWS * N];
                scores.fill(0.0);
                panels::<L::Wide, N>(&packed_keys, rows, &query, scores);
            }
            let mut now = most;
            for (n, row) in scores[..count].iter().enumerate() {
                let key = begin + n;
                for column in 0..N {
                    let seen = key >= from[column] && key < until[column];
                    let score = if seen { row[column] } else { f32::NEG_INFINITY };
                    now[column] = if score > now[column] { score } else { now[column] };
                }
            }
            let mut keep = [1.0; N];
            for column in 0..N {
                let fading = exp(most[column] - now[column]);
                keep[column] = if most[column] == f32::NEG_INFINITY { 1.0 } else { fading };
                sum[column] *= keep[column];
            }
            let mut added = [0.0; N];
            for (n, row) in scores[..count].iter_mut().enumerate() {
                let key = begin + n;
                for column in 0..N {
                    let seen = key >= from[column] && key < until[column];
                    let weight = exp(row[column] - now[column]);
                    row[column] = if seen { weight } else { 0.0 };
                    added[column] += row[column];
                }
            }
            for column in 0..N {
                sum[column] += added[column];
            }
            most = now;
            for (panel, result) in result.chunks_exact_mut(ROWS * N).enumerate() {
                let rows = ROWS.min(value_width - panel * ROWS);
                for row in 0..rows {
                    let of_row = &values[(panel * ROWS + row) * plan.keys + begin..][..count];
                    packed_values.iter_mut().zip(of_row).for_each(|(to, value)| to[row] = *value);
                    let result = &mut result[row * N..][..N];
                    for column in 0..N {
                        result[column] *= keep[column];
                    }
                }
                panels::<L::Wide, N>(&packed_values[..count], rows, &scores[..count], result);
            }
            start += BLOCK as isize;
        }
        result.truncate(value_width * N);
        for row in result.chunks_exact_mut(N) {
            for column in 0..N {
                row[column] /= sum[column];
            }
        }
        result
    }
}
