//! Which short recordings may be the same: of so few seconds neither Chromaprint items nor sketches say enough.
//!
//! Very short ones are all compared with one another while there are few. Of others, and of more, the triples of all
//! landmarks are looked up in an index of their own, which misses some that have few landmarks.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::error::Result;
use crate::fingerprint::landmark::{Index, Landmarks, SHORT_S};
use crate::library::Library;
use crate::progress::Progress;

/// A recording of at most so many seconds is very short.
pub(super) const VERY_SHORT_S: f64 = 8.0;
/// Very short recordings of which all pairs are compared: half a million pairs, less than 0.1 ms each.
const ALL_PAIRS_OF: usize = 1000;
/// Recordings that the index proposes for each.
const PROPOSED: usize = 32;

/// What may be the same, and what is needed to say whether it is.
pub(super) struct Short {
    /// Pairs of places, the lower first.
    pub pairs: Vec<(usize, usize)>,
    /// Landmarks, by tracks' numbers, of those whose pairs are many.
    landmarks: HashMap<i64, Arc<Landmarks>>,
}

/// Short ones among `tracks`, their numbers and lengths in seconds.
///
/// # Errors
/// [`crate::Error::Stored`], [`crate::Error::Cancelled`].
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
    /// A track's landmarks; none where they are of another version, which a scan brings up to date.
    ///
    /// # Errors
    /// [`crate::Error::Stored`].
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
