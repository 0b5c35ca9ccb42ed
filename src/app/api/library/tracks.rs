//! The table of tracks, and what completes a question to it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::settings::SortBy;
use crate::error::Failure;

/// Which tracks the table shows, and how.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, TS)]
pub struct TrackListQuery {
    /// A query's text; empty for all.
    pub text: String,
    /// What they are sorted by; empty for artist, album, number.
    pub sort: Vec<SortBy>,
}

/// Rows of the table.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TrackPage {
    /// Tracks that answer in all.
    pub total: usize,
    /// The number of the first row that is here.
    pub offset: usize,
    /// The rows.
    pub rows: Vec<TrackItem>,
}

/// Where a track stands.
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
    /// The file's name.
    pub name: String,
    /// The folder it lies in.
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
    /// Bits a second.
    pub bit_rate: Option<i64>,
    pub bits: Option<u32>,
    pub bandwidth_hz: Option<f64>,
    pub key: Option<String>,
    pub bytes: u64,
    /// Milliseconds since 1970.
    pub added_at: i64,
    /// Whether there is a cover.
    pub cover: bool,
    /// The dimensions in their order; none where one has no value.
    pub features: Vec<Option<f64>>,
}

/// What could be typed next in a query.
#[derive(Clone, Debug, Serialize, TS)]
pub struct QueryCompletions {
    /// What is wrong with the whole text, and where.
    pub failure: Option<Failure>,
    /// Where the part to replace begins, in UTF-16 units.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What fits, the best first.
    pub items: Vec<QueryCompletion>,
}

/// One of them.
#[derive(Clone, Debug, Serialize, TS)]
pub struct QueryCompletion {
    /// What to put there.
    pub text: String,
    /// An example, with the unit.
    pub example: String,
    /// What it is.
    pub help: String,
}

/// Tracks that were written to a file.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ExportedTracks {
    /// The file's name.
    pub name: String,
    /// Tracks in it.
    pub tracks: u64,
    /// Its size.
    pub bytes: u64,
}
