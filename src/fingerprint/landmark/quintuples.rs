//! Quintuples of peaks, by which tracks are sketched: rarer than triples, so that two strangers hardly share any.
//!
//! Peaks `a` to `e` follow each other by 0.07 s at least, `a` and `e` by 0.35 to 4.6 s, none more than an octave from `a`.
//! What a change of speed, pitch or tempo leaves is the place of the others above `a`, in steps of 1/24 octave, and the
//! times from `a` to `b`, `c` and `d` as shares of the span, in sixteenths: the cell. The change itself shows in the place
//! of `a` and in the span. Of random pairs of music one in 20 million shares its cell, and one in 400 million the change
//! as well, as far as changes are looked for.
//!
//! A track has some 300 a second. A sketch needs few of them, and of all tracks the same: those of the least priority,
//! which is the higher of two random numbers, one that `a`, `d` and `e` determine and one that the cell does. So most are
//! passed over before `b` and `c` are looked for.

use super::STEPS_PER_OCTAVE;
use super::peaks::Peak;
use super::triples::strongest;

/// Steps of a cell in place: 1/24 octave.
const PLACE_STEP: i32 = 12;
/// The farthest from the first peak.
const FARTHEST: i32 = STEPS_PER_OCTAVE as i32;
const ACROSS: u64 = 2 * (FARTHEST / PLACE_STEP) as u64 + 1;
const SHARES: u32 = 16;
/// Peaks of a second that count.
const RANK: usize = 3;
/// The least time between two peaks, and the span, in units of time.
const LEAST_GAP: u32 = 12;
pub(super) const LEAST_SPAN: u32 = 60;
pub(super) const MOST_SPAN: u32 = 800;
/// Peaks behind the first that are taken together, the next ones.
const MOST_BEHIND: usize = 10;

/// A quintuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quintuple {
    /// What decides whether it is among the chosen: the less, the sooner.
    pub priority: u32,
    /// The cell, mixed so that its upper bits tell it from others.
    pub mixed: u64,
    /// The place of its first peak.
    pub place: u16,
    /// From its first peak to its last.
    pub span: u16,
    /// The time of its first peak.
    pub time: u32,
}

/// The peaks that make quintuples.
pub(super) fn strong(peaks: &[Peak]) -> Vec<Peak> {
    strongest(peaks, RANK)
}

/// A peak behind the first of a quintuple.
#[derive(Clone, Copy, Default)]
struct Behind {
    /// Units of time from the first.
    after: u32,
    /// Steps above the farthest below the first.
    step: u64,
}

/// Hands on the quintuples of a track's strong peaks whose priority is `most` or less.
pub(super) fn for_each(strong: &[Peak], most: u32, mut each: impl FnMut(Quintuple)) {
    let mut zone: Vec<Behind> = Vec::with_capacity(MOST_BEHIND);
    for (index, &a) in strong.iter().enumerate() {
        zone.clear();
        let behind = strong[index + 1..].iter().take_while(|peak| peak.time <= a.time + MOST_SPAN);
        zone.extend(behind.filter_map(|&peak| behind_first(a, peak)).take(MOST_BEHIND));
        for last in 3..zone.len() {
            let e = zone[last];
            if e.after < LEAST_SPAN {
                continue;
            }
            let shares = SHARES as f32 / e.after as f32;
            // What stands before a value, a step and a share, is multiplied by as many as these can be.
            let with = |before: u64, peak: Behind| {
                let share = (peak.after as f32 * shares) as u64;
                (before * ACROSS + peak.step) * u64::from(SHARES) + share
            };
            for third in (2..last).rev() {
                let d = zone[third];
                if d.after + LEAST_GAP > e.after {
                    continue;
                }
                let outer = with(e.step, d);
                let first_number = scattered(outer as u32);
                if first_number > most {
                    continue;
                }
                for second in 1..third {
                    let c = zone[second];
                    if c.after + LEAST_GAP > d.after {
                        break;
                    }
                    let behind = with(outer, c);
                    for &b in zone[..second].iter().take_while(|b| b.after + LEAST_GAP <= c.after) {
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

/// A peak as it stands behind the first; none where it is too near or too far.
fn behind_first(a: Peak, peak: Peak) -> Option<Behind> {
    let above = i32::from(peak.place) - i32::from(a.place);
    // Rounded to the nearest step.
    let step = ((above + FARTHEST + PLACE_STEP / 2) / PLACE_STEP) as u64;
    let after = peak.time - a.time;
    (after >= LEAST_GAP && above.abs() <= FARTHEST).then_some(Behind { after, step })
}

/// A scattering of 32 bits (the finisher of A. Appleby's `MurmurHash3`).
fn scattered(bits: u32) -> u32 {
    let x = (bits ^ (bits >> 16)).wrapping_mul(0x85eb_ca6b);
    let x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
    x ^ (x >> 16)
}

/// A one-to-one scattering of 64 bits (the finisher of S. Vigna's `SplitMix64`).
fn mixed(cell: u64) -> u64 {
    let x = (cell ^ (cell >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
