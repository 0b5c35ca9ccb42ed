//! The index of the words of titles, artists, albums and paths.
//!
//! A file has it in a full-text table (FTS5). A server has the same words, found by the same tokenizer, in text
//! vectors, beside the text columns without case and accents ([`fold`]), which a file computes for every row on demand.

use std::fmt::Write;

use super::super::questions::query::fold;
use super::super::questions::query::tokenizer::{self, Tokenizer};
use super::super::sql::{self, Dialect, Session, values};
use crate::tracks::columns::{INDEXED, TEXTS};

/// Returns whether the index is out of date.
pub fn are_stale(session: &Session<'_>) -> sql::Result<bool> {
    session.one("SELECT EXISTS (SELECT 1 FROM text_stale)", &[], |row| row.get(0))
}

/// Number of tracks that are indexed at a time on a server.
const PART: i64 = 10_000;

/// Brings the index up to date.
pub fn refresh(session: &Session<'_>) -> sql::Result<()> {
    match session.dialect() {
        Dialect::File => {
            session.execute("DELETE FROM track_text WHERE rowid IN (SELECT track_id FROM text_stale)", &[])?;
            session.execute(
                "INSERT INTO track_text (rowid, title, artist, album, path)
                 SELECT id, title, artist, album, path FROM text_stale JOIN track ON track.id = text_stale.track_id",
                &[],
            )?;
            session.execute("DELETE FROM text_stale", &[]).map(drop)
        }
        Dialect::Server => {
            while are_stale(session)? {
                refresh_part(session)?;
            }
            Ok(())
        }
    }
}

/// Distance of the positions of the words of two columns: more than the words of a column, so that no phrase begins in
/// one and ends in the next. A text vector has 16,383 positions.
const COLUMN: usize = 4000;

/// Indexes some of the stale tracks on a server. Waits for another machine that indexes them: skipping them would
/// answer from words that are out of date.
fn refresh_part(session: &Session<'_>) -> sql::Result<()> {
    let stale = "DELETE FROM text_stale WHERE track_id IN (
                     SELECT track_id FROM text_stale ORDER BY track_id LIMIT ?1 FOR UPDATE)
                 RETURNING track_id";
    let mut ids: Vec<i64> = session.all(stale, values![PART], |row| row.get(0))?;
    ids.sort_unstable();
    let tokenizer = Tokenizer::new()?;
    let kept = session.dialect().kept();
    let texts = format!("SELECT {} FROM track WHERE id = ?1 {kept}", TEXTS.join(", "));
    let (columns, places) = (TEXTS.join(", "), (2..TEXTS.len() + 2).map(|n| format!("?{n}")).collect::<Vec<_>>());
    let set = TEXTS.map(|column| format!("{column} = excluded.{column}")).join(", ");
    let folded = format!(
        "INSERT INTO folded (track_id, {columns}) VALUES (?1, {})
         ON CONFLICT (track_id) DO UPDATE SET {set}",
        places.join(", ")
    );
    let words = "INSERT INTO word_index (track_id, words) VALUES (?1, CAST(CAST(?2 AS TEXT) AS TSVECTOR))
                 ON CONFLICT (track_id) DO UPDATE SET words = excluded.words";
    for id in &ids {
        let texts: Option<Vec<Option<String>>> =
            session.first(&texts, values![*id], |row| (0..TEXTS.len()).map(|at| row.get(at)).collect())?;
        // It may be gone.
        let Some(texts) = texts else { continue };
        let vector = vector(&tokenizer, &texts[..INDEXED])?;
        session.execute(words, values![*id, vector])?;
        let folded_texts: Vec<Option<String>> = texts.iter().map(|text| text.as_deref().map(fold)).collect();
        let mut row = vec![sql::Bind::value(id)];
        row.extend(folded_texts.iter().map(sql::Bind::value));
        session.execute(&folded, &row)?;
    }
    Ok(())
}

/// Returns the words of some columns as a text vector.
fn vector(tokenizer: &Tokenizer, texts: &[Option<String>]) -> sql::Result<String> {
    let mut vector = String::new();
    for (column, text) in texts.iter().enumerate() {
        let words = text.as_deref().map_or_else(|| Ok(Vec::new()), |text| tokenizer.words(text))?;
        for (position, word) in words.iter().take(COLUMN - 1).enumerate() {
            let _ = write!(vector, "{}:{} ", tokenizer::quoted(word), column * COLUMN + position + 1);
        }
    }
    Ok(vector)
}
