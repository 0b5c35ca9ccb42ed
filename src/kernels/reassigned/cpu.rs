//! The CPU twin: the cells of windows side by side on all threads, their energy gathered in the order of windows and
//! bins, so that the bits depend neither on the number of threads nor on how a picture is cut.

use rayon::prelude::*;

use super::ReassignedPlan;
use super::cells::Cells;
use super::plan::STILL_DB;
use crate::error::Result;
use crate::kernels::stft::{ColumnAnalysis as _, ColumnGrid, Complex32, Samples, StftPlan, Tile, db_from_power};
use crate::progress::Progress;

/// Bins of the windows that are made at a time: 24 MiB of what is moved.
const BATCH_BINS: usize = 1 << 20;

/// Where the energy of a cell goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// Its power, 1 being all of a full-scale sine's.
    pub power: f32,
    /// Frames from the middle of the window.
    pub frames: f32,
    /// The frequency in bins.
    pub bin: f32,
}

/// What the cells of a window are worked out with.
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

/// Where the cells of the window centred on `centre` go, bin after bin.
///
/// # Errors
/// [`crate::Error::Internal`] when a transform is refused, which it is not.
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
    [plain, slope, ramp]: &mut [crate::kernels::stft::Transform<'_>; 3],
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

/// The levels of these columns in dB re a full-scale sine.
///
/// # Errors
/// [`crate::Error::Invalid`] and [`crate::Error::Limit`] for a tile that cannot be made; [`crate::Error::Cancelled`].
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
    // Cell after cell of the picture along time.
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

/// The place in the picture where the energy of a cell goes, if it is in it.
fn place(plan: &ReassignedPlan, cells: &Cells, centre: i64, moved: Moved) -> Option<usize> {
    let row = plan.edges().partition_point(|&edge| edge <= moved.bin);
    let row = (1..=plan.rows()).contains(&row).then(|| row - 1)?;
    // The frame in which the centre of gravity is: a frame's own stands at its whole number.
    let cell = cells.of_frame(centre + (moved.frames + 0.5).floor() as i64)?;
    Some(cell * plan.rows() + row)
}
