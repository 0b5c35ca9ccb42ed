//! Open documents in the session: every state of their histories, where they stand and what they show.

use std::collections::HashSet;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};

use super::{DocumentKey, Place, StoredDocument};
use crate::document::history::{History, Step};
use crate::document::{Document, FrameRange};

/// The version of a state's JSON. States of later versions are refused, not guessed at. Version 1 knew one rack: it is
/// taken up as rack A, beside an empty rack B.
const VERSION: u32 = 2;

/// The first version there was.
const OLDEST: u32 = 1;

#[derive(Serialize)]
struct StateOut<'a> {
    version: u32,
    #[serde(flatten)]
    document: &'a Document,
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// A state as it stands in the database.
fn text_from_state(document: &Document) -> rusqlite::Result<String> {
    serde_json::to_string(&StateOut { version: VERSION, document })
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

/// A state from its text, or why it is none.
fn state_from_text(text: &str) -> Result<Document, String> {
    let Version { version } = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if !(OLDEST..=VERSION).contains(&version) {
        return Err(format!("its format {version} is not known to this version of the program"));
    }
    let mut document: Document = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let frames = document.frames();
    document.selection = document
        .selection
        .map(|range| FrameRange { start: range.start.min(frames), end: range.end.min(frames) })
        .filter(|range| range.start < range.end);
    let lengths: Vec<u64> = document.sources.iter().map(|source| source.summary.frames).collect();
    document.edits.check(&lengths).map_err(|error| error.to_string())?;
    Ok(document)
}

/// Adds a document behind the others.
pub fn add(transaction: &Transaction<'_>, history: &History, place: Place) -> rusqlite::Result<DocumentKey> {
    let (steps, present) = history.steps();
    transaction.execute(
        "INSERT INTO document (position, present, cursor_frame, view_start, view_end)
         VALUES ((SELECT coalesce(max(position), 0) + 1 FROM document), ?1, ?2, ?3, ?4)",
        params![
            steps[present].serial as i64,
            place.cursor_frame as i64,
            place.view.map(|v| v.0),
            place.view.map(|v| v.1)
        ],
    )?;
    let key = DocumentKey(transaction.last_insert_rowid());
    for step in steps {
        put_step(transaction, key, step)?;
    }
    Ok(key)
}

fn put_step(transaction: &Transaction<'_>, key: DocumentKey, step: &Step) -> rusqlite::Result<()> {
    let mut put = transaction
        .prepare_cached("INSERT OR REPLACE INTO step (document, serial, label, state) VALUES (?1, ?2, ?3, ?4)")?;
    put.execute(params![key.0, step.serial as i64, step.label, text_from_state(&step.document)?]).map(drop)
}

/// Writes what changed since `saved`, the serials that are stored. Returns false when the document is not there (any
/// more).
pub fn save(
    transaction: &Transaction<'_>,
    key: DocumentKey,
    history: &History,
    saved: &HashSet<u64>,
) -> rusqlite::Result<bool> {
    let (steps, present) = history.steps();
    let mut update = transaction.prepare_cached("UPDATE document SET present = ?2 WHERE id = ?1")?;
    if update.execute(params![key.0, steps[present].serial as i64])? == 0 {
        return Ok(false);
    }
    let now: HashSet<u64> = steps.iter().map(|step| step.serial).collect();
    let mut delete = transaction.prepare_cached("DELETE FROM step WHERE document = ?1 AND serial = ?2")?;
    for gone in saved.difference(&now) {
        delete.execute(params![key.0, *gone as i64])?;
    }
    for step in steps.iter().filter(|step| !saved.contains(&step.serial)) {
        put_step(transaction, key, step)?;
    }
    Ok(true)
}

/// Every open document in the order of tabs, and what to tell of those that cannot be restored; these stay stored.
pub fn load(database: &Connection) -> rusqlite::Result<(Vec<StoredDocument>, Vec<String>)> {
    let mut documents = Vec::new();
    let mut notices = Vec::new();
    let mut rows = database
        .prepare("SELECT id, present, cursor_frame, view_start, view_end FROM document ORDER BY position, id")?;
    let rows = rows.query_map([], |row| {
        let view = row.get::<_, Option<f64>>(3)?.zip(row.get::<_, Option<f64>>(4)?);
        let place = Place { cursor_frame: row.get::<_, i64>(2)?.max(0) as u64, view };
        Ok((DocumentKey(row.get(0)?), row.get::<_, i64>(1)? as u64, place))
    })?;
    for row in rows {
        let (key, present, place) = row?;
        match load_history(database, key, present)? {
            Ok((history, lost)) => {
                if lost > 0 {
                    let name = history.document().sources.first().map(super::super::Source::name).unwrap_or_default();
                    notices.push(format!("{lost} steps of the history of {name} could not be read and were left out."));
                }
                documents.push(StoredDocument { key, history, place });
            }
            Err(reason) => notices.push(format!("A document of the last session could not be restored: {reason}.")),
        }
    }
    Ok((documents, notices))
}

/// The history of a document and how many of its steps could not be read; or why there is none.
type Loaded = Result<(History, usize), String>;

fn load_history(database: &Connection, key: DocumentKey, present: u64) -> rusqlite::Result<Loaded> {
    let mut rows =
        database.prepare_cached("SELECT serial, label, state FROM step WHERE document = ?1 ORDER BY serial")?;
    let rows = rows.query_map([key.0], |row| {
        Ok((row.get::<_, i64>(0)? as u64, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
    })?;
    let (mut steps, mut lost, mut index, mut problem) = (Vec::new(), 0, None, None);
    for row in rows {
        let (serial, label, state) = row?;
        match state_from_text(&state) {
            Ok(document) => {
                if serial == present {
                    index = Some(steps.len());
                }
                steps.push(Step { label, document: Arc::new(document), serial });
            }
            Err(reason) => {
                if serial == present {
                    problem = Some(reason);
                }
                lost += 1;
            }
        }
    }
    Ok(match index.and_then(|index| History::restored(steps, index)) {
        Some(history) => Ok((history, lost)),
        None => Err(problem.unwrap_or_else(|| "its present state is not there".into())),
    })
}

/// Where the document that was in front stands.
pub fn active(database: &Connection) -> rusqlite::Result<Option<DocumentKey>> {
    let found: Option<Option<i64>> =
        database.query_row("SELECT document FROM active", [], |row| row.get(0)).optional()?;
    Ok(found.flatten().map(DocumentKey))
}
