//! The queue in the database. Claims ensure that no two workers of any process take the same track.

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::super::analysis::Versions;
use super::super::files::{AudioKey, QuickKey};
use super::super::stored_path::StoredPath;
use super::found::IS_CURRENT;

/// A track claimed for analysis.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its id.
    pub id: i64,
    /// The id of its root.
    pub root: i64,
    /// The path of its file.
    pub path: PathBuf,
    /// The size of the file when it was found, in bytes.
    pub bytes: u64,
    /// The modification time of the file when it was found, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// Whether it was never analysed.
    pub fresh: bool,
    /// The keys of its audio, if its analysis was made by the current versions.
    pub keys: Option<(QuickKey, AudioKey)>,
}

/// Another track with the same quick key and a current analysis.
#[derive(Clone, Debug)]
pub struct Twin {
    /// Its id.
    pub id: i64,
    /// The id of its root.
    pub root: i64,
    /// The path of its file, which may be gone.
    pub path: PathBuf,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The modification time of the file in nanoseconds since 1970.
    pub modified_ns: i64,
    /// The key of its audio.
    pub audio_key: AudioKey,
}

/// The kind of tracks to claim. A suspect is a track that was in progress when a scan ended with its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// All tracks except suspects, while no suspect is in progress.
    Plain,
    /// A suspect, while nothing else is in progress.
    Suspect,
}

/// Claims the next waiting track.
pub fn claim(
    transaction: &Transaction<'_>,
    scan: i64,
    versions: Versions,
    turn: Turn,
) -> rusqlite::Result<Option<Claim>> {
    // Of all tracks in progress, only a suspect has `alone` above 0.
    let (which, alone, in_hand) = match turn {
        Turn::Plain => ("attempts = 0", 0, "alone > 0"),
        Turn::Suspect => ("attempts > 0", 1, "true"),
    };
    let take = &format!(
        "
        UPDATE track SET state = 'analysing', claimed_by = ?3, attempts = attempts + 1, alone = alone + {alone}
        WHERE id = (
            SELECT id FROM track
            WHERE state = 'waiting' AND {which} AND root NOT IN (SELECT id FROM root WHERE unreachable IS NOT NULL)
            ORDER BY attempts, id LIMIT 1
        ) AND NOT EXISTS (SELECT 1 FROM track WHERE claimed_by = ?3 AND {in_hand})
        RETURNING id, root, path, path_exact, bytes, modified_ns, analysed_at IS NULL,
            features_version IS ?1 AND fingerprint_version IS ?2, quick_key, audio_key"
    );
    let claim = |row: &Row<'_>| {
        let keys: (Option<[u8; 32]>, Option<[u8; 32]>) = (row.get(8)?, row.get(9)?);
        let (fresh, current): (bool, bool) = (row.get(6)?, row.get(7)?);
        Ok(Claim {
            id: row.get(0)?,
            root: row.get(1)?,
            path: StoredPath { text: row.get(2)?, exact: row.get(3)? }.into_path(),
            bytes: row.get::<_, i64>(4)?.max(0) as u64,
            modified_ns: row.get(5)?,
            fresh,
            keys: match keys {
                (Some(quick), Some(audio)) if current && !fresh => Some((QuickKey(quick), AudioKey(audio))),
                _ => None,
            },
        })
    };
    transaction
        .prepare_cached(take)?
        .query_row(params![versions.features, versions.fingerprint, scan], claim)
        .optional()
}

/// Returns tracks other than `id` with that quick key and a current analysis.
pub fn twins(database: &Connection, id: i64, quick: QuickKey, versions: Versions) -> rusqlite::Result<Vec<Twin>> {
    let twin = |row: &Row<'_>| {
        Ok(Twin {
            id: row.get(0)?,
            root: row.get(1)?,
            path: StoredPath { text: row.get(2)?, exact: row.get(3)? }.into_path(),
            bytes: row.get::<_, i64>(4)?.max(0) as u64,
            modified_ns: row.get(5)?,
            audio_key: AudioKey(row.get(6)?),
        })
    };
    database
        .prepare_cached(&format!(
            "SELECT id, root, path, path_exact, bytes, modified_ns, audio_key FROM track
             WHERE quick_key = ?3 AND id <> ?4 AND state IN ('done', 'vanished') AND audio_key IS NOT NULL
                 AND {IS_CURRENT} ORDER BY id LIMIT 64"
        ))?
        .query_map(params![versions.features, versions.fingerprint, quick.0, id], twin)?
        .collect()
}

/// Records the current size and modification time of a claimed track's file.
pub fn stamp(
    transaction: &Transaction<'_>,
    scan: i64,
    id: i64,
    (bytes, modified_ns): (u64, i64),
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE track SET bytes = ?3, modified_ns = ?4, stale = 1 WHERE id = ?1 AND claimed_by = ?2")?
        .execute(params![id, scan, bytes as i64, modified_ns])
        .map(drop)
}

/// Releases a claimed track unchanged.
pub fn release(transaction: &Transaction<'_>, scan: i64, id: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE track SET state = 'waiting', claimed_by = NULL, attempts = max(attempts - 1, 0),
                 alone = max(alone - 1, 0)
             WHERE id = ?1 AND claimed_by = ?2",
        )?
        .execute([id, scan])
        .map(drop)
}

