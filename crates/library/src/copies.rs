//! Whether a file is the only copy of a track.

use std::path::{Path, PathBuf};

use super::Library;
use super::files::stamp;
use super::sql::{self, Row, Session, values};
use base::error::Result;

/// A track: its path, and the key that exact copies share once they are analysed.
type Candidate = (PathBuf, Option<[u8; 32]>);

impl Library {
    /// Returns whether the file at `path` is a track of the library without an exact copy elsewhere, by whatever name or
    /// link the path leads to it. A copy counts if it is another file, on disk, and unchanged since its analysis. A
    /// track that was never analysed has no known copies.
    pub fn is_only_copy(&self, path: &Path) -> Result<bool> {
        let Ok(metadata) = std::fs::metadata(path) else { return Ok(false) };
        let same = |other: &Path| same_file::is_same_file(path, other).unwrap_or(false);
        let mut names: Vec<PathBuf> = std::path::absolute(path).into_iter().chain(path.canonicalize()).collect();
        names.dedup();
        let mut tracks = self.store.read(|session| with_stamp(session, stamp(&metadata)))?;
        for name in names {
            tracks.extend(self.store.read(|session| at(session, &name))?);
        }
        // A link to the file may be a track too.
        let tracks: Vec<Candidate> = tracks.into_iter().filter(|(other, _)| same(other)).collect();
        let Some(key) = tracks.iter().map(|(_, key)| *key).max() else { return Ok(false) };
        let Some(key) = key else { return Ok(true) };
        let copies = self.store.read(|session| with_key(session, &key))?;
        let is_kept = |(other, bytes, modified_ns): &(PathBuf, u64, i64)| {
            std::fs::metadata(other).is_ok_and(|found| stamp(&found) == (*bytes, *modified_ns)) && !same(other)
        };
        Ok(!copies.iter().any(is_kept))
    }
}

fn candidate(row: &Row<'_>) -> sql::Result<Candidate> {
    Ok((row.path(0)?, row.get(2)?))
}

fn with_stamp(session: &Session<'_>, (bytes, modified_ns): (u64, i64)) -> sql::Result<Vec<Candidate>> {
    session.all(
        "SELECT path, path_exact, audio_key FROM track
             WHERE bytes = ?1 AND modified_ns = ?2 AND state <> 'vanished'",
        values![bytes, modified_ns],
        candidate,
    )
}

fn at(session: &Session<'_>, name: &Path) -> sql::Result<Vec<Candidate>> {
    let stored = session.stored(name);
    session.all(
        "SELECT path, path_exact, audio_key FROM track
             WHERE path = ?1 AND path_exact = ?2 AND state <> 'vanished'",
        values![stored.text, stored.exact],
        candidate,
    )
}

fn with_key(session: &Session<'_>, key: &[u8; 32]) -> sql::Result<Vec<(PathBuf, u64, i64)>> {
    session.all(
        "SELECT path, path_exact, bytes, modified_ns FROM track WHERE audio_key = ?1 AND state <> 'vanished'",
        values![key],
        |row| Ok((row.path(0)?, row.get::<i64>(2)? as u64, row.get(3)?)),
    )
}
