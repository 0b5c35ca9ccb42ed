//! Tracks locks under which a thread must not block, and marks the places that may block. A debug build panics if such
//! a place is reached under such a lock, so that every test looks for violations.

use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    static HELD: Cell<u32> = const { Cell::new(0) };
}

/// A guard that lives as long as a lock under which its thread must not block.
pub struct NoBlocking {
    /// Makes the guard `!Send`, because the count is thread-local.
    _not_send: PhantomData<*const ()>,
}

impl NoBlocking {
    /// Forbids the calling thread to block until the guard is dropped.
    pub fn begin() -> Self {
        HELD.set(HELD.get() + 1);
        Self { _not_send: PhantomData }
    }
}

impl Drop for NoBlocking {
    fn drop(&mut self) {
        HELD.set(HELD.get() - 1);
    }
}

/// Marks a place that may wait for a file, a database, a thread, another lock or the user.
///
/// # Panics
/// Panics in debug builds if the calling thread must not block.
#[track_caller]
pub fn may_block(what: &str) {
    // A thread that unwinds has already reported its fault; a second panic would abort the process.
    debug_assert!(
        HELD.get() == 0 || std::thread::panicking(),
        "{what} may take long and is used under a lock that commands wait for"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_found_on_the_thread_that_holds_the_lock_only() {
        let held = NoBlocking::begin();
        assert!(std::panic::catch_unwind(|| may_block("a file")).is_err());
        assert!(std::thread::spawn(|| may_block("a file")).join().is_ok());
        drop(held);
        may_block("a file");
    }
}
