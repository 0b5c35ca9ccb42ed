//! Gathers columns: the numbers that the taps of a convolution read.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use std::ops::Range;

use super::super::plan::Plan;

/// Columns that lie side by side in a row of the result.
#[derive(Clone, Copy)]
struct Stretch {
    /// The first column, within the panel.
    to: usize,
    count: usize,
    row: usize,
    column: usize,
}

/// Gathers the steps `steps` of `N` columns from `first` on; columns from `count` on are zeros. `x` has the channels of
/// one group.
#[inline(always)]
pub(super) fn gather<const N: usize>(
    plan: &Plan,
    x: &[f32],
    steps: Range<usize>,
    first: usize,
    count: usize,
    to: &mut [[f32; N]],
) {
    let mut stretches = [Stretch { to: 0, count: 0, row: 0, column: 0 }; N];
    let mut found = 0;
    let mut at = 0;
    while at < count {
        let (row, column) = ((first + at) / plan.row_columns, (first + at) % plan.row_columns);
        let run = (plan.row_columns - column).min(count - at);
        stretches[found] = Stretch { to: at, count: run, row, column };
        found += 1;
        at += run;
    }
    let [row_taps, taps] = plan.taps;
    let (rows, frames) = (plan.x.rows, plan.x.frames);
    for (k, to) in steps.zip(to) {
        let (input, tap) = (k / (row_taps * taps), k % (row_taps * taps));
        let (row_tap, tap) = (tap / taps, tap % taps);
        to[count..].fill(0.0);
        for stretch in &stretches[..found] {
            let to = &mut to[stretch.to..][..stretch.count];
            let row = stretch.row * plan.stride[0] + row_tap * plan.dilation[0];
            let Some(row) = row.checked_sub(plan.padding[0]).filter(|&row| row < rows) else {
                to.fill(0.0);
                continue;
            };
            let from = &x[(input * rows + row) * frames..][..frames];
            let begin = (stretch.column * plan.stride[1] + tap * plan.dilation[1]) as isize - plan.padding[1] as isize;
            read(from, begin, plan.stride[1], to);
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
