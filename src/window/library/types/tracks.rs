//! The table of tracks, and completions for its query.

use serde::{Deserialize, Serialize};

use crate::library::questions::export::WrittenTracks;
use crate::library::questions::query::Completion;
use crate::library::{SortKey, TrackRow};
use base::declared::TS;

/// The query and sort order of the table.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, TS)]
pub struct TrackListQuery {
    /// The query text; empty for all tracks.
    pub text: String,
    /// The columns to sort by; empty for artist, album, track number.
    pub sort: Vec<SortKey>,
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

/// A row of the table.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TrackItem {
    /// The file name.
    pub name: String,
    /// The folder of the file.
    pub folder: String,
    /// The row in the library, with shortened texts and without the path.
    #[serde(flatten)]
    pub row: TrackRow,
}

/// Completions of a query at the cursor.
#[derive(Clone, Debug, Serialize, TS)]
pub struct QueryCompletions {
    /// The start of the text to replace, in UTF-16 code units.
    pub start: usize,
    /// The end of the text to replace, in UTF-16 code units.
    pub end: usize,
    /// The completions, best first.
    pub items: Vec<Completion>,
}

/// The result of exporting tracks to a file.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ExportedTracks {
    /// The file name.
    pub name: String,
    /// The contents.
    #[serde(flatten)]
    pub written: WrittenTracks,
}
