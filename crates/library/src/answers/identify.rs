//! Identifies the track of the library that a clip comes from.
//!
//! The clip's landmarks are looked up in an index of all tracks' landmarks, and each candidate is verified on all
//! peaks. This recognises clips despite noise and changes of speed. Chromaprint items do the same for clean clips of at
//! least six seconds. The index of a small library is made in memory for each clip; a large library has its index on
//! disk.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use rayon::prelude::*;
use serde::Serialize;

use super::{paths, stored_index};
use crate::{Library, TrackFingerprints};
use analysis::fingerprint::Fingerprints;
use analysis::fingerprint::chromaprint::{SILENCE, best_alignment};
use analysis::fingerprint::landmark::{Candidate, Index, Landmarks, TrackVersion, verify};
use base::declared::TS;
use base::error::{Error, Result};
use base::progress::Progress;

/// The greatest number of tracks whose index is made in memory: it finds a little more, and takes some seconds at most.
const IN_MEMORY: usize = 1000;
/// The number of tracks in one index in memory, about 0.8 GB.
const TRACKS_AT_ONCE: usize = 50_000;
/// The number of tracks whose fingerprints are read at a time.
const READ_AT_ONCE: usize = 64;
/// The number of tracks that share the most values with a clip and are compared with it.
const SHARING: usize = 256;

/// The number of index candidates to verify. More candidates find more noisy clips in large libraries, but also give
/// more wrong matches for clips of tracks that the library does not have (`benches/NOTES.md`).
const CANDIDATES: usize = 32;
/// The number of leading bits of a Chromaprint item by which tracks are proposed, and the number of such values that a
/// track must share with the clip.
const PROPOSING_BITS: u32 = 20;
const MIN_SHARED: usize = 2;
/// The lowest accepted score of an alignment of Chromaprint items.
const MIN_SCORE: f64 = 0.55;

/// How a track was recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// By its landmarks.
    Landmarks,
    /// By its Chromaprint items.
    Chromaprint,
}

/// A track that matches a clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Identity {
    /// The track's ID.
    pub id: i64,
    /// The path of its file.
    pub path: String,
    /// How it was recognised.
    pub by: Way,
    /// The position and speed of the clip in the track.
    #[serde(flatten)]
    pub place: ClipPlace,
}

/// The position and speed of a clip in a track.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct ClipPlace {
    /// The similarity: 1 for identical, 0 for no more similar than two unrelated recordings.
    pub score: f64,
    /// The position in the track at which the clip begins, in seconds.
    pub offset_s: f64,
    /// The duration of the clip's part that is in the track, in seconds.
    pub overlap_s: f64,
    /// The speed of the clip relative to the track.
    pub speed: f64,
    /// The pitch of the clip relative to the track, in semitones.
    pub pitch_semitones: f64,
}

/// The result of identifying a clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Identified {
    /// Matching tracks, best first.
    pub tracks: Vec<Identity>,
    /// The number of tracks that were searched.
    pub asked: usize,
    /// The number of tracks whose landmarks could not be searched, because they are of another version; a scan updates
    /// them. Their Chromaprint items are searched.
    pub outdated: usize,
}

/// Returns at most `count` tracks that match a clip, given its fingerprints.
pub fn identify(library: &Library, clip: &Fingerprints, count: usize, progress: &Progress) -> Result<Identified> {
    let tracks = stored_index::versions(library)?;
    if tracks.len() > IN_MEMORY {
        match by_index(library, &tracks, clip, count, progress) {
            // If the index cannot be stored or read, the whole library is read instead, which takes longer.
            Err(error @ (Error::Io { .. } | Error::Malformed { .. })) => tracing::warn!("{error}"),
            answer => return answer,
        }
    }
    by_reading(library, clip, count, TRACKS_AT_ONCE, progress)
}

