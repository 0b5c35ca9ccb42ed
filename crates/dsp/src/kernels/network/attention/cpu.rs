//! Attention on the CPU, by heads and tiles of frames. The lanes of a vector are frames of the query.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use rayon::prelude::*;

use super::{BLOCK, OWN_SCORE, Plan, Sight};
use crate::kernels::network::convolution::cpu::product::{COLUMNS, Columns, FEW_COLUMNS, panels};
use crate::kernels::network::convolution::weights::ROWS;
use crate::kernels::network::pointwise::functions::exp;
use base::error::Result;
use base::progress::Progress;
use base::simd::{Lanes, Simd, Task, Wide};

/// One attention of a batch.
#[derive(Debug)]
pub struct Job<'a> {
    /// `heads x width` components of `frames` frames.
    pub query: &'a [f32],
    /// `key_heads x width` components of `keys` frames.
    pub keys: &'a [f32],
    /// `key_heads x value_width` components of `keys` frames.
    pub values: &'a [f32],
    /// The amount by which scores fall for each frame of distance, `heads x frames`; `None` if they do not.
    pub falls: Option<&'a [f32]>,
    /// The frames that are seen.
    pub sight: Sight,
    /// `heads x value_width` components of `frames` frames.
    pub y: &'a mut [f32],
}

