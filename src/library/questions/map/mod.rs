//! A picture of the library: every track a place in the plane, tracks that are alike near one another.
//!
//! ```text
//! table -> scale, weights -> points -> principal components: the places to begin with
//!                                   -> nearest neighbours -> graph -> places that keep neighbours
//! ```
//!
//! A point's coordinate is the scaled value times the root of the dimension's weight, so that distances of points are those
//! of [`super::similar`]; what is missing stands at the dimension's mean. [`principal`] is the plane in which the points
//! spread most: fast, exact, and the same for ever, but 25 dimensions do not fit into it. [`map`] begins there and moves
//! the places until neighbours are neighbours. How well that works is measured by [`quality`].
//!
//! The same library gives the same map, bit for bit, with any number of threads. When tracks are added, the former places
//! are given to [`map`]: what was there stays about where it was, and the new find their places among them.

mod layout;
mod neighbours;
mod points;
mod principal;
mod quality;
mod random;

use std::collections::HashMap;

pub use points::Points;
pub use principal::principal;
pub use quality::{Quality, quality};

use super::scale::Scale;
use super::similar::Weights;
use super::table::Table;
use crate::error::Result;
use crate::progress::Progress;

/// A place in the picture; its unit has no meaning, its nearness has.
pub type Place = [f32; 2];

/// Neighbours that are kept near each track.
pub const NEIGHBOURS: usize = 15;

/// Places the tracks of a table, in its order.
///
/// `former` are places of an earlier map by the tracks' ids; when they are of at least half of the tracks, the map is
/// continued from them. Progress counts steps of work done to a total.
///
/// # Errors
/// [`crate::Error::Cancelled`].
#[allow(clippy::implicit_hasher, reason = "one kind of map is enough for the few callers")]
pub fn map(
    table: &Table,
    scale: &Scale,
    weights: &Weights,
    former: &HashMap<i64, Place>,
    progress: &Progress,
) -> Result<Vec<Place>> {
    let points = Points::of(table, scale, weights);
    let known: Vec<Option<Place>> =
        table.ids().iter().map(|id| former.get(id).copied().filter(|[x, y]| x.is_finite() && y.is_finite())).collect();
    let is_continued = 2 * known.iter().flatten().count() >= points.len();
    let way = if is_continued { layout::CONTINUED } else { layout::FRESH };
    progress.set_total(u64::from(way.epochs) + neighbours::STEPS);
    if points.len() < 3 {
        return Ok(principal(&points));
    }
    let near = neighbours::nearest(&points, NEIGHBOURS, progress)?;
    let graph = layout::Graph::of(&near);
    let start = if is_continued { layout::continued(&known, &near) } else { layout::spread(principal(&points)) };
    layout::settled(start, &graph, way, progress)
}

#[cfg(test)]
mod tests;
