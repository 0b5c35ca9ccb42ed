//! The page of a track.

use std::collections::BTreeMap;

use serde::Serialize;

use super::tracks::TrackItem;
use crate::library::Series;
use crate::library::encodings::Verdict;
use base::declared::TS;

/// Everything known about a track.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TrackPageView {
    /// The track's row of the table.
    pub item: TrackItem,
    /// The file's path as text.
    pub path: String,
    /// Whether the file exists now.
    pub reachable: bool,
    /// The library folder that has the file, if the folder is not on this machine; null otherwise.
    pub folder_away: Option<String>,
    /// All tags.
    pub tags: BTreeMap<String, String>,
    /// Problems found in the file.
    pub warnings: Vec<String>,
    /// Why dimensions have no value, by dimension name.
    pub missing: BTreeMap<String, String>,
    /// For each dimension, the share of the library's tracks with a lower value, 0..=1.
    pub percentiles: Vec<Option<f64>>,
    /// Curves and images over time.
    pub series: Vec<Series>,
    /// The origin that the bandwidth suggests; null if unknown.
    pub origin: Option<Verdict>,
    /// The time of the analysis, in milliseconds since 1970.
    pub analysed_at: Option<i64>,
    /// Whether the analysis was made by an earlier version of this program.
    pub outdated: bool,
    /// When the file was found missing, in milliseconds since 1970.
    pub vanished_at: Option<i64>,
    /// When this program moved the file to the system's bin, in milliseconds since 1970.
    pub binned_at: Option<i64>,
}
