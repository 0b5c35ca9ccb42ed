//! The program's own databases (SQLite): how one is opened, brought up to date, and moved out of the way when it cannot
//! be used. Nothing is ever deleted.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::error::{Error, Result};
use crate::waiting::may_wait;

/// How long another process may hold a database.
const BUSY: Duration = Duration::from_secs(5);

/// Up to this size a database is read through whole when it is opened, which takes a tenth of a second.
const SMALL_BYTES: i64 = 16 << 20;

/// The smallest page of a `SQLite` file.
const LEAST_BYTES: u64 = 512;

/// What every `SQLite` file begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// One kind of database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// What it is called in messages: "session".
    pub name: &'static str,
    /// What a notice calls one that was put aside: "The last session".
    pub former: &'static str,
    /// Marks a file as of this kind.
    pub application_id: i64,
    /// What leads from one version to the next. Never change one that was released; add another.
    pub migrations: &'static [&'static str],
    /// The tables that are read through when a database beyond [`SMALL_BYTES`] is opened; all where none is named.
    pub checked: &'static [&'static str],
    /// Pages that a connection keeps in memory, in KiB.
    pub cache_kib: u32,
    /// What becomes of another program's database, and of one that a later version keeps.
    pub foreign: Foreign,
}

/// What becomes of a sound database that is not ours to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// It is moved aside, as it stands where only we write.
    PutAside,
    /// It is left alone, as the user named the file.
    Refuse,
}

/// A database that was opened.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The connection.
    pub connection: Connection,
    /// What the user should know.
    pub notices: Vec<String>,
    /// Where the one that could not be used is now.
    pub aside: Option<PathBuf>,
}

/// Why a database cannot be used.
enum Unusable {
    /// It is damaged.
    Damaged(String),
    /// It is another program's.
    Foreign,
    /// It is of a later version.
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

/// Opens the database at `path`, making it and its folder where needed. One that cannot be used is moved aside, once,
/// and a fresh one begun; the notices say so.
///
/// # Errors
/// [`Error::Io`] when the folder cannot be used, [`Error::Stored`] when the database cannot be opened, read or moved,
/// [`Error::Refused`] for what is left alone.
pub(crate) fn open(path: &Path, kind: &Kind) -> Result<Opened> {
    may_wait("a database");
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|source| Error::io("make the folder", folder, source))?;
    // One process at a time: a second one must not move aside what the first has just begun.
    let guard_path = path.with_extension("lock");
    let guard = File::options().create(true).truncate(false).write(true).open(&guard_path);
    let guard = guard.map_err(|source| Error::io("open", &guard_path, source))?;
    // Where locks are not supported, only that rare race remains.
    let _ = guard.lock();
    let problem = match connect(path, kind) {
        Ok(connection) => return Ok(Opened { connection, notices: Vec::new(), aside: None }),
        Err(Unusable::Unavailable(error)) => return Err(unavailable(path, kind, &error)),
        Err(Unusable::TooNew(version)) => {
            let problem = format!("was kept by a later version of this program (format {version})");
            refuse(path, kind, &problem)?;
            problem
        }
        Err(Unusable::Foreign) => {
            let problem = "could not be read (it is another program's database)";
            refuse(path, kind, problem)?;
            problem.to_owned()
        }
        Err(Unusable::Damaged(reason)) => {
            let problem = format!("could not be read ({reason})");
            if !is_database(path) {
                refuse(path, kind, &problem)?;
            }
            problem
        }
    };
    let aside = move_aside(path)?;
    let name = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let notices = vec![format!("{} {problem}. It was put aside as {name}; a new one was begun.", kind.former)];
    match connect(path, kind) {
        Ok(connection) => Ok(Opened { connection, notices, aside: Some(aside) }),
        Err(Unusable::Unavailable(error)) => Err(unavailable(path, kind, &error)),
        Err(_) => Err(Error::Stored(format!("a fresh {} database is damaged at once: {}", kind.name, path.display()))),
    }
}

/// One more connection to a database that [`open`] has opened.
///
/// # Errors
/// [`Error::Stored`].
pub(crate) fn connect_again(path: &Path, kind: &Kind) -> Result<Connection> {
    may_wait("a database");
    let connect = || -> rusqlite::Result<Connection> {
        let connection = Connection::open(path)?;
        configure(&connection, kind)?;
        Ok(connection)
    };
    connect().map_err(|error| unavailable(path, kind, &error))
}

fn unavailable(path: &Path, kind: &Kind, error: &rusqlite::Error) -> Error {
    Error::Stored(format!("the {} database cannot be used: {error}: {}", kind.name, path.display()))
}

fn refuse(path: &Path, kind: &Kind, problem: &str) -> Result<()> {
    match kind.foreign {
        Foreign::PutAside => Ok(()),
        Foreign::Refuse => Err(Error::Refused {
            reason: format!("the file {problem}; it is left as it is, name another one for the {}", kind.name),
            path: path.to_path_buf(),
        }),
    }
}

/// Whether the file is at least the remains of a database: by its first bytes or, where those are lost, by its name.
fn is_database(path: &Path) -> bool {
    let mut head = [0; MAGIC.len()];
    let begins = File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok_and(|()| &head == MAGIC);
    begins || path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("sqlite"))
}

