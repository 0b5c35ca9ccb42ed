//! Values of text columns, for completion while typing.

use super::questions::query::fold;
use super::sql::{Dialect, values};
use super::tracks::columns::TEXTS;
use super::{Library, Place};
use base::error::Result;

/// Text columns without completion: every path is unique, and keys are few.
const WITHOUT: [&str; 2] = ["path", "key"];

impl Library {
    /// Returns up to `limit` values of a text column that begin with `text`, ignoring case and accents, those of most
    /// tracks first. Other columns have no values.
    pub fn values(&self, column: &str, text: &str, limit: usize) -> Result<Vec<String>> {
        let known = TEXTS.into_iter().find(|known| *known == column && !WITHOUT.contains(known));
        let Some(column) = known else { return Ok(Vec::new()) };
        let folded = fold(text);
        // In a file, counts come first, so that each value is folded once. A server has the values folded.
        let in_file = format!(
            "SELECT value FROM (
                 SELECT {column} AS value, count(*) AS tracks FROM track WHERE {column} <> '' GROUP BY {column}
             )
             WHERE substr(undertone_fold(value), 1, length(?1)) = ?1 ORDER BY tracks DESC, value LIMIT ?2"
        );
        let on_server = format!(
            "SELECT track.{column} FROM track JOIN folded ON folded.track_id = track.id
             WHERE track.{column} <> '' AND starts_with(folded.{column}, ?1)
             GROUP BY track.{column} ORDER BY count(*) DESC, track.{column} LIMIT ?2"
        );
        if matches!(self.place(), Place::Server { .. }) {
            self.refresh_words();
        }
        self.store.read(|session| {
            let sql = match session.dialect() {
                Dialect::File => &in_file,
                Dialect::Server => &on_server,
            };
            session.all(sql, values![folded, limit as i64], |row| row.get(0))
        })
    }
}
