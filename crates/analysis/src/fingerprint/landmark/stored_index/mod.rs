//! An index of the landmarks and Chromaprint items of very many tracks, on disk.
//!
//! ```text
//! landmarks, items -> entries of a track (`entry`) -> sorted files (`segment`) -> fewer, larger ones (`merge`)
//! manifest (`tracks`) -> the files that count
//! a clip -> ranges of heads -> blocks -> votes and candidates (`ask`)
//! ```
//!
//! The index is a folder. Everything in it can be rebuilt, so it may be deleted at any time. One process at a time
//! writes, under a lock; any number read. Files are never changed: an update writes new files, then replaces the
//! manifest, then removes the files that it no longer names. A reader that comes in between reads the manifest again.
//! Everything is checked by sums and limits when it is read; damage is an error ([`Error::Malformed`]), upon which the
//! caller starts over.
//!
//! A track gets a number when it is added and keeps it. Removed and changed tracks leave entries behind that no longer
//! count, until a merge drops them.

mod ask;
mod entry;
mod lock;
mod merge;
mod segment;
mod tracks;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

pub use tracks::TrackVersion;

use self::entry::Entry;
use self::segment::{Segment, SegmentWriter};
use self::tracks::{MAX_SEGMENTS, Manifest, State, Tracks, digest};
use super::Landmarks;
use super::triples;
use super::votes::MAX_TRACKS;
use crate::fingerprint::chromaprint::SILENCE;
use base::error::{Error, Result};
use base::progress::Progress;

const MANIFEST: &str = "manifest";
const LOCK: &str = "lock";
/// The number of entries that gather before they become a segment: 192 MiB.
const GATHERED: usize = 12 << 20;
/// The number of tracks that are read at a time.
const TRACKS_AT_ONCE: usize = 256;
/// Segments are merged when there are this many, also before all tracks have been added.
const MANY_SEGMENTS: usize = 128;
/// How often a reader tries to catch a state before its files are replaced.
const TRIES: usize = 8;

/// The fingerprints that a track is indexed by.
#[derive(Clone, Debug, Default)]
pub struct TrackContent {
    /// The track's ID.
    pub id: i64,
    /// Its raw Chromaprint items.
    pub chromaprint: Vec<u32>,
    /// Its encoded landmarks.
    pub landmarks: Vec<u8>,
}

/// An index, open for reading.
#[derive(Debug)]
pub struct StoredIndex {
    folder: PathBuf,
    tracks: Tracks,
    /// Largest first.
    segments: Vec<Segment>,
}

impl StoredIndex {
    /// Opens the index in a folder; `None` if there is none, or one of another version.
    ///
    /// # Errors
    /// [`Error::Malformed`] if it is damaged.
    pub fn open(folder: &Path) -> Result<Option<Self>> {
        let mut gone = None;
        for _ in 0..TRIES {
            let Some(manifest) = Manifest::read(&folder.join(MANIFEST), Landmarks::VERSION)? else { return Ok(None) };
            match Self::of(folder, &manifest) {
                // Another process has replaced the files since the manifest was read.
                Err(Error::Io { source, path, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                    gone = Some(path);
                }
                opened => return opened.map(Some),
            }
        }
        let path = gone.unwrap_or_else(|| folder.to_path_buf());
        Err(Error::Malformed { reason: "the index of landmarks: a file of it is missing".to_owned(), path })
    }

    fn of(folder: &Path, manifest: &Manifest) -> Result<Self> {
        let tracks = Tracks::read(&folder.join(&manifest.tracks))?;
        let open = |name: &String| Segment::open(&folder.join(name));
        let segments = manifest.segments.iter().map(open).collect::<Result<_>>()?;
        Ok(Self { folder: folder.to_path_buf(), tracks, segments })
    }

    /// Returns whether the index holds exactly these tracks in these versions.
    pub fn is_of(&self, tracks: &[TrackVersion]) -> bool {
        self.known() == tracks.len() && self.tracks.digest() == digest(tracks.iter())
    }

    fn known(&self) -> usize {
        self.tracks.rows.iter().filter(|(_, state)| *state != State::Gone).count()
    }

    /// Returns the number of tracks that have fingerprints.
    pub fn len(&self) -> usize {
        self.tracks.rows.iter().filter(|(_, state)| matches!(state, State::Indexed | State::Outdated)).count()
    }

    /// Returns whether no track has fingerprints.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of tracks that have no entries of landmarks, because theirs are of another version.
    pub fn outdated(&self) -> usize {
        self.tracks.rows.iter().filter(|(_, state)| *state == State::Outdated).count()
    }

    /// Returns the size of the segments in bytes.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(Segment::bytes).sum()
    }

