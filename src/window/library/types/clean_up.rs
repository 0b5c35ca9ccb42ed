//! Moving files to the system's bin.

use serde::Serialize;

use crate::window::workspace::types::FileFailure;
use base::declared::TS;

/// The result of moving files to the system's bin.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BinOutcome {
    /// Tracks whose files were moved.
    pub moved: Vec<i64>,
    /// The total size of these files in bytes.
    pub bytes: u64,
    /// Files that could not be moved, with the reason.
    pub failures: Vec<FileFailure>,
    /// Whether `library.restore` can restore them; otherwise only the system's bin can.
    pub restorable: bool,
}
