//! Tells whether a file has changed since it was last looked at.

use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// A file's size and modification time, by which its content counts as unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    bytes: u64,
    /// The modification time in nanoseconds since 1970.
    changed: u64,
}

impl Stamp {
    /// Returns the stamp of a file; `None` if it cannot be read.
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self { bytes: metadata.len(), changed: changed.as_nanos() as u64 })
    }
}
