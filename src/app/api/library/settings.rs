//! The library's settings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The library's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LibrarySettings {
    /// Whether the folders are watched, and changes in them scanned, while the window is open.
    pub watch: bool,
    /// Columns of the table, by name, in their order; empty for the standard ones.
    pub columns: Vec<String>,
    /// What the table is sorted by.
    pub sort: Vec<SortBy>,
    /// Weights of the dimensions in likeness that differ from the standard ones.
    pub weights: BTreeMap<String, f64>,
    /// Answers to a question of likeness.
    pub similar_count: u32,
    /// Whether auditions are brought to the same loudness.
    pub matched: bool,
}

impl Default for LibrarySettings {
    fn default() -> Self {
        Self {
            watch: false,
            columns: Vec::new(),
            sort: Vec::new(),
            weights: BTreeMap::new(),
            similar_count: 25,
            matched: true,
        }
    }
}

/// A column to sort by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SortBy {
    /// The column's name.
    pub column: String,
    /// From the largest to the smallest. What has no value comes last either way.
    pub descending: bool,
}