/// Releases all tracks that a scan still holds.
pub fn release_all(transaction: &Transaction<'_>, scan: i64) -> rusqlite::Result<()> {
    transaction
        .execute(
            "UPDATE track SET state = 'waiting', claimed_by = NULL, attempts = max(attempts - 1, 0),
                 alone = max(alone - 1, 0)
             WHERE state = 'analysing' AND claimed_by = ?1",
            [scan],
        )
        .map(drop)
}

/// Recovers the tracks that dead scans left in progress. A track that was alone in progress at the end of `limit` of
/// them has failed. The others become suspects, each of which is analysed alone. Returns the numbers of tracks that
/// wait again and that failed.
pub fn recover(transaction: &Transaction<'_>, limit: u32, versions: Versions) -> rusqlite::Result<(usize, usize)> {
    let given_up = transaction.execute(
        "UPDATE track SET state = 'failed', claimed_by = NULL, stale = 1, code = 'internal',
             features_version = ?2, fingerprint_version = ?3,
             reason = 'the program ended ' || iif(alone = 1, '', alone || ' times ') || 'while it analysed this file and no other'
         WHERE state = 'analysing' AND alone >= ?1",
        params![limit.max(1), versions.features, versions.fingerprint],
    )?;
    let again =
        transaction.execute("UPDATE track SET state = 'waiting', claimed_by = NULL WHERE state = 'analysing'", [])?;
    Ok((again, given_up))
}

/// Records why a track could not be analysed.
pub fn fail(
    transaction: &Transaction<'_>,
    scan: i64,
    id: i64,
    (code, reason): (&str, &str),
    versions: Versions,
) -> rusqlite::Result<bool> {
    transaction
        .prepare_cached(
            "UPDATE track SET state = 'failed', claimed_by = NULL, alone = 0, stale = 1, code = ?3, reason = ?4,
                 features_version = ?5, fingerprint_version = ?6
             WHERE id = ?1 AND claimed_by = ?2",
        )?
        .execute(params![id, scan, code, reason, versions.features, versions.fingerprint])
        .map(|rows| rows == 1)
}

/// Records that a file changed or disappeared during analysis. The next walk determines its new state.
pub fn disturbed(transaction: &Transaction<'_>, scan: i64, id: i64, gone: bool) -> rusqlite::Result<bool> {
    let (state, reason) = if gone {
        ("vanished", None)
    } else {
        ("failed", Some("The file changed during the analysis. It is tried again later."))
    };
    transaction
        .prepare_cached(
            "UPDATE track SET state = ?3, reason = ?4, code = iif(?4 IS NULL, NULL, 'io'), stale = 1,
                 claimed_by = NULL, attempts = 0, alone = 0, modified_ns = iif(?3 = 'failed', -1, modified_ns),
                 vanished_at = iif(?3 = 'vanished', unixepoch() * 1000, NULL)
             WHERE id = ?1 AND claimed_by = ?2",
        )?
        .execute(params![id, scan, state, reason])
        .map(|rows| rows == 1)
}

/// Puts failed tracks back into the queue: those in `ids`, or all. Returns their number.
pub fn retry(transaction: &Transaction<'_>, ids: Option<&[i64]>) -> rusqlite::Result<usize> {
    // A track that ended the program is analysed alone again.
    const AGAIN: &str = "UPDATE track SET state = 'waiting', attempts = iif(alone > 0, 1, 0), alone = 0, code = NULL,
                             reason = NULL
                         WHERE state = 'failed'";
    match ids {
        None => transaction.execute(AGAIN, []),
        Some(ids) => {
            let mut again = transaction.prepare_cached(&format!("{AGAIN} AND id = ?1"))?;
            ids.iter().map(|id| again.execute([id])).sum()
        }
    }
}

/// Returns path and size of the waiting tracks, of one root or of all reachable roots.
pub fn waiting(database: &Connection, root: Option<i64>) -> rusqlite::Result<Vec<(String, u64)>> {
    database
        .prepare_cached(
            "SELECT path, bytes FROM track WHERE state = 'waiting'
                 AND (root = ?1 OR (?1 IS NULL AND root NOT IN (SELECT id FROM root WHERE unreachable IS NOT NULL)))",
        )?
        .query_map([root], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.max(0) as u64)))?
        .collect()
}

/// Returns the number of waiting suspects.
pub fn suspects(database: &Connection) -> rusqlite::Result<u64> {
    let count = "SELECT count(*) FROM track WHERE state = 'waiting' AND attempts > 0
                     AND root NOT IN (SELECT id FROM root WHERE unreachable IS NOT NULL)";
    database.prepare_cached(count)?.query_row([], |row| row.get::<_, i64>(0)).map(|count| count.max(0) as u64)
}

/// Returns the number of tracks and bytes in each state.
pub fn counts(database: &Connection) -> rusqlite::Result<Vec<(String, u64, u64)>> {
    database
        .prepare_cached("SELECT state, count(*), total(max(bytes, 0)) FROM track GROUP BY state")?
        .query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64, row.get::<_, f64>(2)? as u64)))?
        .collect()
}
