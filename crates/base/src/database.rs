//! Opens the program's `SQLite` databases, migrates them, and moves a database that cannot be used out of the way.
//! Nothing is ever deleted.

use std::fs::{self, File, TryLockError};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::blocking::may_block;
use crate::error::{Error, Result};

/// How long to wait for a database that another process has locked.
const BUSY: Duration = Duration::from_secs(5);

/// How many times, and at what interval, an opener that found damage tries to get exclusive access to the database.
const ALONE_TRIES: usize = 5;
const ALONE_PAUSE: Duration = Duration::from_millis(50);

/// Databases up to this size are checked in full when they are opened, which takes about 0.1 s.
const SMALL_BYTES: i64 = 16 << 20;

/// The smallest page size of a `SQLite` file, in bytes.
const MIN_BYTES: u64 = 512;

/// The first bytes of every `SQLite` file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// A kind of database: its name, schema and policies.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The name used in messages, such as "session".
    pub name: &'static str,
    /// The name that a notice gives to a database that was moved aside, such as "The last session".
    pub former: &'static str,
    /// The `application_id` that marks a file as being of this kind.
    pub application_id: i64,
    /// The SQL that migrates each version to the next. Never change a released migration; add another.
    pub migrations: &'static [&'static str],
    /// The tables that are checked when a database larger than [`SMALL_BYTES`] is opened. If empty, all tables are
    /// checked.
    pub checked: &'static [&'static str],
    /// The size of a connection's page cache, in KiB.
    pub cache_kib: u32,
    /// The treatment of another program's database, and of one that a later version wrote.
    pub foreign: Foreign,
}

/// The treatment of an intact database that this program cannot use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// Move it aside. For databases in a folder that only this program writes to.
    PutAside,
    /// Leave it alone. For databases whose file the user named.
    Refuse,
}

/// An open database.
#[derive(Debug)]
pub struct OpenDatabase {
    /// The connection.
    pub connection: Connection,
    /// Keeps other openers from moving the database aside. It must live as long as any connection to the database.
    pub guard: Guard,
    /// Notices for the user.
    pub notices: Vec<String>,
    /// The new path of the database that could not be used, if one was moved aside.
    pub aside: Option<PathBuf>,
}

/// A shared hold on the lock file of a database. Every opener holds one; only an opener that holds the lock alone may
/// move the database aside. The operating system releases the lock when a process is killed.
#[derive(Debug)]
pub struct Guard {
    /// The lock file, locked until it is closed.
    _file: File,
}

/// The lock on a database that is being opened.
enum Hold {
    /// No other opener has the database open, or the file system does not support locks.
    Alone(File),
    /// Other openers have the database open.
    Shared(File),
}

