//! Scales the values of each dimension by their distribution in the library.
//!
//! Each dimension is mapped linearly so that the library's 5th percentile becomes 0 and its 95th becomes 1 (linear
//! interpolation between order statistics, Hyndman and Fan's type 7, which is also that of `numpy.percentile`). Outside
//! this range the scale is compressed: `1 + u` becomes `1 + u / (1 + 2 u)`, mirrored below 0. The slope is 1 at the
//! percentiles, and the limits are -0.5 and 1.5. An outlier of one dimension therefore cannot dominate all others, and
//! two outliers still differ.
//!
//! In these cases, the dimension's documented range (`low..high` of
//! [`Dimension`](analysis::features::dimensions::Dimension)) becomes 0..1 instead:
//! - fewer than [`FEWEST`] tracks have a value, so that 5 % of them is less than one;
//! - the percentiles are closer than the last digit displayed (`10^-decimals`), so that the rounding noise of a
//!   constant value does not define the scale.

use rayon::prelude::*;
use serde::Serialize;

use super::table::{DIMENSION_COUNT, Row, Table};
use analysis::features::dimensions::DIMENSIONS;

/// Minimum number of tracks with a value for percentiles.
pub const FEWEST: usize = 20;

/// The expected squared difference of two tracks if the library does not determine it: that of two uniform values in
/// 0..1.
const UNKNOWN_SPREAD: f64 = 1.0 / 6.0;

/// The origin of a dimension's scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The library's 5th and 95th percentiles.
    Percentiles,
    /// The dimension's documented range, because there are too few values or they do not differ.
    Nominal,
}

/// The scale of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DimensionScale {
    /// The value that maps to 0, in the dimension's unit.
    pub low: f64,
    /// The value that maps to 1, in the dimension's unit.
    pub high: f64,
    /// The origin of these two.
    pub basis: Basis,
    /// Number of tracks that have a value.
    pub known: usize,
    /// The expected squared difference, on the scale, of two tracks drawn at random: twice the variance of the scaled
    /// values; 1/6 if fewer than two tracks have a value.
    pub spread: f64,
}

/// The scales of all dimensions for a library.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scale {
    axes: [DimensionScale; DIMENSION_COUNT],
}

impl Scale {
    /// Computes the scales for a library.
    pub fn of(table: &Table) -> Self {
        let axes: Vec<DimensionScale> =
            (0..DIMENSION_COUNT).into_par_iter().map(|d| DimensionScale::of(table.rows(), d)).collect();
        Self { axes: std::array::from_fn(|d| axes[d]) }
    }

    /// Returns the scale of each dimension.
    pub fn axes(&self) -> &[DimensionScale; DIMENSION_COUNT] {
        &self.axes
    }

    /// Returns a row on the scale; missing values stay `NaN`.
    pub fn scaled(&self, row: &Row) -> Row {
        std::array::from_fn(|d| self.axes[d].scaled(f64::from(row[d])) as f32)
    }
}

impl DimensionScale {
    fn of(rows: &[Row], dimension: usize) -> Self {
        let mut values: Vec<f32> = rows.iter().map(|row| row[dimension]).filter(|value| !value.is_nan()).collect();
        let described = &DIMENSIONS[dimension];
        let mut axis = Self {
            low: described.low,
            high: described.high,
            basis: Basis::Nominal,
            known: values.len(),
            spread: UNKNOWN_SPREAD,
        };
        if values.len() >= FEWEST {
            let [low, high] = [0.05, 0.95].map(|at| percentile(&mut values, at));
            if high - low >= 10f64.powi(-i32::from(described.decimals)) {
                (axis.low, axis.high, axis.basis) = (low, high, Basis::Percentiles);
            }
        }
        if values.len() >= 2 {
            // Uses the rows, because `values` was reordered, and the last bits of a sum depend on the order.
            let scaled = || rows.iter().map(|row| axis.scaled(f64::from(row[dimension]))).filter(|x| !x.is_nan());
            let mean = scaled().sum::<f64>() / values.len() as f64;
            axis.spread = 2.0 * scaled().map(|x| (x - mean) * (x - mean)).sum::<f64>() / values.len() as f64;
        }
        axis
    }

