//! The session's database: its name and its tables.

use std::path::Path;

use rusqlite::Connection;

use crate::database::{self, Foreign, Guard, Kind};
use crate::error::Result;

/// The database's name in the data folder.
pub const FILE_NAME: &str = "session.sqlite";

/// What leads from one version of the database to the next. Never change one that was released; add another.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE document (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        position INTEGER NOT NULL,
        present INTEGER NOT NULL,
        cursor_frame INTEGER NOT NULL,
        view_start REAL,
        view_end REAL
    ) STRICT;
    CREATE TABLE step (
        document INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
        serial INTEGER NOT NULL,
        label TEXT NOT NULL,
        state TEXT NOT NULL,
        PRIMARY KEY (document, serial)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE active (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        document INTEGER REFERENCES document (id) ON DELETE SET NULL
    ) STRICT;
    CREATE TABLE recent (
        opened INTEGER PRIMARY KEY AUTOINCREMENT,
        path TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE preset (
        name TEXT PRIMARY KEY,
        chain TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
"];

const KIND: Kind = Kind {
    name: "session",
    former: "The last session",
    // "Utun".
    application_id: 0x5574_756e,
    migrations: MIGRATIONS,
    checked: &[],
    cache_kib: 2000,
    foreign: Foreign::PutAside,
};

/// Opens the database in `folder`, making both where needed. One that cannot be used is moved aside, once, and a fresh
/// one begun; the notices say so. The guard must live as long as the connection.
///
/// # Errors
/// [`crate::Error::Io`] when the folder cannot be used, [`crate::Error::Stored`] when the database cannot be opened,
/// read or moved.
pub fn open(folder: &Path) -> Result<(Connection, Guard, Vec<String>)> {
    let opened = database::open(&folder.join(FILE_NAME), &KIND)?;
    Ok((opened.connection, opened.guard, opened.notices))
}
