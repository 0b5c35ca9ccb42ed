//! Whether a file is the only copy of a track.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use super::Library;
use super::files::stamp;
use super::stored_path::StoredPath;
use crate::error::Result;

/// A track: its path, and the key that exact copies share once they are analysed.
type Candidate = (PathBuf, Option<[u8; 32]>);

impl Library {
    /// Returns whether the file at `path` is a track of the library without an exact copy elsewhere, by whatever name or
    /// link the path leads to it. A copy counts if it is another file, on disk, and unchanged since its analysis. A
    /// track that was never analysed has no known copies.
    ///
    /// # Errors
    /// [`crate::Error::Stored`].
    pub fn is_only_copy(&self, path: &Path) -> Result<bool> {
        let Ok(metadata) = std::fs::metadata(path) else { return Ok(false) };
        let same = |other: &Path| same_file::is_same_file(path, other).unwrap_or(false);
        let mut names: Vec<PathBuf> = std::path::absolute(path).into_iter().chain(path.canonicalize()).collect();
        names.dedup();
        let mut tracks = self.store.read(|database| with_stamp(database, stamp(&metadata)))?;
        for name in names {
            tracks.extend(self.store.read(|database| at(database, &name))?);
        }
        // A link to the file may be a track too.
        let tracks: Vec<Candidate> = tracks.into_iter().filter(|(other, _)| same(other)).collect();
        let Some(key) = tracks.iter().map(|(_, key)| *key).max() else { return Ok(false) };
        let Some(key) = key else { return Ok(true) };
        let copies = self.store.read(|database| with_key(database, &key))?;
        let is_kept = |(other, bytes, modified_ns): &(PathBuf, u64, i64)| {
            std::fs::metadata(other).is_ok_and(|found| stamp(&found) == (*bytes, *modified_ns)) && !same(other)
        };
        Ok(!copies.iter().any(is_kept))
    }
}

fn path(text: String, exact: Vec<u8>) -> PathBuf {
    StoredPath { text, exact }.into_path()
}

fn candidate(row: &rusqlite::Row) -> rusqlite::Result<Candidate> {
    Ok((path(row.get(0)?, row.get(1)?), row.get(2)?))
}

fn with_stamp(database: &Connection, (bytes, modified_ns): (u64, i64)) -> rusqlite::Result<Vec<Candidate>> {
    database
        .prepare_cached(
            "SELECT path, path_exact, audio_key FROM track
             WHERE bytes = ?1 AND modified_ns = ?2 AND state <> 'vanished'",
        )?
        .query_map(params![bytes as i64, modified_ns], candidate)?
        .collect()
}

fn at(database: &Connection, name: &Path) -> rusqlite::Result<Vec<Candidate>> {
    let stored = StoredPath::from(name);
    database
        .prepare_cached(
            "SELECT path, path_exact, audio_key FROM track
             WHERE path = ?1 AND path_exact = ?2 AND state <> 'vanished'",
        )?
        .query_map(params![stored.text, stored.exact], candidate)?
        .collect()
}

fn with_key(database: &Connection, key: &[u8; 32]) -> rusqlite::Result<Vec<(PathBuf, u64, i64)>> {
    database
        .prepare_cached(
            "SELECT path, path_exact, bytes, modified_ns FROM track WHERE audio_key = ?1 AND state <> 'vanished'",
        )?
        .query_map([key], |row| Ok((path(row.get(0)?, row.get(1)?), row.get::<_, i64>(2)? as u64, row.get(3)?)))?
        .collect()
}
