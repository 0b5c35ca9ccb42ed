//! Exports tracks of the library to a file.

use std::path::Path;

use super::ROWS_AT_ONCE;
use crate::error::Result;
use crate::library::questions::export::{Format, Written, export};
use crate::library::{Library, SortKey, TrackQuery};
use crate::progress::Progress;

/// Writes the tracks that match a query, sorted by path. Progress counts tracks.
///
/// # Errors
/// Returns [`crate::Error::Invalid`] for an invalid query, [`crate::Error::Stored`] if the library cannot be read, and
/// any error of writing.
pub fn export_tracks(
    library: &Library,
    query: &TrackQuery,
    target: &Path,
    format: Format,
    overwrite: bool,
    progress: &Progress,
) -> Result<Written> {
    let ids = library.track_ids(query, &[SortKey::up("path")])?;
    progress.set_total(ids.len() as u64);
    let rows = ids.chunks(ROWS_AT_ONCE).flat_map(|part| match library.rows(part) {
        Ok(rows) => rows.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    });
    export(target, format, rows, overwrite, &[library.path().to_path_buf()], progress)
}
