//! Tracks that are alike to 99 % should lie side by side: how many pairs there are, and how far apart the farthest lies.

use serde::Serialize;

use super::MapPosition;
use super::neighbours::Near;

/// The distance of two points that are alike to 99 %: one less their likeness ([`crate::library::questions::similar`]).
pub const ALIKE: f32 = 0.01;

/// What became of the pairs of tracks that are alike to 99 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Alike {
    /// The number of pairs, as far as they are among each other's nearest neighbours.
    pub pairs: u64,
    /// How far apart the farthest pair lies on the map, as a share of the map's larger side; 0 without pairs.
    pub farthest: f64,
}

/// Returns the pairs of points that are alike to 99 %, each once, in ascending order.
pub(super) fn pairs(near: &[Vec<Near>]) -> Vec<(u32, u32)> {
    let is_alike = |found: &&Near| found.0 <= ALIKE * ALIKE;
    let of = |(point, near): (usize, &Vec<Near>)| {
        let point = point as u32;
        near.iter().filter(is_alike).map(move |&(_, other)| (point.min(other), point.max(other))).collect::<Vec<_>>()
    };
    let mut pairs: Vec<(u32, u32)> = near.iter().enumerate().flat_map(of).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Measures where the alike pairs lie on the map.
pub(super) fn alike(near: &[Vec<Near>], places: &[MapPosition]) -> Alike {
    let side = |axis: usize| {
        let along = || places.iter().map(|place| place[axis]);
        along().fold(f32::NEG_INFINITY, f32::max) - along().fold(f32::INFINITY, f32::min)
    };
    let side = f64::from(side(0).max(side(1)));
    let pairs = pairs(near);
    let apart = |&(a, b): &(u32, u32)| {
        let [dx, dy] = [0, 1].map(|axis| f64::from(places[a as usize][axis] - places[b as usize][axis]));
        dx.hypot(dy)
    };
    let farthest = pairs.iter().map(apart).fold(0.0, f64::max);
    Alike { pairs: pairs.len() as u64, farthest: if side > 0.0 { farthest / side } else { 0.0 } }
}
