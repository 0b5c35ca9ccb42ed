//! Repeats a measurement: the median of several runs, and runs that warm a device up.

use std::time::{Duration, Instant};

use base::error::Result;

/// The least number of runs of which the median counts. The first runs may see clocks that are still rising; others may
/// be disturbed by other load.
const REPEATS: usize = 5;
/// The largest number of runs, for work whose time a clock cannot resolve.
const MAX_REPEATS: usize = 2000;

/// Returns the median of the times of several runs, in seconds, and at least 1 ns.
pub(super) fn median(mut run: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut seconds = (0..REPEATS).map(|_| run()).collect::<Result<Vec<f64>>>()?;
    Ok(middle(&mut seconds))
}

/// Returns the median of enough runs to take `least` together, but no fewer than [`median`] makes.
pub(super) fn median_over(least: Duration, mut run: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut runs = Runs::new(least, None);
    while runs.go_on() {
        let seconds = run()?;
        runs.add(seconds);
    }
    Ok(middle(&mut runs.seconds))
}

/// Returns the median of these times in seconds, and at least 1 ns.
pub(super) fn middle(seconds: &mut [f64]) -> f64 {
    seconds.sort_unstable_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(0.0).max(1e-9)
}

/// Decides whether a measurement needs another run.
pub(super) struct Runs {
    /// The times so far, in seconds.
    pub seconds: Vec<f64>,
    least: Duration,
    most: usize,
    until: Option<Instant>,
    /// Whether the time was up before there were enough runs.
    pub cut: bool,
}

impl Runs {
    /// Requests runs that take `least` together, until a point in time.
    pub fn new(least: Duration, until: Option<Instant>) -> Self {
        Self { seconds: Vec::new(), least, most: MAX_REPEATS, until, cut: false }
    }

    /// Limits the number of runs to `most`.
    pub fn at_most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// Returns whether another run is needed. At least one is, however late it is.
    pub fn go_on(&mut self) -> bool {
        let count = self.seconds.len();
        let enough = count >= REPEATS && self.seconds.iter().sum::<f64>() >= self.least.as_secs_f64();
        if count == 0 || enough || count >= self.most {
            return count == 0;
        }
        self.cut = self.until.is_some_and(|until| Instant::now() >= until);
        !self.cut
    }

    pub fn add(&mut self, seconds: f64) {
        self.seconds.push(seconds);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn count(least: Duration, until: Option<Instant>, each: f64) -> (usize, bool) {
        let mut runs = Runs::new(least, until);
        while runs.go_on() {
            runs.add(each);
        }
        (runs.seconds.len(), runs.cut)
    }

    #[test]
    fn runs_go_on_until_they_are_enough_or_the_time_is_up() {
        let least = Duration::from_millis(50);
        assert_eq!(count(least, None, 0.020), (5, false), "never fewer than five");
        assert_eq!(count(least, None, 0.001), (50, false));
        assert_eq!(count(least, None, 0.0), (MAX_REPEATS, false), "a clock that stands still");
        assert_eq!(count(least, Some(Instant::now()), 0.001), (1, true), "one, however late it is");
        let mut runs = Runs::new(least, None).at_most(7);
        while runs.go_on() {
            runs.add(0.001);
        }
        assert_eq!((runs.seconds.len(), runs.cut), (7, false));
        assert_eq!(median_over(least, || Ok(0.004)).unwrap(), 0.004);
        assert_eq!(middle(&mut [9.0, 0.0, 0.5]), 0.5);
        assert_eq!(middle(&mut []), 1e-9);
    }
}