/// Identifies a clip with the index on disk.
fn by_index(
    library: &Library,
    tracks: &[TrackVersion],
    clip: &Fingerprints,
    count: usize,
    progress: &Progress,
) -> Result<Identified> {
    let (index, (proposed, sharing)) = stored_index::ask(library, tracks, progress, |index| {
        let proposed = index.candidates(&clip.landmarks, CANDIDATES)?;
        Ok((proposed, index.sharing(&clip.chromaprint, MIN_SHARED as u32, SHARING)?))
    })?;
    let mut found: Vec<Identity> = Vec::new();
    for part in sharing.chunks(READ_AT_ONCE) {
        progress.check()?;
        let tracks = library.fingerprints_of(part)?;
        found
            .par_extend(tracks.par_iter().filter_map(|track| aligned(track.id, &clip.chromaprint, &track.chromaprint)));
    }
    found.extend(verified(library, clip, &proposed, progress)?);
    let mut answer = Identified { tracks: Vec::new(), asked: index.len(), outdated: index.outdated() };
    answer.tracks = best(library, found, count)?;
    Ok(answer)
}

/// Identifies a clip by reading the whole library, `at_once` tracks at a time.
fn by_reading(
    library: &Library,
    clip: &Fingerprints,
    count: usize,
    at_once: usize,
    progress: &Progress,
) -> Result<Identified> {
    let value = |item: u32| item >> (u32::BITS - PROPOSING_BITS);
    let values: HashSet<u32> =
        clip.chromaprint.iter().filter(|&&item| item != SILENCE).map(|&item| value(item)).collect();
    let mut answer = Identified::default();
    let mut found: Vec<Identity> = Vec::new();
    let mut proposed: Vec<(i64, Candidate)> = Vec::new();
    let mut index = Index::default();
    let mut ids: Vec<i64> = Vec::new();
    let mut propose = |index: &mut Index, ids: &mut Vec<i64>| {
        let mut full = std::mem::take(index);
        full.settle();
        let candidates_of_part = full.candidates(&clip.landmarks, CANDIDATES);
        proposed.extend(candidates_of_part.into_iter().map(|candidate| (ids[candidate.track as usize], candidate)));
        ids.clear();
    };
    library.for_each_fingerprint(|id, _, chromaprint, landmarks| {
        progress.check()?;
        answer.asked += 1;
        let track_values: HashSet<u32> = chromaprint.iter().map(|&item| value(item)).collect();
        if values.intersection(&track_values).count() >= MIN_SHARED {
            found.extend(aligned(id, &clip.chromaprint, chromaprint));
        }
        match Landmarks::from_bytes(landmarks) {
            Ok(landmarks) => {
                index.add(ids.len() as u32, &landmarks)?;
                ids.push(id);
            }
            Err(_) => answer.outdated += 1,
        }
        if ids.len() == at_once {
            propose(&mut index, &mut ids);
        }
        Ok(())
    })?;
    propose(&mut index, &mut ids);
    // The sort is stable, and tracks come in the order of their IDs.
    proposed.sort_by_key(|(_, candidate)| Reverse(candidate.votes));
    proposed.truncate(CANDIDATES);
    // The landmarks of all tracks would not fit in memory, so those of the candidates are read again.
    found.extend(verified(library, clip, &proposed, progress)?);
    answer.tracks = best(library, found, count)?;
    Ok(answer)
}

/// Verifies candidates on all peaks.
fn verified(
    library: &Library,
    clip: &Fingerprints,
    proposed: &[(i64, Candidate)],
    progress: &Progress,
) -> Result<Vec<Identity>> {
    let mut found = Vec::new();
    for part in proposed.chunks(READ_AT_ONCE) {
        progress.check()?;
        let candidates: HashMap<i64, &Candidate> = part.iter().map(|(id, candidate)| (*id, candidate)).collect();
        let ids: Vec<i64> = part.iter().map(|(id, _)| *id).collect();
        let verified = |track: &TrackFingerprints| {
            let landmarks = Landmarks::from_bytes(&track.landmarks).ok()?;
            verified_one(track.id, &clip.landmarks, &landmarks, candidates.get(&track.id)?)
        };
        found.par_extend(library.fingerprints_of(&ids)?.par_iter().filter_map(verified));
    }
    Ok(found)
}

