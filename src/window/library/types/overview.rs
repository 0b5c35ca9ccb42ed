//! The library as a whole: folders, counts of tracks, columns and dimensions.

use serde::Serialize;

use super::scan::ScanView;
use crate::features::Dimension;
use crate::library::list::columns::LibraryColumn;
use crate::library::{ReadOnly, Root};
use crate::window::moment::Moment;
use base::declared::TS;

/// The library as its page shows it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct LibraryView {
    /// When this view was taken.
    pub moment: Moment,
    /// The folders (or single files) of the library, sorted by path.
    pub folders: Vec<Root>,
    /// The IDs of folders of a library on a server that are not on this machine.
    pub away: Vec<i64>,
    /// The numbers of tracks in each state.
    pub counts: LibraryCounts,
    /// The scan running in this process, or the last one that did.
    pub scan: Option<ScanView>,
    /// The other process that is scanning the library now; null if there is none.
    pub scanned_elsewhere: Option<String>,
    /// Whether the folders are watched for changes.
    pub watched: bool,
    /// Why a folder is not watched.
    pub watch_problem: Option<String>,
    /// Why the library is read-only, so that changes are refused; null if it may be changed.
    pub read_only: Option<ReadOnly>,
    /// The columns that the table can show and sort by.
    pub columns: Vec<LibraryColumn>,
    /// The 25 dimensions.
    pub dimensions: &'static [Dimension],
    /// The path of the library's database, for display.
    pub path: String,
}

/// The numbers of tracks in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, TS)]
pub struct LibraryCounts {
    /// Tracks waiting for analysis, including those in progress.
    pub waiting: u64,
    /// Tracks that have been analysed.
    pub done: u64,
    /// Tracks that could not be analysed.
    pub failed: u64,
    /// Tracks whose files no longer exist.
    pub vanished: u64,
    /// The total size of all files except vanished ones, in bytes.
    pub bytes: u64,
    /// The total duration of the analysed tracks, in seconds.
    pub duration_s: f64,
}
