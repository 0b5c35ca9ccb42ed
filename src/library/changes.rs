//! Whether a library has changed since it was last looked at, by whatever process.

use super::Library;
use crate::error::Result;

/// What tells the analysed tracks of a library from those of any other moment: the same as long as the same tracks are
/// there as they were analysed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// How many there are.
    pub tracks: i64,
    /// The sum of their numbers.
    pub numbers: i64,
    /// When the last of them was analysed, in milliseconds since 1970.
    pub analysed_at: i64,
}

impl Library {
    /// A number that is another one after every change, of whatever kind and by whatever process. It says nothing by
    /// itself and holds for this opened library alone.
    ///
    /// # Errors
    /// [`crate::Error::Stored`].
    pub fn version(&self) -> Result<i64> {
        self.store.read(|database| database.query_row("PRAGMA data_version", [], |row| row.get(0)))
    }

    /// What the questions about features and fingerprints are answered from.
    ///
    /// # Errors
    /// [`crate::Error::Stored`].
    pub fn content(&self) -> Result<Content> {
        let question =
            "SELECT count(*), coalesce(sum(id), 0), coalesce(max(analysed_at), 0) FROM track WHERE state = 'done'";
        self.store.read(|database| {
            database.prepare_cached(question)?.query_row([], |row| {
                Ok(Content { tracks: row.get(0)?, numbers: row.get(1)?, analysed_at: row.get(2)? })
            })
        })
    }
}
