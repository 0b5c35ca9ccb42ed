//! The CPU twin: computes the cells of windows in parallel on all threads.
//!
//! Energy is added in the order of windows and bins, so the bits depend neither on the number of threads nor on how a
//! picture is cut.

use rayon::prelude::*;

use super::ReassignedPlan;
use super::cells::Cells;
use super::plan::STILL_DB;
use crate::kernels::signal::stft::{
    ColumnAnalysis as _, ColumnGrid, Complex32, Samples, StftPlan, Tile, db_from_power,
};
use base::error::Result;
use base::progress::Progress;

/// The number of bins, over all windows, that are computed at a time. Their moved energy takes 16 MiB.
const BATCH_BINS: usize = 1 << 20;

/// The power of a cell, and the place to which it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// The power. The cells of a full-scale sine sum to 1 per window.
    pub power: f32,
    /// The distance from the middle of the window, in frames.
    pub frames: f32,
    /// The frequency in bins.
    pub bin: f32,
}

/// The constants from which the places of a window's cells are computed.
struct Quotients {
    scale: f32,
    still: f32,
    bins_per_radian: f32,
    half_size: f32,
    last: usize,
}

impl Quotients {
    fn new(plan: &ReassignedPlan) -> Self {
        Self {
            scale: plan.power_scale() as f32,
            still: 10_f64.powf(STILL_DB / 10.0) as f32,
            bins_per_radian: plan.bins_per_radian() as f32,
            half_size: (plan.transform().spec().size / 2) as f32,
            last: plan.transform().bins() - 1,
        }
    }

    fn moved(&self, bin: usize, plain: Complex32, slope: Complex32, ramp: Complex32) -> Moved {
        let squared = plain.re * plain.re + plain.im * plain.im;
        let share = if bin == 0 || bin == self.last { 0.5 } else { 1.0 };
        let power = share * self.scale * squared;
        let place = bin as f32;
        let still = Moved { power, frames: 0.0, bin: place };
        if power < self.still || !power.is_finite() {
            return still;
        }
        let frames = (ramp.re * plain.re + ramp.im * plain.im) / squared;
        let bin = place - (slope.im * plain.re - slope.re * plain.im) / squared * self.bins_per_radian;
        let inside = frames.abs() <= self.half_size && bin >= 0.0 && bin <= self.last as f32;
        if inside { Moved { power, frames, bin } } else { still }
    }
}

/// Returns where the cells of the window centred on `centre` move, bin after bin.
pub fn moved(plan: &ReassignedPlan, samples: Samples<'_>, centre: i64) -> Result<Vec<Moved>> {
    let mut to = Vec::with_capacity(plan.transform().bins());
    let quotients = Quotients::new(plan);
    cells_of(plan, &quotients, &mut plan.transforms().map(StftPlan::transform), samples, centre, |moved| {
        to.push(moved);
    })?;
    Ok(to)
}

fn cells_of(
    plan: &ReassignedPlan,
    quotients: &Quotients,
    [plain, slope, ramp]: &mut [crate::kernels::signal::stft::Transform<'_>; 3],
    samples: Samples<'_>,
    centre: i64,
    mut to: impl FnMut(Moved),
) -> Result<()> {
    let start = plan.transform().start_of_centre(centre);
    let [plain, slope, ramp] =
        [plain.spectrum(samples, start)?, slope.spectrum(samples, start)?, ramp.spectrum(samples, start)?];
    for (bin, ((&plain, &slope), &ramp)) in plain.iter().zip(slope).zip(ramp).enumerate() {
        to(quotients.moved(bin, plain, slope, ramp));
    }
    Ok(())
}

/// Returns the levels of the columns in dB re a full-scale sine.
pub fn levels(
    plan: &ReassignedPlan,
    grid: &ColumnGrid,
    samples: Samples<'_>,
    progress: Option<&Progress>,
) -> Result<Tile<f32>> {
    let rows = plan.rows();
    grid.check(rows)?;
    let cells = Cells::new(plan.transform().spec().size, grid, 0..grid.count);
    let quotients = Quotients::new(plan);
    // The rows of each cell along time, cell after cell.
    let mut sums = vec![0.0_f64; cells.count() * rows];
    for batch in cells.centres.chunks((BATCH_BINS / plan.transform().bins()).max(1)) {
        progress.map_or(Ok(()), Progress::check)?;
        let moved: Vec<Vec<(usize, f32)>> = batch
            .par_iter()
            .map_init(
                || plan.transforms().map(StftPlan::transform),
                |transforms, &centre| {
                    let mut to = Vec::with_capacity(plan.transform().bins());
                    let mut broken = false;
                    cells_of(plan, &quotients, transforms, samples, centre, |moved| {
                        broken |= !moved.power.is_finite();
                        to.extend(place(plan, &cells, centre, moved).map(|place| (place, moved.power)));
                    })?;
                    if broken {
                        to = cells.of_frame(centre).map_or_else(Vec::new, |cell| {
                            (cell * rows..(cell + 1) * rows).map(|place| (place, f32::NAN)).collect()
                        });
                    }
                    Ok(to)
                },
            )
            .collect::<Result<_>>()?;
        for &(place, power) in moved.iter().flatten() {
            sums[place] += f64::from(power);
        }
    }
    let share = 1.0 / cells.windows as f64;
    let mut values = Vec::with_capacity(rows * grid.count);
    for row in 0..rows {
        let level = |&cell: &u32| db_from_power((sums[cell as usize * rows + row] * share) as f32);
        values.extend(cells.of_column.iter().map(level));
    }
    Ok(Tile { rows, columns: grid.count, values })
}

/// Returns the index of the sum to which the energy of a cell moves, or `None` if it leaves the picture.
fn place(plan: &ReassignedPlan, cells: &Cells, centre: i64, moved: Moved) -> Option<usize> {
    let row = plan.edges().partition_point(|&edge| edge <= moved.bin);
    let row = (1..=plan.rows()).contains(&row).then(|| row - 1)?;
    // The frame nearest to the centre of gravity.
    let cell = cells.of_frame(centre + (moved.frames + 0.5).floor() as i64)?;
    Some(cell * plan.rows() + row)
}
