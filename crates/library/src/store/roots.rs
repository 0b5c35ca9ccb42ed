//! Roots: the folders (or single files) of a library.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use serde::{Deserialize, Serialize};

use super::super::sql::{self, Dialect, Row, Session, values};
use super::super::stored_path::StoredPath;
use super::Store;
use base::database;
use base::date::now_ms;
use base::declared::TS;

/// A folder of the library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(rename = "FolderView")]
pub struct Root {
    /// The ID.
    pub id: i64,
    /// The path on this machine.
    #[serde(serialize_with = "base::files::json::lossy")]
    #[ts(as = "String")]
    pub path: PathBuf,
    /// The path as the library has it, which is another one if the folder is elsewhere on this machine.
    #[serde(serialize_with = "base::files::json::lossy")]
    #[ts(as = "String")]
    pub stored: PathBuf,
    /// When it was added, in milliseconds since 1970.
    #[ts(skip)]
    pub added_at: i64,
    /// When it was last walked completely, in milliseconds since 1970.
    pub scanned_at: Option<i64>,
    /// Why it was unreachable when last checked; its tracks are kept as they were.
    pub unreachable: Option<String>,
    /// The number of tracks in it, in any state.
    pub tracks: u64,
}

fn root(row: &Row<'_>) -> sql::Result<Root> {
    Ok(Root {
        id: row.get(0)?,
        path: row.path(1)?,
        stored: row.stored_path(1)?,
        added_at: row.get(3)?,
        scanned_at: row.get(4)?,
        unreachable: row.get(5)?,
        tracks: row.get::<i64>(6)? as u64,
    })
}

/// Returns all roots, sorted by path.
pub fn all(session: &Session<'_>) -> sql::Result<Vec<Root>> {
    session.all(
        "SELECT id, path, path_exact, added_at, scanned_at, unreachable,
                 (SELECT count(*) FROM track WHERE track.root = root.id)
             FROM root ORDER BY path",
        &[],
        root,
    )
}

/// Adds a root. The roots in `inside` become part of it. Returns its id; `None` if the roots are no longer those that
/// `known` lists, so that the path has to be compared with them again.
pub fn add(session: &Session<'_>, path: &Path, inside: &[i64], known: &BTreeSet<i64>) -> sql::Result<Option<i64>> {
    // A constraint cannot express which folders lie in which others.
    session.lock_table("root")?;
    let now: BTreeSet<i64> = session.all("SELECT id FROM root", &[], |row| row.get(0))?.into_iter().collect();
    if now != *known {
        return Ok(None);
    }
    let stored = session.stored(path);
    let added: Option<i64> = session.first(
        "INSERT INTO root (path, path_exact, added_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING RETURNING id",
        values![stored.text, stored.exact, now_ms()],
        |row| row.get(0),
    )?;
    let Some(id) = added else {
        // Another folder of this machine takes the place of the one at that path.
        let there = "SELECT id FROM root WHERE path = ?1 AND path_exact = ?2";
        return session.number(there, values![stored.text, stored.exact]).map(Some);
    };
    for inner in inside {
        if session.dialect() == Dialect::Server {
            // Nobody adds a track to it from now on.
            let held = "SELECT id FROM root WHERE id = ?1 FOR UPDATE";
            session.first(held, values![*inner], |row| row.get::<i64>(0))?;
        }
        session.execute("UPDATE track SET root = ?1 WHERE root = ?2", values![id, *inner])?;
        session.execute("DELETE FROM root WHERE id = ?1", values![inner])?;
    }
    Ok(Some(id))
}

/// Removes a root with all data about its tracks. The files stay as they are.
pub fn remove(session: &Session<'_>, id: i64) -> sql::Result<bool> {
    let removed = session.execute("DELETE FROM root WHERE id = ?1", values![id])? == 1;
    remove_unused_covers(session)?;
    Ok(removed)
}

/// Removes covers that no track uses any more.
pub fn remove_unused_covers(session: &Session<'_>) -> sql::Result<()> {
    // Waits for those who have added a cover, but not yet the track that uses it.
    session.lock_table("cover")?;
    let unused = "DELETE FROM cover WHERE NOT EXISTS (SELECT 1 FROM track WHERE track.cover = cover.id)";
    session.execute(unused, &[]).map(drop)
}

/// Records the result of a walk through a root by a scan. `whole` says whether all of it was walked.
pub fn walked(session: &Session<'_>, scan: i64, id: i64, unreachable: Option<&str>, whole: bool) -> sql::Result<()> {
    reached(session, scan, id, unreachable)?;
    if unreachable.is_none() && whole {
        session.execute("UPDATE root SET scanned_at = ?2 WHERE id = ?1", values![id, now_ms()])?;
    }
    Ok(())
}

/// Copies the folders from a database that was put aside, as far as they can be read. Returns their number.
pub(in super::super) fn carry_over(store: &Store, aside: &Path) -> sql::Result<usize> {
    let old = Connection::open_with_flags(aside, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    database::distrust(&old)?;
    // Far more than a real library has; a damaged table may seem endless.
    let mut rows = old.prepare("SELECT path, path_exact FROM root LIMIT 10000")?;
    let mut rows = rows.query([])?;
    let mut paths = Vec::new();
    while let Ok(Some(row)) = rows.next() {
        // An unreadable row is skipped.
        if let (Ok(text), Ok(exact)) = (row.get(0), row.get(1)) {
            paths.push(StoredPath { text, exact });
        }
    }
    store.try_write(|session| {
        for path in &paths {
            session.execute(
                "INSERT INTO root (path, path_exact, added_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                values![path.text, path.exact, now_ms()],
            )?;
        }
        Ok(paths.len())
    })
}

/// Returns the path of a root.
pub fn path_of(session: &Session<'_>, id: i64) -> sql::Result<Option<PathBuf>> {
    session.first("SELECT path, path_exact FROM root WHERE id = ?1", values![id], |row| row.path(0))
}

/// Returns whether the machine of a scan could not reach a root when it last tried.
pub fn is_unreachable(session: &Session<'_>, scan: i64, id: i64) -> sql::Result<bool> {
    match session.dialect() {
        Dialect::File => {
            session.number("SELECT count(*) FROM root WHERE id = ?1 AND unreachable IS NOT NULL", values![id])
        }
        Dialect::Server => session.number("SELECT count(*) FROM away WHERE scan = ?1 AND root = ?2", values![scan, id]),
    }
    .map(|count| count > 0)
}

/// Records whether the machine of a scan can reach a root.
pub fn reached(session: &Session<'_>, scan: i64, id: i64, unreachable: Option<&str>) -> sql::Result<()> {
    let note = "UPDATE root SET unreachable = ?2 WHERE id = ?1 AND unreachable IS DISTINCT FROM CAST(?2 AS TEXT)";
    session.execute(note, values![id, unreachable])?;
    if session.dialect() == Dialect::Server {
        let note = match unreachable {
            // The folder may be removed at this moment.
            Some(_) => {
                "INSERT INTO away (scan, root) SELECT CAST(?1 AS BIGINT), id FROM root WHERE id = ?2 FOR KEY SHARE
                     ON CONFLICT DO NOTHING"
            }
            None => "DELETE FROM away WHERE scan = ?1 AND root = ?2",
        };
        session.execute(note, values![scan, id])?;
    }
    Ok(())
}
