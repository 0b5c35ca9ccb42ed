//! What went to the system's bin.

use serde::Serialize;
use ts_rs::TS;

use crate::error::Failure;

/// What came of moving files to the system's bin.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BinOutcome {
    /// Tracks whose files were moved.
    pub moved: Vec<i64>,
    /// Bytes of these files.
    pub bytes: u64,
    /// Files that could not be moved, and why.
    pub failures: Vec<BinFailure>,
    /// Whether `restore_tracks` can bring them back; otherwise the system's bin can.
    pub restorable: bool,
}

/// A file that could not be moved.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BinFailure {
    /// The track.
    pub track: i64,
    /// Its file's name.
    pub name: String,
    /// Why.
    pub failure: Failure,
}
