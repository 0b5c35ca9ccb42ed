//! Gathers columns: the numbers that the taps of a convolution read.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use std::ops::Range;

use super::super::plan::Plan;
use super::product::Columns;

/// Columns that lie side by side in a panel and in a row of the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    panel: usize,
    /// The first column, within the panel.
    to: usize,
    count: usize,
    row: usize,
    column: usize,
}

/// Finds the stretches of `count` columns from `first` on, in panels of `width`.
pub(super) fn stretches(plan: &Plan, first: usize, count: usize, width: usize, found: &mut Vec<Stretch>) {
    found.clear();
    let mut at = 0;
    while at < count {
        let (row, column) = ((first + at) / plan.row_columns, (first + at) % plan.row_columns);
        let run = (plan.row_columns - column).min(count - at).min(width - at % width);
        found.push(Stretch { panel: at / width, to: at % width, count: run, row, column });
        at += run;
    }
}

/// Gathers the steps `steps` of some stretches into panels, which have a row of `N` columns for each step. Columns
/// outside the stretches stay unchanged. `x` has the channels of one group.
#[inline(always)]
pub(super) fn gather<const N: usize>(
    plan: &Plan,
    x: &[f32],
    stretches: &[Stretch],
    steps: Range<usize>,
    to: &mut [Columns<N>],
) {
    let [row_taps, taps] = plan.taps;
    let (rows, frames) = (plan.x.rows, plan.x.frames);
    let depth = steps.len();
    let (mut input, mut tap) = (steps.start / (row_taps * taps), steps.start % (row_taps * taps));
    let mut row_tap = tap / taps;
    tap %= taps;
    // The common case: all columns are adjacent, panel after panel.
    let panels = to.len() / depth.max(1);
    let one_row = rows == 1 && row_taps == 1 && plan.padding[0] == 0;
    let plain = one_row && plan.stride[1] == 1 && stretches.iter().all(|stretch| stretch.count == N);
    let first = stretches.first().map_or(0, |stretch| stretch.column);
    for step in 0..depth {
        let all = first.wrapping_add(tap * plan.dilation[1]).wrapping_sub(plan.padding[1]);
        if plain && let Some(all) = x[input * frames..][..frames].get(all..all.saturating_add(panels * N)) {
            for (panel, columns) in all.as_chunks::<N>().0.iter().enumerate() {
                to[panel * depth + step].0 = *columns;
            }
        } else {
            for stretch in stretches {
                let to = &mut to[stretch.panel * depth + step].0;
                let row = stretch.row * plan.stride[0] + row_tap * plan.dilation[0];
                let Some(row) = row.checked_sub(plan.padding[0]).filter(|&row| row < rows) else {
                    to[stretch.to..][..stretch.count].fill(0.0);
                    continue;
                };
                let from = &x[(input * rows + row) * frames..][..frames];
                let begin = (stretch.column * plan.stride[1] + tap * plan.dilation[1]).wrapping_sub(plan.padding[1]);
                // The common case: a whole panel of neighbours.
                if plan.stride[1] == 1
                    && stretch.count == N
                    && let Some(whole) = from.get(begin..begin.saturating_add(N)).and_then(<[f32]>::as_array::<N>)
                {
                    *to = *whole;
                } else {
                    read(from, begin as isize, plan.stride[1], &mut to[stretch.to..][..stretch.count]);
                }
            }
        }
        tap += 1;
        if tap == taps {
            (tap, row_tap) = (0, row_tap + 1);
            if row_tap == row_taps {
                (row_tap, input) = (0, input + 1);
            }
        }
    }
}

/// `to[n] = from[begin + n stride]`, zeros beyond the row.
#[inline(always)]
fn read(from: &[f32], begin: isize, stride: usize, to: &mut [f32]) {
    let last = begin + ((to.len() - 1) * stride) as isize;
    if begin >= 0 && last < from.len() as isize {
        let from = &from[begin as usize..=last as usize];
        match stride {
            1 => to.copy_from_slice(from),
            2 => strided::<2>(from, to),
            4 => strided::<4>(from, to),
            5 => strided::<5>(from, to),
            8 => strided::<8>(from, to),
            _ => to.iter_mut().zip(from.iter().step_by(stride)).for_each(|(to, from)| *to = *from),
        }
        return;
    }
    for (n, to) in to.iter_mut().enumerate() {
        let at = begin + (n * stride) as isize;
        *to = usize::try_from(at).ok().and_then(|at| from.get(at)).copied().unwrap_or(0.0);
    }
}

#[inline(always)]
fn strided<const S: usize>(from: &[f32], to: &mut [f32]) {
    to.iter_mut().zip(from.iter().step_by(S)).for_each(|(to, from)| *to = *from);
}
