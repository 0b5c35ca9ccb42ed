//! Ranks a value among those of the library's tracks.

use rayon::prelude::*;

use super::table::{DIMENSION_COUNT, Table};

/// The sorted values of each dimension: 100 bytes per track.
#[derive(Clone, Debug, Default)]
pub struct Percentiles {
    sorted: Vec<Vec<f32>>,
}

impl Percentiles {
    /// Sorts the values of a library.
    pub fn of(table: &Table) -> Self {
        let sorted = |dimension: usize| {
            let known = table.rows().iter().map(|row| row[dimension]).filter(|value| !value.is_nan());
            let mut values: Vec<f32> = known.collect();
            values.sort_unstable_by(f32::total_cmp);
            values
        };
        Self { sorted: (0..DIMENSION_COUNT).into_par_iter().map(sorted).collect() }
    }

    /// Returns the share of tracks with a lower value among those that have a value, 0..1; `None` if `value` is `NaN`
    /// or no track has a value.
    pub fn share_below(&self, dimension: usize, value: f32) -> Option<f64> {
        let values = self.sorted.get(dimension).filter(|values| !values.is_empty() && !value.is_nan())?;
        Some(values.partition_point(|&other| other < value) as f64 / values.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::table::Row;

    #[test]
    fn a_value_stands_above_all_that_are_lower_and_none_that_are_equal() {
        let rows: Vec<Row> = [3.0, 1.0, f32::NAN, 2.0, 2.0].map(|value| [value; DIMENSION_COUNT]).to_vec();
        let percentiles = Percentiles::of(&Table::new(vec![1, 2, 3, 4, 5], rows).unwrap());
        let at = |value| percentiles.share_below(7, value);
        assert_eq!([at(0.0), at(1.0), at(2.0), at(2.5), at(9.0)], [0.0, 0.0, 0.25, 0.75, 1.0].map(Some));
        assert_eq!(at(f32::NAN), None);
        assert_eq!(percentiles.share_below(DIMENSION_COUNT, 1.0), None);
        assert_eq!(Percentiles::of(&Table::default()).share_below(0, 1.0), None);
    }
}
