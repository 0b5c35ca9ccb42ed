//! Records of the running scan and of past scans.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::sql::{self, Dialect, Row, Session, values};
use base::date::now_ms;

/// A scan in the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScanRecord {
    /// Its id.
    pub id: i64,
    /// When it began, in milliseconds since 1970.
    pub started_at: i64,
    /// When it ended, in milliseconds since 1970; `None` if it is running or was killed.
    pub ended_at: Option<i64>,
    /// The process that ran it.
    pub holder: String,
    /// `done`, `cancelled`, `failed`, or `killed` if it never reached its end.
    pub outcome: Option<String>,
    /// Its [`crate::ScanSummary`] as JSON.
    pub summary: Option<String>,
}

fn record(row: &Row<'_>) -> sql::Result<ScanRecord> {
    Ok(ScanRecord {
        id: row.get(0)?,
        started_at: row.get(1)?,
        ended_at: row.get(2)?,
        holder: row.get(3)?,
        outcome: row.get(4)?,
        summary: row.get(5)?,
    })
}

/// Number of scans kept in the history.
const KEPT: i64 = 200;

const COLUMNS: &str = "id, started_at, ended_at, holder, outcome, summary";
const RUNS: &str = "ended_at IS NULL AND outcome IS NULL";

/// Returns the scans, the latest first.
pub fn history(session: &Session<'_>, limit: usize) -> sql::Result<Vec<ScanRecord>> {
    session.all(&format!("SELECT {COLUMNS} FROM scan ORDER BY id DESC LIMIT ?1"), values![limit as i64], record)
}

/// Returns the scans that have not ended, the latest first.
pub fn running(session: &Session<'_>) -> sql::Result<Vec<ScanRecord>> {
    let lives = match session.dialect() {
        Dialect::File => "",
        Dialect::Server => "AND beat_at > clock_timestamp() - lease_s * interval '1 second'",
    };
    session.all(&format!("SELECT {COLUMNS} FROM scan WHERE {RUNS} {lives} ORDER BY id DESC"), &[], record)
}

/// Begins a scan. For a file, only the holder of the scan lock calls this, so all scans without an end were killed. On a
/// server, the scan counts as alive for `lease` after each sign of life.
pub fn begin(session: &Session<'_>, holder: &str, lease: Duration) -> sql::Result<i64> {
    expire(session)?;
    let id = match session.dialect() {
        Dialect::File => {
            let begin = "INSERT INTO scan (started_at, holder) VALUES (?1, ?2) RETURNING id";
            session.number(begin, values![now_ms(), holder])?
        }
        Dialect::Server => {
            let begin = "INSERT INTO scan (started_at, holder, lease_s) VALUES (?1, ?2, ?3) RETURNING id";
            session.number(begin, values![now_ms(), holder, lease.as_secs_f64()])?
        }
    };
    session.execute(&format!("DELETE FROM scan WHERE id <= ?1 AND NOT ({RUNS})"), values![id - KEPT])?;
    Ok(id)
}

/// Marks scans as killed: for a file all that have not ended, on a server those that gave no sign of life in time.
/// Returns their number. A server that was just started has given nobody the time for it.
pub fn expire(session: &Session<'_>) -> sql::Result<usize> {
    let dead = match session.dialect() {
        Dialect::File => "",
        Dialect::Server => {
            "AND greatest(beat_at, pg_postmaster_start_time()) < clock_timestamp() - lease_s * interval '1 second'"
        }
    };
    session.execute(&format!("UPDATE scan SET outcome = 'killed' WHERE {RUNS} {dead}"), &[])
}

/// Gives a sign of life. Returns false if it is too late: the scan's tracks now belong to others.
pub fn beat(session: &Session<'_>, id: i64) -> sql::Result<bool> {
    let beat = format!("UPDATE scan SET beat_at = clock_timestamp() WHERE id = ?1 AND {RUNS}");
    session.execute(&beat, values![id]).map(|beaten| beaten == 1)
}

/// Ends a scan.
pub fn end(session: &Session<'_>, id: i64, outcome: &str, summary: &str) -> sql::Result<()> {
    let end = "UPDATE scan SET ended_at = ?2, outcome = ?3, summary = ?4 WHERE id = ?1";
    session.execute(end, values![id, now_ms(), outcome, summary]).map(drop)
}

/// Takes the walks of these roots, except those that other living scans have. Returns those that it then has. A file
/// has one scan, which walks everything.
pub fn take_walks(session: &Session<'_>, id: i64, roots: &[i64]) -> sql::Result<Vec<i64>> {
    if session.dialect() == Dialect::File {
        return Ok(roots.to_vec());
    }
    let take = format!(
        "INSERT INTO walk (root, scan) SELECT id, CAST(?2 AS BIGINT) FROM root WHERE id = ?1 FOR KEY SHARE
         ON CONFLICT (root) DO UPDATE SET scan = excluded.scan
         WHERE walk.scan IS NULL OR walk.scan = ?2 OR walk.scan NOT IN (SELECT scan.id FROM scan WHERE {RUNS})"
    );
    let mut taken = Vec::new();
    for root in roots {
        if session.execute(&take, values![*root, id])? == 1 {
            taken.push(*root);
        }
    }
    Ok(taken)
}

/// Gives back the walks that a scan has.
pub fn leave_walks(session: &Session<'_>, id: i64) -> sql::Result<()> {
    match session.dialect() {
        Dialect::File => Ok(()),
        Dialect::Server => session.execute("UPDATE walk SET scan = NULL WHERE scan = ?1", values![id]).map(drop),
    }
}
