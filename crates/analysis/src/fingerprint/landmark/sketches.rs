//! Sketches of very many tracks, and the pairs among them that may be the same recording.
//!
//! When the sketches exceed the memory limit, the last-chosen eighth of each is dropped: the more tracks, the smaller
//! the sketches.

use rayon::prelude::*;

use super::candidates;
use super::sketch::{MAX_OF_SKETCH, Sketch, TRACK_BITS};
use base::error::{Error, Result};
use base::progress::Progress;

/// Quintuples of a sketch per required vote, where this gives more than the configured number of votes.
const QUINTUPLES_PER_VOTE: usize = 150;
/// Bytes per quintuple: an entry here, and an index during comparison.
const BYTES: usize = size_of::<u64>() + size_of::<u32>();
/// Minimum capacity in quintuples.
const MIN_ROOM: usize = 1 << 16;

/// Settings for the search for candidates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidateSettings {
    /// Number of shared quintuples, at one change of pitch and tempo and one shift, that make a candidate.
    pub votes: usize,
    /// Memory for all sketches in bytes.
    pub memory_bytes: usize,
}

impl Default for CandidateSettings {
    fn default() -> Self {
        Self { votes: 4, memory_bytes: 1280 << 20 }
    }
}

/// Sketches of tracks, numbered from 0 in the order in which they were added.
#[derive(Debug)]
pub struct Sketches {
    entries: Vec<u64>,
    /// The end of each track's entries.
    ends: Vec<u32>,
    /// Maximum number of quintuples per sketch, for a recording of usual length.
    most: usize,
    room: usize,
    votes: usize,
}

impl Sketches {
    /// The maximum number of tracks.
    pub const MAX_TRACKS: usize = 1 << TRACK_BITS;

    /// Creates an empty collection.
    pub fn new(settings: &CandidateSettings) -> Result<Self> {
        if settings.votes == 0 {
            return Err(Error::invalid("votes", "0", "1 or more"));
        }
        let room = (settings.memory_bytes / BYTES).clamp(MIN_ROOM, u32::MAX as usize);
        Ok(Self { entries: Vec::new(), ends: Vec::new(), most: MAX_OF_SKETCH, room, votes: settings.votes })
    }

    /// Adds tracks, on all threads. `sketch` returns the sketch of each track; a track without one gets an empty
    /// sketch. Progress counts tracks.
    ///
    /// # Errors
    /// [`Error::Limit`] for more than [`Sketches::MAX_TRACKS`].
    pub fn add<T: Sync>(
        &mut self,
        tracks: &[T],
        sketch: impl Fn(&T) -> Option<Sketch> + Sync,
        progress: &Progress,
    ) -> Result<()> {
        let count = self.ends.len() + tracks.len();
        if count > Self::MAX_TRACKS {
            let (got, limit) = (count.to_string(), Self::MAX_TRACKS.to_string());
            return Err(Error::Limit { what: "the number of tracks compared at once".into(), got, limit });
        }
        let most = self.most;
        let sketches: Vec<Vec<u64>> = tracks
            .par_iter()
            .map(|track| {
                progress.advance(1)?;
                let Sketch { mut entries, times } = sketch(track).unwrap_or_default();
                entries.truncate(most * usize::from(times));
                Ok(entries)
            })
            .collect::<Result<_>>()?;
        let added: usize = sketches.iter().map(Vec::len).sum();
        // Reserves exactly, because growing by doubling would take twice the memory.
        let wanted = self.entries.len() + added;
        if wanted > self.entries.capacity() {
            self.entries.reserve_exact(added.max((self.entries.len() / 4).min(self.room.saturating_sub(wanted))));
        }
        for sketch in sketches {
            let track = self.ends.len() as u64;
            self.entries.extend(sketch.into_iter().map(|entry| entry << TRACK_BITS | track));
            self.ends.push(self.entries.len() as u32);
        }
        while self.entries.len() > self.room && self.most > 1 {
            self.thin();
        }
        Ok(())
    }

    /// Drops the last eighth of each sketch.
    fn thin(&mut self) {
        self.most -= self.most.div_ceil(8);
        let (mut from, mut written) = (0, 0);
        for end in &mut self.ends {
            let count = *end as usize - from;
            let kept = count - count / 8;
            self.entries.copy_within(from..from + kept, written);
            from += count;
            written += kept;
            *end = written as u32;
        }
        self.entries.truncate(written);
    }

    /// Returns the pairs of tracks that may be the same recording, lower number first, in ascending order. They are
    /// only candidates: [`super::compare`] decides. With `new`, which marks the new tracks, only pairs with a new track
    /// are searched for, which takes correspondingly less time. Progress counts tracks.
    ///
    /// # Panics
    /// If `new` has another number of tracks.
    pub fn candidates(self, new: Option<&[bool]>, progress: &Progress) -> Result<Vec<(usize, usize)>> {
        assert!(new.is_none_or(|new| new.len() == self.ends.len()), "one for each track");
        let needed = self.votes.max(self.most / QUINTUPLES_PER_VOTE);
        candidates::of(self.entries, self.ends.len(), new, needed, progress)
    }
}
