//! The library's settings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::library::SortKey;
use base::declared::TS;

/// The path on this machine of a folder of a library on a server, if it differs from the path in the library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibraryFolderPlace {
    /// The address of the server.
    pub server: String,
    /// The folder's path in the library.
    pub folder: String,
    /// Its path on this machine.
    pub path: String,
}

impl LibrarySettings {
    /// The most places of folders that are kept.
    pub const MAX_PLACES: usize = 1000;
}

/// The library's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LibrarySettings {
    /// The address of a library on a server, without a password; `None` for the library in the data folder.
    pub server: Option<String>,
    /// Whether a library on a server is opened read-only. The library in the data folder never is.
    pub read_only: bool,
    /// The paths on this machine of folders of libraries on servers.
    pub places: Vec<LibraryFolderPlace>,
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
            read_only: false,
            places: Vec::new(),
            watch: false,
            columns: Vec::new(),
            sort: Vec::new(),
            weights: BTreeMap::new(),
            similar_count: 25,
            matched: true,
        }
    }
}
