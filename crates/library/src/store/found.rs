//! Compares the files found by a walk with the known tracks: new, unchanged, changed, returned or gone.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::analysis::Versions;
use super::super::files::FoundFile;
use super::super::sql::{self, Session, values};
use super::super::stored_path::StoredPath;
use audio::READING_VERSION;
use base::date::now_ms;

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
    /// It was analysed or read by another version; it waits to be examined again.
    Outdated,
}

/// SQL condition: the analysis of a track is valid for its current file and was made by the current versions (`?1`,
/// `?2`).
pub const IS_CURRENT: &str =
    "analysed_at IS NOT NULL AND stale = 0 AND features_version = ?1 AND fingerprint_version = ?2";

/// Records a file. Returns the id of its track, its state, and whether it was added to the queue.
pub fn file(session: &Session<'_>, root: i64, found: &FoundFile, versions: Versions) -> sql::Result<(i64, Seen, bool)> {
    let path = session.stored(&found.path);
    let known = format!(
        "SELECT id, bytes = ?5 AND modified_ns = ?6, state,
             coalesce({IS_CURRENT} AND reading_version = {READING_VERSION}, FALSE), code IS NOT NULL,
             coalesce(features_version = ?1 AND fingerprint_version = ?2 AND reading_version = {READING_VERSION}, FALSE)
         FROM track WHERE path = ?3 AND path_exact = ?4"
    );
    let (features, fingerprint) = (versions.features, versions.fingerprint);
    let look = || {
        session.first(
            &known,
            values![features, fingerprint, path.text, path.exact, found.bytes, found.modified_ns],
            |row| {
                let flag = |at| row.get::<bool>(at);
                Ok((row.get::<i64>(0)?, flag(1)?, row.get::<String>(2)?, flag(3)?, flag(4)?, flag(5)?))
            },
        )
    };
    let known = if let Some(known) = look()? {
        known
    } else {
        let added: Option<i64> = session.first(
            "INSERT INTO track (root, path, path_exact, bytes, modified_ns, state, added_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, 'waiting', ?6) ON CONFLICT DO NOTHING RETURNING id",
            values![root, path.text, path.exact, found.bytes, found.modified_ns, now_ms()],
            |row| row.get(0),
        )?;
        if let Some(id) = added {
            return Ok((id, Seen::New, true));
        }
        // Another machine has just recorded it.
        look()?.ok_or(sql::Error::NoRow)?
    };
    let (id, unchanged, state, current, failed, same_versions) = known;
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
            session.execute(
                "UPDATE track SET bytes = ?2, modified_ns = ?3, stale = 1, state = 'waiting', attempts = 0, alone = 0,
                         code = NULL, reason = NULL, vanished_at = NULL, binned_at = NULL WHERE id = ?1",
                values![id, found.bytes, found.modified_ns],
            )?;
        }
        Seen::Returned => {
            session.execute(
                "UPDATE track SET state = ?2, vanished_at = NULL, binned_at = NULL WHERE id = ?1",
                values![id, returned],
            )?;
        }
        Seen::Outdated => {
            session.execute(
                "UPDATE track SET state = 'waiting', attempts = CASE WHEN alone > 0 THEN 1 ELSE 0 END, alone = 0,
                     code = NULL, reason = NULL WHERE id = ?1",
                values![id],
            )?;
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
    session: &Session<'_>,
    root: i64,
    starts: &[&Path],
    seen: &HashSet<i64>,
    unread: &[PathBuf],
) -> sql::Result<Vec<Gone>> {
    let mut gone = Vec::new();
    let known = "SELECT id, path, path_exact FROM track WHERE root = ?1 AND state NOT IN ('vanished', 'analysing')";
    session.each(known, values![root], |row| {
        let id = row.get(0)?;
        if seen.contains(&id) {
            return Ok(());
        }
        let stored = StoredPath { text: row.get(1)?, exact: row.get(2)? };
        let path = row.path(1)?;
        let walked = starts.iter().any(|start| path.starts_with(start));
        if walked && !unread.iter().any(|place| path.starts_with(place)) && is_gone(&path) {
            gone.push(Gone { id, path: stored });
        }
        Ok(())
    })?;
    Ok(gone)
}

/// Returns whether there is certainly no file at `path`.
pub fn is_gone(path: &Path) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    fs::symlink_metadata(path).is_err_and(|error| matches!(error.kind(), NotFound | NotADirectory))
}

/// Marks tracks as vanished and keeps all data about them. Tracks found at another path meanwhile are skipped. Returns
/// the number of tracks marked.
pub fn vanish(session: &Session<'_>, gone: &[Gone]) -> sql::Result<usize> {
    let mark = "UPDATE track SET state = 'vanished', vanished_at = ?2
                WHERE id = ?1 AND path = ?3 AND path_exact = ?4 AND state <> 'analysing'";
    let now = now_ms();
    gone.iter().map(|gone| session.execute(mark, values![gone.id, now, gone.path.text, gone.path.exact])).sum()
}

/// Returns the number of tracks of a root that have not vanished.
pub fn present(session: &Session<'_>, root: i64) -> sql::Result<u64> {
    let count = "SELECT count(*) FROM track WHERE root = ?1 AND state <> 'vanished'";
    session.one(count, values![root], |row| row.get::<i64>(0)).map(|count| count as u64)
}
