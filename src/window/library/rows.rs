//! Converts rows of the library to the form that the window shows.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::types::TrackItem;
use crate::audio::is_lossless;
use crate::error::Result;
use crate::library::encodings::{Verdict, verdict};
use crate::library::{Library, TrackRow};
use crate::window::excerpt::{PAGE_CHARACTERS, ROW_CHARACTERS, excerpt};
use crate::window::workspace::open_document::file_name;

/// Converts a row and shortens its texts.
pub fn item(mut row: TrackRow) -> TrackItem {
    let path = PathBuf::from(std::mem::take(&mut row.path));
    let shorten = |text: &mut Option<String>, limit| *text = text.take().map(|text| excerpt(&text, limit));
    shorten(&mut row.reason, PAGE_CHARACTERS);
    for text in [
        &mut row.title,
        &mut row.artist,
        &mut row.album,
        &mut row.album_artist,
        &mut row.genre,
        &mut row.format,
        &mut row.codec,
        &mut row.key,
    ] {
        shorten(text, ROW_CHARACTERS);
    }
    TrackItem {
        name: file_name(&path),
        folder: path.parent().map_or_else(String::new, |folder| folder.display().to_string()),
        row,
    }
}

/// Returns the file name in a displayed path.
pub fn name_of(path: &str) -> String {
    let path = Path::new(path);
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Returns the rows of these tracks by ID; tracks that no longer exist are missing.
pub fn rows_by_id(library: &Library, ids: &[i64]) -> Result<HashMap<i64, TrackRow>> {
    Ok(library.rows(ids)?.into_iter().map(|row| (row.id, row)).collect())
}

/// Returns the origin that the bandwidth of a file with a lossless codec suggests; `None` for lossy codecs or without a
/// measured bandwidth.
pub fn origin(row: &TrackRow) -> Option<Verdict> {
    let measured = row.bandwidth.filter(|_| row.codec.as_deref().is_some_and(is_lossless))?;
    Some(verdict(Some(&measured)))
}
