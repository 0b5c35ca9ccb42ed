//! Medians of power spectra along both axes.

use std::ops::Range;
use std::time::Instant;

use rayon::prelude::*;

use super::on_gpu::Rows;
use super::trial::{Limits, Reference, Run, Trial, powers, spread, transform, worst_error_db};
use crate::gpu::{Engine, Finished};
use crate::kernels::signal::median::gpu::{Axis, record};
use crate::kernels::signal::median::{KERNEL, LANES, Median, REACH};
use crate::kernels::signal::stft::Spectra;
use base::error::Result;
use base::progress::Progress;

/// Comparisons per value and axis, in networks that neighbouring outputs share.
const OPERATIONS: f64 = 100.0;
const AXES: [Axis; 2] = [Axis::Columns, Axis::Rows];

struct Medians {
    power: Spectra<f32>,
    samples: u64,
}

pub(super) fn trial(frames: usize, _channels: usize) -> Result<Box<dyn Trial>> {
    Ok(Box::new(Medians { power: powers(&transform()?, frames)?, samples: frames as u64 }))
}

impl Trial for Medians {
    fn samples(&self) -> u64 {
        self.samples
    }

    fn operations(&self) -> f64 {
        AXES.len() as f64 * OPERATIONS * self.power.values.len() as f64
    }

    fn limits(&self) -> Limits {
        Limits::within(KERNEL.tolerance_db)
    }

    /// A group is the medians of one window. Those across time come first, for all windows, then those across
    /// frequency.
    fn group(&self) -> usize {
        self.power.bins
    }

    fn on_cpu(&self) -> Result<Run> {
        let Spectra { bins, values: power } = &self.power;
        let mut values = vec![0.0; 2 * power.len()];
        let (columns, rows) = values.split_at_mut(power.len());
        let started = Instant::now();
        let batches = columns.par_chunks_mut(LANES * bins).zip(rows.par_chunks_mut(LANES * bins)).enumerate();
        batches.for_each_init(
            || Median::new(*bins),
            |median, (batch, (columns, rows))| {
                let windows = batch * LANES..batch * LANES + columns.len() / bins;
                median.along_columns(power, windows.clone(), columns);
                median.along_rows(power, windows, rows);
            },
        );
        Ok(Run { seconds: started.elapsed().as_secs_f64(), values, ..Run::default() })
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let (bins, windows) = (self.power.bins, self.power.windows());
        let (mut values, mut all) = (Vec::new(), Finished { device_clock: true, ..Finished::default() });
        for axis in AXES {
            let (found, finished) = medians_on_gpu(engine, &self.power.values, bins, 0..windows, axis, None)?;
            values.extend(found);
            all += finished;
        }
        Ok(Run::finished(values, all))
    }

    fn reference(&self) -> Result<Reference> {
        let windows = self.power.windows();
        Ok(Reference::of(spread(2 * windows, 16), |group| {
            let (axis, window) = (AXES[group / windows], group % windows);
            (0..self.power.bins).map(|bin| f64::from(by_sorting(&self.power, window, bin, axis))).collect()
        }))
    }

    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        worst_error_db(got.iter().zip(expected).map(|(&got, &expected)| ((f64::from(got) - expected).abs(), expected)))
    }
}

/// Returns the median of 31 values around one, by sorting. The plane is reflected at its ends.
fn by_sorting(power: &Spectra<f32>, window: usize, bin: usize, axis: Axis) -> f32 {
    let reflected = |place: i64, count: usize| {
        let place = place.rem_euclid(2 * count as i64);
        place.min(2 * count as i64 - 1 - place) as usize
    };
    let reach = REACH as i64;
    let mut around: Vec<f32> = (-reach..=reach)
        .map(|k| match axis {
            Axis::Columns => power.window(reflected(window as i64 + k, power.windows()))[bin],
            Axis::Rows => power.window(window)[reflected(bin as i64 + k, power.bins)],
        })
        .collect();
    around.sort_unstable_by(f32::total_cmp);
    around[REACH]
}

/// Returns the medians of the rows `wanted` of a plane with `columns` values per row.
pub fn medians_on_gpu(
    engine: &mut Engine,
    plane: &[f32],
    columns: usize,
    wanted: Range<usize>,
    axis: Axis,
    progress: Option<&Progress>,
) -> Result<(Vec<f32>, Finished)> {
    Rows { values: plane, columns, wanted, margins: [REACH; 2], results: 0 }.run(
        engine,
        progress,
        |recording, plane, wanted| record(recording, plane, wanted, axis).view,
        |bytes, _| bytemuck::pod_collect_to_vec(bytes),
    )
}
