//! The queue in the database. Claims ensure that no two workers of any process take the same track.

use std::path::PathBuf;

use super::super::analysis::Versions;
use super::super::files::{AudioKey, QuickKey};
use super::super::sql::{self, Dialect, Row, Session, values};
use super::found::IS_CURRENT;
use audio::READING_VERSION;
use base::date::now_ms;

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
    /// Whether the file is as it was analysed, and only the way in which an earlier version read it may have changed.
    pub reread: bool,
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

/// SQL condition: the root of a track can be reached by the machine of scan `?3`. A file belongs to one machine.
fn in_reach(dialect: Dialect, scan: &str) -> String {
    match dialect {
        Dialect::File => "root NOT IN (SELECT id FROM root WHERE unreachable IS NOT NULL)".to_owned(),
        Dialect::Server => format!("root NOT IN (SELECT away.root FROM away WHERE away.scan = {scan})"),
    }
}

/// Returns the columns of a claim. `?1` and `?2` are the current versions.
fn claim_columns() -> String {
    format!(
        "id, root, path, path_exact, bytes, modified_ns, analysed_at IS NULL,
         coalesce(features_version = ?1 AND fingerprint_version = ?2, FALSE), quick_key, audio_key,
         coalesce({IS_CURRENT}, FALSE) AND coalesce(reading_version <> {READING_VERSION}, TRUE)"
    )
}

fn read_claim(row: &Row<'_>) -> sql::Result<Claim> {
    let keys: (Option<[u8; 32]>, Option<[u8; 32]>) = (row.get(8)?, row.get(9)?);
    let (fresh, current): (bool, bool) = (row.get(6)?, row.get(7)?);
    Ok(Claim {
        id: row.get(0)?,
        root: row.get(1)?,
        path: row.path(2)?,
        bytes: row.get(4)?,
        modified_ns: row.get(5)?,
        fresh,
        reread: row.get(10)?,
        keys: match keys {
            (Some(quick), Some(audio)) if current && !fresh => Some((QuickKey(quick), AudioKey(audio))),
            _ => None,
        },
    })
}

/// Claims the next waiting track. On a server, `token` distinguishes the claim from all others of the scan, so that a
/// claim that was committed although its answer was lost is found again.
pub fn claim(
    session: &Session<'_>,
    scan: i64,
    versions: Versions,
    turn: Turn,
    token: i64,
) -> sql::Result<Option<Claim>> {
    let (features, fingerprint) = (versions.features, versions.fingerprint);
    // Of all tracks in progress, only a suspect has `alone` above 0.
    let (which, alone, in_hand) = match turn {
        Turn::Plain => ("attempts = 0", 0, "alone > 0"),
        Turn::Suspect => ("attempts > 0", 1, "TRUE"),
    };
    let dialect = session.dialect();
    // Another machine may be claiming the same track; the next one is taken then.
    let (set_token, locked) = match dialect {
        Dialect::File => ("", ""),
        Dialect::Server => (", claim = ?4", "FOR UPDATE SKIP LOCKED"),
    };
    let (reach, columns) = (in_reach(dialect, "?3"), claim_columns());
    let take = format!(
        "UPDATE track SET state = 'analysing', claimed_by = ?3, attempts = attempts + 1,
             alone = alone + {alone}{set_token}
         WHERE id = (
             SELECT id FROM track
             WHERE state = 'waiting' AND {which} AND {reach}
             ORDER BY attempts, id LIMIT 1 {locked}
         ) AND NOT EXISTS (SELECT 1 FROM track WHERE claimed_by = ?3 AND {in_hand})
         RETURNING {columns}"
    );
    match dialect {
        Dialect::File => session.first(&take, values![features, fingerprint, scan], read_claim),
        Dialect::Server => {
            let values = values![features, fingerprint, scan, token];
            let again = format!("SELECT {columns} FROM track WHERE claimed_by = ?3 AND claim = ?4");
            match session.first(&again, values, read_claim)? {
                None => session.first(&take, values, read_claim),
                claimed => Ok(claimed),
            }
        }
    }
}

/// Returns tracks other than `id` with that quick key and a current analysis.
pub fn twins(session: &Session<'_>, id: i64, quick: QuickKey, versions: Versions) -> sql::Result<Vec<Twin>> {
    let twin = |row: &Row<'_>| {
        Ok(Twin {
            id: row.get(0)?,
            root: row.get(1)?,
            path: row.path(2)?,
            bytes: row.get(4)?,
            modified_ns: row.get(5)?,
            audio_key: AudioKey(row.get(6)?),
        })
    };
    session.all(
        &format!(
            "SELECT id, root, path, path_exact, bytes, modified_ns, audio_key FROM track
             WHERE quick_key = ?3 AND id <> ?4 AND state IN ('done', 'vanished') AND audio_key IS NOT NULL
                 AND {IS_CURRENT} ORDER BY id LIMIT 64"
        ),
        values![versions.features, versions.fingerprint, quick.0, id],
        twin,
    )
}

/// Records the current size and modification time of a claimed track's file.
pub fn stamp(session: &Session<'_>, scan: i64, id: i64, (bytes, modified_ns): (u64, i64)) -> sql::Result<()> {
    session
        .execute(
            "UPDATE track SET bytes = ?3, modified_ns = ?4, stale = 1 WHERE id = ?1 AND claimed_by = ?2",
            values![id, scan, bytes, modified_ns],
        )
        .map(drop)
}

/// Gives a claim back, as if it had not been made.
const RELEASE: &str = "UPDATE track SET state = 'waiting', claimed_by = NULL,
    attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END,
    alone = CASE WHEN alone > 0 THEN alone - 1 ELSE 0 END";

