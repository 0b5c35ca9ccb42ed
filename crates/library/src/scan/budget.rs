//! The memory budget that the tracks in progress share.

use base::lock::lock;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A memory limit that is handed out in parts, first come, first served, so that small requests never starve a large
/// one.
#[derive(Debug)]
pub(super) struct Budget {
    ceiling: u64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    used: u64,
    next_ticket: u64,
    serving: u64,
}

/// A part of a budget, returned when dropped.
#[derive(Debug)]
pub(super) struct Reservation<'a> {
    budget: &'a Budget,
    bytes: u64,
}

impl Budget {
    pub(super) fn new(ceiling: u64) -> Self {
        Self { ceiling, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits for `bytes`. A request above the limit waits until it is the only one. Returns `None` if `stopped` becomes
    /// true first.
    pub(super) fn take(&self, bytes: u64, stopped: impl Fn() -> bool) -> Option<Reservation<'_>> {
        let mut state = self.lock();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        loop {
            let fits = state.used == 0 || state.used.saturating_add(bytes) <= self.ceiling;
            if state.serving == ticket && (fits || stopped()) {
                state.serving += 1;
                let part = fits.then(|| Reservation { budget: self, bytes });
                if fits {
                    state.used += bytes;
                }
                self.changed.notify_all();
                return part;
            }
            let wait = self.changed.wait_timeout(state, Duration::from_millis(50));
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns memory on behalf of a thread that will not do so itself.
    pub(super) fn give_back(&self, bytes: u64) {
        self.lock().used -= bytes;
        self.changed.notify_all();
    }

    /// Returns the amount in use, in bytes.
    pub(super) fn used(&self) -> u64 {
        self.lock().used
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn the_ceiling_holds_and_a_large_one_goes_alone() {
        let (budget, most) = (Budget::new(10), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for bytes in [4, 3, 30, 5, 2, 9, 30, 1, 1, 1] {
                let (budget, most) = (&budget, &most);
                scope.spawn(move || {
                    let part = budget.take(bytes, || false).unwrap();
                    let used = budget.used();
                    assert!(used <= 10 || used == bytes, "{used} with {bytes}");
                    most.fetch_max(used, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_millis(3));
                    drop(part);
                });
            }
        });
        assert_eq!((budget.used(), most.into_inner()), (0, 30));
        let _held = budget.take(10, || false).unwrap();
        assert!(budget.take(1, || true).is_none());
    }
}
