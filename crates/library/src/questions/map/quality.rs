//! Measures how well a map represents the points (Venna and Kaski 2001).
//!
//! Trustworthiness is reduced by distant points that look like neighbours, continuity by neighbours that are separated:
//!
//! ```text
//! 1 - 2 / (N k (2 N - 3 k - 1)) sum_i sum_j (r(i, j) - k)
//! ```
//!
//! The sum is over the `k` nearest `j` of each `i` on the map that are not among its `k` nearest points; `r` is the
//! rank of `j` among the points as seen from `i`. For continuity, map and points are exchanged. Both are 1 for a map
//! that keeps all neighbours, and about 1/2 for random positions. The share of neighbours that are kept is stricter: of
//! the `k` nearest points, how many are among the `k` nearest on the map.

use rayon::prelude::*;
use serde::Serialize;

use super::points::Points;
use super::random::{hashed, one_of};
use super::{MapPosition, NEIGHBOURS};
use base::error::Result;
use base::progress::Progress;

/// The quality of a map.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quality {
    /// The number of neighbours `k` by which it was measured.
    pub neighbours: usize,
    /// Share of each point's nearest points that are among its nearest on the map, 0 to 1.
    pub kept: f64,
    /// How much of what looks close is close, up to 1.
    pub trustworthiness: f64,
    /// How much of what is close looks close, up to 1.
    pub continuity: f64,
}

/// Measures a map by the `k` nearest neighbours of up to `sample` of its points. Returns `None` if `k` is 0 or not
/// below half the number of points, if `sample` is 0, or if `places` and `points` differ in length. Progress counts
/// points.
pub fn quality(
    points: &Points,
    places: &[MapPosition],
    k: usize,
    sample: usize,
    progress: &Progress,
) -> Result<Option<Quality>> {
    let count = points.len();
    if k == 0 || 2 * k >= count || places.len() != count || sample == 0 {
        return Ok(None);
    }
    let looked_at: Vec<usize> = if sample >= count {
        (0..count).collect()
    } else {
        (0..sample as u64).map(|n| one_of(count, hashed(5, n))).collect()
    };
    progress.set_total(looked_at.len() as u64);
    let lost = looked_at
        .par_iter()
        .map(|&of| {
            progress.advance(1)?;
            let in_points = ranks(count, of, |other| points.squared(of, other));
            let in_places = ranks(count, of, |other| {
                let [dx, dy] = [0, 1].map(|axis| places[of][axis] - places[other][axis]);
                dx * dx + dy * dy
            });
            let far = [excess(&in_places, &in_points, k), excess(&in_points, &in_places, k)];
            Ok([far[0], far[1], shared(&in_points, &in_places, k)])
        })
        .collect::<Result<Vec<[u64; 3]>>>()?;
    let worth = 2.0 / (looked_at.len() as f64 * k as f64 * (2.0 * count as f64 - 3.0 * k as f64 - 1.0));
    let [trustworthiness, continuity] =
        [0, 1].map(|which| 1.0 - worth * lost.iter().map(|lost| lost[which]).sum::<u64>() as f64);
    let kept = lost.iter().map(|lost| lost[2]).sum::<u64>() as f64 / (lost.len() * k) as f64;
    Ok(Some(Quality { neighbours: k, kept, trustworthiness, continuity }))
}

/// Returns the number of neighbours by which a map of `count` points is measured: [`NEIGHBOURS`], fewer if the map is
/// small, since most of the points would be neighbours otherwise.
pub fn neighbours_of(count: usize) -> usize {
    NEIGHBOURS.min(count.saturating_sub(1) / 3)
}

/// Returns the rank of every point as seen from one: 1 for the nearest, 0 for itself.
fn ranks(count: usize, of: usize, squared: impl Fn(usize) -> f32) -> Vec<u32> {
    let mut order: Vec<(f32, u32)> =
        (0..count).filter(|&other| other != of).map(|other| (squared(other), other as u32)).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut ranks = vec![0; count];
    order.iter().zip(1..).for_each(|(&(_, other), rank)| ranks[other as usize] = rank);
    ranks
}

/// Sums how far the `k` nearest of one view rank beyond `k` in the other.
fn excess(seen: &[u32], real: &[u32], k: usize) -> u64 {
    let near = seen.iter().zip(real).filter(|(seen, _)| (1..=k as u32).contains(seen));
    near.map(|(_, &real)| u64::from(real).saturating_sub(k as u64)).sum()
}

/// Counts the `k` nearest of one view that are among the `k` nearest of the other.
fn shared(a: &[u32], b: &[u32], k: usize) -> u64 {
    let near = 1..=k as u32;
    a.iter().zip(b).filter(|(a, b)| near.contains(a) && near.contains(b)).count() as u64
}
