//! Open documents in the session: every state of their histories, where they stand and what they show.

use std::io::{Read, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};

use super::{Attempt, Changes, DocumentKey, Place, StoredDocument};
use crate::document::history::{History, Step};
use crate::document::{Document, FrameRange};

/// The version of a state's JSON. States of later versions are refused, not guessed at. Version 1 knew one rack: it is
/// taken up as rack A, beside an empty rack B.
const VERSION: u32 = 2;

/// The first version there was.
const OLDEST: u32 = 1;

/// How hard states are packed, of 1 to 9: beyond this little is won for twice the time.
const PACKING: u32 = 3;

/// A longer state is no state: its text is some kilobytes.
const MOST_STATE_BYTES: u64 = 64 << 20;

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

/// A text as it is stored: chains repeat themselves, so that a tenth is left of them.
fn packed(text: &str) -> rusqlite::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(PACKING));
    let packed = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    packed.map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

/// The text again, or what is wrong with it.
fn unpacked(packed: &[u8]) -> Result<String, String> {
    let mut text = String::new();
    let mut decoder = ZlibDecoder::new(packed).take(MOST_STATE_BYTES);
    decoder.read_to_string(&mut text).map_err(|error| format!("its packed state is damaged: {error}"))?;
    Ok(text)
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

/// The sessions that have documents.
pub fn sessions(database: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut rows = database.prepare("SELECT DISTINCT session FROM document ORDER BY session")?;
    rows.query_map([], |row| row.get(0))?.collect()
}

/// Makes the documents of session `other` those of session `own`; which is in front there stays so, if there is one.
pub fn take_up(transaction: &Transaction<'_>, own: i64, other: i64) -> rusqlite::Result<()> {
    let front = "INSERT OR REPLACE INTO front (session, document)
                 SELECT ?1, document FROM front WHERE session = ?2
                 AND NOT EXISTS (SELECT 1 FROM front WHERE session = ?1 AND document IS NOT NULL)";
    transaction.execute(front, [own, other])?;
    transaction.execute("DELETE FROM front WHERE session = ?1", [other])?;
    transaction.execute("UPDATE document SET session = ?1 WHERE session = ?2", [own, other]).map(drop)
}

/// Adds a document behind the others.
pub fn add(
    transaction: &Transaction<'_>,
    session: i64,
    history: &History,
    place: Place,
) -> rusqlite::Result<DocumentKey> {
    let (steps, present) = history.steps();
    transaction.execute(
        "INSERT INTO document (session, position, present, cursor_frame, view_start, view_end)
         VALUES (?1, (SELECT coalesce(max(position), 0) + 1 FROM document), ?2, ?3, ?4, ?5)",
        params![
            session,
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
    let mut put = transaction.prepare_cached(
        "INSERT OR REPLACE INTO step (document, serial, label, state, packed) VALUES (?1, ?2, ?3, '', ?4)",
    )?;
    let packed = packed(&text_from_state(&step.document)?)?;
    put.execute(params![key.0, step.serial as i64, step.label, packed]).map(drop)
}

/// Writes what changed of a history. Returns false when the document is not there (any more).
pub fn save(transaction: &Transaction<'_>, changes: &Changes) -> rusqlite::Result<bool> {
    let key = changes.key;
    let mut update = transaction.prepare_cached("UPDATE document SET present = ?2 WHERE id = ?1")?;
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

/// Every open document of a session in the order of tabs, and what to tell of those that cannot be restored; these stay
/// stored.
pub fn load(database: &Connection, session: i64) -> rusqlite::Result<(Vec<StoredDocument>, Vec<String>)> {
    let mut documents = Vec::new();
    let mut notices = Vec::new();
    let mut rows = database.prepare(
        "SELECT id, present, cursor_frame, view_start, view_end, attempt.state
         FROM document LEFT JOIN attempt ON attempt.document = id WHERE session = ?1 ORDER BY position, id",
    )?;
    let rows = rows.query_map([session], |row| {
        let view = row.get::<_, Option<f64>>(3)?.zip(row.get::<_, Option<f64>>(4)?);
        let place = Place { cursor_frame: row.get::<_, i64>(2)?.max(0) as u64, view };
        let attempt = row.get::<_, Option<i64>>(5)?.map(Attempt::from_number);
        Ok((DocumentKey(row.get(0)?), row.get::<_, i64>(1)? as u64, place, attempt))
    })?;
    for row in rows {
        let (key, present, place, attempt) = row?;
        // Damage of its states costs one document, not the start.
        let loaded = load_history(database, key, present).unwrap_or_else(|error| Err(error.to_string()));
        match loaded {
            Ok((history, lost)) => {
                if lost > 0 {
                    let name = history.document().sources.first().map(super::super::Source::name).unwrap_or_default();
                    notices.push(format!("{lost} steps of the history of {name} could not be read and were left out."));
                }
                documents.push(StoredDocument { key, history, place, attempt });
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
        database.prepare_cached("SELECT serial, label, state, packed FROM step WHERE document = ?1 ORDER BY serial")?;
    let rows = rows.query_map([key.0], |row| {
        let text = match row.get::<_, Option<Vec<u8>>>(3)? {
            Some(packed) => unpacked(&packed),
            None => Ok(row.get(2)?),
        };
        Ok((row.get::<_, i64>(0)? as u64, row.get::<_, String>(1)?, text))
    })?;
    let (mut steps, mut lost, mut index, mut problem) = (Vec::new(), 0, None, None);
    for row in rows {
        let (serial, label, state) = row?;
        match state.and_then(|text| state_from_text(&text)) {
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
pub fn active(database: &Connection, session: i64) -> rusqlite::Result<Option<DocumentKey>> {
    let front = "SELECT document FROM front WHERE session = ?1";
    let found: Option<Option<i64>> = database.query_row(front, [session], |row| row.get(0)).optional()?;
    Ok(found.flatten().map(DocumentKey))
}
