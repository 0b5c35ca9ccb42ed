//! Results of comparisons, kept from one search to the next.
//!
//! The agreement of two tracks depends only on their fingerprints. A result is kept for certain versions of two tracks,
//! and counts as long as both exist in these versions. So a search gives the same with and without kept results. The
//! file can be deleted at any time:
//!
//! ```text
//! header   40 bytes: mark, version, numbers of tracks, pairs and agreements, whether the search was completed
//! tracks   32 bytes each: ID, stamp, nothing
//! pairs    12 bytes each: two tracks, number of the agreement or none; the highest bit of the second tells how they
//!          were compared
//! agreements   32 bytes each
//! sum      32 bytes, BLAKE3 of everything before it
//! ```

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Agreement;
use base::error::{Error, Result};
use base::files;
use base::lock::lock;

const MARK: [u8; 8] = *b"UTpairs\0";
const HEADER_BYTES: usize = 40;
const TRACK_BYTES: usize = 32;
const PAIR_BYTES: usize = 12;
const AGREEMENT_BYTES: usize = 32;
const SUM_BYTES: usize = 32;
/// Some 80 million pairs.
const MAX_BYTES: u64 = 1 << 30;
const NONE: u32 = u32::MAX;
/// The bit of a pair's second track that tells whether landmarks were compared, too.
const WITH_LANDMARKS: u32 = 1 << 31;

/// A track, and the version of its compared data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComparedTrack {
    /// Its ID.
    pub id: i64,
    /// Differs whenever its fingerprints do; all 0 for a track without kept results.
    pub stamp: [u8; 16],
}

/// Results for pairs of tracks. Tracks are given by their index, the lower one first.
#[derive(Debug, Default)]
pub struct ComparedPairs {
    tracks: Vec<ComparedTrack>,
    /// Sorted keys, each with the place of its agreement or [`NONE`].
    known: Vec<(u64, u32)>,
    agreements: Vec<Agreement>,
    /// Whether each track was part of a completed search; empty if none was.
    searched: Vec<bool>,
    used: Vec<AtomicBool>,
    new: Mutex<Vec<(u64, Option<Agreement>)>>,
}

impl ComparedPairs {
    /// Creates an empty set of results for tracks, which are in ascending order of their IDs.
    pub fn new(tracks: Vec<ComparedTrack>) -> Self {
        Self { tracks, ..Self::default() }
    }

    /// Reads what was kept for tracks, which are in ascending order of their IDs. A file that is missing, damaged or of
    /// another `version` of the comparison counts as empty.
    pub fn read(path: &Path, version: u32, tracks: Vec<ComparedTrack>) -> Self {
        let mut pairs = Self::new(tracks);
        match files::read(path, "kept comparisons", MAX_BYTES) {
            Ok(bytes) if pairs.take(&bytes, version).is_some() => {}
            Ok(_) => {
                tracing::info!("kept comparisons are of another version or damaged: {}", path.display());
                pairs = Self::new(pairs.tracks);
            }
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!("{error}"),
        }
        pairs.used = pairs.known.iter().map(|_| AtomicBool::new(false)).collect();
        pairs
    }

