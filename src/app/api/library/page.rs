//! The page of a track.

use std::collections::BTreeMap;

use serde::Serialize;
use ts_rs::TS;

use super::tracks::TrackItem;

/// Everything known about a track.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TrackPageView {
    /// The track's row of the table.
    pub item: TrackItem,
    /// The file's path as text.
    pub path: String,
    /// Whether the file exists now.
    pub reachable: bool,
    /// All tags.
    pub tags: BTreeMap<String, String>,
    /// Problems found in the file.
    pub warnings: Vec<String>,
    /// Why dimensions have no value, by dimension name.
    pub missing: BTreeMap<String, String>,
    /// For each dimension, the share of the library's tracks with a lower value, 0..=1.
    pub percentiles: Vec<Option<f64>>,
    /// Curves and images over time.
    pub series: Vec<SeriesView>,
    /// What the bandwidth says about the origin; null if unknown.
    pub origin: Option<OriginView>,
    /// The time of the analysis, in milliseconds since 1970.
    pub analysed_at: Option<i64>,
    /// Whether the analysis was made by an earlier version of this program.
    pub outdated: bool,
    /// When the file was found missing, in milliseconds since 1970.
    pub vanished_at: Option<i64>,
    /// When this program moved the file to the system's bin, in milliseconds since 1970.
    pub binned_at: Option<i64>,
}

/// A curve (width 1) or an image (rows of `width` values) over a track's time.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SeriesView {
    /// `chroma`, `tempogram`, `loudness`, ...
    pub name: String,
    /// The unit of the values; empty if they have none.
    pub unit: String,
    /// The time of the first row, in seconds.
    pub start_s: f64,
    /// The time from one row to the next, in seconds.
    pub step_s: f64,
    /// The number of values in a row.
    pub width: u32,
    /// The values, row after row; null where there is no value.
    pub values: Vec<Option<f32>>,
}

/// Whether a recording appears to have gone through a lossy codec or upsampling, judged by its bandwidth.
#[derive(Clone, Debug, Serialize, TS)]
pub struct OriginView {
    /// The apparent origin.
    pub origin: OriginKind,
    /// The confidence, 0..=1.
    pub confidence: f64,
    /// The reasons.
    pub reasons: Vec<String>,
}

/// The apparent origin of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum OriginKind {
    /// No trace of lossy coding where one would be visible.
    Genuine,
    /// The spectrum ends like the output of a lossy encoder.
    LikelyTranscoded,
    /// The spectrum ends at the limit of a lower sample rate.
    LikelyUpsampled,
    /// The spectrum gives no evidence either way.
    CannotTell,
}

/// A cover image.
#[derive(Clone, Debug, Serialize, TS)]
pub struct CoverView {
    /// `image/jpeg`, `image/png`, `image/gif` or `image/webp`; empty if the cover is not shown.
    pub mime: String,
    /// The image file in Base64.
    pub data: String,
    /// Why the cover is not shown.
    pub reason: Option<String>,
}
