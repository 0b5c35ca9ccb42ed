//! A barrier for threads that wait for each other some thousand times a second.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Lets all threads continue once all have arrived.
pub(super) struct Barrier {
    threads: usize,
    waiting: AtomicUsize,
    round: AtomicUsize,
}

impl Barrier {
    pub fn new(threads: usize) -> Self {
        Self { threads, waiting: AtomicUsize::new(0), round: AtomicUsize::new(0) }
    }

    /// Waits for all other threads. What a thread wrote before, all see after.
    pub fn wait(&self) {
        if self.threads == 1 {
            return;
        }
        let round = self.round.load(Ordering::Acquire);
        if self.waiting.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.waiting.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut tries = 0;
        while self.round.load(Ordering::Acquire) == round {
            // The wait is short, unless the machine has other work.
            if tries < 2000 {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
            tries += 1;
        }
    }
}