impl Hold {
    /// Takes the lock. Waits while another process is opening the database.
    fn take(path: &Path) -> Result<Self> {
        let path = path.with_extension("lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|source| Error::io("open", &path, source))?;
        match file.try_lock() {
            Ok(()) => Ok(Self::Alone(file)),
            Err(TryLockError::WouldBlock) => {
                file.lock_shared().map_err(|source| Error::io("lock", &path, source))?;
                Ok(Self::Shared(file))
            }
            // Some network file systems do not support locks. There, two openers that find damage at the same time may
            // both move files.
            Err(TryLockError::Error(error)) => {
                tracing::info!("databases in this folder cannot be locked: {error}: {}", path.display());
                Ok(Self::Alone(file))
            }
        }
    }

    /// Converts the hold to a shared one, so that others can open the database too.
    fn share(self) -> Guard {
        match self {
            Self::Shared(file) => Guard { _file: file },
            Self::Alone(file) => {
                // Windows cannot convert an exclusive lock to a shared one, so the lock is released in between. Another
                // opener that locks the file in that gap finds an intact database.
                let shared = file.unlock().and_then(|()| file.lock_shared());
                if let Err(error) = shared {
                    tracing::info!("a database is open without a lock: {error}");
                }
                Guard { _file: file }
            }
        }
    }
}

/// Why a database cannot be used.
enum Unusable {
    /// It is damaged.
    Damaged(String),
    /// It belongs to another program, or its schema contains parts that this program never creates.
    Foreign(String),
    /// It was written by a later version.
    TooNew(i64),
    /// It may be intact, but cannot be accessed now.
    Unavailable(rusqlite::Error),
}

impl From<rusqlite::Error> for Unusable {
    fn from(error: rusqlite::Error) -> Self {
        if is_damage(&error) { Self::Damaged(error.to_string()) } else { Self::Unavailable(error) }
    }
}

/// Opens the database at `path` and creates it and its folder if needed. A database that cannot be used is moved aside
/// once and replaced by a new one; the notices say so. A database that other openers have open is never moved.
///
/// # Errors
/// [`Error::Stored`] also if the database is damaged while others use it; [`Error::Refused`] if it must be left alone.
pub fn open(path: &Path, kind: &Kind) -> Result<OpenDatabase> {
    may_block("a database");
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|source| Error::io("make the folder", folder, source))?;
    let mut tries = ALONE_TRIES;
    loop {
        let hold = Hold::take(path)?;
        let problem = match connect(path, kind) {
            Ok(connection) => {
                return Ok(OpenDatabase { connection, guard: hold.share(), notices: Vec::new(), aside: None });
            }
            Err(unusable) => problem(path, kind, unusable)?,
        };
        if matches!(hold, Hold::Alone(_)) {
            return begin_anew(path, kind, hold, &problem);
        }
        // Other openers that found the same damage also release the lock briefly, so one of them gets it exclusively.
        drop(hold);
        tries -= 1;
        if tries == 0 {
            return Err(Error::Stored(format!(
                "the {} {problem}, and another program uses it. Close that program and \
                 try again: {}",
                kind.name,
                path.display()
            )));
        }
        thread::sleep(ALONE_PAUSE);
    }
}

/// Returns the reason for moving a database aside.
///
/// # Errors
/// [`Error::Refused`] if the database must be left alone, [`Error::Stored`] if it may be intact.
fn problem(path: &Path, kind: &Kind, unusable: Unusable) -> Result<String> {
    match unusable {
        Unusable::Unavailable(error) => Err(unavailable(path, kind, &error)),
        Unusable::TooNew(version) => {
            let problem = format!("was kept by a later version of this program (format {version})");
            refuse(path, kind, &problem)?;
            Ok(problem)
        }
        Unusable::Foreign(what) => {
            let problem = format!("could not be read ({what})");
            refuse(path, kind, &problem)?;
            Ok(problem)
        }
        Unusable::Damaged(reason) => {
            let problem = format!("could not be read ({reason})");
            if !is_database(path) {
                refuse(path, kind, &problem)?;
            }
            Ok(problem)
        }
    }
}

/// Moves a database aside and creates a new one.
fn begin_anew(path: &Path, kind: &Kind, hold: Hold, problem: &str) -> Result<OpenDatabase> {
    let aside = move_aside(path)?;
    let name = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let notices = vec![format!("{} {problem}. It was put aside as {name}; a new one was begun.", kind.former)];
    match connect(path, kind) {
        Ok(connection) => Ok(OpenDatabase { connection, guard: hold.share(), notices, aside: Some(aside) }),
        Err(Unusable::Unavailable(error)) => Err(unavailable(path, kind, &error)),
        Err(_) => Err(Error::Stored(format!(
            "A new {} database is damaged at once. The disk may be failing: {}",
            kind.name,
            path.display()
        ))),
    }
}

/// Whether `SQLite` reports that the database itself is damaged.
pub fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Repeats the checks of [`open`] on a new connection, which has nothing cached. Returns what is wrong, if anything.
///
/// # Errors
/// Any `SQLite` error that does not mean damage.
pub fn damage(path: &Path, kind: &Kind) -> rusqlite::Result<Option<String>> {
    let look = || -> std::result::Result<(), Unusable> {
        let database = connection(path)?;
        check(&database, kind)
    };
    match look() {
        Ok(()) => Ok(None),
        Err(Unusable::Unavailable(error)) => Err(error),
        Err(Unusable::Damaged(reason)) => Ok(Some(reason)),
        Err(Unusable::Foreign(_) | Unusable::TooNew(_)) => Ok(Some("it was replaced".to_owned())),
    }
}

