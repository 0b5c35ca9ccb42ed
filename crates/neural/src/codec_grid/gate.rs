//! Bounds what cells hold in memory at a time.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use base::error::Result;
use base::lock::lock;
use base::progress::Progress;

/// The most samples (frames times channels) of the recordings processed at a time. A cell needs about eight copies of
/// its recording, and the data kept for comparisons four: 1.5 GiB in all. A longer recording is processed alone.
const MAX_SAMPLES: u64 = 1 << 25;

/// Lets cells pass while their recordings fit in memory.
pub struct Gate {
    free: Mutex<u64>,
    changed: Condvar,
}

/// A cell's place; given back when dropped.
pub struct Pass<'a> {
    gate: &'a Gate,
    samples: u64,
}

impl Gate {
    pub fn new() -> Self {
        Self { free: Mutex::new(MAX_SAMPLES), changed: Condvar::new() }
    }

    /// Waits until there is room for `samples` samples.
    pub fn pass(&self, samples: u64, progress: &Progress) -> Result<Pass<'_>> {
        let samples = samples.min(MAX_SAMPLES);
        let mut free = lock(&self.free);
        while *free < samples {
            progress.check()?;
            // A cancel is noticed within 50 ms.
            let waited = self.changed.wait_timeout(free, Duration::from_millis(50));
            free = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= samples;
        Ok(Pass { gate: self, samples })
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        *lock(&self.gate.free) += self.samples;
        self.gate.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::error::Error;

    #[test]
    fn what_does_not_fit_waits_and_what_never_fits_goes_alone() {
        let gate = Gate::new();
        let progress = Progress::new();
        let first = gate.pass(MAX_SAMPLES * 5, &progress).unwrap();
        let passed = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _second = gate.pass(1, &Progress::new()).unwrap();
                passed.store(true, std::sync::atomic::Ordering::SeqCst);
            });
            std::thread::sleep(Duration::from_millis(30));
            assert!(!passed.load(std::sync::atomic::Ordering::SeqCst));
            drop(first);
        });
        assert!(passed.load(std::sync::atomic::Ordering::SeqCst));
        let _all = gate.pass(MAX_SAMPLES, &progress).unwrap();
        progress.cancel();
        assert!(matches!(gate.pass(1, &progress), Err(Error::Cancelled)));
    }
}
