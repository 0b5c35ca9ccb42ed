//! Detects changes of a library, by whatever process.

use super::Library;
use base::error::Result;

/// Identifies the set of analysed tracks at one moment. Two values are equal as long as the same tracks exist with the
/// same analyses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Number of analysed tracks.
    pub tracks: i64,
    /// Sum of their ids.
    pub numbers: i64,
    /// Time of the latest analysis, in milliseconds since 1970.
    pub analysed_at: i64,
}

impl Library {
    /// Returns a number that differs after every change, of whatever kind and by whatever process. The value has no
    /// meaning by itself and is only comparable within this `Library`.
    pub fn version(&self) -> Result<i64> {
        self.store.version()
    }

    /// Listens for changes of a library on a server from now on, so that [`Library::version`] asks the server only
    /// after one. For a file this has no effect, because asking costs nothing.
    pub fn listen(&self) {
        self.store.listen();
    }

    /// Returns the [`Content`] from which questions about features and fingerprints are answered.
    pub fn content(&self) -> Result<Content> {
        let question = "SELECT count(*), CAST(coalesce(sum(id), 0) AS BIGINT), coalesce(max(analysed_at), 0)
             FROM track WHERE state = 'done'";
        self.store.read(|session| {
            session.one(question, &[], |row| {
                Ok(Content { tracks: row.get(0)?, numbers: row.get(1)?, analysed_at: row.get(2)? })
            })
        })
    }
}