    fn take(&mut self, bytes: &[u8], version: u32) -> Option<()> {
        let (bytes, sum) = bytes.split_last_chunk::<SUM_BYTES>()?;
        let (header, rest) = bytes.split_first_chunk::<HEADER_BYTES>()?;
        let number = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        if header[..8] != MARK || number(8) != version {
            return None;
        }
        let [tracks, pairs, agreements] = [12, 16, 20].map(|at| number(at) as usize);
        if number(24) != 0 {
            self.searched = vec![false; self.tracks.len()];
        }
        let (track_bytes, rest) = rest.split_at_checked(tracks.checked_mul(TRACK_BYTES)?)?;
        let (pair_bytes, rest) = rest.split_at_checked(pairs.checked_mul(PAIR_BYTES)?)?;
        if agreements.checked_mul(AGREEMENT_BYTES) != Some(rest.len()) || blake3::hash(bytes).as_bytes() != sum {
            return None;
        }
        self.agreements = rest
            .as_chunks::<8>()
            .0
            .as_chunks::<4>()
            .0
            .iter()
            .map(|four| {
                let [score, overlap_s, offset_s, speed] = four.map(f64::from_le_bytes);
                Agreement { score, overlap_s, offset_s, speed }
            })
            .collect();
        // The present index of each kept track.
        let mut place = 0;
        let mut ids = i64::MIN;
        let mut now: Vec<Option<u32>> = Vec::with_capacity(tracks);
        for track in track_bytes.as_chunks::<8>().0.as_chunks::<4>().0 {
            let id = i64::from_le_bytes(track[0]);
            if std::mem::replace(&mut ids, id) > id {
                return None;
            }
            while self.tracks.get(place).is_some_and(|track| track.id < id) {
                place += 1;
            }
            let same = |now: &ComparedTrack| {
                now.id == id && now.stamp[..8] == track[1] && now.stamp[8..] == track[2] && now.stamp != [0; 16]
            };
            let is_same = self.tracks.get(place).is_some_and(same);
            now.push(is_same.then_some(place as u32));
            if is_same && let Some(searched) = self.searched.get_mut(place) {
                *searched = true;
            }
        }
        let mut before = None;
        for pair in pair_bytes.as_chunks::<4>().0.as_chunks::<3>().0 {
            let [first, second, agreement] = pair.map(u32::from_le_bytes);
            let with_landmarks = second & WITH_LANDMARKS != 0;
            let [first, second] = [first, second & !WITH_LANDMARKS].map(|track| now.get(track as usize));
            let (first, second) = (first?, second?);
            if agreement != NONE && agreement as usize >= agreements {
                return None;
            }
            let (Some(first), Some(second)) = (first, second) else { continue };
            let key = key(*first as usize, *second as usize, with_landmarks);
            if before.replace(key).is_some_and(|before| before >= key) {
                return None;
            }
            self.known.push((key, agreement));
        }
        Some(())
    }

    /// Returns for each track whether it was part of a completed search: all candidate pairs of such tracks are kept.
    /// `None` if no search was completed.
    pub fn searched(&self) -> Option<&[bool]> {
        (!self.searched.is_empty()).then_some(&*self.searched)
    }

    /// Returns the kept pairs that were compared with landmarks, or those without, in ascending order.
    pub fn pairs(&self, with_landmarks: bool) -> impl Iterator<Item = (usize, usize)> {
        let known = self.known.iter().map(|&(key, _)| key);
        known
            .filter(move |key| key & 1 == u64::from(with_landmarks))
            .map(|key| ((key >> 32) as usize, (key as u32 >> 1) as usize))
    }

    /// Returns the kept result for a pair, compared with landmarks or without; `None` if nothing is kept.
    pub fn get(&self, first: usize, second: usize, with_landmarks: bool) -> Option<Option<Agreement>> {
        let key = key(first, second, with_landmarks);
        let place = self.known.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        self.used[place].store(true, Ordering::Relaxed);
        Some(self.agreements.get(self.known[place].1 as usize).copied())
    }

    /// Keeps the result for a pair.
    pub fn put(&self, first: usize, second: usize, with_landmarks: bool, agreement: Option<Agreement>) {
        if self.tracks[first].stamp != [0; 16] && self.tracks[second].stamp != [0; 16] {
            lock(&self.new).push((key(first, second, with_landmarks), agreement));
        }
    }

    /// Returns the number of results that were kept before, and of new ones.
    pub fn counts(&self) -> (usize, usize) {
        (self.known.len(), lock(&self.new).len())
    }

