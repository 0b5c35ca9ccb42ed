//! Questions to a library as a face asks them: the database's tables brought together with the plain functions of
//! [`crate::library::questions`] and the fingerprints' comparisons.

mod duplicates;
mod export;
mod folders;
mod identify;
mod question;
mod short_recordings;
mod similar;

pub use duplicates::{Duplicate, Duplicates, duplicates};
pub use export::export_tracks;
pub use folders::add_folder;
pub use identify::{Identified, Identity, Way, identify};
pub use question::{sort_key, track_query};
pub use similar::{Asked, SimilarTrack, like_track, similar};

use crate::error::Result;
use crate::library::Library;

/// Tracks whose rows are read at a time.
const ROWS_AT_ONCE: usize = 256;

/// The paths of these tracks, in that order; empty for one that is no longer there.
fn paths(library: &Library, ids: &[i64]) -> Result<Vec<String>> {
    let mut paths = vec![String::new(); ids.len()];
    let mut at = 0;
    for part in ids.chunks(ROWS_AT_ONCE) {
        for row in library.rows(part)? {
            // Rows come in the order of the numbers, some of which may be gone.
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
