//! The lock that the writer of an index holds.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use base::error::{Error, Result};
use base::progress::Progress;

/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(50);

/// Takes the lock, which is released when the file is closed, also by a kill. Waits while another process has it.
pub(super) fn hold(path: &Path, progress: &Progress) -> Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(path);
    let file = file.map_err(|source| Error::io("open", path, source))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {
                progress.check()?;
                std::thread::sleep(PAUSE);
            }
            // Some network file systems do not support locks. There, two writers may remove each other's files, and the
            // next one rebuilds the index.
            Err(TryLockError::Error(error)) => {
                tracing::info!("an index in this folder cannot be locked: {error}: {}", path.display());
                return Ok(file);
            }
        }
    }
}
