//! Records of the running scan and of past scans.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use crate::date::now_ms;

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
    /// Its [`crate::library::ScanSummary`] as JSON.
    pub summary: Option<String>,
}

fn record(row: &Row<'_>) -> rusqlite::Result<ScanRecord> {
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

/// Returns the scans, the latest first.
pub fn history(database: &Connection, limit: usize) -> rusqlite::Result<Vec<ScanRecord>> {
    database
        .prepare_cached(
            "SELECT id, started_at, ended_at, holder, outcome, summary FROM scan ORDER BY id DESC LIMIT ?1",
        )?
        .query_map([limit as i64], record)?
        .collect()
}

/// Returns the scan that has not ended.
pub fn running(database: &Connection) -> rusqlite::Result<Option<ScanRecord>> {
    database
        .prepare_cached(
            "SELECT id, started_at, ended_at, holder, outcome, summary FROM scan WHERE ended_at IS NULL AND outcome IS NULL
             ORDER BY id DESC LIMIT 1",
        )?
        .query_row([], record)
        .optional()
}

/// Begins a scan. Only the holder of the scan lock calls this, so all scans without an end were killed.
pub fn begin(transaction: &Transaction<'_>, holder: &str) -> rusqlite::Result<i64> {
    transaction.execute("UPDATE scan SET outcome = 'killed' WHERE ended_at IS NULL AND outcome IS NULL", [])?;
    transaction.execute("INSERT INTO scan (started_at, holder) VALUES (?1, ?2)", params![now_ms(), holder])?;
    let id = transaction.last_insert_rowid();
    transaction.execute("DELETE FROM scan WHERE id <= ?1", [id - KEPT])?;
    Ok(id)
}

/// Ends a scan.
pub fn end(transaction: &Transaction<'_>, id: i64, outcome: &str, summary: &str) -> rusqlite::Result<()> {
    transaction
        .execute(
            "UPDATE scan SET ended_at = ?2, outcome = ?3, summary = ?4 WHERE id = ?1",
            params![id, now_ms(), outcome, summary],
        )
        .map(drop)
}
