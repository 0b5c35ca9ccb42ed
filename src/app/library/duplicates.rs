//! Finds tracks of the library that are the same recording.
//!
//! Candidate pairs come from stored Chromaprint items and landmarks, and exact copies from audio keys. A pair is
//! compared by its Chromaprint items. If these do not agree, for example after a change of speed, and the sketches are
//! similar, it is compared by its landmarks; recordings of a few seconds are always compared by their landmarks. The
//! landmarks of all tracks would not fit in memory, so candidates are found by sketches, and a pair's landmarks are
//! read when it is compared.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use rayon::prelude::*;
use serde::Serialize;

use super::paths;
use super::short_recordings::{self, Short, VERY_SHORT_S};
use crate::error::{Error, Result};
use crate::fingerprint::chromaprint::{ITEM_S, SPAN_S, best_alignment};
use crate::fingerprint::landmark::{self, Landmarks, SHORT_S, Sketch, Sketches};
use crate::library::questions::duplicates::{
    Agreement, CandidateSettings, Settings, Tracks, find, fingerprint_candidates,
};
use crate::library::{Decision, Identity, Library, NewSketch};
use crate::progress::Progress;

/// The shortest duration, in seconds, for which a sketch is reliable among many.
const MIN_SKETCHED_S: f64 = 30.0;
/// The lowest score of verified landmarks: whatever landmarks verify is the same recording.
const MIN_LANDMARK_SCORE: f64 = 0.25;

/// A track of a group of duplicates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Duplicate {
    /// The track's ID.
    pub id: i64,
    /// The path of its file.
    pub path: String,
    /// How it matches the first track of the group, the reference.
    #[serde(flatten)]
    pub agreement: Agreement,
    /// Whether its audio is bit-identical to the reference or to an earlier track of the group.
    pub exact: bool,
    /// The key that identifies its audio; equal for exact copies.
    #[serde(skip)]
    pub audio_key: Option<[u8; 32]>,
}

/// The result of a search for duplicates.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Duplicates {
    /// Groups of two or more tracks: the reference first, then the best matches.
    pub groups: Vec<Vec<Duplicate>>,
    /// The number of tracks that were searched.
    pub tracks: usize,
    /// The number of pairs that were compared.
    pub compared: usize,
}

/// The data of a track for the search.
struct Known {
    id: i64,
    duration_s: f64,
    chromaprint: Vec<u32>,
    compared_s: f64,
}

/// Finds all groups of tracks that are the same recording. Pairs that the user marked as different stay apart. Progress
/// counts tracks read, tracks whose sketches were compared, items, then comparisons.
///
/// # Errors
/// Returns [`Error::Stored`] if the library cannot be read, [`Error::Limit`] for more than a million tracks, and
/// [`Error::Cancelled`].
pub fn duplicates(library: &Library, progress: &Progress) -> Result<Duplicates> {
    let mut known: Vec<Known> = Vec::new();
    let mut sketches = Sketches::new(&landmark::CandidateSettings::default())?;
    library.for_each_identity(|part| {
        let own = sketched(library, &part)?;
        sketches.add(&own, std::clone::Clone::clone, progress)?;
        known.extend(part.into_iter().map(Known::from));
        Ok(())
    })?;
    // Recordings changed in speed, pitch or tempo match only by their landmarks.
    let mut candidates = sketches.candidates(progress)?;
    let keys: HashMap<i64, [u8; 32]> = library.audio_keys()?.into_iter().collect();
    let content: Vec<Option<[u8; 32]>> = known.iter().map(|track| keys.get(&track.id).copied()).collect();
    let compared_s: Vec<f64> = known.iter().map(|track| track.compared_s).collect();
    let lengths: Vec<(i64, f64)> = known.iter().map(|track| (track.id, track.duration_s)).collect();
    let short = short_recordings::candidates(library, &lengths, progress)?;
    candidates.extend(&short.pairs);
    let fingerprints: Vec<&[u32]> = known.iter().map(|track| track.chromaprint.as_slice()).collect();
    let by_items = fingerprint_candidates(&fingerprints, &CandidateSettings::default(), progress)?;
    // Unrelated tracks occasionally share items. Reading and comparing the landmarks of each such pair would take most
    // of the time, although their sketches already show that they do not match.
    let alike: HashSet<(usize, usize)> = candidates.iter().copied().collect();
    let by_items_alone: HashSet<(usize, usize)> = by_items
        .iter()
        .copied()
        .filter(|&(a, b)| !alike.contains(&(a, b)) && compared_s[a].min(compared_s[b]) >= MIN_SKETCHED_S)
        .collect();
    candidates.extend(by_items);
    let apart: HashSet<(i64, i64)> = library
        .decisions()?
        .into_iter()
        .filter(|(_, _, verdict)| *verdict == Decision::Different)
        .map(|(first, second, _)| (first, second))
        .collect();
    let settings = Settings::default();
    let failed: OnceLock<Error> = OnceLock::new();
    let same = |a: usize, b: usize| {
        let with_landmarks = !by_items_alone.contains(&(a.min(b), a.max(b)));
        let (a, b) = (&known[a], &known[b]);
        let pair = (a.id.min(b.id), a.id.max(b.id));
        if apart.contains(&pair) || failed.get().is_some() {
            return None;
        }
        compared(library, &short, [a, b], with_landmarks, &settings).unwrap_or_else(|error| {
            // Only the first error is reported; later ones have the same cause.
            let _ = failed.set(error);
            None
        })
    };
    let tracks = Tracks { content: &content, compared_s: &compared_s };
    let found = find(&tracks, &candidates, same, &settings, progress)?;
    if let Some(error) = failed.into_inner() {
        return Err(error);
    }
    let ids: Vec<i64> = found.groups.iter().flat_map(|group| &group.members).map(|of| known[of.track].id).collect();
    let mut paths = paths(library, &ids)?.into_iter();
    let duplicate = |member: &crate::library::questions::duplicates::Member| Duplicate {
        id: known[member.track].id,
        path: paths.next().unwrap_or_default(),
        agreement: member.agreement,
        exact: member.exact,
        audio_key: content[member.track],
    };
    let mut duplicate = duplicate;
    let groups = found.groups.iter().map(|group| group.members.iter().map(&mut duplicate).collect()).collect();
    Ok(Duplicates { groups, tracks: known.len(), compared: found.compared })
}

