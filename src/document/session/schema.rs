//! The session's database: how it is opened, brought up to date, and moved out of the way when it cannot be used.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::error::{Error, Result};

/// The database's name in the data folder.
pub const FILE_NAME: &str = "session.sqlite";

/// Marks the file as this program's: "Utun".
const APPLICATION_ID: i64 = 0x5574_756e;

/// How long another process may hold the database.
const BUSY: Duration = Duration::from_secs(5);

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

/// Why a database cannot be used.
enum Unusable {
    /// It is damaged or no database of this program's: it is moved aside.
    Damaged(String),
    /// It is of a later version: it is moved aside.
    TooNew(i64),
    /// It may well be sound, but cannot be had now.
    Unavailable(rusqlite::Error),
}

impl From<rusqlite::Error> for Unusable {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(error.to_string()),
            _ => Self::Unavailable(error),
        }
    }
}

/// Opens the database in `folder`, making both where needed. One that cannot be used is moved aside, once, and a fresh
/// one begun; the notices say so.
///
/// # Errors
/// [`Error::Io`] when the folder cannot be used, [`Error::Stored`] when the database cannot be opened, read or moved.
pub fn open(folder: &Path) -> Result<(Connection, Vec<String>)> {
    fs::create_dir_all(folder).map_err(|source| Error::io("make the folder", folder, source))?;
    // One process at a time: a second one must not move aside what the first has just begun.
    let guard_path = folder.join("session.lock");
    let guard = File::options().create(true).truncate(false).write(true).open(&guard_path);
    let guard = guard.map_err(|source| Error::io("open", &guard_path, source))?;
    // Where locks are not supported, only that rare race remains.
    let _ = guard.lock();
    let path = folder.join(FILE_NAME);
    let mut notices = Vec::new();
    let problem = match connect(&path) {
        Ok(database) => return Ok((database, notices)),
        Err(Unusable::Unavailable(error)) => return Err(unavailable(&path, &error)),
        Err(Unusable::TooNew(version)) => {
            format!("was kept by a later version of this program (format {version})")
        }
        Err(Unusable::Damaged(reason)) => format!("could not be read ({reason})"),
    };
    let aside = move_aside(&path)?;
    let aside = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
    notices.push(format!("The last session {problem}. It was put aside as {aside}; a new one was begun."));
    match connect(&path) {
        Ok(database) => Ok((database, notices)),
        Err(Unusable::Unavailable(error)) => Err(unavailable(&path, &error)),
        Err(_) => Err(Error::Stored(format!("a fresh session database is damaged at once: {}", path.display()))),
    }
}

fn unavailable(path: &Path, error: &rusqlite::Error) -> Error {
    Error::Stored(format!("the session database cannot be used: {error}: {}", path.display()))
}

fn connect(path: &Path) -> std::result::Result<Connection, Unusable> {
    let mut database = Connection::open(path)?;
    database.busy_timeout(BUSY)?;
    let found: i64 = database.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let tables: i64 = database.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if found != APPLICATION_ID && !(found == 0 && tables == 0) {
        return Err(Unusable::Damaged("it is another program's database".into()));
    }
    let version: i64 = database.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version > MIGRATIONS.len() as i64 {
        return Err(Unusable::TooNew(version));
    }
    let health: String = database.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if health != "ok" {
        return Err(Unusable::Damaged(health));
    }
    // With a write-ahead log a committed edit is with the system at once, so that a killed process loses none; NORMAL
    // syncs it to the disk at checkpoints, so that a power cut may take the last ones but never harms the rest.
    // File systems without shared memory keep the old journal and sync at every commit.
    let mode: String = database.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    database.pragma_update(None, "synchronous", if mode == "wal" { "NORMAL" } else { "FULL" })?;
    database.pragma_update(None, "foreign_keys", true)?;
    migrate(&mut database)?;
    Ok(database)
}

fn migrate(database: &mut Connection) -> std::result::Result<(), Unusable> {
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    for migration in MIGRATIONS.get(version.max(0) as usize..).unwrap_or_default() {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
    Ok(transaction.commit()?)
}

/// Renames the database and its log; nothing is deleted.
fn move_aside(path: &Path) -> Result<PathBuf> {
    let stamp = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let named = |ending: &str| path.with_file_name(format!("session-aside-{stamp}.sqlite{ending}"));
    for ending in ["-wal", "-shm", ""] {
        let from = path.with_file_name(format!("{FILE_NAME}{ending}"));
        match fs::rename(&from, named(ending)) {
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(Error::io("rename", &from, source)),
            Ok(()) => {}
        }
    }
    Ok(named(""))
}