    /// Returns the number of entries, and of the segments that hold them.
    pub fn entries(&self) -> (u64, usize) {
        (self.segments.iter().map(Segment::entries).sum(), self.segments.len())
    }

    /// Brings the index in a folder up to date and opens it: afterwards it holds `tracks`. A missing folder is created,
    /// and a damaged index is rebuilt. `read` returns the fingerprints of tracks, each track once, without tracks that
    /// have none. Waits while another process writes. Tracks added before an error or a cancel are kept. Progress
    /// counts tracks added.
    ///
    /// # Errors
    /// [`Error::Limit`] for 2^22 tracks or more.
    pub fn update(
        folder: &Path,
        tracks: &[TrackVersion],
        mut read: impl FnMut(&[i64]) -> Result<Vec<TrackContent>>,
        progress: &Progress,
    ) -> Result<Self> {
        if tracks.len() >= MAX_TRACKS as usize {
            let (got, limit) = (tracks.len().to_string(), (MAX_TRACKS - 1).to_string());
            return Err(Error::Limit { what: "the number of tracks of the index of landmarks".to_owned(), got, limit });
        }
        std::fs::create_dir_all(folder).map_err(|source| Error::io("make the folder", folder, source))?;
        let _lock = lock::hold(&folder.join(LOCK), progress)?;
        let empty = || Self { folder: folder.to_path_buf(), tracks: Tracks::default(), segments: Vec::new() };
        let mut index = match Self::open(folder) {
            Ok(found) => found.unwrap_or_else(empty),
            Err(Error::Malformed { reason, path }) => {
                tracing::warn!("{reason}; it is made anew: {}", path.display());
                empty()
            }
            Err(error) => return Err(error),
        };
        match index.add(tracks, &mut read, progress) {
            // Damage that shows only in a merge.
            Err(Error::Malformed { reason, path }) => {
                tracing::warn!("{reason}; it is made anew: {}", path.display());
                index = empty();
                index.add(tracks, &mut read, progress)?;
            }
            done => done?,
        }
        Ok(index)
    }

