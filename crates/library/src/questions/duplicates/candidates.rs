//! Finds pairs of fingerprints, among very many, that may be of the same recording: an inverted index over the leading
//! bits of their items.
//!
//! Items (`u32`) of copies differ in some bits, but among the hundreds of items of a track some agree in their leading
//! 20 to 28 bits. Two tracks that share two such values at about the same offset are a candidate pair. At a bit error
//! rate `e`, `n` common items share `n (1 - e)^bits` values: of 900 items at 28 bits, 214 at 5 %, 47 at 10 % and 10 at
//! 15 %. Two unrelated tracks share `n^2 / 2^bits`, which is 0.003. The number of bits grows with the library, so that
//! chance matches stay rare at any size.
//!
//! Values shared by many tracks carry no information: runs of equal items count once, and a value with more than
//! [`MAX_TRACKS`] entries, above all silence, is skipped. Memory is bounded: only a share of all values is kept of very
//! many tracks ([`Items`]), values are indexed in as many passes as necessary, and when the votes fill their share of
//! memory, single votes are dropped.

use rayon::prelude::*;

use super::items::Items;
use base::error::{Error, Result};
use base::progress::Progress;

/// Maximum number of entries for a value; above it, the value is ignored.
const MAX_TRACKS: usize = 1000;
/// Each entry of a value is paired with this many of the next entries. With many copies of one recording, every copy is
/// linked with some others without a quadratic number of pairs.
const REACH: usize = 12;
/// Maximum number of entries of one track for one value.
const MAX_OF_TRACK: usize = 4;
/// Bits of a track's index.
const TRACK_BITS: u32 = 20;
/// Bits of an item's position, in units of [`PLACE_UNIT`] items: 34 min. Later items count as being at the maximum.
pub(super) const PLACE_BITS: u32 = 12;
pub(super) const PLACE_UNIT: usize = 4;
/// Position units per offset bin: 2 s. Votes in adjacent bins count together.
const OFFSET_UNITS: i64 = 4;

/// Settings for the search for candidates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidateSettings {
    /// Number of leading bits that must agree, 20 to 28, or to 32 of very many tracks; `None` chooses it by the size of
    /// the library.
    pub bits: Option<u32>,
    /// Number of shared values at one offset that make a candidate, 1 to 255.
    pub votes: usize,
    /// Memory for index and votes together, in bytes.
    pub memory_bytes: usize,
}

impl Default for CandidateSettings {
    fn default() -> Self {
        Self { bits: None, votes: 2, memory_bytes: 1 << 30 }
    }
}

/// Returns the pairs of tracks that may be the same, lower index first, in ascending order. Progress counts items
/// indexed.
///
/// # Errors
/// [`Error::Limit`] for more than a million tracks.
pub fn fingerprint_candidates(
    items: &Items,
    settings: &CandidateSettings,
    progress: &Progress,
) -> Result<Vec<(usize, usize)>> {
    if items.tracks() > 1 << TRACK_BITS {
        let (got, limit) = (items.tracks().to_string(), (1u32 << TRACK_BITS).to_string());
        return Err(Error::Limit { what: "the number of tracks compared at once".into(), got, limit });
    }
    let most = if items.is_thinned() { 32 } else { 28 };
    let bits = settings.bits.unwrap_or_else(|| (usize::BITS - items.given().leading_zeros() + 2).clamp(20, most));
    if !(20..=most).contains(&bits) {
        return Err(Error::invalid("leading bits", bits.to_string(), format!("20 to {most}")));
    }
    if !(1..=255).contains(&settings.votes) {
        return Err(Error::invalid("votes", settings.votes.to_string(), "1 to 255"));
    }
    // Half of the memory is for the index and half for the votes, with eight bytes per element.
    let room = (settings.memory_bytes / 16).max(1 << 16);
    let passes = items.len().div_ceil(room).next_power_of_two();
    progress.set_total(progress.snapshot().done + (items.len() * passes) as u64);
    let mut votes = Votes { votes: Vec::new(), room, needed: settings.votes };
    let mut entries: Vec<u64> = Vec::new();
    for pass in 0..passes {
        entries.clear();
        for track in 0..items.tracks() {
            progress.advance(items.count(track) as u64)?;
            items.each(track, |place, item| entries.extend(entry(track, place, item, bits, (pass, passes))));
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

/// Returns the entry of an item if its value belongs to this pass.
fn entry(track: usize, place: u16, item: u32, bits: u32, (pass, passes): (usize, usize)) -> Option<u64> {
    // Values come in clusters. Multiplying by an odd number keeps them distinct and spreads them over the passes.
    let mixed = u64::from((item >> (32 - bits)).wrapping_mul(0x9e37_79b1)) & ((1 << bits) - 1);
    ((mixed as usize * passes) >> bits == pass)
        .then_some((mixed << TRACK_BITS | track as u64) << PLACE_BITS | u64::from(place))
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

/// Votes for pairs at offsets. Each is one integer: lower track, higher track, offset between their positions.
struct Votes {
    votes: Vec<u64>,
    room: usize,
    needed: usize,
}

/// Bits of an offset in a vote.
const OFFSET_BITS: u32 = 64 - 2 * TRACK_BITS;

impl Votes {
    /// Adds the votes of all entries of one value, which are ordered by track and position.
    fn of(&mut self, value: &[u64]) {
        if value.len() < 2 || track(value[0]) == track(value[value.len() - 1]) {
            return;
        }
        let kept: Vec<u64> = value
            .chunk_by(|a, b| track(*a) == track(*b))
            .flat_map(|entries| entries.iter().take(MAX_OF_TRACK))
            .copied()
            .collect();
        if kept.len() > MAX_TRACKS {
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

    /// Frees memory: keeps no more equal votes than needed, and if that is not enough, drops single votes.
    fn tidy(&mut self) {
        self.votes.par_sort_unstable();
        self.keep(1);
        if self.votes.len() > self.room / 4 * 3 {
            self.keep(2);
        }
    }

    /// Keeps votes that occur at least `least` times, and of these no more than needed.
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

    /// Returns the pairs that have enough votes at an offset and the next one together.
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
