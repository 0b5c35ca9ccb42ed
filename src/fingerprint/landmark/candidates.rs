//! Which of very many tracks may be the same recording, by their landmarks: pairs that share some quadruples of peaks at
//! one change of pitch and tempo.
//!
//! Every track is sketched by the quadruples ([`super::quads`]) whose cells fall into a choice that is the same for all
//! tracks: a thousand quadruples of each where tracks are few, fewer the more there are, so that sketches fit in the memory that
//! was given. Sorted by cell, entries of one cell whose pitch and span differ by no more than [`MOST_CHANGE`] vote for
//! their pair of tracks at that difference; a pair with enough votes about one difference is a candidate. It is only
//! proposed: [`super::compare`] decides.
//!
//! What many tracks have says nothing: a cell that too many entries share is passed over. When votes fill their room,
//! those that stand alone are dropped.

use rayon::prelude::*;

use super::quads::{self, Quad};
use super::{Landmarks, MOST_CHANGE, STEPS_PER_OCTAVE};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// Bits of an entry, from the highest: cell, place of the first peak, span, track.
const PLACE_BITS: u32 = 8;
const SPAN_BITS: u32 = 8;
const TRACK_BITS: u32 = 22;
const CELL_BITS: u32 = 64 - PLACE_BITS - SPAN_BITS - TRACK_BITS;
/// Steps of a peak's place in a unit of an entry's: 1/58 octave.
const PLACE_UNIT: u16 = 5;
/// Units of an entry's span for a span that is 2.718.. times as long: steps of 0.8 %.
const SPAN_UNITS: f32 = 128.0;
/// The least span, in units of time.
const LEAST_SPAN: f32 = 60.0;
/// How far votes of one pair stand apart in place and span, in units.
const APART: usize = 2;
/// Room for differences, in units: more than [`MOST_CHANGE`] to either side, and what is near.
const SIDE: usize = 32;
/// Entries of a cell before it says nothing.
const MOST_ENTRIES: usize = 1 << 14;
/// Entries of one track in a cell.
const MOST_OF_TRACK: usize = 8;
/// Quadruples of a track's sketch at the most, on the average: more would cost the square of it and tell no more.
const MOST_OF_SKETCH: usize = 1000;
/// Quadruples of a sketch for each vote that is asked for beside the least.
const QUADS_PER_VOTE: usize = 160;
/// Tracks whose quadruples are counted, to know how many there are.
const COUNTED: usize = 256;
/// Tracks that are sketched between two looks at whether to go on.
const BATCH: usize = 1024;

/// How candidates are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidateSettings {
    /// Shared quadruples at one change of pitch and tempo that make a candidate, at the least; more are asked for where
    /// there is room for more in the sketches.
    pub votes: usize,
    /// Bytes for sketches and votes together.
    pub memory_bytes: usize,
}

impl Default for CandidateSettings {
    fn default() -> Self {
        Self { votes: 3, memory_bytes: 512 << 20 }
    }
}

/// Pairs of the tracks `0..count`, the lower first, in ascending order, that may be the same. `landmarks` gives a
/// track's, none where it has none; it is asked from several threads. Progress counts tracks.
///
/// # Errors
/// [`Error::Limit`] for more than four million tracks; [`Error::Invalid`] for no vote; [`Error::Cancelled`].
pub fn candidates(
    count: usize,
    landmarks: impl Fn(usize) -> Option<Landmarks> + Sync,
    settings: &CandidateSettings,
    progress: &Progress,
) -> Result<Vec<(usize, usize)>> {
    if count > 1 << TRACK_BITS {
        let (got, limit) = (count.to_string(), (1_u32 << TRACK_BITS).to_string());
        return Err(Error::Limit { what: "tracks compared at once".into(), got, limit });
    }
    if settings.votes == 0 {
        return Err(Error::invalid("votes", "0", "1 or more"));
    }
    progress.set_total(count as u64);
    // A half for sketches, a half for votes, eight bytes each.
    let room = (settings.memory_bytes / 16).max(1 << 16);
    let kept = room.min(count * MOST_OF_SKETCH);
    let share = share_of(count, kept, &landmarks);
    let needed = settings.votes.max(kept / QUADS_PER_VOTE / count.max(1));
    let mut entries: Vec<u64> = Vec::new();
    for first in (0..count).step_by(BATCH) {
        let batch = first..count.min(first + BATCH);
        let tracks = batch.len() as u64;
        entries.par_extend(batch.into_par_iter().flat_map_iter(|track| {
            let mut own = Vec::new();
            if let Some(landmarks) = landmarks(track) {
                quads::for_each(&landmarks.peaks, |quad| own.extend(entry(quad, track, share)));
            }
            own
        }));
        progress.advance(tracks)?;
    }
    entries.par_sort_unstable();
    progress.check()?;
    // The same quadruple of a track, from peaks that stand beside each other, counts once.
    entries.dedup();
    let mut votes = Votes { votes: Vec::new(), needed };
    for cell in entries.chunk_by(|a, b| a >> (64 - CELL_BITS) == b >> (64 - CELL_BITS)) {
        if cell.len() > MOST_ENTRIES {
            continue;
        }
        votes.of(cell);
        if votes.votes.len() >= room {
            progress.check()?;
            votes.tidy();
        }
    }
    drop(entries);
    progress.check()?;
    Ok(votes.pairs())
}

