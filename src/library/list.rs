//! The library's table for a window that shows a part of it: any sort, any filter, any row by its number.
//!
//! A question is answered once as the list of the tracks' numbers in order (8 bytes a track), and its rows are then read
//! by number. So a scroll to any place costs the rows that are shown. The list is made anew when the library has changed;
//! a window that wants rows to stay under the reader while a scan writes keeps the numbers
//! ([`crate::library::Library::track_ids`]) and asks for rows by them.

mod order;

use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};
use serde::{Deserialize, Serialize};

use self::order::Rows;
use super::schema::FEATURES;
use super::tracks::TrackRow;
use crate::error::{Error, Result};

/// Which tracks are asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackQuery {
    /// Words, or beginnings of words, that title, artist, album and path have among them.
    pub text: String,
    /// A condition in SQL over the columns of `track` and `feature`, with `?` for each value. It comes from this
    /// program's own query language, never from a user.
    pub filter: Option<Filter>,
}

/// A condition and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// The condition: `tempo_bpm BETWEEN ? AND ?`.
    pub sql: String,
    /// What stands for the question marks, in order.
    pub values: Vec<Value>,
}

/// A column to sort by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SortKey {
    /// The column's name, one of [`columns`].
    pub column: String,
    /// From the largest to the smallest. What has no value comes last either way.
    pub descending: bool,
}

impl SortKey {
    /// By this column, upwards.
    pub fn up(column: &str) -> Self {
        Self { column: column.to_owned(), descending: false }
    }

    /// By this column, downwards.
    pub fn down(column: &str) -> Self {
        Self { column: column.to_owned(), descending: true }
    }
}

/// Columns of `track` that can be sorted by, and the file's name; those of the features can too.
const SORTABLE: [&str; 24] = [
    "id",
    "path",
    FILE_NAME,
    "state",
    "title",
    "artist",
    "album",
    "album_artist",
    "genre",
    "year",
    "track_no",
    "disc_no",
    "duration_s",
    "rate_hz",
    "channels",
    "format",
    "codec",
    "bit_rate",
    "bits",
    "bandwidth_hz",
    "key",
    "bytes",
    "added_at",
    "reason",
];

/// The file's name is no column of its own: it is the end of the path.
const FILE_NAME: &str = "file_name";

/// The names of all columns that can be sorted by.
pub fn columns() -> impl Iterator<Item = &'static str> {
    SORTABLE.into_iter().chain(FEATURES)
}

/// A part of the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// Tracks that answer the question in all.
    pub total: usize,
    /// The rows from the offset on.
    pub rows: Vec<TrackRow>,
}

/// Lists that are kept.
const KEPT: usize = 4;

/// The latest answers.
#[derive(Debug, Default)]
pub(super) struct Listings {
    kept: Vec<Listing>,
}

#[derive(Debug)]
struct Listing {
    query: TrackQuery,
    sort: Vec<SortKey>,
    version: i64,
    ids: Arc<Vec<i64>>,
}

impl Listings {
    /// The numbers of all tracks that answer, in order.
    pub(super) fn ids(
        &mut self,
        database: &Connection,
        query: &TrackQuery,
        sort: &[SortKey],
        version: i64,
    ) -> Result<Arc<Vec<i64>>> {
        let same = |listing: &Listing| listing.query == *query && listing.sort == sort;
        if let Some(at) = self.kept.iter().position(same) {
            let listing = self.kept.remove(at);
            if listing.version == version {
                let ids = Arc::clone(&listing.ids);
                self.kept.push(listing);
                return Ok(ids);
            }
        }
        let ids = Arc::new(list(database, query, sort)?);
        if self.kept.len() >= KEPT {
            self.kept.remove(0);
        }
        self.kept.push(Listing { query: query.clone(), sort: sort.to_vec(), version, ids: Arc::clone(&ids) });
        Ok(ids)
    }
}

/// The words of a search as FTS5 has it: all of them, each as the beginning of a word.
fn words(text: &str) -> Option<String> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| format!("\"{word}\"*"))
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Answers a question.
fn list(database: &Connection, query: &TrackQuery, sort: &[SortKey]) -> Result<Vec<i64>> {
    let unknown = sort.iter().find(|key| !columns().any(|column| column == key.column));
    if let Some(key) = unknown {
        let allowed = columns().collect::<Vec<_>>().join(", ");
        return Err(Error::invalid("column to sort by", format!("`{}`", key.column), allowed));
    }
    let mut conditions = Vec::new();
    let mut values = Vec::new();
    if let Some(words) = words(&query.text) {
        conditions.push("track.id IN (SELECT rowid FROM track_text WHERE track_text MATCH ?)".to_owned());
        values.push(Value::Text(words));
    } else if !query.text.trim().is_empty() {
        // Signs alone are in no word.
        return Ok(Vec::new());
    }
    let mut needs_features = sort.iter().any(|key| FEATURES.contains(&key.column.as_str()));
    if let Some(filter) = &query.filter {
        needs_features = true;
        conditions.push(format!("({})", filter.sql));
        values.extend(filter.values.iter().cloned());
    }
    let mut sql = "SELECT track.id".to_owned();
    for key in sort {
        sql.push_str(", ");
        sql.push_str(if key.column == FILE_NAME { "path" } else { &key.column });
    }
    sql.push_str(" FROM track");
    if needs_features {
        sql.push_str(" LEFT JOIN feature ON feature.track_id = track.id");
    }
    if !conditions.is_empty() {
        sql.push_str(" WHERE ");
        sql.push_str(&conditions.join(" AND "));
    }
    let failed = |error: rusqlite::Error| match error.sqlite_error_code() {
        // The condition, not the database, is at fault.
        Some(rusqlite::ErrorCode::Unknown) | None => {
            Error::invalid("question to the library", error.to_string(), "the columns of the library")
        }
        Some(_) => super::store::stored(&error),
    };
    let mut statement = database.prepare(&sql).map_err(failed)?;
    let mut rows = statement.query(rusqlite::params_from_iter(values)).map_err(failed)?;
    let mut listed = Rows::default();
    while let Some(row) = rows.next().map_err(failed)? {
        listed.begin(row.get(0).map_err(failed)?);
        for (column, key) in sort.iter().enumerate() {
            let value = row.get_ref(column + 1).map_err(failed)?;
            let value = if key.column == FILE_NAME { file_name(value) } else { value };
            listed.push(value, key.descending);
        }
    }
    Ok(listed.sorted())
}

/// The file's name in a path.
fn file_name(path: ValueRef<'_>) -> ValueRef<'_> {
    let text = path.as_str().unwrap_or_default();
    let name = text.rfind(std::path::is_separator).map_or(text, |at| &text[at + 1..]);
    ValueRef::Text(name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_words_that_are_begun() {
        assert_eq!(
            words("bach: cello-suite \"no 1\""),
            Some("\"bach\"* \"cello\"* \"suite\"* \"no\"* \"1\"*".to_owned())
        );
        assert_eq!(words(" \u{2014} !"), None);
    }
}
