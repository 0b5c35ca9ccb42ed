//! Which of very many fingerprints may be of the same recording: an inverted index over the leading bits of their items.
//!
//! Items (u32) of copies differ in some bits; yet among the hundreds of a track some agree in their leading 20 to 28.
//! Two tracks that share two such values at about the same offset are a pair to compare. With bit errors at a rate
//! `e`, `n` common items share `n (1 - e)^bits` values: of 900 items at 28 bits 214 at 5 %, 47 at 10 % and 10 at 15 %,
//! while two strangers share `n^2 / 2^bits`, 0.003. The number of bits grows with the library, so that strangers stay
//! rare however many there are.
//!
//! What many tracks have says nothing: runs of equal items count once, and a value that more than [`MOST_TRACKS`] tracks
//! have, silence above all, is skipped. Memory is bounded: values are indexed in as many passes as fit, and when votes fill
//! their room, those that stand alone are dropped.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::progress::Progress;

/// Tracks that may share a value before it says nothing.
const MOST_TRACKS: usize = 1000;
/// Entries of a value that each entry is paired with, the next ones: among the many copies of one recording every copy is
/// linked with some, without the square of their number.
const REACH: usize = 12;
/// Entries of one track under one value.
const MOST_OF_TRACK: usize = 4;
/// Bits of a track's place.
const TRACK_BITS: u32 = 22;
/// Bits of an item's place, in units of [`PLACE_UNIT`] items: 2.2 h; what comes later counts as there.
const PLACE_BITS: u32 = 14;
const PLACE_UNIT: usize = 4;
/// Units of place within which two offsets are the same: 2 s, and the neighbours' 2 s.
const OFFSET_UNITS: i64 = 4;

/// How candidates are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidateSettings {
    /// Leading bits that must agree, 20 to 28; chosen by the size of the library where none is given.
    pub bits: Option<u32>,
    /// Shared values at one offset that make a candidate.
    pub votes: usize,
    /// Bytes for the index and for the votes, together.
    pub memory_bytes: usize,
}

impl Default for CandidateSettings {
    fn default() -> Self {
        Self { bits: None, votes: 2, memory_bytes: 512 << 20 }
    }
}

/// Pairs of tracks, the lower place first, in ascending order, that may be the same. Progress counts items indexed.
///
/// # Errors
/// [`Error::Invalid`] for settings out of range, [`Error::Limit`] for more than four million tracks,
/// [`Error::Cancelled`].
pub fn fingerprint_candidates(
    fingerprints: &[&[u32]],
    settings: &CandidateSettings,
    progress: &Progress,
) -> Result<Vec<(usize, usize)>> {
    if fingerprints.len() > 1 << TRACK_BITS {
        let (got, limit) = (fingerprints.len().to_string(), (1u32 << TRACK_BITS).to_string());
        return Err(Error::Limit { what: "tracks compared at once".into(), got, limit });
    }
    let items: usize = fingerprints.iter().map(|items| items.len()).sum();
    let bits = settings.bits.unwrap_or_else(|| (usize::BITS - items.leading_zeros() + 2).clamp(20, 28));
    if !(20..=28).contains(&bits) {
        return Err(Error::invalid("leading bits", bits.to_string(), "20 to 28"));
    }
    if !(1..=255).contains(&settings.votes) {
        return Err(Error::invalid("votes", settings.votes.to_string(), "1 to 255"));
    }
    // Half of the memory for the index, half for the votes, eight bytes each.
    let room = (settings.memory_bytes / 16).max(1 << 16);
    let passes = items.div_ceil(room).next_power_of_two();
    progress.set_total(progress.snapshot().done + (items * passes) as u64);
    let mut votes = Votes { votes: Vec::new(), room, needed: settings.votes };
    let mut entries: Vec<u64> = Vec::new();
    for pass in 0..passes {
        entries.clear();
        for (track, items) in fingerprints.iter().enumerate() {
            progress.advance(items.len() as u64)?;
            index(&mut entries, track, items, bits, (pass, passes));
        }
        entries.par_sort_unstable();
        for value in entries.chunk_by(|a, b| key(*a) == key(*b)) {
            votes.of(value);
            if votes.votes.len() >= room {
                progress.check()?;
                votes.tidy();
            }
        }
    }
    drop(entries);
    progress.check()?;
    Ok(votes.pairs())
}

