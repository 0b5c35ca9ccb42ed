//! The open documents of a session: every state of their histories, their position and their view.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{Attempt, Changes, DocumentKey, StoredDocument, ViewState, closed};
use crate::document::history::{History, Step};
use crate::document::state::{State, Stored};

/// Returns the sessions that have documents.
pub fn sessions(database: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut rows = database.prepare(
        "SELECT DISTINCT session FROM document WHERE id NOT IN (SELECT document FROM closed) ORDER BY session",
    )?;
    rows.query_map([], |row| row.get(0))?.collect()
}

/// Moves the documents of session `other` to session `current`. The active document of `current`, if any, stays active.
pub fn take_up(transaction: &Transaction<'_>, current: i64, other: i64) -> rusqlite::Result<()> {
    let front = "INSERT OR REPLACE INTO front (session, document)
                 SELECT ?1, document FROM front WHERE session = ?2
                 AND NOT EXISTS (SELECT 1 FROM front WHERE session = ?1 AND document IS NOT NULL)";
    transaction.execute(front, [current, other])?;
    transaction.execute("DELETE FROM front WHERE session = ?1", [other])?;
    transaction.execute("UPDATE document SET session = ?1 WHERE session = ?2", [current, other]).map(drop)
}

/// Adds a document after the others.
pub fn add(
    transaction: &Transaction<'_>,
    session: i64,
    history: &History,
    place: ViewState,
) -> rusqlite::Result<DocumentKey> {
    let (steps, present) = history.steps();
    transaction.execute(
        "INSERT INTO document (session, position, present, cursor_frame, view_start, view_end, level_zoom)
         VALUES (?1, (SELECT coalesce(max(position), 0) + 1 FROM document), ?2, ?3, ?4, ?5, ?6)",
        params![
            session,
            steps[present].serial as i64,
            place.cursor_frame as i64,
            place.view.map(|v| v.0),
            place.view.map(|v| v.1),
            place.level_zoom
        ],
    )?;
    let key = DocumentKey(transaction.last_insert_rowid());
    for step in steps {
        put_step(transaction, key, step)?;
    }
    Ok(key)
}

fn put_step(transaction: &Transaction<'_>, key: DocumentKey, step: &Step) -> rusqlite::Result<()> {
    let mut put = transaction.prepare_cached(
        "INSERT OR REPLACE INTO step (document, serial, label, state, packed) VALUES (?1, ?2, ?3, '', ?4)",
    )?;
    let packed = step.state.packed().map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    put.execute(params![key.0, step.serial as i64, step.label, packed]).map(drop)
}

/// Writes the changes of a history. Returns `false` if the document no longer exists.
pub fn save(transaction: &Transaction<'_>, changes: &Changes) -> rusqlite::Result<bool> {
    let key = changes.key;
    let mut update = transaction
        .prepare_cached("UPDATE document SET present = ?2 WHERE id = ?1 AND id NOT IN (SELECT document FROM closed)")?;
    if update.execute(params![key.0, changes.present as i64])? == 0 {
        return Ok(false);
    }
    let mut delete = transaction.prepare_cached("DELETE FROM step WHERE document = ?1 AND serial = ?2")?;
    for gone in &changes.gone {
        delete.execute(params![key.0, *gone as i64])?;
    }
    for step in &changes.new {
        put_step(transaction, key, step)?;
    }
    Ok(true)
}

/// Returns all open documents of a session in tab order, and notices about those that cannot be restored. The latter
/// stay stored.
pub fn load(database: &Connection, session: i64) -> rusqlite::Result<(Vec<StoredDocument>, Vec<String>)> {
    let mut documents = Vec::new();
    let mut notices = Vec::new();
    let open = "session = ?1 AND id NOT IN (SELECT document FROM closed)";
    for row in rows(database, open, session)? {
        match loaded(database, row)? {
            Ok(document) => documents.push(document),
            Err(reason) => notices.push(format!("A document of the last session could not be restored: {reason}.")),
        }
    }
    Ok((documents, notices))
}

/// Returns one document, open or closed; `None` if it cannot be restored.
pub fn one(database: &Connection, key: DocumentKey) -> rusqlite::Result<Option<StoredDocument>> {
    let row = rows(database, "id = ?1", key.0)?.pop();
    row.map_or(Ok(None), |row| loaded(database, row).map(Result::ok))
}

/// A row of the table of documents.
struct Row {
    key: DocumentKey,
    present: u64,
    place: ViewState,
    attempt: Option<Attempt>,
}

/// Returns the documents that meet a condition on one number, in tab order.
fn rows(database: &Connection, condition: &str, number: i64) -> rusqlite::Result<Vec<Row>> {
    let mut rows = database.prepare_cached(&format!(
        "SELECT id, present, cursor_frame, view_start, view_end, attempt.state, level_zoom
         FROM document LEFT JOIN attempt ON attempt.document = id WHERE {condition} ORDER BY position, id"
    ))?;
    let rows = rows.query_map([number], |row| {
        let view = row.get::<_, Option<f64>>(3)?.zip(row.get::<_, Option<f64>>(4)?);
        let place = ViewState { cursor_frame: row.get::<_, i64>(2)?.max(0) as u64, view, level_zoom: row.get(6)? };
        let attempt = row.get::<_, Option<i64>>(5)?.map(Attempt::from_number);
        Ok(Row { key: DocumentKey(row.get(0)?), present: row.get::<_, i64>(1)? as u64, place, attempt })
    })?;
    rows.collect()
}

/// Reads a document, or returns the reason why it cannot be restored. A damaged state costs one document, not the whole
/// start.
fn loaded(database: &Connection, row: Row) -> rusqlite::Result<Result<StoredDocument, String>> {
    let Row { key, present, place, attempt } = row;
    let history = load_history(database, key, present).unwrap_or_else(|error| Err(error.to_string()));
    let project = closed::project(database, key)?;
    Ok(history.map(|history| StoredDocument { key, history, place, project, attempt }))
}

/// A history, or the reason why it cannot be restored.
type Loaded = Result<History, String>;

/// Reads a document's history. Only the present state is parsed.
fn load_history(database: &Connection, key: DocumentKey, present: u64) -> rusqlite::Result<Loaded> {
    let mut rows =
        database.prepare_cached("SELECT serial, label, state, packed FROM step WHERE document = ?1 ORDER BY serial")?;
    let rows = rows.query_map([key.0], |row| {
        let stored = match row.get::<_, Option<Vec<u8>>>(3)? {
            Some(packed) => Stored::Packed(packed),
            None => Stored::Text(row.get(2)?),
        };
        Ok((row.get::<_, i64>(0)? as u64, row.get::<_, String>(1)?, stored))
    })?;
    let (mut steps, mut index) = (Vec::new(), None);
    for row in rows {
        let (serial, label, stored) = row?;
        let state = if serial == present {
            index = Some(steps.len());
            match stored.document() {
                Ok(document) => State::new(Arc::new(document)),
                Err(reason) => return Ok(Err(reason)),
            }
        } else {
            State::of_stored(stored)
        };
        steps.push(Step { label, state, serial });
    }
    let restored = index.and_then(|index| History::restored(steps, index));
    Ok(restored.ok_or_else(|| "its present state is not there".into()))
}

/// Returns the active document of a session.
pub fn active(database: &Connection, session: i64) -> rusqlite::Result<Option<DocumentKey>> {
    let front = "SELECT document FROM front WHERE session = ?1";
    let found: Option<Option<i64>> = database.query_row(front, [session], |row| row.get(0)).optional()?;
    Ok(found.flatten().map(DocumentKey))
}
