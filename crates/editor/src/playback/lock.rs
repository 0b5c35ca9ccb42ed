//! The mutex of playback's threads. The audio thread must never block, so in debug builds [`Mutex::lock`] panics on a
//! thread while [`without_locks`] runs on it. In release builds it is a plain mutex.

use std::sync::MutexGuard;

#[cfg(debug_assertions)]
thread_local! {
    static REFUSED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// A [`std::sync::Mutex`] that the audio thread cannot lock. All of playback uses it.
#[derive(Debug, Default)]
pub(super) struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub const fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    /// Locks and ignores poisoning, like [`base::lock::lock`].
    pub fn lock(&self) -> MutexGuard<'_, T> {
        #[cfg(debug_assertions)]
        assert!(!REFUSED.get(), "a lock is taken on the audio thread");
        base::lock::lock(&self.0)
    }
}

/// Runs the work of the audio thread, with locks refused in debug builds.
#[inline]
pub(super) fn without_locks<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(debug_assertions)]
    {
        /// Allows locks again, also if `work` panics.
        struct Allow;
        impl Drop for Allow {
            fn drop(&mut self) {
                REFUSED.set(false);
            }
        }
        REFUSED.set(true);
        let _allow = Allow;
        work()
    }
    #[cfg(not(debug_assertions))]
    work()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_lock_is_refused_while_the_audio_thread_works_and_only_then() {
        let lock = Mutex::new(1);
        assert_eq!(*lock.lock(), 1);
        assert_eq!(without_locks(|| 2), 2);
        let taken = std::panic::catch_unwind(|| without_locks(|| drop(lock.lock())));
        assert!(taken.is_err(), "an uncontended lock is found too");
        assert_eq!(*lock.lock(), 1, "allowed again after the panic");
    }

    /// Playback uses blocking primitives only through this file, so that the refusal catches them.
    #[test]
    fn playback_has_no_other_locks() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/playback");
        let mut files = 0;
        for entry in walkdir::WalkDir::new(root) {
            let entry = entry.unwrap();
            let name = entry.file_name().to_string_lossy();
            let test_only = entry.path().components().any(|part| part.as_os_str() == "tests")
                || ["tests.rs", "virtual_output.rs", "lock.rs"].contains(&&*name);
            if test_only || !name.ends_with(".rs") {
                continue;
            }
            files += 1;
            let text = std::fs::read_to_string(entry.path()).unwrap();
            for line in text.lines().filter(|line| line.contains("std::sync")) {
                let blocks = ["Mutex,", "Mutex;", "Mutex}", "RwLock", "Condvar", "Barrier", "LazyLock"];
                let found = blocks.iter().find(|word| line.replace(' ', "").contains(**word));
                assert_eq!(found, None, "{}: {line}", entry.path().display());
            }
        }
        assert!(files > 20, "{files} files");
    }
}