/// The share of cells, in parts of 2^32, that is chosen so that all sketches fit; counted on some of the tracks.
fn share_of(count: usize, kept: usize, landmarks: &(impl Fn(usize) -> Option<Landmarks> + Sync)) -> u64 {
    let step = count.div_ceil(COUNTED).max(1);
    let quads = |track: usize| {
        let mut quads = 0_u64;
        if let Some(landmarks) = landmarks(track) {
            quads::for_each(&landmarks.peaks, |_| quads += 1);
        }
        quads
    };
    let counted: Vec<usize> = (0..count).step_by(step).collect();
    let of_counted: u64 = counted.par_iter().map(|&track| quads(track)).sum();
    let all = u128::from(of_counted) * count as u128 / counted.len().max(1) as u128;
    // A little less than that: what was not counted may have more.
    let share = ((kept as u128 * 7 / 8) << 32) / all.max(1);
    share.min(1 << 32) as u64
}

/// A quadruple as it is kept, if it is chosen.
fn entry(quad: Quad, track: usize, share: u64) -> Option<u64> {
    (quad.mixed & 0xffff_ffff < share).then(|| {
        let place = u64::from(quad.place / PLACE_UNIT);
        let span = ((f32::from(quad.span) / LEAST_SPAN).ln() * SPAN_UNITS).max(0.0) as u64;
        let span = span.min((1 << SPAN_BITS) - 1);
        let cell = quad.mixed >> (64 - CELL_BITS);
        ((cell << PLACE_BITS | place) << SPAN_BITS | span) << TRACK_BITS | track as u64
    })
}

fn track(entry: u64) -> u64 {
    entry & ((1 << TRACK_BITS) - 1)
}

fn span(entry: u64) -> i64 {
    (entry >> TRACK_BITS & ((1 << SPAN_BITS) - 1)) as i64
}

fn place(entry: u64) -> i64 {
    (entry >> (TRACK_BITS + SPAN_BITS) & ((1 << PLACE_BITS) - 1)) as i64
}

/// Votes for pairs at differences: the lower track, the higher track, how much higher and slower it is, in one number.
struct Votes {
    votes: Vec<u64>,
    needed: usize,
}

/// Bits of each difference, and what stands for none.
const DIFFERENCE_BITS: u32 = (64 - 2 * TRACK_BITS) / 2;
const NONE: i64 = 1 << (DIFFERENCE_BITS - 1);

impl Votes {
    /// Takes the votes of all entries of a cell, which are in order of place.
    fn of(&mut self, cell: &[u64]) {
        let most_places = (MOST_CHANGE.log2() * f64::from(STEPS_PER_OCTAVE / PLACE_UNIT)).ceil() as i64;
        let most_spans = (MOST_CHANGE.ln() * f64::from(SPAN_UNITS)).ceil() as i64 + 1;
        for (index, &a) in cell.iter().enumerate() {
            let mut of_track = 0;
            for &b in cell[index + 1..].iter().take_while(|&&b| place(b) - place(a) <= most_places) {
                if (span(b) - span(a)).abs() > most_spans || track(a) == track(b) {
                    // A track that repeats itself would vote for its partners again and again.
                    of_track += usize::from(track(a) == track(b));
                    if of_track >= MOST_OF_TRACK {
                        break;
                    }
                    continue;
                }
                let (low, high) = if track(a) < track(b) { (a, b) } else { (b, a) };
                let [places, spans] = [place(high) - place(low), span(high) - span(low)].map(|n| (n + NONE) as u64);
                let pair = track(low) << TRACK_BITS | track(high);
                self.votes.push((pair << DIFFERENCE_BITS | places) << DIFFERENCE_BITS | spans);
            }
        }
    }

    /// Makes room: pairs with a single vote go, and of others no more stay than tell.
    fn tidy(&mut self) {
        self.votes.par_sort_unstable();
        let (mut read, mut written) = (0, 0);
        while read < self.votes.len() {
            let pair = self.votes[read] >> (2 * DIFFERENCE_BITS);
            let count = self.votes[read..].iter().take_while(|&&vote| vote >> (2 * DIFFERENCE_BITS) == pair).count();
            let kept = if count > 1 { count.min(64 * self.needed) } else { 0 };
            self.votes.copy_within(read..read + kept, written);
            written += kept;
            read += count;
        }
        self.votes.truncate(written);
    }

    /// The pairs that have the votes about one difference.
    fn pairs(mut self) -> Vec<(usize, usize)> {
        self.votes.par_sort_unstable();
        let pair = |vote: u64| vote >> (2 * DIFFERENCE_BITS);
        let mut pairs = Vec::new();
        let mut counts = [[0_usize; SIDE]; SIDE];
        for votes in self.votes.chunk_by(|a, b| pair(*a) == pair(*b)) {
            if votes.len() < self.needed {
                continue;
            }
            for row in &mut counts {
                row.fill(0);
            }
            for vote in votes {
                let of = |vote: u64| (vote & ((1 << DIFFERENCE_BITS) - 1)) as usize + SIDE / 2 - NONE as usize;
                counts[of(vote >> DIFFERENCE_BITS)][of(*vote)] += 1;
            }
            let around = |counts: &[usize; SIDE]| {
                let windows = counts.windows(2 * APART + 1);
                windows.map(|near| near.iter().sum()).collect::<Vec<usize>>()
            };
            let rows: Vec<Vec<usize>> = counts.iter().map(around).collect();
            let is_enough = |place: usize| {
                let votes =
                    (0..rows[0].len()).map(|span| rows[place..=place + 2 * APART].iter().map(move |row| row[span]));
                votes.map(Iterator::sum).any(|votes: usize| votes >= self.needed)
            };
            if (0..SIDE - 2 * APART).any(is_enough) {
                let pair = pair(votes[0]);
                pairs.push(((pair >> TRACK_BITS) as usize, (pair & ((1 << TRACK_BITS) - 1)) as usize));
            }
        }
        pairs
    }
}
