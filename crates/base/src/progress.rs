//! Progress reporting and prompt cancellation for long-running work.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::error::{Error, Result};
use crate::lock::lock;

/// The progress of one piece of work, shared between the worker that counts and the front end that shows it.
///
/// Clones share one count. The unit is whatever the work counts: frames of a file, files of a batch.
#[derive(Clone, Debug)]
pub struct Progress(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    done: AtomicU64,
    total: AtomicU64,
    cancelled: Arc<AtomicBool>,
    /// The flags of the work that this is a part of, which cancel it too.
    above: Vec<Arc<AtomicBool>>,
    step: Mutex<Option<String>>,
    started: Instant,
    /// The count of the whole, and this part's share of it.
    whole: Option<(Progress, u64)>,
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            cancelled: Arc::default(),
            above: Vec::new(),
            step: Mutex::default(),
            started: Instant::now(),
            whole: None,
        }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress {
    /// Creates a `Progress` at 0 with an unknown total.
    pub fn new() -> Self {
        Self(Arc::new(Inner::default()))
    }

    /// Returns a separate count for a part of the work. It does not add to this count, but is cancelled with it.
    #[must_use]
    pub fn uncounted(&self) -> Self {
        let (cancelled, above) = (Arc::clone(&self.0.cancelled), self.0.above.clone());
        Self(Arc::new(Inner { cancelled, above, ..Inner::default() }))
    }

    /// Returns a separate count, in any unit, for a part of the work. It adds to this count as it advances: `worth`
    /// once its total is done. It is cancelled with this one.
    #[must_use]
    pub fn part(&self, worth: u64) -> Self {
        let (cancelled, above) = (Arc::clone(&self.0.cancelled), self.0.above.clone());
        Self(Arc::new(Inner { cancelled, above, whole: Some((self.clone(), worth)), ..Inner::default() }))
    }

    /// Returns a part as [`Progress::part`] does, which can also be cancelled by itself.
    #[must_use]
    pub fn part_alone(&self, worth: u64) -> Self {
        let mut above = self.0.above.clone();
        above.push(Arc::clone(&self.0.cancelled));
        Self(Arc::new(Inner { above, whole: Some((self.clone(), worth)), ..Inner::default() }))
    }

    /// Sets the total amount of work.
    pub fn set_total(&self, total: u64) {
        self.0.total.store(total, Ordering::Relaxed);
    }

    /// Names what is being done now, such as "stft on llvmpipe".
    pub fn set_step(&self, step: impl Into<String>) {
        *lock(&self.0.step) = Some(step.into());
    }

    /// Returns what is being done now, if the work names it.
    pub fn step(&self) -> Option<String> {
        lock(&self.0.step).clone()
    }

    /// Adds `amount` to the work done.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if cancellation was requested; the worker passes it up and stops.
    pub fn advance(&self, amount: u64) -> Result<()> {
        let before = self.0.done.fetch_add(amount, Ordering::Relaxed);
        if let Some((whole, worth)) = &self.0.whole {
            let total = self.0.total.load(Ordering::Relaxed);
            let at = |done: u64| {
                let share = u128::from(*worth) * u128::from(done.min(total)) / u128::from(total.max(1));
                u64::try_from(share).unwrap_or(*worth)
            };
            whole.advance(at(before.saturating_add(amount)) - at(before))?;
        }
        self.check()
    }

    /// Checks for cancellation without counting.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Requests cancellation. The work stops at its next [`Progress::advance`] or [`Progress::check`].
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed) || self.0.above.iter().any(|flag| flag.load(Ordering::Relaxed))
    }

    /// Returns the work done, the total (0 if unknown) and the elapsed time.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            done: self.0.done.load(Ordering::Relaxed),
            total: self.0.total.load(Ordering::Relaxed),
            elapsed_s: self.0.started.elapsed().as_secs_f64(),
        }
    }
}

/// A reading of [`Progress`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snapshot {
    /// Amount done so far.
    pub done: u64,
    /// Total amount; 0 if unknown.
    pub total: u64,
    /// Seconds since the work began.
    pub elapsed_s: f64,
}

impl Snapshot {
    /// Returns the work done per second, averaged since the start.
    pub fn rate(&self) -> f64 {
        if self.elapsed_s > 0.0 { self.done as f64 / self.elapsed_s } else { 0.0 }
    }

    /// Returns the remaining seconds at the average rate; `None` if nothing is done yet or the total is unknown.
    pub fn remaining_s(&self) -> Option<f64> {
        (self.total > 0 && self.done > 0).then(|| self.total.saturating_sub(self.done) as f64 / self.rate())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_stops_at_a_cancel() {
        let progress = Progress::new();
        progress.set_total(10);
        assert!(progress.advance(4).is_ok());
        progress.clone().cancel();
        assert!(matches!(progress.advance(1), Err(Error::Cancelled)));
        assert_eq!(progress.snapshot().done, 5);
    }

    #[test]
    fn a_part_that_is_not_counted_stops_with_the_whole() {
        let progress = Progress::new();
        let part = progress.uncounted();
        part.set_total(5);
        assert!(part.advance(3).is_ok());
        assert_eq!((progress.snapshot().done, progress.snapshot().total), (0, 0));
        progress.cancel();
        assert!(matches!(part.advance(1), Err(Error::Cancelled)));
    }

    #[test]
    fn a_part_adds_what_it_is_worth() {
        let whole = Progress::new();
        whole.set_total(30);
        let part = whole.part(10);
        part.set_total(3);
        for expected in [3, 6, 10, 10] {
            part.advance(1).unwrap();
            assert_eq!(whole.snapshot().done, expected);
        }
        let other = whole.part(20);
        // Nothing is known of its share before its total.
        other.advance(0).unwrap();
        assert_eq!(whole.snapshot().done, 10);
        whole.cancel();
        assert!(matches!(other.advance(1), Err(Error::Cancelled)));
    }

    #[test]
    fn a_part_alone_is_cancelled_by_itself_and_with_the_whole() {
        let whole = Progress::new();
        let (first, second) = (whole.part_alone(10), whole.part_alone(10));
        let inner = [first.uncounted(), first.part(1)];
        first.cancel();
        assert!(inner.iter().all(Progress::is_cancelled));
        assert!(!whole.is_cancelled() && second.advance(1).is_ok());
        let inner = [second.uncounted(), second.part(1)];
        whole.cancel();
        assert!(second.is_cancelled() && inner.iter().all(Progress::is_cancelled));
    }

    #[test]
    fn remaining_time_needs_a_total_and_a_beginning() {
        let at = |done, total| Snapshot { done, total, elapsed_s: 2.0 }.remaining_s();
        assert_eq!(at(0, 10), None);
        assert_eq!(at(5, 0), None);
        assert_eq!(at(5, 15), Some(4.0));
    }
}
