//! The part of the library that a scan walks.

use std::path::PathBuf;

/// The limit above which a list of paths is replaced by a scan of the whole library.
pub const MAX_PLACES: usize = 500;

/// The part of the library that a scan walks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScanPart {
    /// All folders of the library.
    Everything,
    /// These paths in the folders; nothing if the list is empty.
    Places(Vec<PathBuf>),
}

impl ScanPart {
    /// Returns the union of both.
    pub fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Places(mut places), Self::Places(others)) => {
                places.extend(others);
                places.sort();
                places.dedup();
                Self::Places(places).bounded()
            }
            _ => Self::Everything,
        }
    }

    pub fn bounded(self) -> Self {
        match self {
            Self::Places(places) if places.len() > MAX_PLACES => Self::Everything,
            other => other,
        }
    }
}
