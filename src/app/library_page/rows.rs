//! Converts rows of the library to the form that the window shows.

use std::collections::HashMap;
use std::path::Path;

use crate::app::api::{LibraryTrackState, OriginKind, OriginView, TrackItem};
use crate::app::excerpt::{PAGE_CHARACTERS, ROW_CHARACTERS, excerpt};
use crate::audio::is_lossless;
use crate::error::Result;
use crate::library::questions::encodings::{Origin, verdict};
use crate::library::{Library, TrackRow, TrackState};

/// Converts a row and shortens its texts.
pub fn item(row: TrackRow) -> TrackItem {
    let path = Path::new(&row.path);
    let cell = |text: Option<String>| text.map(|text| excerpt(&text, ROW_CHARACTERS));
    TrackItem {
        id: row.id,
        name: name_of(&row.path),
        folder: path.parent().map_or_else(String::new, |folder| folder.display().to_string()),
        state: state(row.state),
        reason: row.reason.map(|reason| excerpt(&reason, PAGE_CHARACTERS)),
        title: cell(row.title),
        artist: cell(row.artist),
        album: cell(row.album),
        album_artist: cell(row.album_artist),
        genre: cell(row.genre),
        year: row.year,
        track_no: row.track_no,
        disc_no: row.disc_no,
        duration_s: row.duration_s,
        rate_hz: row.rate_hz,
        channels: row.channels,
        format: cell(row.format),
        codec: cell(row.codec),
        bit_rate: row.bit_rate,
        bits: row.bits,
        bandwidth_hz: row.bandwidth_hz,
        key: cell(row.key),
        bytes: row.bytes,
        added_at: row.added_at,
        cover: row.cover,
        features: row.features,
    }
}

/// Returns the file name in a displayed path.
pub fn name_of(path: &str) -> String {
    let path = Path::new(path);
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Returns the rows of these tracks by ID; tracks that no longer exist are missing.
///
/// # Errors
/// Returns [`crate::Error::Stored`] if the library cannot be read.
pub fn rows_by_id(library: &Library, ids: &[i64]) -> Result<HashMap<i64, TrackRow>> {
    Ok(library.rows(ids)?.into_iter().map(|row| (row.id, row)).collect())
}

/// Returns what the bandwidth of a file with a lossless codec says about its origin; `None` for lossy codecs or without
/// a measured bandwidth.
pub fn origin(row: &TrackRow) -> Option<OriginView> {
    let measured = row.bandwidth.filter(|_| row.codec.as_deref().is_some_and(is_lossless))?;
    let verdict = verdict(Some(&measured));
    let origin = match verdict.origin {
        Origin::Genuine => OriginKind::Genuine,
        Origin::LikelyTranscoded => OriginKind::LikelyTranscoded,
        Origin::LikelyUpsampled => OriginKind::LikelyUpsampled,
        Origin::CannotTell => OriginKind::CannotTell,
    };
    Some(OriginView { origin, confidence: verdict.confidence, reasons: verdict.reasons })
}

fn state(state: TrackState) -> LibraryTrackState {
    match state {
        TrackState::Waiting => LibraryTrackState::Waiting,
        TrackState::Analysing => LibraryTrackState::Analysing,
        TrackState::Done => LibraryTrackState::Done,
        TrackState::Failed => LibraryTrackState::Failed,
        TrackState::Vanished => LibraryTrackState::Vanished,
    }
}
