//! The database of the library, with two connections: one for writing, and one for reading at the same time.

pub(super) mod found;
pub(super) mod outcome;
pub(super) mod queue;
pub(super) mod roots;
pub(super) mod scans;
pub(super) mod words;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::questions::query::add_functions;
use super::schema::KIND;
use crate::database::{self, Guard};
use crate::error::{Error, Result};
use crate::lock::lock;

/// The database of a library.
#[derive(Debug)]
pub(super) struct Store {
    path: PathBuf,
    reader: Mutex<Connection>,
    writer: Mutex<Connection>,
    /// The identity of its file.
    file: Option<FileIdentity>,
    /// Prevents others from moving the database aside. It is dropped after the connections.
    _guard: Guard,
}

impl Store {
    /// Opens the database. Also returns notices for the user.
    pub(super) fn open(path: &Path) -> Result<(Self, Vec<String>)> {
        let path = std::path::absolute(path).map_err(|source| Error::io("open", path, source))?;
        let opened = database::open(&path, &KIND)?;
        let reader = database::connect_again(&path, &KIND)?;
        // Queries compare text with a function of this program.
        for connection in [&reader, &opened.connection] {
            add_functions(connection).map_err(|error| stored(&error))?;
        }
        let mut notices = opened.notices;
        let store = Self {
            file: identity_of(&path),
            path,
            reader: Mutex::new(reader),
            writer: Mutex::new(opened.connection),
            _guard: opened.guard,
        };
        if let Some(aside) = opened.aside {
            notices.push(match roots::carry_over(&store, &aside) {
                Ok(0) => "No folders could be taken over from it; add them again.".to_owned(),
                Ok(count) => format!("Its {count} folders were taken over; scan again to fill the library."),
                Err(error) => format!("Its folders could not be taken over ({error}); add them again."),
            });
        }
        Ok((store, notices))
    }

    /// Returns the path of the database.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs a query.
    pub(super) fn read<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        question(&lock(&self.reader)).map_err(|error| stored(&error))
    }

    /// Runs a query, and returns the error of `SQLite`.
    pub(super) fn try_read<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        question(&lock(&self.reader))
    }

    /// Runs a transaction.
    pub(super) fn write<T>(&self, change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T> {
        self.try_write(change).map_err(|error| stored(&error))
    }

    /// Runs a transaction, and returns the error of `SQLite`.
    pub(super) fn try_write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let mut writer = lock(&self.writer);
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let value = change(&transaction)?;
        transaction.commit()?;
        Ok(value)
    }

    /// Checks the database in its file. Returns the problem, if any: it is damaged, or the file was removed or
    /// replaced, so that what was written is lost.
    pub(super) fn damage(&self) -> Result<Option<String>> {
        if self.file.is_some() && identity_of(&self.path) != self.file {
            return Ok(Some("its file was removed or replaced".to_owned()));
        }
        database::damage(&self.path, &KIND).map_err(|error| stored(&error))
    }

    /// Runs work on the writing connection without a transaction.
    pub(super) fn with_writer<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        work(&lock(&self.writer)).map_err(|error| stored(&error))
    }
}

/// Device and inode number of a file.
type FileIdentity = (u64, u64);

#[cfg(unix)]
fn identity_of(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// On other systems, an open file cannot be removed.
#[cfg(not(unix))]
fn identity_of(_: &Path) -> Option<FileIdentity> {
    None
}

/// Converts an error of the database.
pub(super) fn stored(error: &rusqlite::Error) -> Error {
    Error::Stored(format!("The library could not be read or written: {error}"))
}
