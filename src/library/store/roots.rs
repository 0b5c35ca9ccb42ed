//! Roots: the folders (or single files) of a library.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::super::stored_path::StoredPath;
use super::Store;
use crate::database;
use crate::date::now_ms;

/// A folder of the library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(rename = "FolderView")]
pub struct Root {
    /// The ID.
    pub id: i64,
    /// The path.
    #[serde(serialize_with = "crate::files::json::lossy")]
    #[ts(as = "String")]
    pub path: PathBuf,
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

fn root(row: &Row<'_>) -> rusqlite::Result<Root> {
    Ok(Root {
        id: row.get(0)?,
        path: StoredPath { text: row.get(1)?, exact: row.get(2)? }.into_path(),
        added_at: row.get(3)?,
        scanned_at: row.get(4)?,
        unreachable: row.get(5)?,
        tracks: row.get::<_, i64>(6)? as u64,
    })
}

/// Returns all roots, sorted by path.
pub fn all(database: &Connection) -> rusqlite::Result<Vec<Root>> {
    database
        .prepare_cached(
            "SELECT id, path, path_exact, added_at, scanned_at, unreachable,
                 (SELECT count(*) FROM track WHERE track.root = root.id)
             FROM root ORDER BY path",
        )?
        .query_map([], root)?
        .collect()
}

/// Adds a root. The roots in `inside` become part of it. Returns its id; `None` if the roots are no longer those that
/// `known` lists, so that the path has to be compared with them again.
pub fn add(
    transaction: &Transaction<'_>,
    path: &Path,
    inside: &[i64],
    known: &BTreeSet<i64>,
) -> rusqlite::Result<Option<i64>> {
    let mut ids = transaction.prepare_cached("SELECT id FROM root")?;
    let now: BTreeSet<i64> = ids.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    if now != *known {
        return Ok(None);
    }
    let stored = StoredPath::from(path);
    transaction.execute(
        "INSERT INTO root (path, path_exact, added_at) VALUES (?1, ?2, ?3)",
        params![stored.text, stored.exact, now_ms()],
    )?;
    let id = transaction.last_insert_rowid();
    for inner in inside {
        transaction.execute("UPDATE track SET root = ?1 WHERE root = ?2", [id, *inner])?;
        transaction.execute("DELETE FROM root WHERE id = ?1", [inner])?;
    }
    Ok(Some(id))
}

/// Removes a root with all data about its tracks. The files stay as they are.
pub fn remove(transaction: &Transaction<'_>, id: i64) -> rusqlite::Result<bool> {
    let removed = transaction.execute("DELETE FROM root WHERE id = ?1", [id])? == 1;
    remove_unused_covers(transaction)?;
    Ok(removed)
}

/// Removes covers that no track uses any more.
pub fn remove_unused_covers(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let unused = "DELETE FROM cover WHERE NOT EXISTS (SELECT 1 FROM track WHERE track.cover = cover.id)";
    transaction.execute(unused, []).map(drop)
}

/// Records the result of a walk through a root.
pub fn walked(transaction: &Transaction<'_>, id: i64, unreachable: Option<&str>) -> rusqlite::Result<()> {
    let note = "UPDATE root SET unreachable = ?2, scanned_at = iif(?2 IS NULL, ?3, scanned_at) WHERE id = ?1";
    transaction.execute(note, params![id, unreachable, now_ms()]).map(drop)
}

/// Copies the folders from a database that was put aside, as far as they can be read. Returns their number.
pub(in super::super) fn carry_over(store: &Store, aside: &Path) -> rusqlite::Result<usize> {
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
    store.try_write(|transaction| {
        for path in &paths {
            transaction.execute(
                "INSERT OR IGNORE INTO root (path, path_exact, added_at) VALUES (?1, ?2, ?3)",
                params![path.text, path.exact, now_ms()],
            )?;
        }
        Ok(paths.len())
    })
}

/// Returns the path of a root.
pub fn path_of(database: &Connection, id: i64) -> rusqlite::Result<Option<PathBuf>> {
    database
        .prepare_cached("SELECT path, path_exact FROM root WHERE id = ?1")?
        .query_row([id], |row| Ok(StoredPath { text: row.get(0)?, exact: row.get(1)? }.into_path()))
        .optional()
}

/// Returns whether a root was unreachable when last checked.
pub fn is_unreachable(database: &Connection, id: i64) -> rusqlite::Result<bool> {
    let known = "SELECT count(*) FROM root WHERE id = ?1 AND unreachable IS NOT NULL";
    database.prepare_cached(known)?.query_row([id], |row| row.get::<_, i64>(0)).map(|count| count > 0)
}

/// Records whether a root is reachable, before it is walked.
pub fn reached(transaction: &Transaction<'_>, id: i64, unreachable: Option<&str>) -> rusqlite::Result<()> {
    let note = "UPDATE root SET unreachable = ?2 WHERE id = ?1 AND unreachable IS NOT ?2";
    transaction.execute(note, params![id, unreachable]).map(drop)
}
