//! The index of landmarks beside a library, and how it is kept up to date.

use std::path::PathBuf;

use crate::Library;
use analysis::fingerprint::landmark::{StoredIndex, TrackContent, TrackVersion};
use base::error::{Error, Result};
use base::progress::Progress;

/// The suffix appended to the name of the database.
const SUFFIX: &str = ".index";

/// Returns the folder of a library's index. Its contents can be computed again.
pub fn index_folder(library: &Library) -> PathBuf {
    let mut name = library.path().file_name().unwrap_or_default().to_os_string();
    name.push(SUFFIX);
    library.path().with_file_name(name)
}

/// Returns the versions of all analysed tracks.
pub(super) fn versions(library: &Library) -> Result<Vec<TrackVersion>> {
    Ok(library.versions()?.into_iter().map(|(id, stamp)| TrackVersion { id, stamp }).collect())
}

/// Answers a question with the index, which is first updated to `tracks`. If the index turns out to be damaged, it is
/// rebuilt once.
pub(super) fn ask<T>(
    library: &Library,
    tracks: &[TrackVersion],
    progress: &Progress,
    question: impl Fn(&StoredIndex) -> Result<T>,
) -> Result<(StoredIndex, T)> {
    let folder = index_folder(library);
    let current = StoredIndex::open(&folder).ok().flatten().filter(|index| index.is_of(tracks));
    let index = match current {
        Some(index) => index,
        None => updated(library, tracks, progress)?,
    };
    match question(&index) {
        Err(Error::Malformed { reason, path }) => {
            tracing::warn!("{reason}; it is made anew: {}", path.display());
            StoredIndex::discard(&folder, progress)?;
            let index = updated(library, tracks, progress)?;
            question(&index).map(|answer| (index, answer))
        }
        answer => answer.map(|answer| (index, answer)),
    }
}

fn updated(library: &Library, tracks: &[TrackVersion], progress: &Progress) -> Result<StoredIndex> {
    let read = |ids: &[i64]| {
        let found = library.fingerprints_of(ids)?.into_iter();
        Ok(found
            .map(|track| TrackContent { id: track.id, chromaprint: track.chromaprint, landmarks: track.landmarks })
            .collect())
    };
    StoredIndex::update(&index_folder(library), tracks, read, progress)
}
