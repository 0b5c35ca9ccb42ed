//! A track's own page.

use std::collections::BTreeMap;

use serde::Serialize;
use ts_rs::TS;

use super::tracks::TrackItem;

/// All that is known of a track.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TrackPageView {
    /// Its row.
    pub item: TrackItem,
    /// Its file, as text.
    pub path: String,
    /// Whether the file is there now.
    pub reachable: bool,
    /// All its tags.
    pub tags: BTreeMap<String, String>,
    /// What was not as it should be in its file.
    pub warnings: Vec<String>,
    /// Why dimensions have no value, by name.
    pub missing: BTreeMap<String, String>,
    /// For each dimension the share of the library's tracks with a lower value, 0 to 1.
    pub percentiles: Vec<Option<f64>>,
    /// Curves and pictures.
    pub series: Vec<SeriesView>,
    /// What its bandwidth says of where it comes from; none while it is not known.
    pub origin: Option<OriginView>,
    /// When it was analysed, in milliseconds since 1970.
    pub analysed_at: Option<i64>,
    /// Whether an earlier version of this program analysed it.
    pub outdated: bool,
    /// When its file was found gone.
    pub vanished_at: Option<i64>,
    /// When its file was moved to the system's bin by this program.
    pub binned_at: Option<i64>,
}

/// A curve (width 1) or a picture (rows of `width`) over a track's time.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SeriesView {
    /// `chroma`, `tempogram`, `loudness`, ...
    pub name: String,
    /// The unit of the values; empty for none.
    pub unit: String,
    /// The time of the first row, in seconds.
    pub start_s: f64,
    /// From one row to the next.
    pub step_s: f64,
    /// Values in a row.
    pub width: u32,
    /// The values, row after row; none where there is none.
    pub values: Vec<Option<f32>>,
}

/// Whether a recording went through a lossy codec, told from its bandwidth.
#[derive(Clone, Debug, Serialize, TS)]
pub struct OriginView {
    /// What it seems to be.
    pub origin: OriginKind,
    /// How sure, 0 to 1.
    pub confidence: f64,
    /// Why.
    pub reasons: Vec<String>,
}

/// What a recording seems to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum OriginKind {
    /// No trace of lossy coding where it would be seen.
    Genuine,
    /// It ends as the output of a lossy encoder ends.
    LikelyTranscoded,
    /// It ends where a lower sample rate ends.
    LikelyUpsampled,
    /// There is nothing by which it could be told.
    CannotTell,
}

/// A cover.
#[derive(Clone, Debug, Serialize, TS)]
pub struct CoverView {
    /// `image/jpeg`, `image/png`, `image/gif` or `image/webp`; empty if it is not shown.
    pub mime: String,
    /// The picture's bytes in Base64.
    pub data: String,
    /// Why it is not shown.
    pub reason: Option<String>,
}
