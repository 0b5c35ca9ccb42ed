//! Finds candidate pairs among short recordings, for which neither Chromaprint items nor sketches are reliable.
//!
//! If there are few very short recordings, all their pairs are candidates. For other short recordings, and if there are
//! many, the triples of all landmarks are looked up in a separate index, which misses some recordings with few
//! landmarks.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::Library;
use analysis::fingerprint::landmark::{Index, Landmarks, SHORT_S};
use base::error::Result;
use base::progress::Progress;

/// The longest duration of a very short recording, in seconds.
pub(super) const VERY_SHORT_S: f64 = 8.0;
/// The largest number of very short recordings for which all pairs are compared: half a million pairs, less than 0.1 ms
/// each.
const ALL_PAIRS_OF: usize = 1000;
/// The number of candidates that the index proposes for each recording.
const PROPOSED: usize = 32;

/// Candidate pairs, and the data for comparing them.
pub(super) struct Short {
    /// Pairs of track indices, the lower one first.
    pub pairs: Vec<(usize, usize)>,
    /// Cached landmarks of very short recordings by track ID, because each is part of many pairs.
    landmarks: HashMap<i64, Arc<Landmarks>>,
}

/// Finds candidate pairs among the short recordings in `tracks`, which gives IDs and durations in seconds.
pub(super) fn candidates(library: &Library, tracks: &[(i64, f64)], progress: &Progress) -> Result<Short> {
    let up_to = |seconds: f64| (0..tracks.len()).filter(move |&track| tracks[track].1 <= seconds).collect();
    let short: Vec<usize> = up_to(SHORT_S);
    let very_short: Vec<usize> = up_to(VERY_SHORT_S);
    let has_few = very_short.len() <= ALL_PAIRS_OF;
    let mut found = Short { pairs: Vec::new(), landmarks: HashMap::new() };
    let mut index = Index::default();
    for &track in &short {
        progress.check()?;
        let (id, seconds) = tracks[track];
        if let Some(landmarks) = landmarks(library, id)? {
            index.add(track as u32, &landmarks)?;
            if has_few && seconds <= VERY_SHORT_S {
                found.landmarks.insert(id, Arc::new(landmarks));
            }
        }
    }
    index.settle();
    let proposed: Vec<Vec<(usize, usize)>> = short
        .into_par_iter()
        .map(|track| {
            progress.check()?;
            let Some(landmarks) = found.landmarks(library, tracks[track].0)? else { return Ok(Vec::new()) };
            let others = index.candidates_among(&landmarks, PROPOSED, |other| other as usize != track);
            Ok(others.iter().map(|other| (track.min(other.track as usize), track.max(other.track as usize))).collect())
        })
        .collect::<Result<_>>()?;
    found.pairs.extend(proposed.into_iter().flatten());
    if has_few {
        let with_later = |(place, &track): (usize, &usize)| -> Vec<(usize, usize)> {
            very_short[place + 1..].iter().map(|&later| (track, later)).collect()
        };
        found.pairs.extend(very_short.iter().enumerate().flat_map(with_later));
    }
    Ok(found)
}

impl Short {
    /// Returns a track's landmarks; `None` if they are of another version, until a scan updates them.
    pub fn landmarks(&self, library: &Library, id: i64) -> Result<Option<Arc<Landmarks>>> {
        match self.landmarks.get(&id) {
            Some(kept) => Ok(Some(Arc::clone(kept))),
            None => Ok(landmarks(library, id)?.map(Arc::new)),
        }
    }
}

fn landmarks(library: &Library, id: i64) -> Result<Option<Landmarks>> {
    Ok(library.landmarks(id)?.and_then(|bytes| Landmarks::from_bytes(&bytes).ok()))
}
