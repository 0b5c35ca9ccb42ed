//! Which session of the database is this process's: the one whose file it has locked.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// More windows than this are not told apart; the next one is refused.
const MOST: i64 = 1000;

/// A session's number, and its lock. The system lets go of the lock when the process ends, however it does.
#[derive(Debug)]
pub(super) struct Owned {
    folder: PathBuf,
    number: i64,
    _lock: Option<File>,
}

enum Locked {
    Mine(File),
    Others,
    /// The file system knows no locks.
    Unknown,
}

impl Owned {
    /// The lowest number that no running process has. Without locks all processes have the first.
    pub(super) fn take(folder: &Path) -> Result<Self> {
        for number in 1..=MOST {
            let owned = |lock| Ok(Self { folder: folder.to_path_buf(), number, _lock: lock });
            match lock(folder, number)? {
                Locked::Mine(file) => return owned(Some(file)),
                Locked::Unknown => return owned(None),
                Locked::Others => {}
            }
        }
        Err(Error::Stored(format!("{MOST} programs have the session open; close some of them: {}", folder.display())))
    }

    /// Its number, from 1 on.
    pub(super) fn number(&self) -> i64 {
        self.number
    }

    /// The lock of another session, if no process has it.
    pub(super) fn try_other(&self, number: i64) -> Result<Option<File>> {
        Ok(match lock(&self.folder, number)? {
            Locked::Mine(file) => Some(file),
            Locked::Others | Locked::Unknown => None,
        })
    }
}

fn lock(folder: &Path, number: i64) -> Result<Locked> {
    let path = folder.join(format!("session-{number}.lock"));
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|source| Error::io("open", &path, source))?;
    Ok(match file.try_lock() {
        Ok(()) => Locked::Mine(file),
        Err(TryLockError::WouldBlock) => Locked::Others,
        Err(TryLockError::Error(error)) => {
            tracing::warn!("{} cannot be locked: {error}", path.display());
            Locked::Unknown
        }
    })
}
