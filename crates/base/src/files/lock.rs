//! Locks of files that one process holds as long as it works.

use std::fs::{File, TryLockError};
use std::io;
use std::thread;
use std::time::Duration;

/// How often a lock is tried before another process is said to hold it, and the pause after each try.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// Takes the lock of a file, until it is closed. Returns whether it did: `false` if another process holds it. One that
/// holds it for an instant only is waited for: it looks whether another has the lock, or is being started and holds what
/// the process that starts it holds, until it runs its program.
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