/// Opens another connection to a database that [`open`] has opened.
pub fn connect_again(path: &Path, kind: &Kind) -> Result<Connection> {
    may_block("a database");
    let connect = || -> rusqlite::Result<Connection> {
        let connection = connection(path)?;
        configure(&connection, kind)?;
        Ok(connection)
    };
    connect().map_err(|error| unavailable(path, kind, &error))
}

fn unavailable(path: &Path, kind: &Kind, error: &rusqlite::Error) -> Error {
    Error::Stored(format!("The {} database cannot be used: {error}: {}", kind.name, path.display()))
}

fn refuse(path: &Path, kind: &Kind, problem: &str) -> Result<()> {
    match kind.foreign {
        Foreign::PutAside => Ok(()),
        Foreign::Refuse => Err(Error::Refused {
            reason: format!("The file {problem}. It is left as it is. Give another name for the {}", kind.name),
            path: path.to_path_buf(),
        }),
    }
}

/// Whether the file is a database or the remains of one, judged by its first bytes or, if those are lost, by its
/// extension.
fn is_database(path: &Path) -> bool {
    let mut head = [0; MAGIC.len()];
    let begins = crate::files::open(path).is_ok_and(|mut file| file.read_exact(&mut head).is_ok()) && &head == MAGIC;
    begins || path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("sqlite"))
}

fn connect(path: &Path, kind: &Kind) -> std::result::Result<Connection, Unusable> {
    // `SQLite` treats a file smaller than its smallest page as empty and would overwrite it.
    if fs::metadata(path).is_ok_and(|metadata| (1..MIN_BYTES).contains(&metadata.len())) {
        return Err(Unusable::Damaged("file is not a database".to_owned()));
    }
    let mut database = connection(path)?;
    let found: i64 = database.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let tables: i64 = database.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if found != kind.application_id && !(found == 0 && tables == 0) {
        return Err(Unusable::Foreign("it is another program's database".to_owned()));
    }
    let version: i64 = database.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version > kind.migrations.len() as i64 {
        return Err(Unusable::TooNew(version));
    }
    check_schema(&database, kind, version)?;
    check(&database, kind)?;
    configure(&database, kind)?;
    migrate(&mut database, kind)?;
    Ok(database)
}

/// Opens a connection that trusts nothing in the file, because anyone may have made the database.
fn connection(path: &Path) -> rusqlite::Result<Connection> {
    // Without `SQLITE_OPEN_URI`, a path is never parsed as a URI.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags)?;
    distrust(&database)?;
    database.busy_timeout(BUSY)?;
    Ok(database)
}

/// Disables what a hostile schema could use: views, functions with side effects in triggers and constraints, and writes
/// to the schema and full-text shadow tables. Cells are checked when a page is read.
pub fn distrust(database: &Connection) -> rusqlite::Result<()> {
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    database.pragma_update(None, "cell_size_check", true)
}

