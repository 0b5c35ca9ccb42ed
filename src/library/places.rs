//! The map of the library: the position of each track, stored so that the next layout starts from it.

use rusqlite::{OptionalExtension, params};

use super::Library;
use super::changes::Content;
use super::store::now_ms;
use crate::error::Result;
use crate::library::questions::map::MapPosition;

/// The map as it was last laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    /// Track ids and positions, in ascending order of ids.
    pub places: Vec<(i64, MapPosition)>,
    /// The content from which the map was laid out.
    pub content: Content,
    /// Quality of the map, as measured by [`crate::library::questions::map::quality`]; `None` if the map is too small
    /// to measure.
    pub trustworthiness: Option<f64>,
}

impl Library {
    /// Returns the map, or `None` if it was never laid out.
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

    /// Replaces the map. Tracks that no longer exist are left out.
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
