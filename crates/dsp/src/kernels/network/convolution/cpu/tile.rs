//! One tile of a product.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]
#![allow(unsafe_code, reason = "threads write tiles of one result, which are no slices of it")]

use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::Range;

use super::super::plan::Plan;
use super::super::weights::{ROWS, Weights};
use super::super::{Epilogue, Kind};
use super::gather::{Stretch, gather, stretches};
use super::product::{COLUMNS, Columns, DEPTH, FEW_COLUMNS, panels as product};
use crate::kernels::network::pointwise::cpu::activate_row;
use base::simd::{Lanes, Task};

/// A product whose result several threads write, each a different part.
pub(super) struct Shared<'a> {
    x: &'a [f32],
    residual: Option<&'a [f32]>,
    y: *mut f32,
    length: usize,
    borrowed: PhantomData<&'a mut [f32]>,
}

// SAFETY: the result is borrowed for as long as this lives, and `Shared::part` requires its callers to write disjoint
// parts.
unsafe impl Sync for Shared<'_> {}
// SAFETY: as above; the pointer comes from a slice that may be sent.
unsafe impl Send for Shared<'_> {}

impl<'a> Shared<'a> {
    pub fn new(x: &'a [f32], residual: Option<&'a [f32]>, y: &'a mut [f32]) -> Self {
        Self { x, residual, length: y.len(), y: y.as_mut_ptr(), borrowed: PhantomData }
    }

    /// A range of the result.
    ///
    /// # Safety
    /// No other part that overlaps it may exist at the same time.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "the callers keep the parts apart")]
    unsafe fn part(&self, range: Range<usize>) -> &mut [f32] {
        assert!(range.start <= range.end && range.end <= self.length, "a part beyond the result");
        // SAFETY: within the slice, and the only reference to these numbers, as the caller guarantees.
        unsafe { std::slice::from_raw_parts_mut(self.y.add(range.start), range.len()) }
    }
}

/// Rows `rows` of columns `columns` of a group.
pub(super) struct Tile<'a> {
    pub plan: &'a Plan,
    pub weights: &'a Weights,
    pub epilogue: Epilogue<'a>,
    pub job: &'a Shared<'a>,
    pub group: usize,
    pub rows: Range<usize>,
    pub columns: Range<usize>,
}

/// Memory that a thread keeps from tile to tile.
#[derive(Default)]
struct Scratch {
    wide: Panels<COLUMNS>,
    some: Panels<{ 2 * FEW_COLUMNS }>,
    few: Panels<FEW_COLUMNS>,
    stretches: Vec<Stretch>,
}

/// Panels of `N` columns.
struct Panels<const N: usize> {
    gathered: Vec<Columns<N>>,
    sums: Vec<Columns<N>>,
}

impl<const N: usize> Default for Panels<N> {
    fn default() -> Self {
        Self { gathered: Vec::new(), sums: Vec::new() }
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Task for Tile<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let mut scratch = SCRATCH.take();
        let mut first = self.columns.start;
        while first < self.columns.end {
            let left = self.columns.end - first;
            if left > 2 * FEW_COLUMNS {
                let whole = (left / COLUMNS).max(1);
                let count = left.min(whole * COLUMNS);
                self.columns_of::<L, COLUMNS>(first, count, &mut scratch.wide, &mut scratch.stretches);
                first += count;
            } else if left > FEW_COLUMNS {
                self.columns_of::<L, { 2 * FEW_COLUMNS }>(first, left, &mut scratch.some, &mut scratch.stretches);
                first += left;
            } else {
                self.columns_of::<L, FEW_COLUMNS>(first, left, &mut scratch.few, &mut scratch.stretches);
                first += left;
            }
        }
        SCRATCH.set(scratch);
    }
}

/// Makes room for `size` steps or rows; existing ones keep their contents.
#[inline(always)]
fn grow<const N: usize>(panels: &mut Vec<Columns<N>>, size: usize) {
    if panels.len() < size {
        panels.resize(size, Columns::ZERO);
    }
}

