//! Products on the CPU, in tiles of the result that are divided among threads.
//!
//! Every number of the result is a separate chain of sums: blocks of [`product::DEPTH`] products, added one after the
//! other, then the sum of the blocks. Tiles only choose which chains run together, so that neither the number of
//! threads nor the place of a column changes a bit.

mod gather;
pub(in crate::kernels) mod product;
mod tile;

use std::ops::Range;

use rayon::prelude::*;

use super::{Epilogue, Plan, Weights};
use base::error::Result;
use base::progress::Progress;
use base::simd::Simd;
use product::COLUMNS;
use tile::{Shared, Tile};

/// Columns of a tile: some panels, whose gathered numbers stay in the second cache.
const TILE_COLUMNS: usize = 4 * COLUMNS;

/// The maximum number of rows of a tile.
const TILE_ROWS: usize = 512;

/// One product of a batch.
#[derive(Debug)]
pub struct Job<'a> {
    /// The input.
    pub x: &'a [f32],
    /// Numbers to add to the result at the end, of its size.
    pub residual: Option<&'a [f32]>,
    /// The result.
    pub y: &'a mut [f32],
}

/// Computes the products of a batch.
///
/// # Panics
/// Panics if a block does not have its size.
pub fn run(
    plan: &Plan,
    weights: &Weights,
    epilogue: Epilogue<'_>,
    jobs: &mut [Job<'_>],
    progress: &Progress,
) -> Result<()> {
    for job in jobs.iter() {
        assert!(job.x.len() == plan.x.len() && job.y.len() == plan.y.len(), "the size of a block");
        assert!(job.residual.is_none_or(|residual| residual.len() == plan.y.len()), "the size of what is added");
    }
    if plan.y.is_empty() || jobs.is_empty() {
        return Ok(());
    }
    let simd = Simd::best();
    let blocks = plan.columns.div_ceil(TILE_COLUMNS);
    // Fewer rows a tile where there would be too few tiles for the threads.
    let wanted = (4 * rayon::current_num_threads()).div_ceil(jobs.len() * plan.groups * blocks).max(1);
    let rows = plan.height.div_ceil(wanted).clamp(32, TILE_ROWS).next_multiple_of(8);
    let bands = plan.height.div_ceil(rows);
    let shared: Vec<Shared<'_>> = jobs.iter_mut().map(|job| Shared::new(job.x, job.residual, job.y)).collect();
    let of_job = plan.groups * blocks * bands;
    (0..shared.len() * of_job).into_par_iter().try_for_each(|n| {
        progress.check()?;
        let (job, n) = (&shared[n / of_job], n % of_job);
        let (group, n) = (n / (blocks * bands), n % (blocks * bands));
        let (block, band) = (n / bands, n % bands);
        let part = |at: usize, size: usize, all: usize| -> Range<usize> { at * size..((at + 1) * size).min(all) };
        simd.dispatch(Tile {
            plan,
            weights,
            epilogue,
            job,
            group,
            rows: part(band, rows, plan.height),
            columns: part(block, TILE_COLUMNS, plan.columns),
        });
        Ok(())
    })
}
