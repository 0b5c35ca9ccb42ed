//! The product of a panel of weights with a panel of gathered columns, in registers.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use super::super::weights::ROWS;
use base::simd::Wide;

/// Columns of a panel.
pub(in crate::kernels) const COLUMNS: usize = 48;

/// Columns of a panel for few columns.
pub(in crate::kernels) const FEW_COLUMNS: usize = 16;

/// A step of a panel of columns, or a row of its sums; aligned to cache lines, so that no load crosses two.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(in crate::kernels) struct Columns<const N: usize>(pub [f32; N]);

impl<const N: usize> Columns<N> {
    pub const ZERO: Self = Self([0.0; N]);
}

/// Products that are summed in one chain.
pub(in crate::kernels) const DEPTH: usize = 128;

/// Adds the product of `a` (steps of [`ROWS`] numbers, of which `rows` count) and `b` (as many steps of `N` numbers) to
/// `c` ([`ROWS`] rows), or writes it there if it is the `first`.
#[inline(always)]
pub(in crate::kernels) fn panels<W: Wide, const N: usize>(
    a: &[[f32; ROWS]],
    rows: usize,
    b: &[Columns<N>],
    c: &mut [Columns<N>],
    first: bool,
) {
    // Constant conditions, so that only the branch taken is compiled.
    if const { (N / W::WIDTH).is_multiple_of(3) } {
        columns::<W, N, 3>(a, rows, b, c, first);
    } else if const { N / W::WIDTH == 1 } {
        columns::<W, N, 1>(a, rows, b, c, first);
    } else {
        columns::<W, N, 2>(a, rows, b, c, first);
    }
}

#[inline(always)]
fn columns<W: Wide, const N: usize, const V: usize>(
    a: &[[f32; ROWS]],
    rows: usize,
    b: &[Columns<N>],
    c: &mut [Columns<N>],
    first: bool,
) {
    let mut column = 0;
    while column < N {
        if const { W::MANY_REGISTERS } {
            if rows > 4 {
                block::<W, N, V, 8>(a, 0, b, column, c, first);
            } else if rows > 1 {
                block::<W, N, V, 4>(a, 0, b, column, c, first);
            } else {
                block::<W, N, V, 1>(a, 0, b, column, c, first);
            }
        } else if rows == 1 {
            block::<W, N, V, 1>(a, 0, b, column, c, first);
        } else {
            for row in (0..rows).step_by(4) {
                block::<W, N, V, 4>(a, row, b, column, c, first);
            }
        }
        column += V * W::WIDTH;
    }
}

/// `R` rows from `row` on and `V` vectors from `column` on, all in registers.
#[inline(always)]
fn block<W: Wide, const N: usize, const V: usize, const R: usize>(
    a: &[[f32; ROWS]],
    row: usize,
    b: &[Columns<N>],
    column: usize,
    c: &mut [Columns<N>],
    first: bool,
) {
    let mut sums = [[W::splat(0.0); V]; R];
    for (a, b) in a.iter().zip(b) {
        let mut vectors = [W::splat(0.0); V];
        for v in 0..V {
            vectors[v] = W::load(&b.0[column + v * W::WIDTH..]);
        }
        for r in 0..R {
            let weight = W::splat(a[row + r]);
            for v in 0..V {
                sums[r][v] = vectors[v].mul_add(weight, sums[r][v]);
            }
        }
    }
    for r in 0..R {
        let c = &mut c[row + r].0;
        for v in 0..V {
            let c = &mut c[column + v * W::WIDTH..][..W::WIDTH];
            let sum = if first { sums[r][v] } else { W::load(c).add(sums[r][v]) };
            sum.store(c);
        }
    }
}
