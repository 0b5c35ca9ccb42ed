//! A layout that keeps neighbours close: edges of a graph attract, other pairs of points repel.
//!
//! The weights of the edges are those of UMAP (`McInnes`, Healy and Melville 2018): `exp(-(d - rho) / sigma)`, where
//! `rho` is the distance to the nearest neighbour and `sigma` makes the weights of a point sum to `log2 k`; both
//! directions are combined as `a + b - a b`. Positions follow the gradient of the cross entropy with the kernel
//! `1 / (1 + d^2)`. In it, an edge of weight `w` attracts and a random other point repels by
//!
//! ```text
//! -2 w (y_i - y_j) / (1 + d^2)          2 (y_i - y_j) / ((0.01 + d^2) (1 + d^2))
//! ```
//!
//! Unlike UMAP, every step moves all points at once from their previous positions, by all their edges and by some
//! random other points each. The result therefore does not depend on the order of the work or the number of threads.

use rayon::prelude::*;

use super::MapPosition;
use super::neighbours::Near;
use super::random::{hashed, one_of};
use base::error::Result;
use base::progress::Progress;

/// Parameters of a layout.
#[derive(Clone, Copy)]
pub(super) struct Way {
    /// Number of steps.
    pub(super) epochs: u32,
    /// Length of the first step; the length decreases linearly to nearly 0.
    rate: f32,
}

/// Settings for a layout that starts from principal components.
pub(super) const FRESH: Way = Way { epochs: 400, rate: 0.15 };
/// Settings for a layout that starts from an earlier map, which should remain recognisable.
pub(super) const CONTINUED: Way = Way { epochs: 60, rate: 0.03 };

/// Steps of settling after each round in which strays were brought home.
const HOMECOMING: Way = Way { epochs: 30, rate: 0.04 };
/// Number of such rounds.
const HOMECOMINGS: u32 = 6;
/// Steps of all these rounds.
pub(super) const HOMECOMING_EPOCHS: u32 = HOMECOMINGS * HOMECOMING.epochs;
/// A point is a stray if another place would reduce its tension to this share at most.
const STRAY: f32 = 0.8;

/// Number of random other points that repel a point in each step, and the strength of the repulsion per edge weight.
const OTHERS: u64 = 5;
const PUSH: f32 = 1.0;
/// Maximum movement of a point in a step of length 1.
const MOST: f32 = 8.0;
/// Initial standard deviation along the first axis.
const SPREAD: f64 = 6.0;

/// The weighted edges of each point.
pub(super) struct Graph {
    edges: Vec<Vec<(u32, f32)>>,
}

impl Graph {
    pub(super) fn of(near: &[Vec<Near>]) -> Self {
        let one_way: Vec<Vec<(u32, f32)>> = near.par_iter().map(|near| weighted(near)).collect();
        let mut edges: Vec<Vec<(u32, f32, f32)>> = vec![Vec::new(); near.len()];
        for (point, neighbours) in one_way.iter().enumerate() {
            for &(other, weight) in neighbours {
                edges[point].push((other, weight, 0.0));
                edges[other as usize].push((point as u32, 0.0, weight));
            }
        }
        let joined = |mut edges: Vec<(u32, f32, f32)>| {
            edges.sort_unstable_by_key(|edge| edge.0);
            edges
                .chunk_by(|a, b| a.0 == b.0)
                .map(|same| {
                    let (a, b) = same.iter().fold((0.0, 0.0), |(a, b), edge| (a + edge.1, b + edge.2));
                    (same[0].0, a + b - a * b)
                })
                .collect()
        };
        Self { edges: edges.into_par_iter().map(joined).collect() }
    }
}

/// Returns the weights of a point's neighbours.
fn weighted(near: &[Near]) -> Vec<(u32, f32)> {
    let distances: Vec<f64> = near.iter().map(|&(squared, _)| f64::from(squared).sqrt()).collect();
    let nearest = distances.first().copied().unwrap_or(0.0);
    let wanted = (near.len() as f64).log2().max(1e-3);
    let weight = |distance: f64, sigma: f64| (-(distance - nearest) / sigma).exp();
    // The sum grows with `sigma`, which is found by bisection.
    let (mut low, mut high): (f64, f64) = (1e-9, 1e3);
    for _ in 0..60 {
        let middle: f64 = (low * high).sqrt();
        if distances.iter().map(|&d| weight(d, middle)).sum::<f64>() > wanted { high = middle } else { low = middle }
    }
    near.iter().zip(&distances).map(|(&(_, other), &d)| (other, weight(d, high) as f32)).collect()
}

/// Scales principal components to the initial size.
pub(super) fn spread(mut places: Vec<MapPosition>) -> Vec<MapPosition> {
    let variance = places.iter().map(|place| f64::from(place[0]).powi(2)).sum::<f64>() / places.len().max(1) as f64;
    let scale = if variance > 1e-20 { SPREAD / variance.sqrt() } else { 0.0 };
    for (point, place) in places.iter_mut().enumerate() {
        // Points at the same position would never separate.
        let nudge = |axis: u64| (hashed(11 + axis, point as u64) >> 40) as f32 * (1e-3 / (1 << 24) as f32);
        *place = [(f64::from(place[0]) * scale) as f32 + nudge(0), (f64::from(place[1]) * scale) as f32 + nudge(1)];
    }
    places
}

