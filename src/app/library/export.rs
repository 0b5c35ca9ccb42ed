//! Exports tracks of the library to a file.

use std::path::Path;

use super::ROWS_AT_ONCE;
use crate::error::Result;
use crate::library::questions::export::{Format, TrackRow, Written, export};
use crate::library::{Library, SortKey, TrackQuery, TrackRow as LibraryRow};
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
        Ok(rows) => rows.into_iter().map(|row| Ok(exported(row))).collect(),
        Err(error) => vec![Err(error)],
    });
    export(target, format, rows, overwrite, &[library.path().to_path_buf()], progress)
}

fn exported(row: LibraryRow) -> TrackRow {
    let mut features = [None; crate::features::dimensions::COUNT];
    features.iter_mut().zip(row.features).for_each(|(to, value)| *to = value);
    let state = serde_json::to_value(row.state).ok().and_then(|state| state.as_str().map(str::to_owned));
    TrackRow {
        id: row.id,
        path: row.path,
        title: row.title,
        artist: row.artist,
        album: row.album,
        album_artist: row.album_artist,
        genre: row.genre,
        year: row.year,
        track_no: row.track_no,
        duration_s: row.duration_s,
        rate_hz: row.rate_hz.map(i64::from),
        channels: row.channels.map(i64::from),
        format: row.format,
        codec: row.codec,
        bit_rate: row.bit_rate,
        bits: row.bits.map(i64::from),
        bandwidth_hz: row.bandwidth_hz,
        key: row.key,
        added_at: Some(row.added_at),
        state,
        features,
    }
}
