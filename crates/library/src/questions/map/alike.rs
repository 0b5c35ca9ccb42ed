//! Tracks that are alike to 99 % should lie side by side: how many pairs there are, and how far apart the farthest lies.

use serde::Serialize;

use super::MapPosition;
use super::neighbours::Near;
use super::random::hashed;

/// The distance of two points that are alike to 99 %: one less their likeness ([`crate::questions::similar`]).
pub const ALIKE: f32 = 0.01;

/// The pairs of tracks that are alike to 99 %, and how far apart they lie on the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Alike {
    /// The number of pairs, as far as they are among each other's nearest neighbours.
    pub pairs: u64,
    /// How far apart the farthest pair lies on the map, as a share of the map's larger side; 0 without pairs.
    pub farthest: f64,
}

/// How far apart an alike pair may lie, and how near, so that both are seen; shares of the map's larger side.
const FARTHEST: f32 = 0.02;
const NEAREST: f32 = 0.004;
/// Number of passes over all pairs. Each satisfies one pair after the other, and may undo some of the earlier ones.
const PASSES: usize = 40;

/// Moves alike pairs that the layout left too far apart, or at the same place. The layout weighs all neighbours of a
/// point; here only the closest count. Each point of a pair moves half of the way.
pub(super) fn drawn_together(near: &[Vec<Near>], mut places: Vec<MapPosition>) -> Vec<MapPosition> {
    let pairs = pairs(near);
    let side = side(&places);
    for _ in 0..PASSES {
        let mut is_met = true;
        for &(a, b) in &pairs {
            let [[ax, ay], [bx, by]] = [places[a as usize], places[b as usize]];
            let (dx, dy) = (bx - ax, by - ay);
            let apart = dx.hypot(dy);
            let wanted = apart.clamp(NEAREST * side, FARTHEST * side);
            if (wanted - apart).abs() <= 1e-3 * wanted {
                continue;
            }
            is_met = false;
            // Points at the same place part in a direction that depends on the pair.
            let angle = (hashed(u64::from(a), u64::from(b)) >> 40) as f32 / (1 << 24) as f32 * std::f32::consts::TAU;
            let (ux, uy) = if apart > 1e-9 * side { (dx / apart, dy / apart) } else { (angle.cos(), angle.sin()) };
            let step = (wanted - apart) / 2.0;
            places[a as usize] = [ax - step * ux, ay - step * uy];
            places[b as usize] = [bx + step * ux, by + step * uy];
        }
        if is_met {
            break;
        }
    }
    places
}

/// Returns the larger side of the map.
fn side(places: &[MapPosition]) -> f32 {
    let side = |axis: usize| {
        let along = || places.iter().map(|place| place[axis]);
        along().fold(f32::NEG_INFINITY, f32::max) - along().fold(f32::INFINITY, f32::min)
    };
    side(0).max(side(1)).max(0.0)
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
    let side = f64::from(side(places));
    let pairs = pairs(near);
    let apart = |&(a, b): &(u32, u32)| {
        let [dx, dy] = [0, 1].map(|axis| f64::from(places[a as usize][axis] - places[b as usize][axis]));
        dx.hypot(dy)
    };
    let farthest = pairs.iter().map(apart).fold(0.0, f64::max);
    Alike { pairs: pairs.len() as u64, farthest: if side > 0.0 { farthest / side } else { 0.0 } }
}
