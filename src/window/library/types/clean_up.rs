//! Moving files to the system's bin.

use serde::Serialize;

use crate::error::Failure;
use base::declared::TS;

/// The result of moving files to the system's bin.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BinOutcome {
    /// Tracks whose files were moved.
    pub moved: Vec<i64>,
    /// The total size of these files in bytes.
    pub bytes: u64,
    /// Files that could not be moved, with the reason.
    pub failures: Vec<BinFailure>,
    /// Whether `restore_tracks` can restore them; otherwise only the system's bin can.
    pub restorable: bool,
}

/// A file that could not be moved.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BinFailure {
    /// The track.
    pub track: i64,
    /// The file name.
    pub name: String,
    /// The reason.
    pub failure: Failure,
}
