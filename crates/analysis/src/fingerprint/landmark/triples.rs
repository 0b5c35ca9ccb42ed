//! Triples of peaks and their cells.
//!
//! Peaks `a`, `b`, `c` follow each other by at least 0.07 s; `a` and `c` are 0.35 to 2.3 s apart; no peak is more than
//! an octave from `a`. The cell consists of the pitch of `b` and of `c` above `a` in steps of 1/36 octave, and of the
//! time from `a` to `b` divided by the time from `a` to `c`, in sixteenths.
//!
//! A track is indexed by few triples of its strongest peaks, eight per second. A query looks up all triples of a larger
//! set of strong peaks. If a value is close to a cell border, it also looks in the neighbouring cell. An indexed triple
//! is found if its three peaks still exist, whatever other peaks have appeared between them.

use std::cmp::Reverse;

use super::STEPS_PER_OCTAVE;
use super::peaks::Peak;

/// Pitch step of a cell: 1/36 octave.
const PLACE_STEP: i32 = 8;
/// Maximum distance in pitch from the first peak, in cells.
const FARTHEST: i32 = (STEPS_PER_OCTAVE / PLACE_STEP as u16) as i32;
const ACROSS: u32 = 2 * FARTHEST as u32 + 1;
/// Number of cells for the ratio of times.
const RATIOS: u32 = 16;
/// Total number of cells.
pub(super) const CELLS: u32 = ACROSS * ACROSS * RATIOS;
/// Minimum time between two peaks, in time units.
const MIN_GAP: u32 = 12;
/// Minimum time from the first to the last peak, in time units.
const MIN_SPAN: u32 = 60;
/// Maximum time from the first to the last peak, in time units.
const MAX_SPAN: u32 = 400;
/// Peaks are ranked by strength among those up to this many time units before and after: half a second.
const RANKED: u32 = 86;
/// Bits that break ties between peaks of equal strength.
const INDEX_BITS: u32 = 26;
const INDICES: i32 = (1 << INDEX_BITS) - 1;
/// Number of peaks per second that are used for indexing, and for queries.
const INDEXED_RANK: usize = 5;
const ASKED_RANK: usize = 8;
/// Length of a block in time units, and number of triples indexed per block.
const BLOCK: u32 = 344;
const INDEXED_PER_BLOCK: usize = 16;
/// If a value is closer than this to a border, as a fraction of a cell, the neighbouring cell is searched too.
const NEAR: f32 = 0.25;

/// A triple in an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Triple {
    pub cell: u32,
    /// The pitch of its first peak.
    pub place: u16,
    /// Time from its first peak to its last.
    pub span: u16,
    /// The time of its first peak.
    pub time: u32,
}

/// A triple of a query: one cell for each combination of its values, of which each has one or two.
pub(super) struct Question {
    values: [[Option<u32>; 2]; 3],
    pub place: u16,
    pub span: u16,
    pub time: u32,
}

impl Question {
    /// Returns the cells to search.
    pub fn cells(&self) -> impl Iterator<Item = u32> + '_ {
        let [b, c, ratio] = &self.values;
        b.iter().flatten().flat_map(move |&b| {
            c.iter().flatten().flat_map(move |&c| ratio.iter().flatten().map(move |&ratio| cell(b, c, ratio)))
        })
    }
}

fn cell(b: u32, c: u32, ratio: u32) -> u32 {
    (b * ACROSS + c) * RATIOS + ratio
}

/// Returns the triples by which a track is indexed, in order of time: the best of each block. Triples are ranked by their
/// weakest peak, which is the first to get lost.
pub(super) fn indexed(peaks: &[Peak]) -> Vec<Triple> {
    let strong = strongest(peaks, INDEXED_RANK);
    let mut chosen = Vec::new();
    // The best of a block so far, best first.
    let mut block: Vec<(Reverse<u8>, Triple)> = Vec::with_capacity(INDEXED_PER_BLOCK + 1);
    let mut number = 0;
    let mut close = |block: &mut Vec<(Reverse<u8>, Triple)>| {
        let kept = chosen.len();
        chosen.extend(block.drain(..).map(|(_, triple)| triple));
        chosen[kept..].sort_by_key(|triple| (triple.time, triple.cell, triple.span));
    };
    let rank = |(weakest, triple): &(Reverse<u8>, Triple)| (*weakest, triple.time, triple.cell, triple.span);
    for_each(&strong, |[a, b, c]| {
        if a.time / BLOCK != number {
            close(&mut block);
            number = a.time / BLOCK;
        }
        let weakest = Reverse(a.strength.min(b.strength).min(c.strength));
        // Most triples end here.
        if block.len() == INDEXED_PER_BLOCK && block.last().is_some_and(|worst| weakest > worst.0) {
            return;
        }
        let [to_b, to_c, ratio] = exact(a, b, c).map(f32::floor);
        let triple = Triple {
            cell: cell(to_b as u32, to_c as u32, ratio as u32),
            place: a.place,
            span: (c.time - a.time) as u16,
            time: a.time,
        };
        let candidate = (weakest, triple);
        let place = block.partition_point(|other| rank(other) <= rank(&candidate));
        block.insert(place, candidate);
        block.truncate(INDEXED_PER_BLOCK);
    });
    close(&mut block);
    chosen
}

