//! The library as a whole: folders, how its tracks stand, what its table and its questions know.

use serde::Serialize;
use ts_rs::TS;

use super::scan::ScanView;

/// The library as its page shows it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct LibraryView {
    /// The folders (or single files) that belong to it, by path.
    pub folders: Vec<FolderView>,
    /// How its tracks stand.
    pub counts: LibraryCounts,
    /// The scan that runs in this process, or the last one that did.
    pub scan: Option<ScanView>,
    /// The process, another one, that scans it now.
    pub scanned_elsewhere: Option<String>,
    /// Whether the folders are watched now; why not, where they should be.
    pub watch: WatchView,
    /// Columns that the table can show and be sorted by.
    pub columns: Vec<LibraryColumn>,
    /// The 25 dimensions.
    pub dimensions: Vec<DimensionView>,
    /// The library's file.
    pub path: String,
}

/// A folder of the library.
#[derive(Clone, Debug, Serialize, TS)]
pub struct FolderView {
    /// Its number.
    pub id: i64,
    /// Where it is.
    pub path: String,
    /// Tracks in it.
    pub tracks: u64,
    /// When it was last looked through, in milliseconds since 1970.
    pub scanned_at: Option<i64>,
    /// Why it could not be reached then.
    pub unreachable: Option<String>,
}

/// How the tracks of the library stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, TS)]
pub struct LibraryCounts {
    /// Tracks that wait to be analysed, those in hand included.
    pub waiting: u64,
    /// Tracks that are analysed.
    pub done: u64,
    /// Tracks that could not be analysed.
    pub failed: u64,
    /// Tracks whose files are gone.
    pub vanished: u64,
    /// Bytes of the files of all but the vanished.
    pub bytes: u64,
    /// Seconds of audio in the analysed.
    pub duration_s: f64,
}

/// Watching the folders.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
pub struct WatchView {
    /// Whether it is on.
    pub on: bool,
    /// Why some folder is not watched.
    pub problem: Option<String>,
}

/// A column of the table.
#[derive(Clone, Debug, Serialize, TS)]
pub struct LibraryColumn {
    /// Its name in queries and for sorting; a field of [`TrackItem`], or a dimension.
    pub name: String,
    /// The unit of its values; empty for none.
    pub unit: String,
    /// What it is.
    pub meaning: String,
    /// Whether larger values are what people look for first.
    pub numeric: bool,
}

/// One of the 25 dimensions.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DimensionView {
    /// Its name.
    pub name: String,
    /// Its unit; empty for a share or a ratio.
    pub unit: String,
    /// The least value of a chart's axis.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// Digits behind the point worth showing.
    pub decimals: u8,
    /// Its weight in likeness unless changed.
    pub weight: f64,
    /// How it is computed.
    pub formula: String,
    /// What it says.
    pub meaning: String,
}
