//! The two-dimensional map of the library, computed as a job and stored in the database.

use std::collections::HashMap;
use std::sync::Arc;

use super::LibraryPage;
use super::knowledge::Knowledge;
use crate::app::api::{JobId, JobPurpose};
use crate::error::Result;
use crate::features::DIMENSIONS;
use crate::library::questions::map::{MapPosition, NEIGHBOURS, Points, map, quality};
use crate::library::questions::similar::Weights;
use crate::library::{Library, Places};
use crate::progress::Progress;

/// The number of tracks on which the map's trustworthiness is measured; each is compared with all others.
const JUDGED: usize = 500;
/// The size of the header before the points, in bytes.
const HEADER_BYTES: usize = 24;
/// The size of a point's ID and coordinates, in bytes.
const POINT_BYTES: usize = 16;
/// The code of a share of 1, and the code of a missing share.
const ALL_TRACKS: f64 = 65_534.0;
const NO_SHARE: u16 = u16::MAX;

impl LibraryPage {
    pub(in crate::app) fn make_map(&self) -> Result<JobId> {
        let library = self.opened()?;
        if let Some(running) = self.jobs.running(JobPurpose::Map) {
            return Ok(running);
        }
        let knowledge = self.knowledge(&library)?;
        let job = self.jobs.start(JobPurpose::Map, "Lay out the map".into(), move |progress| {
            lay_out(&library, &knowledge, progress)?;
            Ok(None)
        });
        Ok(job)
    }

    /// Returns the last computed map, as [`crate::app::App::library_map`] describes.
    ///
    /// # Errors
    /// Returns an error if the library cannot be opened or read.
    pub(in crate::app) fn map_bytes(&self, whole: bool) -> Result<Vec<u8>> {
        let library = self.opened()?;
        let Some(map) = library.places()? else { return Ok(vec![0; HEADER_BYTES]) };
        if !whole {
            return Ok(header(0, 0, map.content != library.content()?, map.trustworthiness));
        }
        let knowledge = self.knowledge(&library)?;
        Ok(bytes(&map, &knowledge))
    }
}

/// Computes the map, starting from the previous positions, and stores it.
fn lay_out(library: &Arc<Library>, knowledge: &Knowledge, progress: &Progress) -> Result<()> {
    let (table, scale) = (knowledge.similar.table(), knowledge.similar.scale());
    let former: HashMap<i64, MapPosition> =
        library.places()?.map_or_else(HashMap::new, |map| map.places.into_iter().collect());
    let weights = Weights::default();
    let places = map(table, scale, &weights, &former, progress)?;
    let points = Points::of(table, scale, &weights);
    // Counted separately, because a progress that has ended must not restart.
    let judging = Progress::new();
    let judged = quality(&points, &places, NEIGHBOURS, JUDGED, &judging)?;
    progress.check()?;
    library.keep_places(&Places {
        places: table.ids().iter().copied().zip(places).collect(),
        content: knowledge.content,
        trustworthiness: judged.map(|quality| quality.trustworthiness),
    })
}

fn header(points: usize, dimensions: usize, outdated: bool, trustworthiness: Option<f64>) -> Vec<u8> {
    let trust = trustworthiness.map_or(f32::NAN, |trust| trust as f32);
    let words = [1, points as u32, dimensions as u32, u32::from(outdated), trust.to_bits(), 0];
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Encodes the positions of tracks that still exist, with the values by which they can be coloured.
fn bytes(map: &Places, knowledge: &Knowledge) -> Vec<u8> {
    let table = knowledge.similar.table();
    let row_of: HashMap<i64, usize> = table.ids().iter().enumerate().map(|(row, &id)| (id, row)).collect();
    let there: Vec<(i64, MapPosition, usize)> =
        map.places.iter().filter_map(|&(id, place)| Some((id, place, *row_of.get(&id)?))).collect();
    let mut bytes = header(there.len(), DIMENSIONS.len(), map.content != knowledge.content, map.trustworthiness);
    bytes.reserve(there.len() * (POINT_BYTES + 2 * DIMENSIONS.len()));
    // An f64 holds integers up to 2^53 exactly; no track ID gets that large.
    bytes.extend(there.iter().flat_map(|place| (place.0 as f64).to_le_bytes()));
    for axis in 0..2 {
        let at = |place: &(i64, MapPosition, usize)| place.1[axis];
        let low = there.iter().map(at).fold(f32::INFINITY, f32::min);
        let high = there.iter().map(at).fold(f32::NEG_INFINITY, f32::max);
        let width = high - low;
        let share = |value: f32| if width > 0.0 { ((value - low) / width).clamp(0.0, 1.0) } else { 0.5 };
        bytes.extend(there.iter().flat_map(|place| share(at(place)).to_le_bytes()));
    }
    let percentiles = knowledge.percentiles();
    for dimension in 0..DIMENSIONS.len() {
        let share = |row: usize| percentiles.share_below(dimension, table.rows()[row][dimension]);
        let stored = |row| share(row).map_or(NO_SHARE, |share| (share * ALL_TRACKS).round() as u16);
        bytes.extend(there.iter().flat_map(|&(_, _, row)| stored(row).to_le_bytes()));
    }
    bytes
}
