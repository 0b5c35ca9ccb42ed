//! The map of the library: every track has a position in the plane, and similar tracks are close to each other.
//!
//! ```text
//! table -> scale, weights -> points -> principal components: the initial positions
//!                                    -> nearest neighbours -> graph -> positions that keep neighbours
//!                                                             -> strays go home, alike pairs side by side
//! ```
//!
//! A point's coordinate is the scaled value times the square root of the dimension's weight, so that distances between
//! points are those of [`super::similar`]. A missing value is replaced by the dimension's mean. [`mod@principal`] is the
//! plane of greatest variance: fast, exact and reproducible, but 25 dimensions do not fit into it. [`map`] starts there
//! and moves the points until neighbours are close; points that were caught far from their neighbours are brought there,
//! and settle again. [`quality()`] measures the result, [`Alike`] the closest pairs, and [`axes()`] says what its directions
//! mean.
//!
//! The same library gives the same map, bit for bit, with any number of threads. When tracks are added, the former
//! positions are passed to [`map`]: existing tracks stay approximately where they were, and new ones are placed among
//! them.

mod alike;
mod axes;
mod layout;
mod neighbours;
mod points;
mod principal;
mod quality;
mod random;

use std::collections::HashMap;

pub use alike::{ALIKE, Alike};
pub use axes::{AxisMeaning, axes, turned};
pub use points::Points;
pub use principal::principal;
pub use quality::{Quality, neighbours_of, quality};

use super::scale::Scale;
use super::similar::Weights;
use super::table::Table;
use base::error::Result;
use base::progress::Progress;

/// A position on the map. Only distances have a meaning, not the unit.
pub type MapPosition = [f32; 2];

/// Number of neighbours that the map keeps close to each track.
pub const NEIGHBOURS: usize = 15;

/// A map: the positions of the tracks of a table, in its order, and what became of the closest pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// The positions.
    pub places: Vec<MapPosition>,
    /// The pairs of tracks that are alike to 99 %.
    pub alike: Alike,
}

/// Lays out the tracks of a table.
///
/// `former` holds the positions of an earlier map by track id. If it covers at least half of the tracks, the map is
/// continued from it. Progress counts steps, with a total.
#[allow(clippy::implicit_hasher, reason = "one kind of map is enough for the few callers")]
pub fn map(
    table: &Table,
    scale: &Scale,
    weights: &Weights,
    former: &HashMap<i64, MapPosition>,
    progress: &Progress,
) -> Result<Map> {
    let points = Points::of(table, scale, weights);
    let known: Vec<Option<MapPosition>> =
        table.ids().iter().map(|id| former.get(id).copied().filter(|[x, y]| x.is_finite() && y.is_finite())).collect();
    let is_continued = 2 * known.iter().flatten().count() >= points.len();
    let way = if is_continued { layout::CONTINUED } else { layout::FRESH };
    progress.set_total(u64::from(way.epochs + layout::HOMECOMING_EPOCHS) + neighbours::STEPS);
    if points.len() < 3 {
        return Ok(Map { places: principal(&points), alike: Alike::default() });
    }
    let near = neighbours::nearest(&points, layout_neighbours(points.len()), progress)?;
    let graph = layout::Graph::of(&near);
    let start = if is_continued { layout::continued(&known, &near) } else { layout::spread(principal(&points)) };
    let places = layout::settled(start, &graph, way, progress)?;
    let places = layout::with_strays_home(places, &graph, progress)?;
    let places = alike::drawn_together(&near, places);
    Ok(Map { alike: alike::alike(&near, &places), places })
}

/// Returns how many neighbours each point is tied to: in a small library fewer, since ties to half of all points would
/// say nothing.
fn layout_neighbours(count: usize) -> usize {
    NEIGHBOURS.min((count / 3).max(3)).min(count - 1)
}

#[cfg(test)]
mod axes_tests;
#[cfg(test)]
mod tests;
