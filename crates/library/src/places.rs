//! The map of the library: the position of each track, stored so that the next layout starts from it.

use super::Library;
use super::changes::Content;
use super::sql::values;
use crate::questions::map::{Alike, MapPosition, Quality};
use base::date::now_ms;
use base::error::Result;

/// The map as it was last laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    /// Track ids and positions, in ascending order of ids.
    pub places: Vec<(i64, MapPosition)>,
    /// The content from which the map was laid out.
    pub content: Content,
    /// Quality of the map, as measured by [`crate::questions::map::quality`]; `None` if the map is too small
    /// to measure, or if an earlier version laid it out.
    pub quality: Option<Quality>,
    /// The pairs of tracks that are alike to 99 %.
    pub alike: Alike,
}

impl Library {
    /// Returns the map, or `None` if it was never laid out.
    pub fn places(&self) -> Result<Option<Places>> {
        self.store.read(|session| {
            let made = session.first(
                "SELECT tracks, numbers, analysed_at, neighbours, kept, trustworthiness, continuity,
                     COALESCE(alike_pairs, 0), COALESCE(alike_farthest, 0.0) FROM map",
                &[],
                |row| {
                    let content = Content { tracks: row.get(0)?, numbers: row.get(1)?, analysed_at: row.get(2)? };
                    let quality = match row.get::<Option<u32>>(3)? {
                        None => None,
                        Some(neighbours) => Some(Quality {
                            neighbours: neighbours as usize,
                            kept: row.get(4)?,
                            trustworthiness: row.get(5)?,
                            continuity: row.get(6)?,
                        }),
                    };
                    let alike = Alike { pairs: row.get::<u32>(7)?.into(), farthest: row.get(8)? };
                    Ok((content, quality, alike))
                },
            )?;
            let Some((content, quality, alike)) = made else { return Ok(None) };
            let places = session.all("SELECT track_id, x, y FROM place ORDER BY track_id", &[], |row| {
                Ok((row.get(0)?, [row.get(1)?, row.get(2)?]))
            })?;
            Ok(Some(Places { places, content, quality, alike }))
        })
    }

    /// Replaces the map. Tracks that no longer exist are left out.
    pub fn keep_places(&self, map: &Places) -> Result<()> {
        self.store.write(|session| {
            // Of two maps one is kept, as a whole.
            session.lock_table("map")?;
            session.execute("DELETE FROM place", &[])?;
            session.execute("DELETE FROM map", &[])?;
            let put = format!(
                "INSERT INTO place (track_id, x, y)
                 SELECT id, CAST(?2 AS DOUBLE PRECISION), CAST(?3 AS DOUBLE PRECISION) FROM track WHERE id = ?1 {}",
                session.dialect().kept()
            );
            for (id, [x, y]) in &map.places {
                session.execute(&put, values![id, x, y])?;
            }
            let Content { tracks, numbers, analysed_at } = map.content;
            session.execute(
                "INSERT INTO map (id, made_at, tracks, numbers, analysed_at, neighbours, kept, trustworthiness,
                 continuity, alike_pairs, alike_farthest) VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                values![
                    now_ms(),
                    tracks,
                    numbers,
                    analysed_at,
                    map.quality.map(|quality| quality.neighbours as i64),
                    map.quality.map(|quality| quality.kept),
                    map.quality.map(|quality| quality.trustworthiness),
                    map.quality.map(|quality| quality.continuity),
                    map.alike.pairs as i64,
                    map.alike.farthest,
                ],
            )?;
            Ok(())
        })
    }
}
