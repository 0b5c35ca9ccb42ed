//! Locks under which nothing may wait, and the places that wait. A debug build panics where the two meet, so that every
//! test looks for such places.

use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    static HELD: Cell<u32> = const { Cell::new(0) };
}

/// Lives as long as a lock under which its thread may not wait.
pub(crate) struct NoWaiting {
    /// The count is the thread's own.
    _not_send: PhantomData<*const ()>,
}

impl NoWaiting {
    /// From here on the calling thread may not wait.
    pub(crate) fn begin() -> Self {
        HELD.set(HELD.get() + 1);
        Self { _not_send: PhantomData }
    }
}

impl Drop for NoWaiting {
    fn drop(&mut self) {
        HELD.set(HELD.get() - 1);
    }
}

/// Marks a place that may wait for a file, a database, a thread, another lock or the user.
///
/// # Panics
/// In debug builds, if the calling thread may not wait.
#[track_caller]
pub(crate) fn may_wait(what: &str) {
    // A thread that unwinds has told its fault already; a second panic would end the process.
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
        let held = NoWaiting::begin();
        assert!(std::panic::catch_unwind(|| may_wait("a file")).is_err());
        assert!(std::thread::spawn(|| may_wait("a file")).join().is_ok());
        drop(held);
        may_wait("a file");
    }
}