/// Returns the sketches of tracks. Missing sketches, as in a library of an earlier version, are computed and stored. A
/// track whose landmarks are of another version has no sketch until a scan updates it.
///
/// # Errors
/// Returns [`Error::Stored`] if landmarks cannot be read.
fn sketched(library: &Library, tracks: &[Identity]) -> Result<Vec<Option<Sketch>>> {
    let kept = |track: &Identity| track.sketch.as_deref().and_then(|bytes| Sketch::from_bytes(bytes).ok());
    let mut sketches: Vec<Option<Sketch>> = tracks.iter().map(kept).collect();
    let missing: Vec<usize> = (0..tracks.len()).filter(|&index| sketches[index].is_none()).collect();
    let made: Vec<(usize, Sketch, NewSketch)> = missing
        .into_par_iter()
        .filter_map(|index| {
            let id = tracks[index].id;
            let landmarks = match library.landmarks(id) {
                Ok(landmarks) => landmarks?,
                Err(error) => return Some(Err(error)),
            };
            let sketch = Sketch::of(&Landmarks::from_bytes(&landmarks).ok()?);
            let new = NewSketch { id, landmarks, sketch: sketch.to_bytes() };
            Some(Ok((index, sketch, new)))
        })
        .collect::<Result<_>>()?;
    let mut new = Vec::with_capacity(made.len());
    for (index, sketch, made) in made {
        sketches[index] = Some(sketch);
        new.push(made);
    }
    // Without stored sketches the next search only takes longer.
    if let Err(error) = library.keep_sketches(&new) {
        tracing::warn!("{error}");
    }
    Ok(sketches)
}

impl From<Identity> for Known {
    fn from(Identity { id, duration_s, chromaprint, .. }: Identity) -> Self {
        let items = chromaprint.len() as f64;
        let told_s = if items > 0.0 { (items - 1.0) * ITEM_S + SPAN_S } else { 0.0 };
        Self { id, duration_s, chromaprint, compared_s: told_s.min(duration_s).max(ITEM_S) }
    }
}

/// Returns how `b` matches `a`, by Chromaprint items or, with `with_landmarks`, by landmarks.
fn compared(
    library: &Library,
    short: &Short,
    [a, b]: [&Known; 2],
    with_landmarks: bool,
    settings: &Settings,
) -> Result<Option<Agreement>> {
    let aligned = best_alignment(&a.chromaprint, &b.chromaprint).map(|found| Agreement {
        score: found.score,
        // An item covers more than its own step.
        overlap_s: found.overlap_s - ITEM_S + SPAN_S,
        offset_s: found.offset_s,
        speed: 1.0,
    });
    let shorter_s = a.compared_s.min(b.compared_s);
    let is_enough = |found: &Agreement| found.score >= settings.score && found.overlap_s >= settings.share * shorter_s;
    if !with_landmarks || aligned.as_ref().is_some_and(is_enough) {
        return Ok(aligned);
    }
    let longer_s = a.duration_s.max(b.duration_s);
    let both = [short.landmarks(library, a.id)?, short.landmarks(library, b.id)?];
    let [Some(a), Some(b)] = both else { return Ok(aligned) };
    let mut found = if longer_s <= SHORT_S { landmark::compare_short(&a, &b) } else { None };
    if found.is_none() && longer_s > VERY_SHORT_S && landmark::resemble(&a, &b) {
        found = landmark::compare(&a, &b);
    }
    let by_landmarks = found.map(|found| Agreement {
        score: score_of_landmarks(found.score, settings.score),
        overlap_s: found.overlap_s,
        offset_s: found.offset_s,
        speed: found.speed,
    });
    Ok(by_landmarks.or(aligned))
}

/// Maps a landmark score to the scale of duplicates: the lowest verified landmark score becomes the lowest accepted
/// one.
fn score_of_landmarks(score: f64, least: f64) -> f64 {
    least + (1.0 - least) * ((score - MIN_LANDMARK_SCORE) / (1.0 - MIN_LANDMARK_SCORE)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_landmarks_verify_counts() {
        let least = Settings::default().score;
        assert_eq!(score_of_landmarks(MIN_LANDMARK_SCORE, least), least);
        assert_eq!(score_of_landmarks(1.0, least), 1.0);
        assert!(score_of_landmarks(0.5, least) > least);
    }
}
