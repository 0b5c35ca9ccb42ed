//! Sketches of very many tracks, and the pairs among them that may be the same recording.
//!
//! When sketches fill their room, an eighth of each goes, what was chosen last: the more tracks, the smaller the sketches.

use rayon::prelude::*;

use super::candidates;
use super::sketch::{MOST_OF_SKETCH, Sketch, TRACK_BITS};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// Quintuples of a sketch for each vote that is asked for, where that gives more than [`MOST_OF_SKETCH`].
const QUINTUPLES_PER_VOTE: usize = 150;
/// Bytes for each quintuple: an entry here, and a place when they are compared.
const BYTES: usize = size_of::<u64>() + size_of::<u32>();
/// The least room, in quintuples.
const LEAST_ROOM: usize = 1 << 16;

/// How candidates are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidateSettings {
    /// Shared quintuples at one change of pitch and tempo and one shift that make a candidate.
    pub votes: usize,
    /// Bytes for all sketches.
    pub memory_bytes: usize,
}

impl Default for CandidateSettings {
    fn default() -> Self {
        Self { votes: 4, memory_bytes: 640 << 20 }
    }
}

/// Sketches of tracks, numbered from 0 in the order in which they were added.
#[derive(Debug)]
pub struct Sketches {
    entries: Vec<u64>,
    /// Where each track's entries end.
    ends: Vec<u32>,
    /// Of how many quintuples a sketch is made at the most.
    most: usize,
    room: usize,
    votes: usize,
}

impl Sketches {
    /// The most tracks.
    pub const MOST_TRACKS: usize = 1 << TRACK_BITS;

    /// None yet.
    ///
    /// # Errors
    /// [`Error::Invalid`] for no vote.
    pub fn new(settings: &CandidateSettings) -> Result<Self> {
        if settings.votes == 0 {
            return Err(Error::invalid("votes", "0", "1 or more"));
        }
        let room = (settings.memory_bytes / BYTES).clamp(LEAST_ROOM, u32::MAX as usize);
        Ok(Self { entries: Vec::new(), ends: Vec::new(), most: MOST_OF_SKETCH, room, votes: settings.votes })
    }

    /// Adds tracks, on all threads. `sketch` gives each one's; a track without has an empty one.
    ///
    /// # Errors
    /// [`Error::Limit`] for more than [`Sketches::MOST_TRACKS`]; [`Error::Cancelled`]. Progress counts tracks.
    pub fn add<T: Sync>(
        &mut self,
        tracks: &[T],
        sketch: impl Fn(&T) -> Option<Sketch> + Sync,
        progress: &Progress,
    ) -> Result<()> {
        let count = self.ends.len() + tracks.len();
        if count > Self::MOST_TRACKS {
            let (got, limit) = (count.to_string(), Self::MOST_TRACKS.to_string());
            return Err(Error::Limit { what: "tracks compared at once".into(), got, limit });
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
        // Growing by doubling would take twice the room.
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

    /// Takes the last eighth of each sketch away.
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

    /// Pairs of tracks, the lower number first, in ascending order, that may be the same recording. They are only
    /// proposed: [`super::compare`] decides. Progress counts tracks.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn candidates(self, progress: &Progress) -> Result<Vec<(usize, usize)>> {
        let needed = self.votes.max(self.most / QUINTUPLES_PER_VOTE);
        candidates::of(self.entries, self.ends.len(), needed, progress)
    }
}
