//! Finds tracks of the library that are the same recording.
//!
//! Candidate pairs come from stored Chromaprint items and landmarks, and exact copies from audio keys. A pair is
//! compared by its Chromaprint items. If these do not agree, for example after a change of speed, and the sketches are
//! similar, it is compared by its landmarks; recordings of a few seconds are always compared by their landmarks. The
//! landmarks of all tracks would not fit in memory, so candidates are found by sketches, and a pair's landmarks are
//! read when it is compared. With very many tracks the items would not fit either: some of them propose candidates, and
//! a pair's items are read when it is compared.
//!
//! Results of comparisons are stored beside the library, so that a search compares only pairs with a new or changed
//! track.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::OnceLock;

use rayon::prelude::*;
use serde::Serialize;

use super::paths;
use super::short_recordings::{self, Short, VERY_SHORT_S};
use super::stored_index::index_folder;
use crate::questions::duplicates::{
    Agreement, CandidateSettings, ComparedPairs, ComparedTrack, Items, Settings, Tracks, find, fingerprint_candidates,
};
use crate::{Decision, Identity, Library, NewSketch};
use analysis::fingerprint::chromaprint::{ITEM_S, SPAN_S, best_alignment};
use analysis::fingerprint::landmark::{self, Landmarks, SHORT_S, Sketch, Sketches};
use base::error::{Error, Result};
use base::progress::Progress;

/// The shortest duration, in seconds, for which a sketch is reliable among many.
const MIN_SKETCHED_S: f64 = 30.0;
/// The lowest score of verified landmarks: any pair that landmarks verify is the same recording.
const MIN_LANDMARK_SCORE: f64 = 0.25;
/// The file of stored comparisons in the index's folder, and the version of the comparison.
const COMPARED: &str = "comparisons";
const COMPARED_VERSION: u32 = 2;
/// Above this number of tracks, sketches propose only pairs with a track that was not searched before. The other pairs
/// come from the stored ones.
const MANY_TRACKS: usize = 1 << 17;

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
struct SearchedTrack {
    id: i64,
    duration_s: f64,
    compared_s: f64,
}

/// Finds all groups of tracks that are the same recording. Pairs that the user marked as different stay apart. Progress
/// counts tracks read, tracks whose sketches were compared, items, then comparisons.
///
/// # Errors
/// [`Error::Limit`] for more than a million tracks.
pub fn duplicates(library: &Library, progress: &Progress) -> Result<Duplicates> {
    duplicates_of_many(library, MANY_TRACKS, progress)
}

