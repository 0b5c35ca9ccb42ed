//! The map of the library: where each track stands, kept so that the next map begins there.

use rusqlite::{OptionalExtension, params};

use super::Library;
use super::changes::Content;
use super::store::now_ms;
use crate::error::Result;
use crate::library::questions::map::Place;

/// The map as it was laid out last.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    /// Tracks and where they stand, by rising number.
    pub places: Vec<(i64, Place)>,
    /// What it was laid out of.
    pub content: Content,
    /// How true it is, as [`crate::library::questions::map::quality`] measures; none for a map too small for that.
    pub trustworthiness: Option<f64>,
}

impl Library {
    /// The map, if one was ever laid out.
    ///
    /// # Errors
    /// [`crate::Error::Stored`].
    pub fn places(&self) -> Result<Option<Places>> {
        self.store.read(|database| {
            let made = database
                .prepare_cached("SELECT tracks, numbers, analysed_at, trustworthiness FROM map")?
                .query_row([], |row| {
                    let content = Content { tracks: row.get(0)?, numbers: row.get(1)?, analysed_at: row.get(2)? };
                    Ok((content, row.get(3)?))
                })
                .optional()?;
            let Some((content, trustworthiness)) = made else { return Ok(None) };
            let places = database
                .prepare_cached("SELECT track_id, x, y FROM place ORDER BY track_id")?
                .query_map([], |row| Ok((row.get(0)?, [row.get(1)?, row.get(2)?])))?
                .collect::<rusqlite::Result<_>>()?;
            Ok(Some(Places { places, content, trustworthiness }))
        })
    }

    /// Replaces the map. A track that has gone meanwhile is left out.
    ///
    /// # Errors
    /// [`crate::Error::Stored`].
    pub fn keep_places(&self, map: &Places) -> Result<()> {
        self.store.write(|transaction| {
            transaction.execute("DELETE FROM place", [])?;
            let mut put = transaction.prepare_cached(
                "INSERT INTO place (track_id, x, y) SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM track WHERE id = ?1)",
            )?;
            for (id, [x, y]) in &map.places {
                put.execute(params![id, x, y])?;
            }
            let Content { tracks, numbers, analysed_at } = map.content;
            transaction.execute(
                "INSERT OR REPLACE INTO map (id, made_at, tracks, numbers, analysed_at, trustworthiness)
                 VALUES (1, ?1, ?2, ?3, ?4, ?5)",
                params![now_ms(), tracks, numbers, analysed_at, map.trustworthiness],
            )?;
            Ok(())
        })
    }
}