    /// Returns a value on the scale; `NaN` for `NaN`.
    pub fn scaled(&self, value: f64) -> f64 {
        let linear = (value - self.low) / (self.high - self.low);
        if linear > 1.0 {
            1.0 + compressed(linear - 1.0)
        } else if linear < 0.0 {
            -compressed(-linear)
        } else {
            linear
        }
    }
}

fn compressed(beyond: f64) -> f64 {
    beyond / (1.0 + 2.0 * beyond)
}

/// Returns the percentile `at` (0..=1), interpolated between the two nearest order statistics. Reorders the values.
fn percentile(values: &mut [f32], at: f64) -> f64 {
    let place = at * (values.len() - 1) as f64;
    let below = place as usize;
    let (_, &mut value, above) = values.select_nth_unstable_by(below, f32::total_cmp);
    let next = above.iter().copied().min_by(f32::total_cmp).unwrap_or(value);
    f64::from(value) + (place - below as f64) * (f64::from(next) - f64::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(values: impl Iterator<Item = f32>) -> Table {
        let rows: Vec<Row> = values.map(|value| [value; DIMENSION_COUNT]).collect();
        Table::new((0..rows.len() as i64).collect(), rows).unwrap()
    }

    #[test]
    fn percentiles_are_interpolated_between_order_statistics() {
        let mut values: Vec<f32> = (0..21).rev().map(|n| (n * n) as f32).collect();
        // numpy.percentile(numpy.arange(21) ** 2, [5, 95, 33]) is 1, 361, 43.8 (ranks 1, 19 and 6.6).
        assert_eq!(percentile(&mut values, 0.05), 1.0);
        assert_eq!(percentile(&mut values, 0.95), 361.0);
        assert!((percentile(&mut values, 0.33) - 43.8).abs() < 1e-9);
    }

    #[test]
    fn the_scale_grows_everywhere_and_stays_bounded() {
        let scale = Scale::of(&table((0..101).map(|n| n as f32 / 100.0)));
        let axis = &scale.axes()[0];
        assert_eq!(axis.basis, Basis::Percentiles);
        assert!((axis.low - 0.05).abs() < 1e-6 && (axis.high - 0.95).abs() < 1e-6);
        let places: Vec<f64> = (-300..300).map(|n| axis.scaled(f64::from(n) / 10.0)).collect();
        assert!(places.windows(2).all(|pair| pair[1] > pair[0]));
        assert!(places.iter().all(|place| (-0.5..1.5).contains(place)));
        assert_eq!(axis.scaled(axis.low), 0.0);
        assert_eq!(axis.scaled(axis.high), 1.0);
    }

    #[test]
    fn few_or_constant_values_take_the_documented_range() {
        for table in [
            table((0..FEWEST as i32 - 1).map(|n| n as f32)),
            table((0..1000).map(|_| 0.25)),
            table((0..1000).map(|n| 0.25 + 1e-7 * n as f32 / 1000.0)),
            table(std::iter::empty()),
            table((0..50).map(|_| f32::NAN)),
        ] {
            let scale = Scale::of(&table);
            for (axis, dimension) in scale.axes().iter().zip(&DIMENSIONS) {
                assert_eq!((axis.low, axis.high, axis.basis), (dimension.low, dimension.high, Basis::Nominal));
                assert!(axis.spread.is_finite() && axis.spread >= 0.0);
            }
        }
        assert_eq!(Scale::of(&table((0..50).map(|_| f32::NAN))).axes()[3].known, 0);
    }

    #[test]
    fn missing_values_move_no_percentile() {
        let with: Vec<f32> = (0..100).flat_map(|n| [n as f32, f32::NAN]).collect();
        let [with, without] = [table(with.into_iter()), table((0..100).map(|n| n as f32))].map(|t| Scale::of(&t));
        assert_eq!(with, without);
        assert!(with.scaled(&[f32::NAN; DIMENSION_COUNT]).iter().all(|x| x.is_nan()));
    }
}
