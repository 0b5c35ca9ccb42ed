//! Sketches of very many tracks: of each the few quintuples that all tracks would choose alike.
//!
//! A track is sketched by its quintuples ([`super::quintuples`]) of the least priority, so that of two versions of a
//! recording the same are chosen if they are in both. What a track repeats, such as a loop, is taken a few times only.
//! When sketches fill their room, an eighth of each goes, those chosen last: the more tracks, the smaller the sketches.
//!
//! An entry is a quintuple in one number, from the highest bits: cell, place of the first peak, span, time, track.

use std::sync::LazyLock;

use rayon::prelude::*;

use super::quintuples::{self, LEAST_SPAN, MOST_SPAN, Quintuple};
use super::{Landmarks, candidates};
use crate::error::{Error, Result};
use crate::progress::Progress;

const PLACE_BITS: u32 = 7;
/// Places there are.
pub(super) const PLACES: i32 = 1 << PLACE_BITS;
const SPAN_BITS: u32 = 7;
const TIME_BITS: u32 = 9;
pub(super) const TRACK_BITS: u32 = 20;
const CELL_BITS: u32 = 64 - PLACE_BITS - SPAN_BITS - TIME_BITS - TRACK_BITS;
/// Steps of a peak's place in an entry's: 37.5 cents.
const PLACE_UNIT: u16 = 9;
/// Units of an entry's span for a span that is 2.718.. times as long: steps of 2.2 %.
pub(super) const SPAN_UNITS: f64 = 45.0;
/// Units of time in an entry's: 0.74 s. Every 6 minutes they begin anew.
const TIME_UNIT: u32 = 128;
/// Times there are.
pub(super) const TIMES: u32 = 1 << TIME_BITS;
/// Quintuples of a track's sketch at the most.
const MOST_OF_SKETCH: usize = 600;
/// Quintuples of a sketch for each vote that is asked for, where that gives more than [`MOST_OF_SKETCH`].
const QUINTUPLES_PER_VOTE: usize = 150;
/// A recording longer than this, in units of time, has a sketch longer by as much, up to [`MOST_TIMES`] times.
const USUAL_LENGTH: u32 = 41_344;
const MOST_TIMES: usize = 8;
/// Quintuples of one cell in a sketch.
const MOST_OF_CELL: usize = 4;
/// Quintuples for each strong peak, about, from which the search for those of the least priority begins.
const QUINTUPLES_PER_PEAK: f64 = 100.0;
/// Quintuples of each of two recordings that are looked at closely, and for each vote that they must share.
const LOOKED_AT: usize = 1500;
const QUINTUPLES_PER_RESEMBLANCE: usize = 150;
const LEAST_RESEMBLANCE: usize = 4;
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

    /// Adds tracks, on all threads. `landmarks` gives each one's; a track without has an empty sketch.
    ///
    /// # Errors
    /// [`Error::Limit`] for more than [`Sketches::MOST_TRACKS`]; [`Error::Cancelled`]. Progress counts tracks.
    pub fn add<T: Sync>(
        &mut self,
        tracks: &[T],
        landmarks: impl Fn(&T) -> Option<Landmarks> + Sync,
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
                Ok(landmarks(track).map_or_else(Vec::new, |landmarks| sketch(&landmarks, most)))
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

/// Whether two recordings share enough of many quintuples at one change of pitch and tempo and one shift to be compared:
/// a closer look at a pair than their sketches among many allow, in a fraction of the time that [`super::compare`] takes.
pub fn resemble(a: &Landmarks, b: &Landmarks) -> bool {
    let [a, b] = [a, b].map(|landmarks| sketch(landmarks, LOOKED_AT));
    let needed = (a.len().min(b.len()).min(LOOKED_AT) / QUINTUPLES_PER_RESEMBLANCE).max(LEAST_RESEMBLANCE);
    let mut entries: Vec<u64> = a.iter().map(|entry| entry << TRACK_BITS).collect();
    entries.extend(b.iter().map(|entry| entry << TRACK_BITS | 1));
    entries.sort_unstable();
    candidates::share(&entries, needed)
}

/// A track's entries, without its number, those of the least priority first.
fn sketch(landmarks: &Landmarks, most: usize) -> Vec<u64> {
    let times = (landmarks.length.div_ceil(USUAL_LENGTH) as usize).clamp(1, MOST_TIMES);
    let wanted = most * times;
    let strong = quintuples::strong(&landmarks.peaks);
    // More than are wanted, since repetitions go and tracks differ.
    let share = 1.3 * wanted as f64 / (QUINTUPLES_PER_PEAK * strong.len().max(1) as f64);
    let mut up_to = (share.sqrt().min(1.0) * f64::from(u32::MAX)) as u32;
    let mut found: Vec<(u32, u64)> = Vec::new();
    loop {
        found.clear();
        quintuples::for_each(&strong, up_to, |quintuple| found.push((quintuple.priority, entry(quintuple))));
        found.sort_unstable();
        let mut chosen: Vec<u64> = Vec::with_capacity(wanted);
        for cell in found.chunk_by(|a, b| a.0 == b.0 && cell(a.1 << TRACK_BITS) == cell(b.1 << TRACK_BITS)) {
            chosen.extend(cell.iter().map(|(_, entry)| entry).take(MOST_OF_CELL.min(wanted - chosen.len())));
            if chosen.len() == wanted {
                return chosen;
            }
        }
        if up_to == u32::MAX {
            return chosen;
        }
        // Twice the share.
        up_to = up_to.saturating_add(up_to / 5 * 2 + 1);
    }
}

/// A span's logarithm in an entry's units.
static SPANS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let units = |span: u32| (f64::from(span) / f64::from(LEAST_SPAN)).ln() * SPAN_UNITS;
    (0..=MOST_SPAN).map(|span| units(span) as u8).collect()
});

