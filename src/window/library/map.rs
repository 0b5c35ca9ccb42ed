//! The two-dimensional map of the library, computed as a job and stored in the database.

use std::collections::HashMap;
use std::sync::Arc;

use super::LibraryPage;
use super::knowledge::Knowledge;
use crate::error::Result;
use crate::features::DIMENSIONS;
use crate::library::questions::map::{AxisMeaning, MapPosition, Points, axes, map, neighbours_of, quality, turned};
use crate::library::questions::similar::Weights;
use crate::library::{Library, Places};
use crate::progress::Progress;
use crate::window::App;
use crate::window::jobs::{JobId, JobPurpose};

/// The number of tracks on which the map's trustworthiness is measured; each is compared with all others.
const JUDGED: usize = 500;
/// The size of the header before the points, in bytes.
const HEADER_BYTES: usize = 56;
/// The size of a point's ID and coordinates, in bytes.
const POINT_BYTES: usize = 16;
/// The code of a share of 1, and the code of a missing share.
const ALL_TRACKS: f64 = 65_534.0;
const NO_SHARE: u16 = u16::MAX;

impl App {
    /// Returns the last computed map.
    ///
    /// The result is little-endian. First 14 words of 32 bits:
    /// - whether there is a map (1 or 0), the number of points that follow, the number of dimensions with values,
    ///   whether the library has changed since (1 or 0);
    /// - how well it keeps neighbours: their number `k` (0 if it was not measured), then as f32 (`NaN` if it was not)
    ///   the share of each track's `k` nearest that is kept, trustworthiness and continuity;
    /// - the number of pairs of tracks that are alike to 99 %, and as f32 how far apart the farthest of them lies, as a
    ///   share of the map's larger side;
    /// - the dimension that goes with the direction from left to right (the largest u32 if none does) and its
    ///   correlation as f32, then the same from the top down; only with points.
    ///
    /// Then the track IDs as f64; the x coordinates (left to right) and the y coordinates (top to bottom) as f32,
    /// 0..=1; and for each dimension, as u16, the share of the library's tracks with a lower value in units of
    /// 1/65,534, or 65,535 for no value. Without `whole` no points follow.
    pub fn library_map(&self, whole: bool) -> Result<Vec<u8>> {
        self.library.map_bytes(whole)
    }
}

impl LibraryPage {
    pub(in crate::window) fn make_map(&self) -> Result<JobId> {
        let library = self.opened()?;
        library.check_writable()?;
        let knowledge = self.knowledge(&library)?;
        let started = self.jobs.start_alone(JobPurpose::Map, "Lay out the map".into(), move |progress| {
            lay_out(&library, &knowledge, progress)?;
            Ok(None)
        });
        Ok(started.unwrap_or_else(|running| running))
    }

    /// Returns the last computed map, as [`App::library_map`] describes.
    fn map_bytes(&self, whole: bool) -> Result<Vec<u8>> {
        let library = self.opened()?;
        let Some(map) = library.places()? else { return Ok(vec![0; HEADER_BYTES]) };
        if !whole {
            return Ok(header(&map, 0, map.content != library.content()?, [None; 2]));
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
    let laid = map(table, scale, &weights, &former, progress)?;
    let places = turned(&ranks(knowledge, 0..table.ids().len()), laid.places);
    let points = Points::of(table, scale, &weights);
    // Counted separately, because a progress that has ended must not restart.
    let judging = Progress::new();
    let judged = quality(&points, &places, neighbours_of(points.len()), JUDGED, &judging)?;
    progress.check()?;
    library.keep_places(&Places {
        places: table.ids().iter().copied().zip(places).collect(),
        content: knowledge.content,
        quality: judged,
        alike: laid.alike,
    })
}

/// Returns the rank of some of the library's rows in each dimension, as the share of tracks with a lower value.
fn ranks(knowledge: &Knowledge, rows: impl Iterator<Item = usize> + Clone) -> Vec<Vec<f64>> {
    let (table, percentiles) = (knowledge.similar.table(), knowledge.percentiles());
    let of = |dimension: usize| {
        let rank = |row: usize| percentiles.share_below(dimension, table.rows()[row][dimension]).unwrap_or(f64::NAN);
        rows.clone().map(rank).collect()
    };
    (0..DIMENSIONS.len()).map(of).collect()
}

/// Encodes the header of the map; dimensions follow only if points do.
fn header(map: &Places, points: usize, outdated: bool, axes: [Option<AxisMeaning>; 2]) -> Vec<u8> {
    let dimensions = if points == 0 { 0 } else { DIMENSIONS.len() };
    let share = |share: Option<f64>| share.map_or(f32::NAN, |share| share as f32).to_bits();
    let [across, down] = axes.map(|axis| {
        let dimension = axis.map_or(u32::MAX, |axis| axis.dimension as u32);
        [dimension, share(axis.map(|axis| axis.correlation))]
    });
    let words = [
        1,
        points as u32,
        dimensions as u32,
        u32::from(outdated),
        map.quality.map_or(0, |quality| quality.neighbours as u32),
        share(map.quality.map(|quality| quality.kept)),
        share(map.quality.map(|quality| quality.trustworthiness)),
        share(map.quality.map(|quality| quality.continuity)),
        u32::try_from(map.alike.pairs).unwrap_or(u32::MAX),
        share(Some(map.alike.farthest)),
        across[0],
        across[1],
        down[0],
        down[1],
    ];
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Encodes the positions of tracks that still exist, with the values by which they can be coloured.
fn bytes(map: &Places, knowledge: &Knowledge) -> Vec<u8> {
    let table = knowledge.similar.table();
    let row_of: HashMap<i64, usize> = table.ids().iter().enumerate().map(|(row, &id)| (id, row)).collect();
    let there: Vec<(i64, MapPosition, usize)> =
        map.places.iter().filter_map(|&(id, place)| Some((id, place, *row_of.get(&id)?))).collect();
    let ranks = ranks(knowledge, there.iter().map(|&(_, _, row)| row));
    let places: Vec<MapPosition> = there.iter().map(|&(_, place, _)| place).collect();
    let mut bytes = header(map, there.len(), map.content != knowledge.content, axes(&ranks, &places));
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
    for ranks in ranks {
        let stored = |rank: f64| if rank.is_nan() { NO_SHARE } else { (rank * ALL_TRACKS).round() as u16 };
        bytes.extend(ranks.into_iter().flat_map(|rank| stored(rank).to_le_bytes()));
    }
    bytes
}
