//! Locks whose data stays valid when a thread panics under them.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Locks a mutex and ignores poisoning. For data of which every change under the lock is small and complete, so that it
/// is valid even if a thread panicked while it held the lock.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks for reading, like [`lock`].
pub fn read<T>(data: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    data.read().unwrap_or_else(PoisonError::into_inner)
}

/// Locks for writing, like [`lock`].
pub fn write<T>(data: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    data.write().unwrap_or_else(PoisonError::into_inner)
}