/// Like [`duplicates`]; above `many` tracks, sketches propose only pairs with a track that was not searched before. The
/// result equals that of a full search, unless the sketches have become smaller since: then it also has pairs found
/// earlier that would no longer be proposed.
pub fn duplicates_of_many(library: &Library, many: usize, progress: &Progress) -> Result<Duplicates> {
    // Read first: tracks that change in the meantime are stored under the old version, and compared again the next
    // time.
    let versions: HashMap<i64, i64> = library.versions()?.into_iter().collect();
    let keys: HashMap<i64, [u8; 32]> = library.audio_keys()?.into_iter().collect();
    let mut known: Vec<SearchedTrack> = Vec::new();
    let mut items = Items::default();
    let mut sketches = Sketches::new(&landmark::CandidateSettings::default())?;
    library.for_each_identity(|part| {
        let part_sketches = sketched(library, &part)?;
        sketches.add(&part_sketches, std::clone::Clone::clone, progress)?;
        part.iter().for_each(|track| items.add(&track.chromaprint));
        known.extend(part.into_iter().map(SearchedTrack::from));
        Ok(())
    })?;
    let content: Vec<Option<[u8; 32]>> = known.iter().map(|track| keys.get(&track.id).copied()).collect();
    // Of exact copies, only the first is compared. Nothing is stored for the others, because they would then count as
    // searched after the first one is removed.
    let mut spoken_for: HashSet<&[u8; 32]> = HashSet::new();
    let stamped = |track: &SearchedTrack| {
        let key = keys.get(&track.id);
        let is_first = key.is_none_or(|key| spoken_for.insert(key));
        let stamp = if is_first { stamp(versions.get(&track.id), key) } else { [0; 16] };
        ComparedTrack { id: track.id, stamp }
    };
    let kept_in = index_folder(library).join(COMPARED);
    let kept = ComparedPairs::read(&kept_in, COMPARED_VERSION, known.iter().map(stamped).collect());
    drop((versions, keys));
    // Recordings changed in speed, pitch or tempo match only by their landmarks.
    let new: Option<Vec<bool>> = kept
        .searched()
        .filter(|_| known.len() > many)
        .map(|searched| searched.iter().map(|is_searched| !is_searched).collect());
    let mut candidates = sketches.candidates(new.as_deref(), progress)?;
    if new.is_some() {
        candidates.extend(kept.pairs(true));
    }
    let compared_s: Vec<f64> = known.iter().map(|track| track.compared_s).collect();
    let lengths: Vec<(i64, f64)> = known.iter().map(|track| (track.id, track.duration_s)).collect();
    let short = short_recordings::candidates(library, &lengths, progress)?;
    candidates.extend(&short.pairs);
    let by_items = fingerprint_candidates(&items, &CandidateSettings::default(), progress)?;
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
    let comparison = Comparison { library, known: &known, items: &items, short: &short, settings: &settings };
    let same = |a: usize, b: usize| {
        let (a, b) = (a.min(b), a.max(b));
        let with_landmarks = !by_items_alone.contains(&(a, b));
        let ids = [known[a].id, known[b].id];
        if failed.get().is_some() {
            return None;
        }
        let found = if let Some(kept) = kept.get(a, b, with_landmarks) {
            kept
        } else {
            match comparison.of(a, b, with_landmarks) {
                Ok(found) => {
                    // A lower score is never enough.
                    let found = found.filter(|found| found.score >= settings.score_within.min(settings.score));
                    kept.put(a, b, with_landmarks, found);
                    found
                }
                Err(error) => {
                    // Only the first error is reported; later ones have the same cause.
                    let _ = failed.set(error);
                    return None;
                }
            }
        };
        // These pairs are compared too: the user may change their mind, and the stored pairs must include every
        // candidate.
        found.filter(|_| !apart.contains(&(ids[0].min(ids[1]), ids[0].max(ids[1]))))
    };
    let tracks = Tracks { content: &content, compared_s: &compared_s };
    let found = find(&tracks, &candidates, same, &settings, progress);
    keep(&kept, &kept_in, found.is_ok() && failed.get().is_none());
    let found = found?;
    if let Some(error) = failed.into_inner() {
        return Err(error);
    }
    let ids: Vec<i64> = found.groups.iter().flat_map(|group| &group.members).map(|of| known[of.track].id).collect();
    let mut paths = paths(library, &ids)?.into_iter();
    let duplicate = |member: &crate::questions::duplicates::Member| Duplicate {
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
    if library.read_only().is_none()
        && let Err(error) = library.keep_sketches(&new)
    {
        tracing::warn!("{error}");
    }
    Ok(sketches)
}

impl From<Identity> for SearchedTrack {
    fn from(Identity { id, duration_s, chromaprint, .. }: Identity) -> Self {
        let items = chromaprint.len() as f64;
        let told_s = if items > 0.0 { (items - 1.0) * ITEM_S + SPAN_S } else { 0.0 };
        Self { id, duration_s, compared_s: told_s.min(duration_s).max(ITEM_S) }
    }
}

/// Returns a value that changes whenever a track's fingerprints do: the time of its analysis and a part of its audio
/// key; all 0 if it was not analysed when its version was read.
fn stamp(analysed_at: Option<&i64>, key: Option<&[u8; 32]>) -> [u8; 16] {
    let mut stamp = [0; 16];
    if let Some(analysed_at) = analysed_at {
        stamp[..8].copy_from_slice(&analysed_at.to_le_bytes());
        stamp[8..].copy_from_slice(&key.map_or([0xff; 8], |key| std::array::from_fn(|byte| key[byte])));
    }
    stamp
}

/// Stores results of comparisons. Without them the next search only takes longer.
fn keep(kept: &ComparedPairs, path: &Path, is_whole: bool) {
    let (before, new) = kept.counts();
    if new == 0 && (before == 0 || !is_whole) {
        return;
    }
    let folder = path.parent().unwrap_or(path);
    let made = std::fs::create_dir_all(folder).map_err(|source| Error::io("make the folder", folder, source));
    if let Err(error) = made.and_then(|()| kept.write(path, COMPARED_VERSION, is_whole)) {
        tracing::warn!("{error}");
    }
}

/// The data needed to compare two tracks.
struct Comparison<'a> {
    library: &'a Library,
    known: &'a [SearchedTrack],
    items: &'a Items,
    short: &'a Short,
    settings: &'a Settings,
}

impl Comparison<'_> {
    /// Returns how `b` matches `a`, by Chromaprint items or, with `with_landmarks`, by landmarks.
    fn of(&self, a: usize, b: usize, with_landmarks: bool) -> Result<Option<Agreement>> {
        let aligned = best_alignment(&self.chromaprint(a)?, &self.chromaprint(b)?).map(|found| Agreement {
            score: found.score,
            // An item covers more than one step.
            overlap_s: found.overlap_s - ITEM_S + SPAN_S,
            offset_s: found.offset_s,
            speed: 1.0,
        });
        let (a, b) = (&self.known[a], &self.known[b]);
        let shorter_s = a.compared_s.min(b.compared_s);
        let Settings { score, share, .. } = *self.settings;
        let is_enough = |found: &Agreement| found.score >= score && found.overlap_s >= share * shorter_s;
        if !with_landmarks || aligned.as_ref().is_some_and(is_enough) {
            return Ok(aligned);
        }
        let longer_s = a.duration_s.max(b.duration_s);
        let both = [self.short.landmarks(self.library, a.id)?, self.short.landmarks(self.library, b.id)?];
        let [Some(a), Some(b)] = both else { return Ok(aligned) };
        let mut found = if longer_s <= SHORT_S { landmark::compare_short(&a, &b) } else { None };
        if found.is_none() && longer_s > VERY_SHORT_S && landmark::resemble(&a, &b) {
            found = landmark::compare(&a, &b);
        }
        let by_landmarks = found.map(|found| Agreement {
            score: score_of_landmarks(found.score, score),
            overlap_s: found.overlap_s,
            offset_s: found.offset_s,
            speed: found.speed,
        });
        Ok(by_landmarks.or(aligned))
    }

    /// Returns the Chromaprint items of a track.
    fn chromaprint(&self, track: usize) -> Result<Cow<'_, [u32]>> {
        match self.items.whole(track) {
            Some(items) => Ok(Cow::Borrowed(items)),
            None => Ok(Cow::Owned(self.library.chromaprint(self.known[track].id)?.unwrap_or_default())),
        }
    }
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
