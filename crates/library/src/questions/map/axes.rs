//! The meaning of left and right on the map, and of above and below.
//!
//! The layout has no directions: turned or mirrored, it keeps the same neighbours. [`turned`] turns it so that the
//! dimension which the map shows most clearly rises from left to right, and the next one from the bottom up. [`axes`]
//! then says which dimension goes with each direction, measured by the correlation of ranks (Spearman), which does not
//! require a straight line. A direction without such a dimension has no meaning.

use serde::Serialize;

use super::MapPosition;

/// The least magnitude of a correlation at which a direction has a meaning.
pub const LEAST: f64 = 0.5;
/// By how much a turn must improve the correlation, so that a known map is not turned for nothing.
const WORTH: f64 = 0.02;

/// The dimension that goes with a direction of the map.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AxisMeaning {
    /// The index of the dimension.
    pub dimension: usize,
    /// The correlation of ranks, -1 to 1. If it is negative, the dimension falls from left to right, or from the top
    /// down.
    pub correlation: f64,
}

/// Returns the dimension that goes most closely with each direction, left to right and from the top down; `None` if the
/// correlation of all is less than [`LEAST`]. The second is not the dimension of the first. `ranks` holds the rank of
/// every point by dimension, up to a linear scale, `NaN` without a value.
pub fn axes(ranks: &[Vec<f64>], places: &[MapPosition]) -> [Option<AxisMeaning>; 2] {
    let places = place_ranks(places);
    let first = closest(ranks, &places[0], None);
    let second = closest(ranks, &places[1], first.map(|meaning| meaning.dimension));
    [first, second].map(|meaning| meaning.filter(|meaning| meaning.correlation.abs() >= LEAST))
}

/// Turns and mirrors a map so that its directions have a meaning, if that makes the meaning clearer. Distances stay.
pub fn turned(ranks: &[Vec<f64>], mut places: Vec<MapPosition>) -> Vec<MapPosition> {
    let by_rank = place_ranks(&places);
    let along = [0, 1].map(|axis| places.iter().map(|place| f64::from(place[axis])).collect::<Vec<f64>>());
    let clearest = ranks.iter().map(|ranks| direction(ranks, &along)).max_by(|a, b| a.0.total_cmp(&b.0));
    let now = closest(ranks, &by_rank[0], None).map_or(0.0, |meaning| meaning.correlation);
    let Some((_, angle)) = clearest.filter(|(strength, _)| *strength > now + WORTH) else { return places };
    let (sine, cosine) = angle.sin_cos();
    for [x, y] in &mut places {
        let (left, up) = (f64::from(*x), f64::from(*y));
        (*x, *y) = ((left * cosine + up * sine) as f32, (up * cosine - left * sine) as f32);
    }
    let upright = place_ranks(&places);
    let first = closest(ranks, &upright[0], None).map(|meaning| meaning.dimension);
    if closest(ranks, &upright[1], first).is_some_and(|meaning| meaning.correlation > 0.0) {
        places.iter_mut().for_each(|place| place[1] = -place[1]);
    }
    places
}

/// Returns the dimension with the largest correlation, but not `except`.
fn closest(ranks: &[Vec<f64>], along: &[f64], except: Option<usize>) -> Option<AxisMeaning> {
    let others = ranks.iter().enumerate().filter(|&(dimension, _)| Some(dimension) != except);
    others
        .map(|(dimension, ranks)| AxisMeaning { dimension, correlation: correlation(ranks, along) })
        .max_by(|a, b| a.correlation.abs().total_cmp(&b.correlation.abs()).then(b.dimension.cmp(&a.dimension)))
}

/// Returns how closely a dimension follows the direction in which it rises most, and the angle of that direction.
fn direction(ranks: &[f64], places: &[Vec<f64>; 2]) -> (f64, f64) {
    // The gradient of the plane fitted to the ranks, for coordinates of the same spread.
    let [rx, ry] = [correlation(ranks, &places[0]), correlation(ranks, &places[1])];
    let rxy = correlation(&places[0], &places[1]);
    let determinant = 1.0 - rxy * rxy;
    if determinant < 1e-9 {
        return (rx.abs().max(ry.abs()), 0.0);
    }
    let (bx, by) = ((rx - rxy * ry) / determinant, (ry - rxy * rx) / determinant);
    ((bx * rx + by * ry).max(0.0).sqrt(), (by * spread(&places[0])).atan2(bx * spread(&places[1])))
}

/// Returns the standard deviation.
fn spread(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

/// Returns the correlation over the points that have both values; 0 if fewer than three have, or all are equal.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let known = || a.iter().zip(b).filter(|(a, b)| !a.is_nan() && !b.is_nan());
    let count = known().count() as f64;
    if count < 3.0 {
        return 0.0;
    }
    let (sum_a, sum_b) = known().fold((0.0, 0.0), |(sum_a, sum_b), (a, b)| (sum_a + a, sum_b + b));
    let (mean_a, mean_b) = (sum_a / count, sum_b / count);
    let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
    for (a, b) in known() {
        let (a, b) = (a - mean_a, b - mean_b);
        aa += a * a;
        bb += b * b;
        ab += a * b;
    }
    let size = (aa * bb).sqrt();
    if size > 1e-12 { (ab / size).clamp(-1.0, 1.0) } else { 0.0 }
}

/// Returns the ranks of the places along each coordinate; equal coordinates share the mean of their ranks.
fn place_ranks(places: &[MapPosition]) -> [Vec<f64>; 2] {
    [0, 1].map(|axis| {
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_unstable_by(|&a, &b| places[a][axis].total_cmp(&places[b][axis]).then(a.cmp(&b)));
        let mut ranks = vec![0.0; places.len()];
        let mut done = 0;
        for same in order.chunk_by(|&a, &b| places[a][axis].total_cmp(&places[b][axis]).is_eq()) {
            let rank = done as f64 + (same.len() - 1) as f64 / 2.0;
            same.iter().for_each(|&point| ranks[point] = rank);
            done += same.len();
        }
        ranks
    })
}
