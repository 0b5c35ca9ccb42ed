//! The file name and the tables of the session's database.

use std::path::Path;

use rusqlite::Connection;

use base::database::{self, Foreign, Guard, Kind};
use base::error::Result;

/// The file name of the database in the data folder.
pub const FILE_NAME: &str = "session.sqlite";

/// The SQL that migrates each version of the database to the next. Never change a released migration; add another.
const MIGRATIONS: &[&str] = &[
    "
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
",
    "
    -- Each process has a session of its own, by number; presets and recent files are everybody's.
    ALTER TABLE document ADD COLUMN session INTEGER NOT NULL DEFAULT 1;
    CREATE TABLE front (
        session INTEGER PRIMARY KEY,
        document INTEGER REFERENCES document (id) ON DELETE SET NULL
    ) STRICT;
    INSERT INTO front (session, document) SELECT 1, document FROM active;
    DROP TABLE active;
    -- Documents whose recordings are being opened: 0 with others, 1 alone; 2 those that ended the program.
    CREATE TABLE attempt (
        document INTEGER PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
        state INTEGER NOT NULL
    ) STRICT;
    -- A state that is packed stands here and leaves its text empty.
    ALTER TABLE step ADD COLUMN packed BLOB;
",
    "
    ALTER TABLE document ADD COLUMN level_zoom REAL;
 ",
    "
    -- Closed documents are kept, the latest has the highest number; like recent files, they are everybody's. A path is
    -- that of the file that opens the document.
    CREATE TABLE closed (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        document INTEGER NOT NULL UNIQUE REFERENCES document (id) ON DELETE CASCADE,
        path TEXT NOT NULL
    ) STRICT;
    -- The project files of documents, and the key of what stands in them.
    CREATE TABLE project (
        document INTEGER PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
        path TEXT NOT NULL,
        saved TEXT NOT NULL
    ) STRICT;
",
    "
    -- Recordings that the program made. Those that a saved project refers to are kept.
    CREATE TABLE made (
        path TEXT PRIMARY KEY,
        kept INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
",
];

/// The minimum free space, in bytes, for rewriting the file.
const MIN_FREE_BYTES: i64 = 4 << 20;

const KIND: Kind = Kind {
    name: "session",
    former: "The last session",
    // "Utun".
    application_id: 0x5574_756e,
    migrations: MIGRATIONS,
    // The table of states is not checked here: a state is validated when it is loaded.
    checked: &["document", "front", "attempt", "recent", "preset", "closed", "project", "made"],
    cache_kib: 2000,
    foreign: Foreign::PutAside,
};

/// Opens the database in `folder` and creates both if needed. An unusable database is moved aside once and replaced by
/// a new one; the notices say so. The guard must live as long as the connection.
pub fn open(folder: &Path) -> Result<(Connection, Guard, Vec<String>)> {
    let opened = database::open(&folder.join(FILE_NAME), &KIND)?;
    reclaim(&opened.connection);
    Ok((opened.connection, opened.guard, opened.notices))
}

/// Shrinks a large file that is mostly free, for example after many documents were closed.
fn reclaim(database: &Connection) {
    let free = "SELECT freelist_count * page_size, page_count * page_size
                FROM pragma_freelist_count, pragma_page_count, pragma_page_size";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let done = database.query_row(free, [], read).and_then(|(free, all)| {
        if free < MIN_FREE_BYTES || 2 * free < all {
            return Ok(());
        }
        database.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
    });
    // Another process may be using the database, or the disk may be full. The free space is then reused by later
    // writes.
    if let Err(error) = done {
        tracing::info!("the session keeps its free room: {error}");
    }
}