/// Calls `each` with the triples that a query looks up, in order of time.
pub(super) fn asked(peaks: &[Peak], mut each: impl FnMut(&Question)) {
    let strong = strongest(peaks, ASKED_RANK);
    for_each(&strong, |[a, b, c]| {
        let [to_b, to_c, ratio] = exact(a, b, c);
        each(&Question {
            values: [near(to_b, ACROSS), near(to_c, ACROSS), near(ratio, RATIOS)],
            place: a.place,
            span: (c.time - a.time) as u16,
            time: a.time,
        });
    });
}

/// Returns the three values of the cell before they are rounded down.
fn exact(a: Peak, b: Peak, c: Peak) -> [f32; 3] {
    let step = |x: Peak| (i32::from(x.place) - i32::from(a.place)) as f32 / PLACE_STEP as f32 + FARTHEST as f32 + 0.5;
    let ratio = (b.time - a.time) as f32 / (c.time - a.time) as f32 * RATIOS as f32;
    [step(b).clamp(0.0, ACROSS as f32 - 0.5), step(c).clamp(0.0, ACROSS as f32 - 0.5), ratio]
}

fn near(value: f32, count: u32) -> [Option<u32>; 2] {
    let index = (value.floor() as u32).min(count - 1);
    let part = value - index as f32;
    let other = if part < NEAR {
        index.checked_sub(1)
    } else if part > 1.0 - NEAR && index + 1 < count {
        Some(index + 1)
    } else {
        None
    };
    [Some(index), other]
}

/// Returns the peaks that fewer than `rank` others within half a second before and after exceed.
pub(super) fn strongest(peaks: &[Peak], rank: usize) -> Vec<Peak> {
    // Among peaks of equal strength, the first ranks higher.
    let key = |(index, peak): (usize, &Peak)| i32::from(peak.strength) << INDEX_BITS | (!index as i32 & INDICES);
    let keys: Vec<i32> = peaks.iter().enumerate().map(key).collect();
    let (mut from, mut to) = (0, 0);
    let mut strong = Vec::with_capacity(peaks.len());
    for (peak, &peak_key) in peaks.iter().zip(&keys) {
        while peaks[from].time + RANKED < peak.time {
            from += 1;
        }
        while to < peaks.len() && peaks[to].time <= peak.time + RANKED {
            to += 1;
        }
        // Counts all keys, even if fewer would suffice: the loop vectorises.
        let outdone: i32 = keys[from..to].iter().map(|&key| i32::from(key > peak_key)).sum();
        if (outdone as usize) < rank {
            strong.push(*peak);
        }
    }
    strong
}

fn for_each(peaks: &[Peak], mut each: impl FnMut([Peak; 3])) {
    let reach = FARTHEST * PLACE_STEP;
    let mut zone: Vec<Peak> = Vec::new();
    for (index, &a) in peaks.iter().enumerate() {
        zone.clear();
        zone.extend(
            peaks[index + 1..]
                .iter()
                .take_while(|peak| peak.time <= a.time + MAX_SPAN)
                .filter(|peak| peak.time >= a.time + MIN_GAP)
                .filter(|peak| (i32::from(peak.place) - i32::from(a.place)).abs() <= reach),
        );
        for (first, &b) in zone.iter().enumerate() {
            for &c in &zone[first + 1..] {
                if c.time >= b.time + MIN_GAP && c.time >= a.time + MIN_SPAN {
                    each([a, b, c]);
                }
            }
        }
    }
}
