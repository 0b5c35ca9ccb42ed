//! Repeats a measurement: the median of several runs, and runs that warm a device up.

use std::time::{Duration, Instant};

use crate::error::Result;

/// The number of runs of which the median counts. The first runs may see clocks that are still rising; others may be
/// disturbed by other load.
const REPEATS: usize = 5;

/// Returns the median of the times of several runs, in seconds, and at least 1 ns.
pub(super) fn median(mut run: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut seconds = (0..REPEATS).map(|_| run()).collect::<Result<Vec<f64>>>()?;
    seconds.sort_unstable_by(f64::total_cmp);
    Ok(seconds[REPEATS / 2].max(1e-9))
}

/// Runs the work at least once and repeats it until `lasts` has passed.
pub(super) fn warm_up(lasts: Duration, mut run: impl FnMut() -> Result<()>) -> Result<()> {
    let started = Instant::now();
    loop {
        run()?;
        if started.elapsed() >= lasts {
            return Ok(());
        }
    }
}
