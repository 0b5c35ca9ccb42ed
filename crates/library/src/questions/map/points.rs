//! Tracks as points whose Euclidean distances measure similarity.

use crate::questions::scale::Scale;
use crate::questions::similar::Weights;
use crate::questions::table::{DIMENSION_COUNT, Table};

/// Coordinates per point: the dimensions, padded with zeros for SIMD.
pub(super) const WIDTH: usize = 32;

/// Points of 32 coordinates.
#[derive(Clone, Debug)]
pub struct Points {
    values: Vec<[f32; WIDTH]>,
}

impl Points {
    /// Creates the points of a table's tracks.
    pub fn of(table: &Table, scale: &Scale, weights: &Weights) -> Self {
        let roots = weights.normalized().map(f64::sqrt);
        let scaled: Vec<_> = table.rows().iter().map(|row| scale.scaled(row)).collect();
        let mean = |d: usize| {
            let known = || scaled.iter().map(|row| f64::from(row[d])).filter(|x| !x.is_nan());
            known().sum::<f64>() / known().count().max(1) as f64
        };
        let means: [f64; DIMENSION_COUNT] = std::array::from_fn(mean);
        let point = |row: &[f32; DIMENSION_COUNT]| {
            std::array::from_fn(|d| match row.get(d) {
                Some(x) if x.is_nan() => (means[d] * roots[d]) as f32,
                Some(&x) => (f64::from(x) * roots[d]) as f32,
                None => 0.0,
            })
        };
        Self { values: scaled.iter().map(point).collect() }
    }

    /// Creates points from given coordinates.
    pub fn new(values: Vec<[f32; WIDTH]>) -> Self {
        Self { values }
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(super) fn values(&self) -> &[[f32; WIDTH]] {
        &self.values
    }

    /// Returns the squared distance of two points.
    pub(super) fn squared(&self, a: usize, b: usize) -> f32 {
        // Eight parallel sums vectorise.
        let mut sums = [0f32; 8];
        for (a, b) in self.values[a].chunks_exact(8).zip(self.values[b].chunks_exact(8)) {
            for lane in 0..8 {
                let difference = a[lane] - b[lane];
                sums[lane] += difference * difference;
            }
        }
        sums.iter().sum()
    }
}
