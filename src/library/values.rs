//! Values of text columns, for completion while typing.

use rusqlite::params;

use super::Library;
use super::questions::query::fold;
use crate::error::Result;

/// Text columns with completion. Paths are excluded, because every path is unique.
const COLUMNS: [&str; 7] = ["title", "artist", "album", "album_artist", "genre", "format", "codec"];

impl Library {
    /// Returns up to `limit` values of a text column that begin with `text`, ignoring case and accents, those of most
    /// tracks first. Other columns have no values.
    ///
    /// # Errors
    /// [`crate::Error::Stored`].
    pub fn values(&self, column: &str, text: &str, limit: usize) -> Result<Vec<String>> {
        let Some(column) = COLUMNS.into_iter().find(|known| *known == column) else { return Ok(Vec::new()) };
        let folded = fold(text);
        // Counts first, so that each value is folded once.
        let sql = format!(
            "SELECT value FROM (
                 SELECT {column} AS value, count(*) AS tracks FROM track WHERE {column} <> '' GROUP BY {column}
             )
             WHERE substr(undertone_fold(value), 1, ?1) = ?2 ORDER BY tracks DESC, value LIMIT ?3"
        );
        self.store.read(|database| {
            database
                .prepare_cached(&sql)?
                .query_map(params![folded.chars().count() as i64, folded, limit as i64], |row| row.get(0))?
                .collect()
        })
    }
}