fn entry(quintuple: Quintuple) -> u64 {
    let place = u64::from(quintuple.place / PLACE_UNIT);
    let span = u64::from(SPANS[usize::from(quintuple.span)]);
    let time = u64::from(quintuple.time / TIME_UNIT % TIMES);
    let cell = quintuple.mixed >> (64 - CELL_BITS);
    ((cell << PLACE_BITS | place) << SPAN_BITS | span) << TIME_BITS | time
}

/// The least entry of a cell at this place.
pub(super) fn first_of(cell: u64, place: i32) -> u64 {
    ((cell << PLACE_BITS) + place as u64) << (SPAN_BITS + TIME_BITS + TRACK_BITS)
}

/// A quintuple's cell.
pub(super) fn cell(entry: u64) -> u64 {
    entry >> (64 - CELL_BITS)
}

/// Its place, in units of 37.5 cents.
pub(super) fn place(entry: u64) -> i32 {
    (entry >> (TRACK_BITS + TIME_BITS + SPAN_BITS)) as i32 & ((1 << PLACE_BITS) - 1)
}

/// Its span, in units of the logarithm, [`SPAN_UNITS`].
pub(super) fn span(entry: u64) -> i32 {
    (entry >> (TRACK_BITS + TIME_BITS)) as i32 & ((1 << SPAN_BITS) - 1)
}

/// Its time, in units of 0.74 s.
pub(super) fn time(entry: u64) -> u32 {
    (entry >> TRACK_BITS) as u32 & (TIMES - 1)
}

/// Its track.
pub(super) fn track(entry: u64) -> u32 {
    entry as u32 & ((1 << TRACK_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_into_an_entry_comes_out_of_it() {
        let most = Quintuple { priority: 0, mixed: u64::MAX, place: 1151, span: MOST_SPAN as u16, time: 3 * TIME_UNIT };
        let packed = entry(most) << TRACK_BITS | 0x4d;
        assert_eq!((cell(packed), place(packed), time(packed), track(packed)), ((1 << CELL_BITS) - 1, 127, 3, 0x4d));
        assert!((110..128).contains(&span(packed)));
        let lowest = entry(Quintuple { mixed: 0, place: 0, span: LEAST_SPAN as u16, time: TIMES * TIME_UNIT, ..most });
        assert_eq!(lowest, 0);
    }
}
