//! The features of a library's tracks as one plain table in memory.

use crate::error::{Error, Result};
use crate::features::dimensions::DIMENSIONS;

/// Dimensions of a row: those of [`DIMENSIONS`], in their order.
pub const DIMENSION_COUNT: usize = DIMENSIONS.len();

/// The features of a track in [`DIMENSIONS`]' order and units; NaN where a value is missing.
pub type Row = [f32; DIMENSION_COUNT];

/// Tracks and their features: 108 bytes a track. Ids are the database's and stand in the order they were added in.
#[derive(Clone, Debug, Default)]
pub struct Table {
    ids: Vec<i64>,
    rows: Vec<Row>,
}

impl Table {
    /// An empty table with room for so many tracks.
    pub fn with_capacity(tracks: usize) -> Self {
        Self { ids: Vec::with_capacity(tracks), rows: Vec::with_capacity(tracks) }
    }

    /// A table of ids and rows that belong together.
    ///
    /// # Errors
    /// [`Error::Invalid`] when there are not as many ids as rows.
    pub fn new(ids: Vec<i64>, mut rows: Vec<Row>) -> Result<Self> {
        if ids.len() != rows.len() {
            return Err(Error::invalid("rows of a table", rows.len().to_string(), format!("{}, one an id", ids.len())));
        }
        rows.iter_mut().for_each(|row| *row = row.map(finite));
        Ok(Self { ids, rows })
    }

    /// Adds a track; a value that is not finite counts as missing.
    pub fn push(&mut self, id: i64, values: &[Option<f64>; DIMENSION_COUNT]) {
        self.ids.push(id);
        self.rows.push(row_of(values));
    }

    /// Tracks in it.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The tracks' ids.
    pub fn ids(&self) -> &[i64] {
        &self.ids
    }

    /// The tracks' features.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Where the track with that id stands; a search through all of them.
    pub fn position(&self, id: i64) -> Option<usize> {
        self.ids.iter().position(|&other| other == id)
    }
}

/// A row from values of which some may be missing.
pub fn row_of(values: &[Option<f64>; DIMENSION_COUNT]) -> Row {
    values.map(|value| finite(value.map_or(f32::NAN, |value| value as f32)))
}

/// The value, or NaN for what is not finite.
pub(super) fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { f32::NAN }
}
