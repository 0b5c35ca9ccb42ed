//! Determines the session of this process, which is the one whose file it has locked.

use std::fs::File;
use std::path::{Path, PathBuf};

use base::error::{Error, Result};
use base::files;

/// The maximum number of simultaneous sessions. Further ones are refused.
const MOST: i64 = 1000;

/// The number of a session, and its lock. The operating system releases the lock when the process ends, however it
/// ends.
#[derive(Debug)]
pub(super) struct Owned {
    folder: PathBuf,
    number: i64,
    /// `None` if the file system does not support locks.
    lock: Option<File>,
}

enum Locked {
    Mine(File),
    Others,
    /// The file system does not support locks.
    Unknown,
}

impl Owned {
    /// Takes the lowest number that no running process has. Without locks, all processes use number 1.
    pub(super) fn take(folder: &Path) -> Result<Self> {
        for number in 1..=MOST {
            let owned = |lock| Ok(Self { folder: folder.to_path_buf(), number, lock });
            match lock(folder, number)? {
                Locked::Mine(file) => return owned(Some(file)),
                Locked::Unknown => return owned(None),
                Locked::Others => {}
            }
        }
        Err(Error::Stored(format!("{MOST} programs have the session open. Close some of them: {}", folder.display())))
    }

    /// Returns the number of the session, from 1 on.
    pub(super) fn number(&self) -> i64 {
        self.number
    }

    /// Returns whether no other process has a session; `None` if a lock cannot be tried, as nobody can know then.
    pub(super) fn is_alone(&self) -> Option<bool> {
        self.lock.as_ref()?;
        let files = std::fs::read_dir(&self.folder).ok()?;
        let numbers = files.filter_map(|file| {
            let name = file.ok()?.file_name().into_string().ok()?;
            name.strip_prefix("session-")?.strip_suffix(".lock")?.parse::<i64>().ok()
        });
        let mut is_alone = Some(true);
        for number in numbers.filter(|number| *number != self.number) {
            match lock(&self.folder, number) {
                Ok(Locked::Mine(_)) => {}
                Ok(Locked::Others) => return Some(false),
                Ok(Locked::Unknown) | Err(_) => is_alone = None,
            }
        }
        is_alone
    }

    /// Locks another session's file. `None` if a process has locked it or locks are not supported.
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
    match files::try_lock(&file) {
        Ok(true) => Ok(Locked::Mine(file)),
        Ok(false) => Ok(Locked::Others),
        Err(error) => {
            tracing::warn!("{} cannot be locked: {error}", path.display());
            Ok(Locked::Unknown)
        }
    }
}
