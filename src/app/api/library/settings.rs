//! The library's settings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::library::SortKey;

/// The library's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LibrarySettings {
    /// The address of a library on a server, without a password; `None` for the library in the data folder.
    pub server: Option<String>,
    /// Whether the folders are watched and changes in them scanned while the window is open.
    pub watch: bool,
    /// The names of the table's columns in order; empty for the default columns.
    pub columns: Vec<String>,
    /// The columns by which the table is sorted.
    pub sort: Vec<SortKey>,
    /// The weights of the dimensions in similarity searches that differ from the defaults.
    pub weights: BTreeMap<String, f64>,
    /// The number of results of a similarity search.
    pub similar_count: u32,
    /// Whether loudness is matched in auditions.
    pub matched: bool,
}

impl Default for LibrarySettings {
    fn default() -> Self {
        Self {
            server: None,
            watch: false,
            columns: Vec::new(),
            sort: Vec::new(),
            weights: BTreeMap::new(),
            similar_count: 25,
            matched: true,
        }
    }
}
