//! The features of a library's tracks as a plain table in memory.

use analysis::features::dimensions::DIMENSIONS;
use base::error::{Error, Result};

/// Number of dimensions per row: those of [`DIMENSIONS`], in their order.
pub const DIMENSION_COUNT: usize = DIMENSIONS.len();

/// The features of a track, in the order and units of [`DIMENSIONS`]; `NaN` for a missing value.
pub type Row = [f32; DIMENSION_COUNT];

/// Tracks and their features: 108 bytes per track. Ids are those of the database, in the order of insertion.
#[derive(Clone, Debug, Default)]
pub struct Table {
    ids: Vec<i64>,
    rows: Vec<Row>,
}

impl Table {
    /// Creates an empty table with capacity for `tracks` tracks.
    pub fn with_capacity(tracks: usize) -> Self {
        Self { ids: Vec::with_capacity(tracks), rows: Vec::with_capacity(tracks) }
    }

    /// Creates a table from ids and their rows. Values that are not finite count as missing.
    pub fn new(ids: Vec<i64>, mut rows: Vec<Row>) -> Result<Self> {
        if ids.len() != rows.len() {
            return Err(Error::invalid("rows of a table", rows.len().to_string(), format!("{}, one an id", ids.len())));
        }
        rows.iter_mut().for_each(|row| *row = row.map(finite));
        Ok(Self { ids, rows })
    }

    /// Adds a track. Values that are not finite count as missing.
    pub fn push(&mut self, id: i64, values: &[Option<f64>; DIMENSION_COUNT]) {
        self.ids.push(id);
        self.rows.push(row_of(values));
    }

    /// Returns the number of tracks.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the ids of the tracks.
    pub fn ids(&self) -> &[i64] {
        &self.ids
    }

    /// Returns the features of the tracks.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns the index of the track with this id, by a linear search.
    pub fn position(&self, id: i64) -> Option<usize> {
        self.ids.iter().position(|&other| other == id)
    }
}

/// Creates a row from values, some of which may be missing.
pub fn row_of(values: &[Option<f64>; DIMENSION_COUNT]) -> Row {
    values.map(|value| finite(value.map_or(f32::NAN, |value| value as f32)))
}

/// Returns the value, or `NaN` if it is not finite.
pub(super) fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { f32::NAN }
}
