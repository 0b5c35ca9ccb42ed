//! Exports tracks of the library to a file.

use std::path::Path;

use super::ROWS_AT_ONCE;
use crate::questions::export::{Format, Program, TaggedTrack, WrittenTracks, export, export_for};
use crate::{Library, SortKey, TrackQuery};
use base::error::Result;
use base::progress::Progress;

/// Writes the tracks that match a query, sorted by path. Progress counts tracks.
pub fn export_tracks(
    library: &Library,
    query: &TrackQuery,
    target: &Path,
    format: Format,
    overwrite: bool,
    progress: &Progress,
) -> Result<WrittenTracks> {
    let ids = library.track_ids(query, &[SortKey::up("path")])?;
    progress.set_total(ids.len() as u64);
    let rows = ids.chunks(ROWS_AT_ONCE).flat_map(|part| match library.rows(part) {
        Ok(rows) => rows.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    });
    export(target, format, rows, overwrite, &[library.path().to_path_buf()], progress)
}

/// Writes the tracks that match a query in another program's format, sorted by path. Progress counts tracks.
///
/// # Errors
/// [`crate::Error::Invalid`] for a format that the export does not support.
pub fn export_tracks_for(
    library: &Library,
    query: &TrackQuery,
    target: &Path,
    (program, format): (Program, Format),
    overwrite: bool,
    progress: &Progress,
) -> Result<WrittenTracks> {
    let ids = library.track_ids(query, &[SortKey::up("path")])?;
    progress.set_total(ids.len() as u64);
    let part = |ids: &[i64]| -> Result<Vec<TaggedTrack>> {
        let rows = library.rows(ids)?;
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        Ok(rows.into_iter().zip(library.tags(&ids)?).map(|(row, tags)| TaggedTrack { row, tags }).collect())
    };
    let tracks = ids.chunks(ROWS_AT_ONCE).flat_map(|ids| match part(ids) {
        Ok(tracks) => tracks.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    });
    export_for(target, (program, format), tracks, overwrite, &[library.path().to_path_buf()], progress)
}
