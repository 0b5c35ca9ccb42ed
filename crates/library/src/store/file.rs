//! A library in an `SQLite` file.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rusqlite::{Connection, TransactionBehavior};

use super::stored;
use crate::questions::query::add_functions;
use crate::schema::KIND;
use crate::sql::{self, Session};
use base::database::{self, Guard};
use base::error::Result;
use base::lock::lock;

/// The number of prepared statements that a connection keeps.
const STATEMENTS: usize = 64;

/// The connections to the file of a library.
#[derive(Debug)]
pub(crate) struct FileStore {
    reader: Mutex<Connection>,
    writer: Mutex<Connection>,
    /// The identity of its file.
    file: Option<FileIdentity>,
    /// Prevents others from moving the database aside. It is dropped after the connections.
    _guard: Guard,
}

impl FileStore {
    /// Opens the database at an absolute path. Also returns the path of one that was put aside, and notices for the
    /// user.
    pub(super) fn open(path: &Path) -> Result<(Self, Option<PathBuf>, Vec<String>)> {
        let opened = database::open(path, &KIND)?;
        let reader = database::connect_again(path, &KIND)?;
        // Queries compare text with a function of this program.
        for connection in [&reader, &opened.connection] {
            add_functions(connection).map_err(|error| stored(&error.into()))?;
            connection.set_prepared_statement_cache_capacity(STATEMENTS);
        }
        let store = Self {
            file: identity_of(path),
            reader: Mutex::new(reader),
            writer: Mutex::new(opened.connection),
            _guard: opened.guard,
        };
        Ok((store, opened.aside, opened.notices))
    }

    pub(super) fn read<T>(&self, question: impl FnOnce(&Session<'_>) -> sql::Result<T>) -> sql::Result<T> {
        question(&Session::File(&lock(&self.reader)))
    }

    pub(super) fn write<T>(&self, change: impl FnOnce(&Session<'_>) -> sql::Result<T>) -> sql::Result<T> {
        let mut writer = lock(&self.writer);
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let value = change(&Session::File(&transaction))?;
        transaction.commit()?;
        Ok(value)
    }

    /// See [`super::Store::damage`].
    pub(super) fn damage(&self, path: &Path) -> sql::Result<Option<String>> {
        if self.file.is_some() && identity_of(path) != self.file {
            return Ok(Some("its file was removed or replaced".to_owned()));
        }
        Ok(database::damage(path, &KIND)?)
    }

    /// Runs work on the writing connection without a transaction.
    pub(crate) fn with_writer<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> sql::Result<T> {
        Ok(work(&lock(&self.writer))?)
    }

    /// Runs work on the reading connection.
    pub(crate) fn with_reader<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> sql::Result<T> {
        Ok(work(&lock(&self.reader))?)
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
