//! The tracks of the index, by the numbers that entries have, and the manifest that names its files.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::super::votes::MAX_TRACKS;
use base::error::{Error, Result};
use base::files;

/// The version of the index. It changes with the rules by which entries are chosen.
pub(super) const VERSION: u32 = 1;
const MARK: [u8; 8] = *b"UTtracks";
const ROW_BYTES: usize = 17;
const MAX_BYTES: u64 = (MARK.len() + ROW_BYTES * MAX_TRACKS as usize + 4) as u64;
/// The maximum number of segments that a manifest may name, and its maximum size.
pub(super) const MAX_SEGMENTS: usize = 1000;
const MAX_MANIFEST_BYTES: u64 = 128 << 10;

/// A track, and the version of the fingerprints it was indexed by. `stamp` differs whenever the fingerprints do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TrackVersion {
    /// The track's ID.
    pub id: i64,
    /// The version of its fingerprints.
    pub stamp: i64,
}

/// The state of a track number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The track was removed, or indexed anew under another number.
    Gone,
    /// Its entries count.
    Indexed,
    /// As before, but its landmarks are of another version and have no entries.
    Outdated,
    /// It has no fingerprints.
    Absent,
}

/// The tracks by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tracks {
    pub rows: Vec<(TrackVersion, State)>,
}

impl Tracks {
    /// Returns the sum that tells sets of tracks apart.
    pub fn digest(&self) -> u64 {
        digest(self.rows.iter().filter(|(_, state)| *state != State::Gone).map(|(version, _)| version))
    }

    pub fn write(&self, path: &Path) -> Result<()> {
        let mut bytes = Vec::with_capacity(MARK.len() + ROW_BYTES * self.rows.len() + 4);
        bytes.extend(MARK);
        for (version, state) in &self.rows {
            bytes.extend(version.id.to_le_bytes());
            bytes.extend(version.stamp.to_le_bytes());
            bytes.push(*state as u8);
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        files::write(path, false, &bytes)
    }

    pub fn read(path: &Path) -> Result<Self> {
        let damaged = || Error::Malformed {
            reason: "the index of landmarks: its table of tracks is damaged".to_owned(),
            path: path.to_path_buf(),
        };
        let bytes = files::read(path, "table of tracks", MAX_BYTES).map_err(|error| match error {
            Error::Limit { .. } => damaged(),
            error => error,
        })?;
        let (bytes, sum) = bytes.split_last_chunk::<4>().ok_or_else(damaged)?;
        let rows = bytes.strip_prefix(&MARK).ok_or_else(damaged)?;
        if crc32fast::hash(bytes) != u32::from_le_bytes(*sum) || rows.len() % ROW_BYTES != 0 {
            return Err(damaged());
        }
        let row = |bytes: &[u8; ROW_BYTES]| {
            let [low, high] = [0, 8].map(|at| std::array::from_fn(|byte| bytes[at + byte]));
            let state = match bytes[16] {
                0 => State::Gone,
                1 => State::Indexed,
                2 => State::Outdated,
                3 => State::Absent,
                _ => return None,
            };
            Some((TrackVersion { id: i64::from_le_bytes(low), stamp: i64::from_le_bytes(high) }, state))
        };
        let rows: Option<_> = rows.as_chunks::<ROW_BYTES>().0.iter().map(row).collect();
        Ok(Self { rows: rows.ok_or_else(damaged)? })
    }
}

/// Returns a sum over tracks, in any order, that differs between any two sets of them, except by accident.
pub(super) fn digest<'a>(tracks: impl Iterator<Item = &'a TrackVersion>) -> u64 {
    // S. Vigna's SplitMix64. Each step is a bijection, so that no two stamps of a track have the same term.
    let mixed = |value: u64| {
        let x = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    tracks.fold(0, |sum, track| sum.wrapping_add(mixed(mixed(track.id as u64).wrapping_add(track.stamp as u64))))
}

/// Names the files of which the index consists. It is replaced as a whole, so that readers see one state of all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub version: u32,
    /// The version of landmarks.
    pub landmarks: u8,
    /// File names, largest segment first.
    pub segments: Vec<String>,
    pub tracks: String,
}

impl Manifest {
    /// Reads the manifest; `None` if there is no index or one of another version.
    pub fn read(path: &Path, landmarks: u8) -> Result<Option<Self>> {
        let damaged = || Error::Malformed {
            reason: "the index of landmarks: its manifest is damaged".to_owned(),
            path: path.to_path_buf(),
        };
        let bytes = match files::read(path, "manifest of the index", MAX_MANIFEST_BYTES) {
            Ok(bytes) => bytes,
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(Error::Limit { .. }) => return Err(damaged()),
            Err(error) => return Err(error),
        };
        let manifest: Self = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
        // A name with a folder in it would lead elsewhere.
        let is_plain =
            |name: &String| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let names = manifest.segments.len() <= MAX_SEGMENTS && manifest.segments.iter().all(is_plain);
        if !names || !is_plain(&manifest.tracks) {
            return Err(damaged());
        }
        Ok(Some(manifest).filter(|found| (found.version, found.landmarks) == (VERSION, landmarks)))
    }

    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_vec_pretty(self).map_err(|error| Error::Internal(error.to_string()))?;
        files::write(path, true, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_tells_every_set_apart_in_any_order() {
        let of = |tracks: &[(i64, i64)]| {
            let tracks: Vec<TrackVersion> = tracks.iter().map(|&(id, stamp)| TrackVersion { id, stamp }).collect();
            digest(tracks.iter())
        };
        let mut seen: Vec<u64> = (0..200).map(|n| of(&[(n / 20, n % 20)])).collect();
        seen.push(of(&[]));
        seen.extend((0..20).map(|stamp| of(&[(3, 5), (4, stamp)])));
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all);
        assert_eq!(of(&[(3, 5), (4, 9), (8, 1)]), of(&[(8, 1), (3, 5), (4, 9)]));
    }
}