/// Releases a claimed track unchanged.
pub fn release(session: &Session<'_>, scan: i64, id: i64) -> sql::Result<()> {
    let release = format!("{RELEASE} WHERE id = ?1 AND claimed_by = ?2");
    session.execute(&release, values![id, scan]).map(drop)
}

/// Releases all tracks that a scan still holds.
pub fn release_all(session: &Session<'_>, scan: i64) -> sql::Result<()> {
    let release = format!("{RELEASE} WHERE state = 'analysing' AND claimed_by = ?1");
    session.execute(&release, values![scan]).map(drop)
}

/// Recovers the tracks that dead scans left in progress: those that no living scan has claimed. A track that was alone
/// in progress at the end of `limit` of them has failed. The others become suspects, each of which is analysed alone.
/// Returns the numbers of tracks that wait again and that failed.
pub fn recover(session: &Session<'_>, limit: u32, versions: Versions) -> sql::Result<(usize, usize)> {
    let left = "state = 'analysing' AND (claimed_by IS NULL OR claimed_by NOT IN (
                    SELECT id FROM scan WHERE ended_at IS NULL AND outcome IS NULL))";
    let given_up = session.execute(
        &format!(
            "UPDATE track SET state = 'failed', claimed_by = NULL, stale = 1, code = 'internal',
                 features_version = ?2, fingerprint_version = ?3, reading_version = {READING_VERSION},
                 reason = CASE WHEN alone = 1 THEN 'the program ended while it analysed this file and no other'
                     ELSE 'the program ended ' || alone || ' times while it analysed this file and no other' END
             WHERE {left} AND alone >= ?1"
        ),
        values![limit.max(1), versions.features, versions.fingerprint],
    )?;
    let again = format!("UPDATE track SET state = 'waiting', claimed_by = NULL WHERE {left}");
    Ok((session.execute(&again, &[])?, given_up))
}

/// Records why a track could not be analysed.
pub fn fail(
    session: &Session<'_>,
    scan: i64,
    id: i64,
    (code, reason): (&str, &str),
    versions: Versions,
) -> sql::Result<bool> {
    session
        .execute(
            &format!(
                "UPDATE track SET state = 'failed', claimed_by = NULL, alone = 0, stale = 1, code = ?3, reason = ?4,
                     features_version = ?5, fingerprint_version = ?6, reading_version = {READING_VERSION}
                 WHERE id = ?1 AND claimed_by = ?2"
            ),
            values![id, scan, code, reason, versions.features, versions.fingerprint],
        )
        .map(|rows| rows == 1)
}

/// Records that a file changed or disappeared during analysis. The next walk determines its new state.
pub fn disturbed(session: &Session<'_>, scan: i64, id: i64, gone: bool) -> sql::Result<bool> {
    let claimed = "stale = 1, claimed_by = NULL, attempts = 0, alone = 0 WHERE id = ?1 AND claimed_by = ?2";
    let changed = if gone {
        let vanished =
            format!("UPDATE track SET state = 'vanished', reason = NULL, code = NULL, vanished_at = ?3, {claimed}");
        session.execute(&vanished, values![id, scan, now_ms()])?
    } else {
        let reason = "The file changed during the analysis. It is tried again later.";
        let failed = format!(
            "UPDATE track SET state = 'failed', reason = ?3, code = 'io', vanished_at = NULL, modified_ns = -1,
                 {claimed}"
        );
        session.execute(&failed, values![id, scan, reason])?
    };
    Ok(changed == 1)
}

/// Puts failed tracks back into the queue: those in `ids`, or all. Returns their paths.
pub fn retry(session: &Session<'_>, ids: Option<&[i64]>) -> sql::Result<Vec<PathBuf>> {
    // A track that ended the program is analysed alone again.
    const AGAIN: &str =
        "UPDATE track SET state = 'waiting', attempts = CASE WHEN alone > 0 THEN 1 ELSE 0 END, alone = 0, code = NULL,
                             reason = NULL
                         WHERE state = 'failed'";
    const PATH: &str = "RETURNING path, path_exact";
    match ids {
        None => session.all(&format!("{AGAIN} {PATH}"), &[], |row| row.path(0)),
        Some(ids) => {
            let again = format!("{AGAIN} AND id = ?1 {PATH}");
            ids.iter().filter_map(|id| session.first(&again, values![id], |row| row.path(0)).transpose()).collect()
        }
    }
}

/// Returns path and size of the waiting tracks, of one root or of all roots that the machine of the scan can reach.
pub fn waiting(session: &Session<'_>, scan: i64, root: Option<i64>) -> sql::Result<Vec<(String, u64)>> {
    let of = root.map_or_else(|| in_reach(session.dialect(), &scan.to_string()), |root| format!("root = {root}"));
    let waiting = format!("SELECT path, bytes FROM track WHERE state = 'waiting' AND {of}");
    session.all(&waiting, &[], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Returns the number of waiting suspects.
pub fn suspects(session: &Session<'_>, scan: i64) -> sql::Result<u64> {
    let reach = in_reach(session.dialect(), &scan.to_string());
    let count = format!("SELECT count(*) FROM track WHERE state = 'waiting' AND attempts > 0 AND {reach}");
    session.number(&count, &[]).map(|count| count.max(0) as u64)
}

/// Returns the number of tracks and bytes in each state.
pub fn counts(session: &Session<'_>) -> sql::Result<Vec<(String, u64, u64)>> {
    session.all(
        "SELECT state, count(*), CAST(sum(CASE WHEN bytes > 0 THEN bytes ELSE 0 END) AS DOUBLE PRECISION)
         FROM track GROUP BY state",
        &[],
        |row| Ok((row.get(0)?, row.get::<i64>(1)? as u64, row.get::<f64>(2)? as u64)),
    )
}
