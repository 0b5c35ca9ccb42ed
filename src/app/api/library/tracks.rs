//! The table of tracks, and completions for its query.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::settings::SortBy;
use crate::error::Failure;

/// The query and sort order of the table.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, TS)]
pub struct TrackListQuery {
    /// The query text; empty for all tracks.
    pub text: String,
    /// The columns to sort by; empty for artist, album, track number.
    pub sort: Vec<SortBy>,
}

/// A page of rows of the table.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TrackPage {
    /// The total number of matching tracks.
    pub total: usize,
    /// The index of the first row of this page.
    pub offset: usize,
    /// The rows.
    pub rows: Vec<TrackItem>,
}

/// The state of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum LibraryTrackState {
    Waiting,
    Analysing,
    Done,
    Failed,
    Vanished,
}

/// A row of the table.
#[derive(Clone, Debug, Serialize, TS)]
#[allow(missing_docs, reason = "each is named after its column")]
pub struct TrackItem {
    pub id: i64,
    /// The file name.
    pub name: String,
    /// The folder of the file.
    pub folder: String,
    pub state: LibraryTrackState,
    /// Why it could not be analysed.
    pub reason: Option<String>,
    pub title: Option<String>,
    pub artist: Option<String>,
    pub album: Option<String>,
    pub album_artist: Option<String>,
    pub genre: Option<String>,
    pub year: Option<i64>,
    pub track_no: Option<i64>,
    pub disc_no: Option<i64>,
    pub duration_s: Option<f64>,
    pub rate_hz: Option<u32>,
    pub channels: Option<u32>,
    pub format: Option<String>,
    pub codec: Option<String>,
    /// Bits per second.
    pub bit_rate: Option<i64>,
    pub bits: Option<u32>,
    pub bandwidth_hz: Option<f64>,
    pub key: Option<String>,
    pub bytes: u64,
    /// Milliseconds since 1970.
    pub added_at: i64,
    /// Whether there is a cover.
    pub cover: bool,
    /// The values of the dimensions in their order; null where there is no value.
    pub features: Vec<Option<f64>>,
}

/// Completions of a query at the cursor.
#[derive(Clone, Debug, Serialize, TS)]
pub struct QueryCompletions {
    /// What is wrong with the whole query, and where.
    pub failure: Option<Failure>,
    /// The start of the text to replace, in UTF-16 code units.
    pub start: usize,
    /// The end of the text to replace, in UTF-16 code units.
    pub end: usize,
    /// The completions, best first.
    pub items: Vec<QueryCompletion>,
}

/// A completion of a query.
#[derive(Clone, Debug, Serialize, TS)]
pub struct QueryCompletion {
    /// The text to insert.
    pub text: String,
    /// An example with its unit.
    pub example: String,
    /// What it means.
    pub help: String,
}

/// The result of exporting tracks to a file.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ExportedTracks {
    /// The file name.
    pub name: String,
    /// The number of tracks in it.
    pub tracks: u64,
    /// The file size in bytes.
    pub bytes: u64,
}
