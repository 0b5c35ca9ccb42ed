//! Quadruples of peaks, by which tracks are sketched: rarer than triples, so that two strangers hardly share any.
//!
//! Peaks `a`, `b`, `c`, `d` follow each other by 0.07 s at least, `a` and `d` by 0.35 to 2.3 s, none more than an octave
//! from `a`. What a change of speed, pitch or tempo leaves is the place of `b`, `c`, `d` above `a`, in steps of 1/24
//! octave, and the times from `a` to `b` and to `c` as shares of the span, in sixteenths: the cell, of some 25 bits. The
//! change itself shows in the place of `a` and in the span.

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
const RANK: usize = 5;
/// The least time between two peaks, and the span, in units of time.
const LEAST_GAP: u32 = 12;
const LEAST_SPAN: u32 = 60;
const MOST_SPAN: u32 = 400;
/// Peaks behind the first that are taken together, the next ones.
const MOST_BEHIND: usize = 10;

/// A quadruple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quad {
    /// The cell, mixed so that any of its bits will do for a choice.
    pub mixed: u64,
    /// The place of its first peak.
    pub place: u16,
    /// From its first peak to its last.
    pub span: u16,
}

/// Hands on all quadruples of a track's stronger peaks.
pub(super) fn for_each(peaks: &[Peak], mut each: impl FnMut(Quad)) {
    let strong = strongest(peaks, RANK);
    let mut zone: Vec<Peak> = Vec::with_capacity(MOST_BEHIND);
    for (index, &a) in strong.iter().enumerate() {
        zone.clear();
        zone.extend(
            strong[index + 1..]
                .iter()
                .take_while(|peak| peak.time <= a.time + MOST_SPAN)
                .filter(|peak| peak.time >= a.time + LEAST_GAP && above(a, **peak).abs() <= FARTHEST)
                .take(MOST_BEHIND),
        );
        for (last, &d) in zone.iter().enumerate().filter(|(_, d)| d.time >= a.time + LEAST_SPAN) {
            let span = d.time - a.time;
            let share = |peak: Peak| u64::from((peak.time - a.time) * SHARES / span);
            for (middle, &c) in zone[..last].iter().enumerate().filter(|(_, c)| c.time + LEAST_GAP <= d.time) {
                let behind = (step(a, c) * ACROSS + step(a, d)) * u64::from(SHARES) + share(c);
                for &b in zone[..middle].iter().filter(|b| b.time + LEAST_GAP <= c.time) {
                    let cell = (behind * ACROSS + step(a, b)) * u64::from(SHARES) + share(b);
                    each(Quad { mixed: mixed(cell), place: a.place, span: span as u16 });
                }
            }
        }
    }
}

fn above(a: Peak, peak: Peak) -> i32 {
    i32::from(peak.place) - i32::from(a.place)
}

fn step(a: Peak, peak: Peak) -> u64 {
    // Rounded to the nearest step.
    ((above(a, peak) + FARTHEST + PLACE_STEP / 2) / PLACE_STEP) as u64
}

/// A one-to-one scattering of 64 bits (the finisher of S. Vigna's `SplitMix64`).
fn mixed(cell: u64) -> u64 {
    let x = (cell ^ (cell >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