/// Adds the entries of a track whose values belong to this pass.
fn index(entries: &mut Vec<u64>, track: usize, items: &[u32], bits: u32, (pass, passes): (usize, usize)) {
    let mut before = None;
    for (place, &item) in items.iter().enumerate() {
        if before.replace(item) == Some(item) {
            continue;
        }
        // Values come in clusters; multiplied by an odd number they are still different, and spread over the passes.
        let mixed = (item >> (32 - bits)).wrapping_mul(0x9e37_79b1) & ((1 << bits) - 1);
        if (mixed as usize * passes) >> bits == pass {
            let place = (place / PLACE_UNIT).min((1 << PLACE_BITS) - 1) as u64;
            entries.push(u64::from(mixed) << (TRACK_BITS + PLACE_BITS) | (track as u64) << PLACE_BITS | place);
        }
    }
}

fn key(entry: u64) -> u64 {
    entry >> (TRACK_BITS + PLACE_BITS)
}

fn track(entry: u64) -> u64 {
    (entry >> PLACE_BITS) & ((1 << TRACK_BITS) - 1)
}

fn place(entry: u64) -> i64 {
    (entry & ((1 << PLACE_BITS) - 1)) as i64
}

/// Votes for pairs at offsets: the lower track, the higher track, the offset between their places, in one number each.
struct Votes {
    votes: Vec<u64>,
    room: usize,
    needed: usize,
}

/// Bits of an offset in a vote.
const OFFSET_BITS: u32 = 64 - 2 * TRACK_BITS;

impl Votes {
    /// Takes the votes of all entries of one value, ordered by track and place.
    fn of(&mut self, value: &[u64]) {
        if value.len() < 2 || track(value[0]) == track(value[value.len() - 1]) {
            return;
        }
        let kept: Vec<u64> = value
            .chunk_by(|a, b| track(*a) == track(*b))
            .flat_map(|own| own.iter().take(MOST_OF_TRACK))
            .copied()
            .collect();
        if kept.len() > MOST_TRACKS {
            return;
        }
        for (index, &a) in kept.iter().enumerate() {
            let others = kept[index + 1..].iter().filter(|&&b| track(a) != track(b));
            for &b in others.take(REACH) {
                let offset = (place(b) - place(a)).div_euclid(OFFSET_UNITS) + (1 << (OFFSET_BITS - 1));
                self.votes.push(track(a) << (TRACK_BITS + OFFSET_BITS) | track(b) << OFFSET_BITS | offset as u64);
            }
        }
    }

    /// Makes room: of equal votes as many as are needed stay; where that is not enough, those that stand alone go.
    fn tidy(&mut self) {
        self.votes.par_sort_unstable();
        self.keep(1);
        if self.votes.len() > self.room / 4 * 3 {
            self.keep(2);
        }
    }

    /// Keeps votes of which there are at least `least`, and of those no more than are needed.
    fn keep(&mut self, least: usize) {
        let (mut read, mut written) = (0, 0);
        while read < self.votes.len() {
            let vote = self.votes[read];
            let count = self.votes[read..].iter().take_while(|&&other| other == vote).count();
            if count >= least {
                let kept = count.min(self.needed.max(2));
                self.votes[written..written + kept].fill(vote);
                written += kept;
            }
            read += count;
        }
        self.votes.truncate(written);
    }

    /// The pairs that have the votes at an offset and the next one together.
    fn pairs(mut self) -> Vec<(usize, usize)> {
        self.votes.par_sort_unstable();
        let mut pairs = Vec::new();
        for votes in self.votes.chunk_by(|a, b| a >> OFFSET_BITS == b >> OFFSET_BITS) {
            let offset = |vote: u64| vote & ((1 << OFFSET_BITS) - 1);
            let mut first = 0;
            let is_candidate = (0..votes.len()).any(|last| {
                while offset(votes[last]) - offset(votes[first]) > 1 {
                    first += 1;
                }
                last - first + 1 >= self.needed
            });
            if is_candidate {
                let pair = votes[0] >> OFFSET_BITS;
                pairs.push(((pair >> TRACK_BITS) as usize, (pair & ((1 << TRACK_BITS) - 1)) as usize));
            }
        }
        pairs
    }
}
