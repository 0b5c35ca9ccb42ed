//! Scans: who scans, what came of earlier ones.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use super::now_ms;

/// A scan that was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScanRecord {
    /// Its number.
    pub id: i64,
    /// When it began, in milliseconds since 1970.
    pub started_at: i64,
    /// When it ended; none while it runs.
    pub ended_at: Option<i64>,
    /// Which process did it.
    pub holder: String,
    /// `done`, `cancelled`, `failed`, or `killed` for one that never came to its end.
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

/// Scans that are remembered.
const KEPT: i64 = 200;

/// The scans, the latest first.
pub fn history(database: &Connection, limit: usize) -> rusqlite::Result<Vec<ScanRecord>> {
    database
        .prepare_cached(
            "SELECT id, started_at, ended_at, holder, outcome, summary FROM scan ORDER BY id DESC LIMIT ?1",
        )?
        .query_map([limit as i64], record)?
        .collect()
}

/// The one that has not ended.
pub fn running(database: &Connection) -> rusqlite::Result<Option<ScanRecord>> {
    database
        .prepare_cached(
            "SELECT id, started_at, ended_at, holder, outcome, summary FROM scan WHERE ended_at IS NULL AND outcome IS NULL
             ORDER BY id DESC LIMIT 1",
        )?
        .query_row([], record)
        .optional()
}

/// Begins one. Only the holder of the scan's lock calls this, so that all that have not ended were killed.
pub fn begin(transaction: &Transaction<'_>, holder: &str) -> rusqlite::Result<i64> {
    transaction.execute("UPDATE scan SET outcome = 'killed' WHERE ended_at IS NULL AND outcome IS NULL", [])?;
    transaction.execute("INSERT INTO scan (started_at, holder) VALUES (?1, ?2)", params![now_ms(), holder])?;
    let id = transaction.last_insert_rowid();
    transaction.execute("DELETE FROM scan WHERE id <= ?1", [id - KEPT])?;
    Ok(id)
}

/// Ends one.
pub fn end(transaction: &Transaction<'_>, id: i64, outcome: &str, summary: &str) -> rusqlite::Result<()> {
    transaction
        .execute(
            "UPDATE scan SET ended_at = ?2, outcome = ?3, summary = ?4 WHERE id = ?1",
            params![id, now_ms(), outcome, summary],
        )
        .map(drop)
}