    /// Discards an index that turned out to be damaged, so that the next update rebuilds it.
    pub fn discard(folder: &Path, progress: &Progress) -> Result<()> {
        let _lock = lock::hold(&folder.join(LOCK), progress)?;
        let manifest = folder.join(MANIFEST);
        match std::fs::remove_file(&manifest) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", &manifest, source)),
            _ => Ok(()),
        }
    }

    fn add(
        &mut self,
        tracks: &[TrackVersion],
        read: &mut dyn FnMut(&[i64]) -> Result<Vec<TrackContent>>,
        progress: &Progress,
    ) -> Result<()> {
        if self.is_of(tracks) {
            return Ok(());
        }
        let mut wanted: HashMap<i64, i64> = tracks.iter().map(|track| (track.id, track.stamp)).collect();
        let mut gone: Vec<usize> = Vec::new();
        for (number, (version, state)) in self.tracks.rows.iter().enumerate() {
            if *state != State::Gone && wanted.get(&version.id) != Some(&version.stamp) {
                gone.push(number);
            } else if *state != State::Gone {
                wanted.remove(&version.id);
            }
        }
        if self.tracks.rows.len() + wanted.len() > MAX_TRACKS as usize {
            *self = Self { folder: self.folder.clone(), tracks: Tracks::default(), segments: Vec::new() };
            return self.add(tracks, read, progress);
        }
        for number in gone {
            self.tracks.rows[number].1 = State::Gone;
        }
        progress.set_total(progress.snapshot().done + wanted.len() as u64);
        let mut added: Vec<i64> = wanted.keys().copied().collect();
        added.sort_unstable();
        let mut gathered: Vec<Entry> = Vec::new();
        for part in added.chunks(TRACKS_AT_ONCE) {
            progress.advance(part.len() as u64)?;
            let first = self.tracks.rows.len() as u32;
            let made: Vec<(i64, State, Vec<Entry>)> = read(part)?
                .into_par_iter()
                .enumerate()
                .map(|(place, content)| {
                    let (state, entries) = entries_of(&content, first + place as u32);
                    (content.id, state, entries)
                })
                .collect();
            for (id, state, entries) in made {
                self.tracks.rows.push((TrackVersion { id, stamp: wanted.remove(&id).unwrap_or_default() }, state));
                gathered.extend(entries);
            }
            let absent = part.iter().filter_map(|&id| Some(TrackVersion { id, stamp: wanted.remove(&id)? }));
            self.tracks.rows.extend(absent.map(|version| (version, State::Absent)));
            if gathered.len() >= GATHERED {
                self.settle(&mut gathered)?;
                if self.segments.len() >= MANY_SEGMENTS {
                    self.tidy(progress)?;
                }
                self.commit()?;
            }
        }
        self.settle(&mut gathered)?;
        // Released before merging.
        drop(gathered);
        self.commit()?;
        if self.tidy(progress)? {
            self.commit()?;
        }
        Ok(())
    }

    /// Makes a segment of entries.
    fn settle(&mut self, entries: &mut Vec<Entry>) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        entries.par_sort_unstable();
        let path = self.folder.join(new_name("segment"));
        let mut writer = SegmentWriter::create(&path)?;
        for &entry in &*entries {
            writer.push(entry)?;
        }
        writer.finish()?;
        entries.clear();
        self.segments.push(Segment::open(&path)?);
        self.segments.sort_by_key(|segment| std::cmp::Reverse(segment.entries()));
        Ok(())
    }

    /// Merges segments, so that each is more than twice as large as all smaller ones together, and all of them if most
    /// numbers are of tracks that are gone. Returns whether anything changed. A failure to write changes nothing:
    /// unmerged segments are only slower.
    fn tidy(&mut self, progress: &Progress) -> Result<bool> {
        let gone = self.tracks.rows.len() - self.known();
        let smaller = |at: usize| self.segments[at + 1..].iter().map(Segment::entries).sum::<u64>();
        let unbalanced = |at: &usize| 2 * smaller(*at) > self.segments[*at].entries();
        let first = if gone > self.known() + TRACKS_AT_ONCE && !self.segments.is_empty() {
            Some(0)
        } else {
            (0..self.segments.len().saturating_sub(1)).find(unbalanced)
        };
        let Some(first) = first else { return Ok(false) };
        let path = self.folder.join(new_name("segment"));
        let merged = SegmentWriter::create(&path).and_then(|mut writer| {
            merge::merge(&self.segments[first..], |track| self.is_there(track), &mut writer, progress)?;
            writer.finish()
        });
        match merged {
            Ok(()) => {}
            Err(Error::Io { action, path, source }) if self.segments.len() < MAX_SEGMENTS / 2 => {
                tracing::warn!(
                    "segments of the index are not merged: could not {action}: {source}: {}",
                    path.display()
                );
                return Ok(false);
            }
            Err(error) => return Err(error),
        }
        self.segments.truncate(first);
        self.segments.push(Segment::open(&path)?);
        Ok(true)
    }

    /// Makes the present state visible to others.
    fn commit(&self) -> Result<()> {
        let tracks = new_name("tracks");
        self.tracks.write(&self.folder.join(&tracks))?;
        let name = |segment: &Segment| segment.path().file_name().map(|name| name.to_string_lossy().into_owned());
        let segments = self.segments.iter().filter_map(name).collect();
        let manifest = Manifest { version: tracks::VERSION, landmarks: Landmarks::VERSION, segments, tracks };
        manifest.write(&self.folder.join(MANIFEST))?;
        self.sweep(&manifest);
        Ok(())
    }

    /// Removes files of earlier states and of killed writers. What cannot be removed is left to the next time.
    fn sweep(&self, manifest: &Manifest) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_ours = name.starts_with("segment-") || name.starts_with("tracks-");
            if is_ours && name != manifest.tracks && !manifest.segments.contains(&name) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Returns whether entries of a number count.
    fn is_there(&self, track: u32) -> bool {
        self.tracks.rows.get(track as usize).is_some_and(|(_, state)| *state != State::Gone)
    }
}

/// Returns the entries of a track.
fn entries_of(content: &TrackContent, track: u32) -> (State, Vec<Entry>) {
    let landmarks = Landmarks::from_bytes(&content.landmarks);
    let state = if landmarks.is_ok() { State::Indexed } else { State::Outdated };
    let mut entries: Vec<Entry> =
        content.chromaprint.iter().filter(|&&item| item != SILENCE).map(|&item| entry::of_item(item, track)).collect();
    // Neighbouring items mostly have the same value.
    entries.sort_unstable();
    entries.dedup();
    let triples = triples::indexed(&landmarks.unwrap_or_default().peaks);
    entries.extend(triples.iter().filter_map(|triple| entry::of_triple(triple, track)));
    (state, entries)
}

/// Returns a file name that no other process uses.
fn new_name(what: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    format!("{what}-{now:x}-{:x}-{count:x}", std::process::id())
}

#[cfg(test)]
mod tests;
