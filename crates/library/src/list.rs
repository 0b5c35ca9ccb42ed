//! Sorted and filtered lists of tracks, for a window that shows a part of the table.
//!
//! A query produces the ids of the matching tracks in order (8 bytes per track); rows are then read by id. Scrolling to
//! any position therefore costs only the rows shown. The list is rebuilt when the library has changed. A window that
//! wants its rows to stay in place during a scan keeps the ids ([`crate::Library::track_ids`]) and reads rows
//! by them.

pub mod columns;
mod order;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::columns::FILE_NAME;
use self::order::Rows;
use super::questions::query::tokenizer::Tokenizer;
use super::questions::query::{FreeText, Query, Value as Given};
use super::schema::FEATURES;
use super::sql::{self, Bind, Dialect, Session, Value};
use super::tracks::TrackRow;
use super::tracks::columns::TEXTS;
use base::declared::TS;
use base::error::{Error, Result};

/// A selection of tracks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackQuery {
    /// Words or beginnings of words that must all occur in title, artist, album or path.
    pub text: String,
    /// A condition that they must meet as well.
    pub filter: Option<Query>,
}

/// A column to sort by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(rename = "SortBy")]
pub struct SortKey {
    /// The name of the column, one of [`columns::names`]. The window has different names for some.
    pub column: String,
    /// Whether to sort from the largest to the smallest. Missing values come last in either order.
    pub descending: bool,
}

impl SortKey {
    /// Sorts by `column` in ascending order.
    pub fn up(column: &str) -> Self {
        Self { column: column.to_owned(), descending: false }
    }

    /// Sorts by `column` in descending order.
    pub fn down(column: &str) -> Self {
        Self { column: column.to_owned(), descending: true }
    }
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// Total number of matching tracks.
    pub total: usize,
    /// The rows from the offset on.
    pub rows: Vec<TrackRow>,
}

/// Number of lists that are cached.
const KEPT: usize = 4;

/// Cache of the most recently used lists.
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
    /// Returns the ids of all matching tracks, in order.
    pub(super) fn ids(
        &mut self,
        session: &Session<'_>,
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
        let ids = Arc::new(list(session, query, sort)?);
        if self.kept.len() >= KEPT {
            self.kept.remove(0);
        }
        self.kept.push(Listing { query: query.clone(), sort: sort.to_vec(), version, ids: Arc::clone(&ids) });
        Ok(ids)
    }
}

/// Returns the words of a search text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Converts a search text to an FTS5 query: all words must match, each as a prefix.
fn full_text(text: &str) -> Option<String> {
    let words: Vec<String> = words(text).map(|word| format!("\"{word}\"*")).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Converts a search text to the same question to the text vectors of a server.
fn text_vectors(text: &str) -> sql::Result<Option<String>> {
    let tokenizer = Tokenizer::new()?;
    let mut parts = Vec::new();
    for word in words(text) {
        // A word without letters or digits matches no track.
        let Some(part) = tokenizer.phrase(word)? else { return Ok(None) };
        parts.push(format!("({part})"));
    }
    Ok((!parts.is_empty()).then(|| parts.join(" & ")))
}

/// Returns the join that adds the text columns without case and accents, under separate names.
fn folded() -> String {
    let columns = TEXTS.map(|name| format!("{name} AS folded_{name}")).join(", ");
    format!("LEFT JOIN (SELECT track_id AS folded_id, {columns} FROM folded) AS folds ON folded_id = track.id")
}

/// Runs a query.
fn list(session: &Session<'_>, query: &TrackQuery, sort: &[SortKey]) -> Result<Vec<i64>> {
    let unknown = sort.iter().find(|key| !columns::names().any(|column| column == key.column));
    if let Some(key) = unknown {
        let allowed = columns::names().collect::<Vec<_>>().join(", ");
        return Err(Error::invalid("column to sort by", format!("`{}`", key.column), allowed));
    }
    ids(session, query, sort).map_err(|error| super::store::stored(&error))
}

fn ids(session: &Session<'_>, query: &TrackQuery, sort: &[SortKey]) -> sql::Result<Vec<i64>> {
    let dialect = session.dialect();
    let mut conditions = Vec::new();
    let mut values = Vec::new();
    if !query.text.trim().is_empty() {
        let (condition, words) = match dialect {
            Dialect::File => {
                ("track.id IN (SELECT rowid FROM track_text WHERE track_text MATCH ?)", full_text(&query.text))
            }
            Dialect::Server => (
                "track.id IN (SELECT track_id FROM word_index WHERE words @@ CAST(? AS TSQUERY))",
                text_vectors(&query.text)?,
            ),
        };
        // Text without letters or digits matches nothing.
        let Some(words) = words else { return Ok(Vec::new()) };
        conditions.push(condition.to_owned());
        values.push(Given::Text(words));
    }
    let mut joins = Vec::new();
    if query.filter.is_some() || sort.iter().any(|key| FEATURES.contains(&key.column.as_str())) {
        joins.push("LEFT JOIN feature ON feature.track_id = track.id".to_owned());
    }
    if let Some(filter) = &query.filter {
        let condition = filter.condition(match dialect {
            Dialect::File => FreeText::Index,
            Dialect::Server => FreeText::Vectors,
        });
        if condition.sql.contains("folded_") {
            joins.push(folded());
        }
        conditions.push(format!("({})", condition.sql));
        values.extend(condition.values);
    }
    let mut sql = "SELECT track.id".to_owned();
    for key in sort {
        sql.push_str(", ");
        sql.push_str(if key.column == FILE_NAME { "path" } else { &key.column });
    }
    sql.push_str(" FROM track ");
    sql.push_str(&joins.join(" "));
    if !conditions.is_empty() {
        sql.push_str(" WHERE ");
        sql.push_str(&conditions.join(" AND "));
    }
    let values: Vec<Value<'_>> = values.iter().map(Bind::value).collect();
    let mut listed = Rows::default();
    session.each(&sql, &values, |row| {
        listed.begin(row.get(0)?);
        for (column, key) in sort.iter().enumerate() {
            let value = row.value(column + 1)?;
            let value = if key.column == FILE_NAME { file_name(value) } else { value };
            listed.push(value, key.descending);
        }
        Ok(())
    })?;
    Ok(listed.sorted())
}

impl Bind for Given {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Real(value) => Value::Real(*value),
            Self::Text(text) => Value::Text(text),
        }
    }
}

/// Returns the file name in a path.
fn file_name(path: Value<'_>) -> Value<'_> {
    let Value::Text(text) = path else { return path };
    Value::Text(text.rfind(std::path::is_separator).map_or(text, |at| &text[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_words_that_are_begun() {
        assert_eq!(
            full_text("bach: cello-suite \"no 1\""),
            Some("\"bach\"* \"cello\"* \"suite\"* \"no\"* \"1\"*".to_owned())
        );
        assert_eq!(full_text(" \u{2014} !"), None);
    }
}