impl Tile<'_> {
    /// Columns `first..first + count`, in panels of `N`.
    #[inline(always)]
    fn columns_of<L: Lanes, const N: usize>(
        &self,
        first: usize,
        count: usize,
        panels: &mut Panels<N>,
        found: &mut Vec<Stretch>,
    ) {
        let plan = self.plan;
        let inputs = plan.inputs * plan.x.rows * plan.x.frames;
        let x = &self.job.x[self.group * inputs..][..inputs];
        let (across, down) = (count.div_ceil(N), self.rows.len().div_ceil(ROWS));
        // Old sums are overwritten, unless the product has no steps.
        let size = across * down * ROWS;
        if plan.depth == 0 {
            panels.sums.clear();
        }
        grow(&mut panels.sums, size);
        let sums = &mut panels.sums[..size];
        stretches(plan, first, count, N, found);
        let mut step = 0;
        while step < plan.depth {
            let steps = step..(step + DEPTH).min(plan.depth);
            let depth = steps.len();
            grow(&mut panels.gathered, across * depth);
            let gathered = &mut panels.gathered[..across * depth];
            gather(plan, x, found, steps, gathered);
            let weights = self.weights.panels(self.group, self.rows.start / ROWS, step, depth);
            for (b, sums) in gathered.chunks_exact(depth).zip(sums.chunks_exact_mut(down * ROWS)) {
                for ((n, c), a) in sums.chunks_exact_mut(ROWS).enumerate().zip(weights.chunks_exact(depth)) {
                    let rows = (self.rows.len() - n * ROWS).min(ROWS);
                    product::<L::Wide, N>(a, rows, b, c, step == 0);
                }
            }
            step += depth;
        }
        for (n, row) in self.rows.clone().enumerate() {
            for panel in 0..across {
                let count = N.min(count - panel * N);
                self.finish(row, first + panel * N, &mut sums[panel * down * ROWS + n].0[..count]);
            }
        }
    }

    /// Applies the epilogue to the sums of a row and writes them to the result.
    #[inline(always)]
    fn finish(&self, row: usize, first: usize, sums: &mut [f32]) {
        let plan = self.plan;
        let channel = self.group * (plan.height / plan.phases) + row / plan.phases;
        if let Some(bias) = self.epilogue.bias {
            let bias = bias[channel];
            sums.iter_mut().for_each(|x| *x += bias);
        }
        if let Some(activation) = self.epilogue.activation {
            activate_row(activation, channel, sums);
        }
        if let Some(gains) = self.epilogue.gains {
            let gain = gains[channel];
            sums.iter_mut().for_each(|x| *x *= gain);
        }
        let plane = plan.y.rows * plan.y.frames;
        match plan.kind {
            Kind::Forward { .. } => {
                let at = channel * plane + first..channel * plane + first + sums.len();
                if let Some(residual) = self.job.residual {
                    sums.iter_mut().zip(&residual[at.clone()]).for_each(|(x, residual)| *x += residual);
                }
                // SAFETY: tiles do not overlap.
                unsafe { self.job.part(at) }.copy_from_slice(sums);
            }
            Kind::Transposed { .. } => {
                let phase = row % plan.phases;
                let (mut row, mut column) = (first / plan.row_columns, first % plan.row_columns);
                if plan.along_rows {
                    let mut left = sums;
                    while !left.is_empty() {
                        let (line, rest) = left.split_at_mut((plan.row_columns - column).min(left.len()));
                        let down = (row * plan.phases + phase).checked_sub(plan.skipped);
                        if let Some(down) = down.filter(|&down| down < plan.y.rows) {
                            let at = channel * plane + down * plan.y.frames + column;
                            let at = at..at + line.len();
                            if let Some(residual) = self.job.residual {
                                line.iter_mut().zip(&residual[at.clone()]).for_each(|(x, residual)| *x += residual);
                            }
                            // SAFETY: tiles do not overlap.
                            unsafe { self.job.part(at) }.copy_from_slice(line);
                        }
                        (left, row, column) = (rest, row + 1, 0);
                    }
                    return;
                }
                for &sum in &*sums {
                    // Before the first frame, this wraps around to beyond every row.
                    let frame = (column * plan.phases + phase).wrapping_sub(plan.skipped);
                    if frame < plan.y.frames {
                        let at = channel * plane + row * plan.y.frames + frame;
                        let sum = self.job.residual.map_or(sum, |residual| sum + residual[at]);
                        // SAFETY: tiles do not overlap.
                        unsafe { self.job.part(at..at + 1) }.fill(sum);
                    }
                    column += 1;
                    if column == plan.row_columns {
                        (column, row) = (0, row + 1);
                    }
                }
            }
        }
    }
}
