//! One tile of a product.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]
#![allow(unsafe_code, reason = "threads write tiles of one result, which are no slices of it")]

use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::Range;

use super::super::plan::Plan;
use super::super::weights::{ROWS, Weights};
use super::super::{Epilogue, Kind};
use super::gather::gather;
use super::product::{COLUMNS, DEPTH, FEW_COLUMNS, panels};
use crate::kernels::pointwise::cpu::activate_row;
use crate::simd::{Lanes, Task};

/// A product whose result several threads write, each other numbers of it.
pub(super) struct Shared<'a> {
    x: &'a [f32],
    residual: Option<&'a [f32]>,
    y: *mut f32,
    length: usize,
    borrowed: PhantomData<&'a mut [f32]>,
}

// SAFETY: the result is borrowed for as long as this lives, and `Shared::part` asks its callers to write different
// numbers.
unsafe impl Sync for Shared<'_> {}
// SAFETY: as above; the pointer is that of a slice that may be sent.
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
        // SAFETY: within the slice, and the only reference to these numbers, as the caller vouches.
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
    gathered: Vec<[f32; COLUMNS]>,
    few: Vec<[f32; FEW_COLUMNS]>,
    sums: Vec<f32>,
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
                self.columns_of::<L, COLUMNS>(first, count, &mut scratch.gathered, &mut scratch.sums);
                first += count;
            } else {
                self.columns_of::<L, FEW_COLUMNS>(first, left, &mut scratch.few, &mut scratch.sums);
                first += left;
            }
        }
        SCRATCH.set(scratch);
    }
}

impl Tile<'_> {
    /// Columns `first..first + count`, in panels of `N`.
    #[inline(always)]
    fn columns_of<L: Lanes, const N: usize>(
        &self,
        first: usize,
        count: usize,
        gathered: &mut Vec<[f32; N]>,
        sums: &mut Vec<f32>,
    ) {
        let plan = self.plan;
        let inputs = plan.inputs * plan.x.rows * plan.x.frames;
        let x = &self.job.x[self.group * inputs..][..inputs];
        let (panels_across, panels_down) = (count.div_ceil(N), self.rows.len().div_ceil(ROWS));
        sums.clear();
        sums.resize(panels_across * panels_down * ROWS * N, 0.0);
        let mut step = 0;
        while step < plan.depth {
            let steps = step..(step + DEPTH).min(plan.depth);
            gathered.resize(panels_across * steps.len(), [0.0; N]);
            for (across, to) in gathered.chunks_exact_mut(steps.len()).enumerate() {
                let first_of_panel = first + across * N;
                gather(plan, x, steps.clone(), first_of_panel, N.min(first + count - first_of_panel), to);
            }
            for down in 0..panels_down {
                let weights = &self.weights.panel(self.group, self.rows.start / ROWS + down)[steps.clone()];
                let rows = (self.rows.len() - down * ROWS).min(ROWS);
                for (across, b) in gathered.chunks_exact(steps.len()).enumerate() {
                    let c = &mut sums[(across * panels_down + down) * ROWS * N..][..ROWS * N];
                    panels::<L::Wide, N>(weights, rows, b, c);
                }
            }
            step = steps.end;
        }
        for (across, sums) in sums.chunks_exact_mut(panels_down * ROWS * N).enumerate() {
            let first_of_panel = first + across * N;
            let count = N.min(first + count - first_of_panel);
            for (row, sums) in self.rows.clone().zip(sums.chunks_exact_mut(N)) {
                self.finish(row, first_of_panel, &mut sums[..count]);
            }
        }
    }

    /// What follows the sums of a row, and where they go.
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
                // SAFETY: tiles have no row and column in common.
                unsafe { self.job.part(at) }.copy_from_slice(sums);
            }
            Kind::Transposed { .. } => {
                let phase = row % plan.phases;
                for (n, &sum) in sums.iter().enumerate() {
                    let (row, column) = ((first + n) / plan.row_columns, (first + n) % plan.row_columns);
                    let frame = column * plan.phases + phase;
                    if frame < plan.y.frames {
                        let at = channel * plane + row * plan.y.frames + frame;
                        let sum = self.job.residual.map_or(sum, |residual| sum + residual[at]);
                        // SAFETY: tiles have no row and column in common.
                        unsafe { self.job.part(at..at + 1) }.fill(sum);
                    }
                }
            }
        }
    }
}