    /// Writes all results; if `is_whole`, without those that the completed search did not ask for.
    pub fn write(&self, path: &Path, version: u32, is_whole: bool) -> Result<()> {
        let is_used = |place: usize| !is_whole || self.used[place].load(Ordering::Relaxed);
        let known = self.known.iter().enumerate().filter(|(place, _)| is_used(*place));
        let mut all: Vec<(u64, Option<Agreement>)> =
            known.map(|(_, (key, place))| (*key, self.agreements.get(*place as usize).copied())).collect();
        all.extend(lock(&self.new).iter().copied());
        all.sort_by_key(|(key, _)| *key);
        all.dedup_by_key(|(key, _)| *key);
        let agreed = all.iter().filter(|(_, agreement)| agreement.is_some()).count();
        let bytes = HEADER_BYTES + TRACK_BYTES * self.tracks.len() + PAIR_BYTES * all.len();
        let bytes = bytes + AGREEMENT_BYTES * agreed + SUM_BYTES;
        if bytes as u64 > MAX_BYTES {
            let limit = format!("{MAX_BYTES} bytes");
            return Err(Error::Limit {
                what: "the size of kept comparisons".into(),
                got: format!("{bytes} bytes"),
                limit,
            });
        }
        let mut out = Vec::with_capacity(bytes);
        out.extend(MARK);
        for number in [version, self.tracks.len() as u32, all.len() as u32, agreed as u32, u32::from(is_whole)] {
            out.extend(number.to_le_bytes());
        }
        out.resize(HEADER_BYTES, 0);
        for track in &self.tracks {
            out.extend(track.id.to_le_bytes());
            out.extend(track.stamp);
            out.extend([0; 8]);
        }
        let mut place = 0;
        for (key, agreement) in &all {
            let (first, second) = ((key >> 32) as u32, *key as u32);
            let bit = if second & 1 == 1 { WITH_LANDMARKS } else { 0 };
            for number in [first, second >> 1 | bit, if agreement.is_some() { place } else { NONE }] {
                out.extend(number.to_le_bytes());
            }
            place += u32::from(agreement.is_some());
        }
        for Agreement { score, overlap_s, offset_s, speed } in all.iter().filter_map(|(_, agreement)| *agreement) {
            [score, overlap_s, offset_s, speed].iter().for_each(|value| out.extend(value.to_le_bytes()));
        }
        out.extend(blake3::hash(&out).as_bytes());
        files::write(path, true, &out)
    }
}

fn key(first: usize, second: usize, with_landmarks: bool) -> u64 {
    (first as u64) << 32 | (second as u64) << 1 | u64::from(with_landmarks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tracks(stamps: &[(i64, u8)]) -> Vec<ComparedTrack> {
        stamps.iter().map(|&(id, stamp)| ComparedTrack { id, stamp: [stamp; 16] }).collect()
    }

    const AGREEMENT: Agreement = Agreement { score: 0.7, overlap_s: 50.0, offset_s: -1.5, speed: 1.02 };

    #[test]
    fn results_count_as_long_as_both_tracks_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs");
        let pairs = ComparedPairs::new(tracks(&[(1, 1), (4, 1), (6, 1), (9, 0)]));
        pairs.put(0, 1, true, Some(AGREEMENT));
        pairs.put(1, 2, false, None);
        pairs.put(0, 2, true, None);
        pairs.put(0, 3, true, None);
        pairs.write(&path, 3, true).unwrap();
        let same = ComparedPairs::read(&path, 3, tracks(&[(1, 1), (4, 1), (6, 1), (9, 0)]));
        assert_eq!(same.counts(), (3, 0));
        assert_eq!(same.get(0, 1, true), Some(Some(AGREEMENT)));
        assert_eq!((same.get(0, 1, false), same.get(1, 2, false), same.get(0, 3, true)), (None, Some(None), None));
        // One track is new, one is changed, one is gone.
        let other = ComparedPairs::read(&path, 3, tracks(&[(1, 1), (2, 1), (4, 1), (6, 2)]));
        assert_eq!((other.get(0, 2, true), other.counts()), (Some(Some(AGREEMENT)), (1, 0)));
        // Pairs that were not asked for are dropped, unless the search was not completed.
        same.write(&path, 3, false).unwrap();
        assert_eq!(ComparedPairs::read(&path, 3, tracks(&[(1, 1), (4, 1), (6, 1)])).counts().0, 3);
        same.write(&path, 3, true).unwrap();
        assert_eq!(ComparedPairs::read(&path, 3, tracks(&[(1, 1), (4, 1), (6, 1)])).counts().0, 2);
        assert_eq!(ComparedPairs::read(&path, 4, tracks(&[(1, 1), (4, 1), (6, 1)])).counts().0, 0);
    }

    #[test]
    fn damage_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs");
        let now = tracks(&[(1, 1), (4, 1)]);
        let pairs = ComparedPairs::new(now.clone());
        pairs.put(0, 1, true, Some(AGREEMENT));
        pairs.write(&path, 3, true).unwrap();
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(ComparedPairs::read(&path, 3, now.clone()).counts().0, 1);
        for at in 0..whole.len() {
            let mut spoiled = whole.clone();
            spoiled[at] ^= 0x80;
            std::fs::write(&path, &spoiled).unwrap();
            assert_eq!(ComparedPairs::read(&path, 3, now.clone()).counts().0, 0, "byte {at}");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(ComparedPairs::read(&path, 3, now.clone()).counts().0, 0, "{at} bytes");
        }
    }
}
