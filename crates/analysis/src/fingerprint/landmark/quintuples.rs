//! Quintuples of peaks, from which sketches are made. They are rarer than triples, so that two unrelated tracks share
//! almost none.
//!
//! Peaks `a` to `e` follow each other by at least 0.07 s; `a` and `e` are 0.35 to 4.6 s apart; no peak is more than an
//! octave from `a`. The cell consists of what a change of speed, pitch or tempo preserves: the pitch of the other peaks
//! above `a`, in steps of 1/24 octave, and the times from `a` to `b`, `c` and `d` as fractions of the span, in
//! sixteenths. The change itself shows in the pitch of `a` and in the span. Of random pairs from music, one in 20
//! million shares the cell, and one in 400 million also the change, within the range of changes that is looked for.
//!
//! A track has about 300 quintuples per second. A sketch needs few of them, and the same ones from every version of a
//! track: those with the lowest priority value. The priority is the larger of two hashes, one of `a`, `d` and `e`, the
//! other of the cell. Most quintuples are therefore rejected before `b` and `c` are enumerated.

use super::STEPS_PER_OCTAVE;
use super::peaks::Peak;
use super::triples::strongest;

/// Pitch step of a cell: 1/24 octave.
const PLACE_STEP: i32 = 12;
/// Maximum distance in pitch from the first peak.
const FARTHEST: i32 = STEPS_PER_OCTAVE as i32;
const ACROSS: u64 = 2 * (FARTHEST / PLACE_STEP) as u64 + 1;
const SHARES: u32 = 16;
/// Number of peaks per second that are used.
const RANK: usize = 3;
/// Minimum time between two peaks, and limits of the span, in time units.
const MIN_GAP: u32 = 12;
pub(super) const MIN_SPAN: u32 = 60;
pub(super) const MAX_SPAN: u32 = 800;
/// Maximum number of peaks after the first that are combined with it.
const MAX_BEHIND: usize = 10;

/// A quintuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quintuple {
    /// Decides which quintuples are chosen: lower values first.
    pub priority: u32,
    /// The cell, hashed so that its upper bits distinguish it from others.
    pub mixed: u64,
    /// The pitch of its first peak.
    pub place: u16,
    /// Time from its first peak to its last.
    pub span: u16,
    /// The time of its first peak.
    pub time: u32,
}

/// Returns the peaks that form quintuples.
pub(super) fn strong(peaks: &[Peak]) -> Vec<Peak> {
    strongest(peaks, RANK)
}

/// A peak that follows the first one of a quintuple.
#[derive(Clone, Copy, Default)]
struct Behind {
    /// Time units after the first peak.
    after: u32,
    /// Pitch step, counted from the lowest pitch within [`FARTHEST`] of the first peak.
    step: u64,
}

/// Calls `each` with every quintuple of a track's strong peaks whose priority is `most` or less.
pub(super) fn for_each(strong: &[Peak], most: u32, mut each: impl FnMut(Quintuple)) {
    let mut zone: Vec<Behind> = Vec::with_capacity(MAX_BEHIND);
    for (index, &a) in strong.iter().enumerate() {
        zone.clear();
        let behind = strong[index + 1..].iter().take_while(|peak| peak.time <= a.time + MAX_SPAN);
        zone.extend(behind.filter_map(|&peak| behind_first(a, peak)).take(MAX_BEHIND));
        for last in 3..zone.len() {
            let e = zone[last];
            if e.after < MIN_SPAN {
                continue;
            }
            let shares = SHARES as f32 / e.after as f32;
            // Appends a pitch step and a time share to `before` as digits of a mixed-radix number.
            let with = |before: u64, peak: Behind| {
                let share = (peak.after as f32 * shares) as u64;
                (before * ACROSS + peak.step) * u64::from(SHARES) + share
            };
            for third in (2..last).rev() {
                let d = zone[third];
                if d.after + MIN_GAP > e.after {
                    continue;
                }
                let outer = with(e.step, d);
                let first_number = scattered(outer as u32);
                if first_number > most {
                    continue;
                }
                for second in 1..third {
                    let c = zone[second];
                    if c.after + MIN_GAP > d.after {
                        break;
                    }
                    let behind = with(outer, c);
                    for &b in zone[..second].iter().take_while(|b| b.after + MIN_GAP <= c.after) {
                        let mixed = mixed(with(behind, b));
                        let priority = first_number.max(mixed as u32);
                        if priority <= most {
                            each(Quintuple { priority, mixed, place: a.place, span: e.after as u16, time: a.time });
                        }
                    }
                }
            }
        }
    }
}

/// Returns a peak relative to the first one, or `None` if it is too close in time or too far in pitch.
fn behind_first(a: Peak, peak: Peak) -> Option<Behind> {
    let above = i32::from(peak.place) - i32::from(a.place);
    // Rounded to the nearest step.
    let step = ((above + FARTHEST + PLACE_STEP / 2) / PLACE_STEP) as u64;
    let after = peak.time - a.time;
    (after >= MIN_GAP && above.abs() <= FARTHEST).then_some(Behind { after, step })
}

/// Hashes 32 bits (the finaliser of A. Appleby's `MurmurHash3`).
fn scattered(bits: u32) -> u32 {
    let x = (bits ^ (bits >> 16)).wrapping_mul(0x85eb_ca6b);
    let x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
    x ^ (x >> 16)
}

/// A bijective hash of 64 bits (the finaliser of S. Vigna's `SplitMix64`).
fn mixed(cell: u64) -> u64 {
    let x = (cell ^ (cell >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
