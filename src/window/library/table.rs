//! The library's table: rows that match a query, and completions for the query.

use super::LibraryPage;
use super::rows::item;
use super::types::{QueryCompletions, TrackItem, TrackListQuery, TrackPage};
use crate::error::Result;
use crate::library::answers::track_query;
use crate::library::list::columns::sort_keys;
use crate::library::questions::query::{Completion, complete, quoted};
use crate::library::{SortKey, TrackQuery};

/// The most rows to return at a time.
const MAX_ROWS: usize = 1000;
/// The most values of a column to offer as completions.
const MAX_VALUES: usize = 12;

/// Converts the table's query and sort order to the library's.
pub fn question(query: &TrackListQuery) -> Result<(TrackQuery, Vec<SortKey>)> {
    Ok((track_query(&query.text)?, sort_keys(&query.sort)?))
}

impl LibraryPage {
    pub(in crate::window) fn tracks(&self, query: TrackListQuery, offset: usize, limit: usize) -> Result<TrackPage> {
        let (asked, sort) = question(&query)?;
        let page = self.opened()?.tracks(&asked, &sort, offset, limit.min(MAX_ROWS))?;
        Ok(TrackPage { total: page.total, offset, rows: page.rows.into_iter().map(item).collect() })
    }

    pub(in crate::window) fn position(&self, query: TrackListQuery, track: i64) -> Result<Option<usize>> {
        let (asked, sort) = question(&query)?;
        let ids = self.opened()?.track_ids(&asked, &sort)?;
        Ok(ids.iter().position(|&id| id == track))
    }

    pub(in crate::window) fn numbers(&self, query: TrackListQuery) -> Result<Vec<i64>> {
        let (asked, sort) = question(&query)?;
        Ok(self.opened()?.track_ids(&asked, &sort)?.to_vec())
    }

    pub(in crate::window) fn rows(&self, tracks: Vec<i64>) -> Result<Vec<TrackItem>> {
        let library = self.opened()?;
        let mut rows = Vec::with_capacity(tracks.len());
        for part in tracks.chunks(MAX_ROWS) {
            rows.extend(library.rows(part)?.into_iter().map(item));
        }
        Ok(rows)
    }

    pub(in crate::window) fn complete_query(&self, text: String, cursor: usize) -> Result<QueryCompletions> {
        let found = complete(&text, byte_at(&text, cursor));
        let mut items: Vec<Completion> = Vec::new();
        if let Some(column) = found.values_of {
            let typed = &text[found.start..found.end];
            // If the user has typed an opening quote, the completion adds the closing one.
            let in_quotes = text[..found.start].ends_with('"');
            for value in self.opened()?.values(column, typed, MAX_VALUES)? {
                let quoted = quoted(&value);
                let put = if in_quotes { format!("{}\"", escaped(&value)) } else { quoted.clone() };
                items.push(Completion { text: put, example: quoted, help: String::new() });
            }
        }
        items.extend(found.items);
        Ok(QueryCompletions { start: utf16_at(&text, found.start), end: utf16_at(&text, found.end), items })
    }
}

/// Returns the byte offset after `units` UTF-16 code units of a text, or its length if it has fewer.
fn byte_at(text: &str, units: usize) -> usize {
    let mut seen = 0;
    for (at, character) in text.char_indices() {
        if seen >= units {
            return at;
        }
        seen += character.len_utf16();
    }
    text.len()
}

/// Returns the number of UTF-16 code units before a byte offset of a text.
fn utf16_at(text: &str, byte: usize) -> usize {
    text[..text.floor_char_boundary(byte)].encode_utf16().count()
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_the_window_counts_them() {
        let text = "a\u{1d11e}\u{e9}b";
        let bytes: Vec<usize> = (0..=6).map(|units| byte_at(text, units)).collect();
        assert_eq!(bytes, [0, 1, 5, 5, 7, 8, 8]);
        for (byte, units) in [(0, 0), (1, 1), (5, 3), (7, 4), (8, 5)] {
            assert_eq!(utf16_at(text, byte), units);
            assert_eq!(byte_at(text, units), byte);
        }
    }
}
