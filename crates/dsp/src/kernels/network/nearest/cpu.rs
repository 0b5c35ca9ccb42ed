//! The search on the CPU, tile by tile of vectors.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use rayon::prelude::*;

use super::Book;
use crate::kernels::network::convolution::cpu::product::{COLUMNS, Columns, DEPTH, panels};
use crate::kernels::network::convolution::weights::ROWS;
use base::error::Result;
use base::progress::Progress;
use base::simd::{Lanes, Simd, Task};

/// Writes the code of each of `y.len()` vectors; `x` is `components x vectors`. `NaN` gives code 0.
pub fn run(book: &Book, x: &[f32], y: &mut [f32], progress: &Progress) -> Result<()> {
    let (vectors, simd) = (y.len(), Simd::best());
    y.par_chunks_mut(COLUMNS).enumerate().try_for_each(|(tile, y)| {
        progress.check()?;
        simd.dispatch(Tile { book, x, vectors, first: tile * COLUMNS, y });
        Ok(())
    })
}

struct Tile<'a> {
    book: &'a Book,
    x: &'a [f32],
    vectors: usize,
    first: usize,
    y: &'a mut [f32],
}

impl Task for Tile<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { book, x, vectors, first, y } = self;
        let mut gathered = vec![Columns::<COLUMNS>::ZERO; book.components];
        for (n, to) in gathered.iter_mut().enumerate() {
            to.0[..y.len()].copy_from_slice(&x[n * vectors + first..][..y.len()]);
        }
        let (mut best, mut code) = ([f32::NEG_INFINITY; COLUMNS], [0.0_f32; COLUMNS]);
        for (panel, halves) in book.halves.chunks(ROWS).enumerate() {
            let mut scores = [Columns::<COLUMNS>::ZERO; ROWS];
            for (block, gathered) in gathered.chunks(DEPTH).enumerate() {
                let count = gathered.len();
                let weights = &book.weights.panels(0, panel, block * DEPTH, count)[..count];
                panels::<L::Wide, COLUMNS>(weights, halves.len(), gathered, &mut scores, block == 0);
            }
            for (row, (half, scores)) in halves.iter().zip(&scores).enumerate() {
                let index = (panel * ROWS + row) as f32;
                for column in 0..COLUMNS {
                    let score = scores.0[column] - half;
                    let better = score > best[column];
                    best[column] = if better { score } else { best[column] };
                    code[column] = if better { index } else { code[column] };
                }
            }
        }
        let count = y.len();
        y.copy_from_slice(&code[..count]);
    }
}
