//! File locks that one process holds while it works.

use std::fs::{File, TryLockError};
use std::io;
use std::thread;
use std::time::Duration;

/// How often a lock is tried before another process is said to hold it, and the pause after each try.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// Takes the lock of a file, until the file is closed. Returns `false` if another process holds it. Waits for processes
/// that hold it only for an instant: one that tests whether the lock is held, or a child that inherits the lock until
/// it runs its program.
///
/// # Errors
/// An error of the system, such as on a file system without locks.
pub fn try_lock(file: &File) -> io::Result<bool> {
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}
