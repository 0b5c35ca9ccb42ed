//! Compares the files found by a walk with the known tracks: new, unchanged, changed, returned or gone.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::super::analysis::Versions;
use super::super::files::FoundFile;
use super::super::stored_path::StoredPath;
use crate::date::now_ms;

/// How a found file relates to the known tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The path is new.
    New,
    /// The file is unchanged.
    Same,
    /// Its size or modification time differs; it waits to be examined.
    Changed,
    /// It had vanished before.
    Returned,
    /// It was analysed by another version; it waits to be analysed again.
    Outdated,
}

/// SQL condition: the analysis of a track is valid for its current file and was made by the current versions (`?1`,
/// `?2`).
pub const IS_CURRENT: &str =
    "analysed_at IS NOT NULL AND stale = 0 AND features_version IS ?1 AND fingerprint_version IS ?2";

/// Records a file. Returns the id of its track, its state, and whether it was added to the queue.
pub fn file(
    transaction: &Transaction<'_>,
    root: i64,
    found: &FoundFile,
    versions: Versions,
) -> rusqlite::Result<(i64, Seen, bool)> {
    let path = StoredPath::from(found.path.as_path());
    let mut known = transaction.prepare_cached(&format!(
        "SELECT id, bytes = ?5 AND modified_ns = ?6, state, {IS_CURRENT}, code IS NOT NULL,
             features_version IS ?1 AND fingerprint_version IS ?2
         FROM track WHERE path = ?3 AND path_exact = ?4"
    ))?;
    let (features, fingerprint) = (versions.features, versions.fingerprint);
    let known = known
        .query_row(
            params![features, fingerprint, path.text, path.exact, found.bytes as i64, found.modified_ns],
            |row| {
                let state: String = row.get(2)?;
                Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?, state, row.get(3)?, row.get(4)?, row.get(5)?))
            },
        )
        .optional()?;
    let Some((id, unchanged, state, current, failed, same_versions)) = known else {
        transaction
            .prepare_cached(
                "INSERT INTO track (root, path, path_exact, bytes, modified_ns, state, added_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, 'waiting', ?6)",
            )?
            .execute(params![root, path.text, path.exact, found.bytes as i64, found.modified_ns, now_ms()])?;
        return Ok((transaction.last_insert_rowid(), Seen::New, true));
    };
    let seen = match (state.as_str(), unchanged, same_versions) {
        // The worker that analyses it checks its size and time afterwards.
        ("analysing", _, _) => Seen::Same,
        (_, false, _) => Seen::Changed,
        ("vanished", true, _) => Seen::Returned,
        ("done" | "failed", true, false) => Seen::Outdated,
        _ => Seen::Same,
    };
    let returned = match (current, failed && same_versions) {
        (true, _) => "done",
        (false, true) => "failed",
        (false, false) => "waiting",
    };
    match seen {
        Seen::Same | Seen::New => {}
        Seen::Changed => {
            transaction
                .prepare_cached(
                    "UPDATE track SET bytes = ?2, modified_ns = ?3, stale = 1, state = 'waiting', attempts = 0, alone = 0,
                         code = NULL, reason = NULL, vanished_at = NULL, binned_at = NULL WHERE id = ?1",
                )?
                .execute(params![id, found.bytes as i64, found.modified_ns])?;
        }
        Seen::Returned => {
            transaction
                .prepare_cached("UPDATE track SET state = ?2, vanished_at = NULL, binned_at = NULL WHERE id = ?1")?
                .execute(params![id, returned])?;
        }
        Seen::Outdated => {
            transaction
                .prepare_cached(
                    "UPDATE track SET state = 'waiting', attempts = iif(alone > 0, 1, 0), alone = 0, code = NULL,
                         reason = NULL WHERE id = ?1",
                )?
                .execute([id])?;
        }
    }
    let waits = match seen {
        Seen::Same | Seen::New => false,
        Seen::Changed | Seen::Outdated => state != "waiting",
        Seen::Returned => returned == "waiting",
    };
    Ok((id, seen, waits))
}

/// A track whose file is gone from a path.
#[derive(Clone, Debug)]
pub struct Gone {
    id: i64,
    path: StoredPath,
}

/// Returns the tracks of a root that a walk did not find and whose files are really gone. `starts` are the parts of the
/// root that were walked. `unread` are the paths that could not be examined: nothing below them counts as gone.
pub fn gone(
    database: &Connection,
    root: i64,
    starts: &[&Path],
    seen: &HashSet<i64>,
    unread: &[PathBuf],
) -> rusqlite::Result<Vec<Gone>> {
    let mut known = database
        .prepare("SELECT id, path, path_exact FROM track WHERE root = ?1 AND state NOT IN ('vanished', 'analysing')")?;
    let mut rows = known.query([root])?;
    let mut gone = Vec::new();
    while let Some(row) = rows.next()? {
        let id = row.get(0)?;
        if seen.contains(&id) {
            continue;
        }
        let stored = StoredPath { text: row.get(1)?, exact: row.get(2)? };
        let path = stored.clone().into_path();
        let walked = starts.iter().any(|start| path.starts_with(start));
        if walked && !unread.iter().any(|place| path.starts_with(place)) && is_gone(&path) {
            gone.push(Gone { id, path: stored });
        }
    }
    Ok(gone)
}

/// Returns whether there is certainly no file at `path`.
pub fn is_gone(path: &Path) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    fs::symlink_metadata(path).is_err_and(|error| matches!(error.kind(), NotFound | NotADirectory))
}

/// Marks tracks as vanished and keeps all data about them. Tracks found at another path meanwhile are skipped. Returns
/// the number of tracks marked.
pub fn vanish(transaction: &Transaction<'_>, gone: &[Gone]) -> rusqlite::Result<usize> {
    let mut mark = transaction.prepare_cached(
        "UPDATE track SET state = 'vanished', vanished_at = ?2
         WHERE id = ?1 AND path = ?3 AND path_exact = ?4 AND state <> 'analysing'",
    )?;
    let now = now_ms();
    gone.iter().map(|gone| mark.execute(params![gone.id, now, gone.path.text, gone.path.exact])).sum()
}

/// Returns the number of tracks of a root that have not vanished.
pub fn present(database: &Connection, root: i64) -> rusqlite::Result<u64> {
    let count = "SELECT count(*) FROM track WHERE root = ?1 AND state <> 'vanished'";
    database.prepare_cached(count)?.query_row([root], |row| row.get::<_, i64>(0)).map(|count| count as u64)
}