/// Computes the attentions of a batch.
pub fn run(plan: &Plan, jobs: &mut [Job<'_>], progress: &Progress) -> Result<()> {
    let head_of_y = plan.value_width * plan.frames;
    if head_of_y == 0 {
        return Ok(());
    }
    let simd = Simd::best();
    jobs.par_iter_mut().try_for_each(|job| {
        let Job { query, keys, values, falls, sight, .. } = *job;
        let packed: Vec<Packed> = (0..plan.key_heads)
            .into_par_iter()
            .map(|head| {
                progress.check()?;
                Ok(Packed::new(plan, sight, head, keys, values))
            })
            .collect::<Result<_>>()?;
        job.y.par_chunks_mut(head_of_y).enumerate().try_for_each(|(head, y)| {
            let packed = &packed[head / (plan.heads / plan.key_heads)];
            // The tiles of a head are computed separately, then copied into place.
            let tiles: Vec<(usize, usize, Vec<f32>)> = (0..plan.frames.div_ceil(COLUMNS))
                .into_par_iter()
                .map(|tile| {
                    progress.check()?;
                    let first = tile * COLUMNS;
                    let count = COLUMNS.min(plan.frames - first);
                    let (columns, result) =
                        simd.dispatch(Tile { plan, sight, query, falls, packed, head, first, count });
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

/// Keys and values of a head as the products read them. Block `n` has the keys from `n BLOCK - phase` on.
struct Packed {
    /// For each block and panel of 8 keys, for each component.
    keys: Vec<[f32; ROWS]>,
    /// For each block and panel of 8 components, for each key from the block's first on.
    values: Vec<[f32; ROWS]>,
}

impl Packed {
    fn new(plan: &Plan, sight: Sight, head: usize, keys: &[f32], values: &[f32]) -> Self {
        let (width, down) = (plan.width, plan.value_width.div_ceil(ROWS));
        let blocks = (plan.keys + sight.phase).div_ceil(BLOCK);
        let mut packed = Self {
            keys: vec![[0.0; ROWS]; blocks * BLOCK / ROWS * width],
            values: vec![[0.0; ROWS]; blocks * down * BLOCK],
        };
        for block in 0..blocks {
            let (begin, end) = keys_of(plan, sight, block);
            for n in 0..width {
                let from = &keys[(head * width + n) * plan.keys..][begin..end];
                for (panel, from) in from.chunks(ROWS).enumerate() {
                    packed.keys[(block * BLOCK / ROWS + panel) * width + n][..from.len()].copy_from_slice(from);
                }
            }
            for n in 0..plan.value_width {
                let from = &values[(head * plan.value_width + n) * plan.keys..][begin..end];
                let to = &mut packed.values[(block * down + n / ROWS) * BLOCK..][..BLOCK];
                to.iter_mut().zip(from).for_each(|(to, value)| to[n % ROWS] = *value);
            }
        }
        packed
    }
}

/// The keys of a block.
fn keys_of(plan: &Plan, sight: Sight, block: usize) -> (usize, usize) {
    let begin = (block * BLOCK).saturating_sub(sight.phase);
    (begin, ((block + 1) * BLOCK - sight.phase).min(plan.keys))
}

/// Frames `first..first + count` of a head.
struct Tile<'a> {
    plan: &'a Plan,
    sight: Sight,
    query: &'a [f32],
    falls: Option<&'a [f32]>,
    packed: &'a Packed,
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
        let share = 1.0 / (width as f32).sqrt();
        let mut query = vec![Columns::<N>::ZERO; width];
        for (n, to) in query.iter_mut().enumerate() {
            let from = &self.query[(self.head * width + n) * plan.frames + self.first..][..self.count];
            to.0.iter_mut().zip(from).for_each(|(to, x)| *to = x * share);
        }
        let mut falls = [0.0; N];
        if let Some(of_heads) = self.falls {
            falls[..self.count].copy_from_slice(&of_heads[self.head * plan.frames + self.first..][..self.count]);
        }
        // Columns beyond the last frame see all, and are not written.
        let mut from = [0; N];
        let mut until = [usize::MAX; N];
        for column in 0..self.count {
            let seen = plan.seen(sight, self.first + column);
            (from[column], until[column]) = (seen.start, seen.end);
        }
        let panels_down = value_width.div_ceil(ROWS);
        let mut result = vec![Columns::<N>::ZERO; panels_down * ROWS];
        let (mut most, mut sum) = ([f32::NEG_INFINITY; N], [0.0_f32; N]);
        let mut scores = [Columns::<N>::ZERO; BLOCK];
        let lowest = from[..self.count].iter().copied().min().unwrap_or(0);
        let highest = until[..self.count].iter().copied().max().unwrap_or(0).min(plan.keys);
        let latest = from[..self.count].iter().copied().max().unwrap_or(0);
        let soonest = until[..self.count].iter().copied().min().unwrap_or(0);
        for block in (lowest + sight.phase) / BLOCK..(highest + sight.phase).div_ceil(BLOCK) {
            let (begin, end) = keys_of(plan, sight, block);
            let count = end - begin;
            let keys = &self.packed.keys[block * BLOCK / ROWS * width..][..BLOCK / ROWS * width];
            for panel in (0..count).step_by(ROWS) {
                let rows = ROWS.min(count - panel);
                let keys = &keys[panel / ROWS * width..][..width];
                panels::<L::Wide, N>(keys, rows, &query, &mut scores[panel..][..ROWS], true);
            }
            if self.falls.is_some() {
                for (n, row) in scores[..count].iter_mut().enumerate() {
                    fallen(row, &falls, (begin + n) as f32 - self.first as f32);
                }
            }
            if latest > begin || soonest < end {
                for (n, row) in scores[..count].iter_mut().enumerate() {
                    let key = begin + n;
                    for column in 0..N {
                        let seen = key >= from[column] && key < until[column];
                        row.0[column] = if seen { row.0[column] } else { f32::NEG_INFINITY };
                    }
                }
            }
            let mut now = most;
            for row in &scores[..count] {
                for column in 0..N {
                    now[column] = if row.0[column] > now[column] { row.0[column] } else { now[column] };
                }
            }
            let mut keep = [1.0; N];
            for column in 0..N {
                let fading = exp(most[column] - now[column]);
                keep[column] = if most[column] == f32::NEG_INFINITY { 1.0 } else { fading };
                sum[column] *= keep[column];
            }
            let fades = keep.iter().any(|&keep| keep != 1.0);
            let mut added = [0.0; N];
            for row in &mut scores[..count] {
                for column in 0..N {
                    let weight = exp(row.0[column] - now[column]);
                    row.0[column] = if row.0[column] == f32::NEG_INFINITY { 0.0 } else { weight };
                    added[column] += row.0[column];
                }
            }
            for column in 0..N {
                sum[column] += added[column];
            }
            most = now;
            let values = &self.packed.values[block * panels_down * BLOCK..][..panels_down * BLOCK];
            for (panel, (result, values)) in result.chunks_exact_mut(ROWS).zip(values.chunks_exact(BLOCK)).enumerate() {
                let rows = ROWS.min(value_width - panel * ROWS);
                // Once the largest scores are found, nothing fades.
                if fades {
                    result[..rows].iter_mut().for_each(|row| faded::<L::Wide, N>(&keep, row));
                }
                panels::<L::Wide, N>(&values[..count], rows, &scores[..count], result, false);
            }
        }
        let finished = result[..value_width].iter().flat_map(|row| (0..N).map(|column| row.0[column] / sum[column]));
        finished.collect()
    }
}

/// Lowers the scores of a key by its distance from each column. `key` is its place after the first column's frame.
#[inline(always)]
fn fallen<const N: usize>(row: &mut Columns<N>, falls: &[f32; N], key: f32) {
    for column in 0..N {
        let distance = (key - column as f32).abs();
        let score = row.0[column] - falls[column] * distance;
        row.0[column] = if distance == 0.0 { OWN_SCORE } else { score };
    }
}

/// Multiplies a row by factors. A plain loop becomes one that gathers across rows.
#[inline(always)]
fn faded<W: Wide, const N: usize>(keep: &[f32; N], row: &mut Columns<N>) {
    for at in (0..N).step_by(W::WIDTH) {
        let part = &mut row.0[at..][..W::WIDTH];
        // Adding -0 changes nothing.
        W::load(part).mul_add(W::load(&keep[at..]), W::splat(-0.0)).store(part);
    }
}
