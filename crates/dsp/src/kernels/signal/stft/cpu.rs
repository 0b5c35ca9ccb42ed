//! The CPU twin: transforms windows in parallel on all threads.
//!
//! Every window is computed independently, so the bits do not depend on the number of threads or the distribution of
//! windows.

use std::ops::Range;

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::level::LevelCode;
use super::transform::Transform;
use super::{Complex32, Samples, Spectra, StftPlan, Tile, TileRequest};
use base::error::{Error, Result};

/// The maximum number of values per call: 1 GiB of complex values.
const MAX_VALUES: u64 = 1 << 27;

/// The number of rows of a tile that are transposed together.
const ROWS_TURNED: usize = 16;

/// The minimum number of windows per thread; fewer do not pay for its scratch memory.
const MIN_WINDOWS: usize = 8;

/// Returns the complex spectra of the given windows, unscaled; the formula is in the documentation of `super`.
///
/// # Errors
/// [`Error::Limit`] for more than 2^27 values.
pub fn spectra(plan: &StftPlan, samples: Samples<'_>, windows: Range<u64>) -> Result<Spectra<Complex32>> {
    run(plan, windows, Complex32::default(), |transform, window, to| {
        to.copy_from_slice(transform.spectrum(samples, plan.start_frame(window))?);
        Ok(())
    })
}

/// Returns the power spectra of the given windows. 1 is the power of a full-scale sine.
///
/// # Errors
/// [`Error::Limit`] for more than 2^27 values.
pub fn power(plan: &StftPlan, samples: Samples<'_>, windows: Range<u64>) -> Result<Spectra<f32>> {
    let scale = plan.power_scale() as f32;
    run(plan, windows, 0.0, |transform, window, to| transform.power(samples, plan.start_frame(window), scale, to))
}

/// Same as [`power`], but on this thread and with reused memory: `to` is overwritten with the values.
pub fn power_to(plan: &StftPlan, samples: Samples<'_>, windows: Range<u64>, to: &mut Vec<f32>) -> Result<()> {
    let (bins, scale) = (plan.bins(), plan.power_scale() as f32);
    to.resize(values(plan, &windows)?, 0.0);
    let mut transform = plan.transform();
    for (window, to) in windows.zip(to.chunks_exact_mut(bins)) {
        transform.power(samples, plan.start_frame(window), scale, to)?;
    }
    Ok(())
}

/// Returns the number of values of the spectra of the given windows.
fn values(plan: &StftPlan, windows: &Range<u64>) -> Result<usize> {
    let (count, bins) = (windows.end.saturating_sub(windows.start), plan.bins());
    if count.saturating_mul(bins as u64) > MAX_VALUES {
        return Err(Error::Limit {
            what: "spectra in one piece".to_owned(),
            got: format!("{count} windows of {bins} bins"),
            limit: format!("{MAX_VALUES} values"),
        });
    }
    Ok(count as usize * bins)
}

fn run<T: Copy + Send>(
    plan: &StftPlan,
    windows: Range<u64>,
    zero: T,
    one: impl Fn(&mut Transform<'_>, u64, &mut [T]) -> Result<()> + Sync,
) -> Result<Spectra<T>> {
    let bins = plan.bins();
    let mut values = vec![zero; values(plan, &windows)?];
    values.par_chunks_mut(bins).enumerate().with_min_len(MIN_WINDOWS).try_for_each_init(
        || plan.transform(),
        |transform, (index, to)| one(transform, windows.start + index as u64, to),
    )?;
    Ok(Spectra { bins, values })
}

/// Returns the tile's levels in dB re a full-scale sine.
pub fn levels(request: &TileRequest<'_>) -> Result<Tile<f32>> {
    tile(request, |levels, to| to.copy_from_slice(levels))
}

/// Returns the tile's levels in steps of 0.005 dB, coded as [`LevelCode::FINE`].
pub fn fine(request: &TileRequest<'_>) -> Result<Tile<u16>> {
    tile(request, |levels, to| LevelCode::FINE.codes(levels, to))
}

/// Returns the tile's levels in 256 steps over `range_db` from `low_db` up, coded as [`LevelCode::coarse`].
pub fn coarse(request: &TileRequest<'_>, low_db: f32, range_db: f32) -> Result<Tile<u8>> {
    let code = LevelCode::coarse(low_db, range_db);
    tile(request, |levels, to| code.codes(levels, to))
}

fn tile<T: Copy + Send + Sync + Zeroable>(
    request: &TileRequest<'_>,
    encode: impl Fn(&[f32], &mut [T]) + Sync,
) -> Result<Tile<T>> {
    request.check()?;
    let (rows, columns) = (request.rows.len(), request.columns.count);
    let mut values = vec![T::zeroed(); rows * columns];
    if values.is_empty() {
        return Ok(Tile { rows, columns, values });
    }
    // Computed column by column, then transposed.
    let mut upright = values.clone();
    let least = MIN_WINDOWS.div_ceil(request.columns.windows);
    upright.par_chunks_mut(rows).enumerate().with_min_len(least).try_for_each_init(
        || Column::new(request),
        |state, (column, to)| -> Result<()> {
            encode(state.levels(request, column)?, to);
            Ok(())
        },
    )?;
    // A few rows at a time, so that reads are close together.
    values.par_chunks_mut(ROWS_TURNED * columns).enumerate().for_each(|(group, to)| {
        for (column, from) in upright.chunks_exact(rows).enumerate() {
            for (to, &value) in to[column..].iter_mut().step_by(columns).zip(&from[group * ROWS_TURNED..]) {
                *to = value;
            }
        }
    });
    Ok(Tile { rows, columns, values })
}

/// The state of a thread that computes columns.
struct Column<'a> {
    transform: Transform<'a>,
    scale: f32,
    power: Vec<f32>,
    bin_levels: Vec<f32>,
    levels: Vec<f32>,
}

impl<'a> Column<'a> {
    fn new(request: &TileRequest<'a>) -> Self {
        Self {
            transform: request.plan.transform(),
            scale: (request.plan.power_scale() / request.columns.windows as f64) as f32,
            power: vec![0.0; request.plan.bins()],
            bin_levels: Vec::new(),
            levels: vec![0.0; request.rows.len()],
        }
    }

    fn levels(&mut self, request: &TileRequest<'_>, column: usize) -> Result<&[f32]> {
        self.power.fill(0.0);
        for window in 0..request.columns.windows {
            let start = request.plan.start_of_centre(request.columns.centre(column, window));
            self.transform.add_power(request.samples, start, self.scale, &mut self.power)?;
        }
        request.rows.levels(&self.power, &mut self.bin_levels, &mut self.levels);
        Ok(&self.levels)
    }
}