fn aligned(id: i64, clip: &[u32], track: &[u32]) -> Option<Identity> {
    let found = best_alignment(clip, track).filter(|found| found.score >= MIN_SCORE)?;
    Some(Identity {
        id,
        path: String::new(),
        by: Way::Chromaprint,
        place: ClipPlace {
            score: found.score,
            offset_s: found.offset_s,
            overlap_s: found.overlap_s,
            speed: 1.0,
            pitch_semitones: 0.0,
        },
    })
}

fn verified_one(id: i64, clip: &Landmarks, track: &Landmarks, candidate: &Candidate) -> Option<Identity> {
    let found = verify(clip, track, candidate)?;
    Some(Identity {
        id,
        path: String::new(),
        by: Way::Landmarks,
        place: ClipPlace {
            score: found.score,
            offset_s: found.offset_s,
            overlap_s: found.overlap_s,
            // The match gives the speed of the track relative to the clip.
            speed: 1.0 / found.speed,
            pitch_semitones: -found.pitch_semitones,
        },
    })
}

/// Returns the best match of each track, sorted by score times overlap, best first.
fn best(library: &Library, mut found: Vec<Identity>, count: usize) -> Result<Vec<Identity>> {
    let weight = |identity: &Identity| identity.place.score * identity.place.overlap_s;
    found.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.id.cmp(&b.id)));
    let mut seen = HashSet::new();
    found.retain(|identity| seen.insert(identity.id));
    found.truncate(count);
    let paths = paths(library, &found.iter().map(|track| track.id).collect::<Vec<_>>())?;
    found.iter_mut().zip(paths).for_each(|(track, path)| track.path = path);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, params};

    use super::*;
    use analysis::fingerprint::landmark::Peak;

    /// Returns random peaks, 15 a second for half a minute.
    fn landmarks(seed: u32) -> Landmarks {
        let mut state = u64::from(seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut next = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) % below
        };
        let peak = |_| Peak { time: next(5168) as u32, place: next(1152) as u16, strength: next(32) as u8 };
        let mut peaks: Vec<Peak> = (0..450).map(peak).collect();
        peaks.sort_unstable();
        peaks.dedup_by_key(|peak| (peak.time, peak.place));
        Landmarks { peaks, length: 5168 }
    }

    #[test]
    fn reading_in_parts_finds_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("library.sqlite");
        let (library, _) = Library::open(&path).unwrap();
        let database = Connection::open(&path).unwrap();
        let root = "INSERT INTO root (path, path_exact, added_at) VALUES ('/music', x'', 0)";
        database.execute(root, []).unwrap();
        for id in 1..=40 {
            let track = "INSERT INTO track (id, root, path, path_exact, bytes, modified_ns, state, added_at)
                         VALUES (?1, 1, ?1, x'', 1, 1, 'done', 1)";
            database.execute(track, [id]).unwrap();
            let fingerprint = "INSERT INTO fingerprint (track_id, chromaprint, landmarks) VALUES (?1, x'', ?2)";
            // Tracks 7 and 23 are the same.
            let landmarks = landmarks(if id == 23 { 7 } else { id }).to_bytes();
            database.execute(fingerprint, params![id, landmarks]).unwrap();
        }
        for wanted in [7, 12, 99] {
            let clip = Fingerprints { chromaprint: Vec::new(), landmarks: landmarks(wanted) };
            let ask = |at_once| by_reading(&library, &clip, 5, at_once, &Progress::new()).unwrap();
            let whole = ask(1000);
            let found: Vec<i64> = whole.tracks.iter().map(|track| track.id).collect();
            let expected: &[i64] = match wanted {
                7 => &[7, 23],
                12 => &[12],
                _ => &[],
            };
            assert_eq!((found.as_slice(), whole.asked), (expected, 40));
            for at_once in [1, 7, 39, 40] {
                assert_eq!(ask(at_once), whole, "{at_once} at once");
            }
        }
    }
}