fn connect(path: &Path, kind: &Kind) -> std::result::Result<Connection, Unusable> {
    // `SQLite` takes a file below its smallest page for an empty one, and would write over it.
    if fs::metadata(path).is_ok_and(|metadata| (1..LEAST_BYTES).contains(&metadata.len())) {
        return Err(Unusable::Damaged("file is not a database".to_owned()));
    }
    let mut database = Connection::open(path)?;
    database.busy_timeout(BUSY)?;
    let found: i64 = database.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let tables: i64 = database.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if found != kind.application_id && !(found == 0 && tables == 0) {
        return Err(Unusable::Foreign);
    }
    let version: i64 = database.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version > kind.migrations.len() as i64 {
        return Err(Unusable::TooNew(version));
    }
    check(&database, kind)?;
    configure(&database, kind)?;
    migrate(&mut database, kind)?;
    Ok(database)
}

/// Reads through what must be sound.
fn check(database: &Connection, kind: &Kind) -> std::result::Result<(), Unusable> {
    let judge = |health: String| if health == "ok" { Ok(()) } else { Err(Unusable::Damaged(health)) };
    let bytes = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    let is_small = database.query_row(bytes, [], |row| row.get::<_, i64>(0))? <= SMALL_BYTES;
    if is_small || kind.checked.is_empty() {
        return judge(database.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?);
    }
    for table in kind.checked {
        let is_there = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        if database.query_row(is_there, [table], |row| row.get::<_, i64>(0))? == 1 {
            judge(database.query_row(&format!("PRAGMA quick_check({table})"), [], |row| row.get(0))?)?;
        }
    }
    Ok(())
}

fn configure(database: &Connection, kind: &Kind) -> rusqlite::Result<()> {
    database.busy_timeout(BUSY)?;
    database.pragma_update(None, "cache_size", -i64::from(kind.cache_kib))?;
    // With a write-ahead log a committed change is with the system at once, so that a killed process loses none; NORMAL
    // syncs it to the disk at checkpoints, so that a power cut may take the last ones but never harms the rest.
    // File systems without shared memory keep the old journal and sync at every commit.
    let mode: String = database.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    database.pragma_update(None, "synchronous", if mode == "wal" { "NORMAL" } else { "FULL" })?;
    database.pragma_update(None, "foreign_keys", true)
}

fn migrate(database: &mut Connection, kind: &Kind) -> std::result::Result<(), Unusable> {
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    for migration in kind.migrations.get(version.max(0) as usize..).unwrap_or_default() {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", kind.application_id)?;
    transaction.pragma_update(None, "user_version", kind.migrations.len() as i64)?;
    Ok(transaction.commit()?)
}

/// Renames the database and its log; nothing is deleted.
fn move_aside(path: &Path) -> Result<PathBuf> {
    let stamp = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let file = path.file_name().unwrap_or_default();
    let (stem, ending) = (path.file_stem().unwrap_or_default(), path.extension().unwrap_or_default());
    let named = |log: &str| {
        let mut name = stem.to_os_string();
        name.push(format!("-aside-{stamp}."));
        name.push(ending);
        name.push(log);
        path.with_file_name(name)
    };
    for log in ["-wal", "-shm", ""] {
        let mut from = file.to_os_string();
        from.push(log);
        let from = path.with_file_name(from);
        match fs::rename(&from, named(log)) {
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(Error::io("rename", &from, source)),
            Ok(()) => {}
        }
    }
    Ok(named(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;";
    const SECOND: &str = "ALTER TABLE thing ADD COLUMN size INTEGER NOT NULL DEFAULT 7;";

    const fn kind(migrations: &'static [&'static str], foreign: Foreign) -> Kind {
        Kind {
            name: "thing",
            former: "The last things",
            application_id: 77,
            migrations,
            checked: &["thing"],
            cache_kib: 2000,
            foreign,
        }
    }

    #[test]
    fn an_older_version_is_brought_up_to_date_and_keeps_what_it_has() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("things.sqlite");
        fs::write(&path, b"").unwrap();
        let old = open(&path, &kind(&[FIRST], Foreign::Refuse)).unwrap();
        old.connection.execute("INSERT INTO thing (name) VALUES ('kept')", []).unwrap();
        drop(old);
        let newer = kind(&[FIRST, SECOND], Foreign::Refuse);
        for _ in 0..2 {
            let new = open(&path, &newer).unwrap();
            assert!(new.notices.is_empty());
            let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            let found: (String, i64) = new.connection.query_row("SELECT name, size FROM thing", [], read).unwrap();
            assert_eq!(found, ("kept".to_owned(), 7));
        }
        // And the older program leaves the newer database alone.
        let refused = open(&path, &kind(&[FIRST], Foreign::Refuse));
        assert!(matches!(refused, Err(Error::Refused { .. })));
        assert!(open(&path, &newer).is_ok());
    }

    #[test]
    fn a_file_that_is_no_database_is_not_moved_where_the_user_named_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("song.mp3");
        for bytes in [1, 30, 511, 512, 5000] {
            let song = vec![0x55; bytes];
            fs::write(&path, &song).unwrap();
            assert!(matches!(open(&path, &kind(&[FIRST], Foreign::Refuse)), Err(Error::Refused { .. })), "{bytes}");
            assert_eq!(fs::read(&path).unwrap(), song);
        }
    }
}
