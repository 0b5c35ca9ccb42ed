//! Answers to questions about a whole library: the database's tables with the pure functions of [`crate::questions`] and
//! the comparison of fingerprints.

mod duplicates;
mod export;
mod folders;
mod here;
mod identify;
mod only_copies;
mod playlists;
mod question;
mod short_recordings;
mod similar;
mod stored_index;
mod tags;

pub use duplicates::{Duplicate, Duplicates, duplicates, duplicates_of_many};
pub use export::{export_tracks, export_tracks_for};
pub use folders::add_folder;
pub use here::{missing_folder, track_here};
pub use identify::{ClipPlace, Identified, Identity, Way, identify};
pub use only_copies::{only_copies, only_copies_at};
pub use playlists::{Playlist, PlaylistChoice, PlaylistTarget, PlaylistWish, playlist, write_playlist};
pub use question::{TrackScope, track_query};
pub use similar::{SimilarTrack, SimilarityReference, like_track, similar};
pub use stored_index::index_folder;
pub use tags::{TagCounts, TagFile, TagOutcome, TagReport, TagWish, preview_tags, undo_tags, write_tags};

use crate::Library;
use base::error::Result;

/// The number of tracks whose rows are read at a time.
const ROWS_AT_ONCE: usize = 256;

/// Returns the paths of these tracks in the same order; empty for tracks that no longer exist.
fn paths(library: &Library, ids: &[i64]) -> Result<Vec<String>> {
    let mut paths = vec![String::new(); ids.len()];
    let mut at = 0;
    for part in ids.chunks(ROWS_AT_ONCE) {
        for row in library.rows(part)? {
            // Rows are in the order of `ids`, but some may be missing.
            while at < ids.len() && ids[at] != row.id {
                at += 1;
            }
            if let Some(path) = paths.get_mut(at) {
                *path = row.path;
            }
            at += 1;
        }
    }
    Ok(paths)
}