/// Returns the name and SQL of every trigger, view and virtual table: the parts of a schema that run code or stand for
/// another table.
fn active_parts(database: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    database
        .prepare(
            "SELECT name, sql FROM sqlite_schema
             WHERE type IN ('trigger', 'view') OR sql LIKE 'CREATE VIRTUAL%' LIMIT 1000",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Checks that all triggers, views and virtual tables are ones that the migrations create, so that changing a row runs
/// no foreign code.
fn check_schema(database: &Connection, kind: &Kind, version: i64) -> std::result::Result<(), Unusable> {
    let found = active_parts(database)?;
    if found.is_empty() {
        return Ok(());
    }
    let reference = Connection::open_in_memory()?;
    for migration in kind.migrations.iter().take(version.max(0) as usize) {
        reference.execute_batch(migration)?;
    }
    let expected = active_parts(&reference)?;
    match found.into_iter().find(|part| !expected.contains(part)) {
        None => Ok(()),
        Some((name, _)) => Err(Unusable::Foreign(format!("its part {name:?} is not of this program"))),
    }
}

/// Runs the integrity checks for this kind of database.
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
    database.pragma_update(None, "cache_size", -i64::from(kind.cache_kib))?;
    // In WAL mode a committed change has reached the operating system, so a killed process loses nothing. `NORMAL`
    // syncs to disk at checkpoints only: a power cut may lose the last commits but never damages the rest. File systems
    // without shared memory keep the rollback journal and sync at every commit.
    let mode: String = database.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    database.pragma_update(None, "synchronous", if mode == "wal" { "NORMAL" } else { "FULL" })?;
    database.pragma_update(None, "foreign_keys", true)
}

/// Brings the tables up to date. A database that is up to date is not written to: that would wait for other writers,
/// and look like a change to watchers.
fn migrate(database: &mut Connection, kind: &Kind) -> std::result::Result<(), Unusable> {
    let number = |pragma: &str| database.query_row(pragma, [], |row| row.get::<_, i64>(0));
    let found = (number("PRAGMA application_id")?, number("PRAGMA user_version")?);
    if found == (kind.application_id, kind.migrations.len() as i64) {
        return Ok(());
    }
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    for migration in kind.migrations.get(version.max(0) as usize..).unwrap_or_default() {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", kind.application_id)?;
    transaction.pragma_update(None, "user_version", kind.migrations.len() as i64)?;
    Ok(transaction.commit()?)
}

/// Renames the database and its log files with a time stamp and returns the new path. Nothing is deleted.
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
        // The older program leaves the newer database alone.
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

    /// Writes several hundred rows to the database file itself and damages a page in its middle.
    fn fill_and_spoil(path: &Path, kind: &Kind) {
        let opened = open(path, kind).unwrap();
        let rows = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 900)
                    INSERT INTO thing (name) SELECT hex(randomblob(40)) FROM n";
        opened.connection.execute(rows, []).unwrap();
        opened.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        drop(opened);
        spoil(path);
    }

    fn spoil(path: &Path) {
        use std::io::{Seek, SeekFrom, Write};
        let mut file = File::options().write(true).open(path).unwrap();
        file.seek(SeekFrom::Start(4096 * 5)).unwrap();
        file.write_all(&[0xa5; 4096 * 4]).unwrap();
    }

    #[test]
    fn a_damaged_database_is_not_moved_while_another_has_it_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("things.sqlite");
        let kind = kind(&[FIRST], Foreign::Refuse);
        let first = open(&path, &kind).unwrap();
        fill_and_spoil(&path, &kind);
        let before = fs::read(&path).unwrap();
        let refused = open(&path, &kind).unwrap_err();
        assert!(matches!(&refused, Error::Stored(why) if why.contains("another program uses it")), "{refused}");
        assert_eq!(fs::read(&path).unwrap(), before);
        let asides = || {
            fs::read_dir(folder.path())
                .unwrap()
                .flatten()
                .map(|entry| entry.file_name())
                .filter(|name| {
                    name.to_string_lossy().contains("-aside-")
                        && !name.to_string_lossy().ends_with("-wal")
                        && !name.to_string_lossy().ends_with("-shm")
                })
                .count()
        };
        assert_eq!(asides(), 0);
        // After the first opener has closed it, one of several simultaneous openers moves it, once.
        drop(first);
        let opened: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| open(&path, &kind))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let notices = opened.iter().map(|opened| opened.as_ref().unwrap().notices.len()).sum::<usize>();
        assert_eq!((asides(), notices), (1, 1));
    }

    #[test]
    fn a_schema_with_foreign_triggers_or_views_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let kind = kind(&[FIRST], Foreign::Refuse);
        let parts = [
            "CREATE TRIGGER more AFTER INSERT ON thing BEGIN INSERT INTO thing (name) VALUES ('x'); END",
            "CREATE VIEW other AS WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n) SELECT n FROM n",
            "ALTER TABLE thing RENAME TO old; CREATE VIEW thing AS SELECT * FROM old",
        ];
        for (number, part) in parts.iter().enumerate() {
            let path = folder.path().join(format!("{number}.sqlite"));
            drop(open(&path, &kind).unwrap());
            Connection::open(&path).unwrap().execute_batch(part).unwrap();
            let refused = open(&path, &kind).unwrap_err();
            assert!(
                matches!(&refused, Error::Refused { reason, .. } if reason.contains("not of this program")),
                "{refused}"
            );
        }
    }
}