/// Starts from former positions. New points start at the mean position of their neighbours that have one.
pub(super) fn continued(former: &[Option<MapPosition>], near: &[Vec<Near>]) -> Vec<MapPosition> {
    let middle = |places: &mut dyn Iterator<Item = MapPosition>| {
        let (sum, count) = places
            .fold(([0.0; 2], 0.0f32), |(sum, count), place| ([sum[0] + place[0], sum[1] + place[1]], count + 1.0));
        (count > 0.0).then(|| sum.map(|x| x / count))
    };
    let of_all = middle(&mut former.iter().copied().flatten()).unwrap_or_default();
    let place = |(point, former_place): (usize, &Option<MapPosition>)| {
        former_place.unwrap_or_else(|| {
            let around = middle(&mut near[point].iter().filter_map(|&(_, other)| former[other as usize]));
            let nudge = |axis: u64| (hashed(11 + axis, point as u64) >> 40) as f32 * (1e-2 / (1 << 24) as f32);
            let [x, y] = around.unwrap_or(of_all);
            [x + nudge(0), y + nudge(1)]
        })
    };
    former.iter().enumerate().map(place).collect()
}

/// Brings points home that are far from their neighbours. Attraction weakens with distance, so that a point that starts
/// on the wrong side of others stays there; here it jumps to the neighbour where its edges are shortest.
pub(super) fn with_strays_home(
    mut places: Vec<MapPosition>,
    graph: &Graph,
    progress: &Progress,
) -> Result<Vec<MapPosition>> {
    for round in 0..HOMECOMINGS {
        // Half of the points stay in each round: two neighbours that both jumped would change places.
        let may_jump = |point: usize| hashed(900 + u64::from(round), point as u64) & 1 == 0;
        let home = |point: usize| if may_jump(point) { home(&places, graph, point) } else { places[point] };
        places = (0..places.len()).into_par_iter().map(home).collect();
        places = settled(places, graph, HOMECOMING, progress)?;
    }
    Ok(places)
}

/// Returns the place beside a neighbour where the tension of a point is least, or its present place if the gain is
/// small.
fn home(places: &[MapPosition], graph: &Graph, point: usize) -> MapPosition {
    let tension = |[x, y]: MapPosition| -> f32 {
        let stretched = |&(other, weight): &(u32, f32)| {
            let [dx, dy] = [x - places[other as usize][0], y - places[other as usize][1]];
            weight * (dx * dx + dy * dy).ln_1p()
        };
        graph.edges[point].iter().map(stretched).sum()
    };
    // Beside it, not on it, by less than neighbours are apart.
    let nudge = |axis: u64| (hashed(31 + axis, point as u64) >> 40) as f32 / (1 << 24) as f32 - 0.5;
    let beside = |&(other, _): &(u32, f32)| {
        let [x, y] = places[other as usize];
        [x + 0.2 * nudge(0), y + 0.2 * nudge(1)]
    };
    let best =
        graph.edges[point].iter().map(beside).map(|place| (tension(place), place)).min_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((less, place)) if less < STRAY * tension(places[point]) => place,
        _ => places[point],
    }
}

/// Moves points for the given number of steps.
pub(super) fn settled(
    mut places: Vec<MapPosition>,
    graph: &Graph,
    way: Way,
    progress: &Progress,
) -> Result<Vec<MapPosition>> {
    let mut moved = places.clone();
    for epoch in 0..way.epochs {
        let rate = way.rate * (1.0 - epoch as f32 / way.epochs as f32);
        moved.par_iter_mut().enumerate().with_min_len(1024).for_each(|(point, place)| {
            *place = step(&places, graph, point, u64::from(epoch), rate);
        });
        std::mem::swap(&mut places, &mut moved);
        progress.advance(1)?;
    }
    Ok(places)
}

/// Returns the next position of a point.
fn step(places: &[MapPosition], graph: &Graph, point: usize, epoch: u64, rate: f32) -> MapPosition {
    let [x, y] = places[point];
    let mut force = [0.0f32; 2];
    let mut weights = 0.0;
    for &(other, weight) in &graph.edges[point] {
        let [dx, dy] = [x - places[other as usize][0], y - places[other as usize][1]];
        let pull = -2.0 * weight / (1.0 + dx * dx + dy * dy);
        force[0] += pull * dx;
        force[1] += pull * dy;
        weights += weight;
    }
    for n in 0..OTHERS {
        let other = one_of(places.len(), hashed(epoch * OTHERS + n, point as u64));
        let [dx, dy] = [x - places[other][0], y - places[other][1]];
        let squared = dx * dx + dy * dy;
        let push = PUSH * weights * 2.0 / ((0.01 + squared) * (1.0 + squared));
        force[0] += push * dx;
        force[1] += push * dy;
    }
    let length = (force[0] * force[0] + force[1] * force[1]).sqrt();
    let kept = if length > MOST { MOST / length } else { 1.0 };
    [x + rate * kept * force[0], y + rate * kept * force[1]]
}
