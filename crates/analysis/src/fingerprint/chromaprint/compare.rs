//! Compares two fingerprints.
//!
//! Items with the same leading bits vote for the offset between them. At the offsets with the most votes, the items are
//! compared bit by bit. Items of unrelated recordings differ in about 14 of 32 bits, those of copies in 0 to 6. The
//! common stretch is the one that maximises `sum (10 - differing bits)`. Items of digital silence do not identify a
//! recording: they count neither for nor against.

use super::{ITEM_S, SILENCE};

/// Number of leading bits that must agree for a vote.
const VOTING_BITS: u32 = 14;
/// If more pairs of items than this share the same leading bits, those bits are ignored as uninformative.
const MAX_PAIRS: usize = 4096;
/// Number of offsets that are tried, not counting their neighbours.
const MAX_OFFSETS: usize = 8;
/// Average number of differing bits per item that the common stretch tolerates.
const TOLERATED_BITS: f64 = 10.0;
/// Minimum number of items in common: 3 s.
const MIN_ITEMS: usize = 24;
/// The bit error rate of unrelated recordings.
const CHANCE: f64 = 0.5;

/// How two fingerprints `a` and `b` agree at one offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alignment {
    /// `max(0, 1 - 2 bit_error_rate)`: 1 for identical items, about 0.1 for unrelated ones.
    pub score: f64,
    /// The share of differing bits within the common stretch, 0..1.
    pub bit_error_rate: f64,
    /// How much later the same sound is in `b` than in `a`, in seconds; a multiple of [`ITEM_S`].
    pub offset_s: f64,
    /// Where in `a` the common stretch begins, in seconds.
    pub start_s: f64,
    /// Length of the common stretch in seconds, including silences.
    pub overlap_s: f64,
}

/// Returns the offsets at which `a` and `b` have at least three seconds in common, the best first. Returns an empty
/// vector if the recordings have nothing in common, or for silence.
pub fn align(a: &[u32], b: &[u32]) -> Vec<Alignment> {
    let mut found: Vec<(f64, i64, Alignment)> = Vec::new();
    for offset in offsets(a, b) {
        if let Some((weight, alignment)) = at_offset(a, b, offset) {
            found.push((weight, offset, alignment));
        }
    }
    found.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    let mut kept: Vec<(i64, Alignment)> = Vec::new();
    for (_, offset, alignment) in found {
        // Neighbouring items overlap heavily, so an offset next to the right one also agrees, but less well.
        if kept.iter().all(|&(other, _)| (other - offset).abs() > 4) {
            kept.push((offset, alignment));
        }
    }
    kept.into_iter().map(|(_, alignment)| alignment).collect()
}

/// Returns the best result of [`align`].
pub fn best_alignment(a: &[u32], b: &[u32]) -> Option<Alignment> {
    align(a, b).into_iter().next()
}

/// Returns the offsets `index in b - index in a` with the most votes, and their neighbours.
fn offsets(a: &[u32], b: &[u32]) -> Vec<i64> {
    let a_sorted = sorted(a);
    let b_sorted = sorted(b);
    let mut votes = vec![0_u32; a.len() + b.len()];
    let mut j = 0;
    for group in a_sorted.chunk_by(|x, y| x.0 == y.0) {
        let key = group[0].0;
        j += b_sorted[j..].partition_point(|&(other, _)| other < key);
        let end = j + b_sorted[j..].partition_point(|&(other, _)| other == key);
        if group.len() * (end - j) <= MAX_PAIRS {
            for &(_, at_a) in group {
                for &(_, at_b) in &b_sorted[j..end] {
                    votes[at_b as usize + a.len() - at_a as usize] += 1;
                }
            }
        }
        j = end;
    }
    let mut ranked: Vec<usize> = (0..votes.len()).filter(|&place| votes[place] > 1).collect();
    ranked.sort_by_key(|&place| (std::cmp::Reverse(votes[place]), place));
    let mut chosen: Vec<i64> = ranked
        .iter()
        .take(MAX_OFFSETS)
        .map(|&place| place as i64 - a.len() as i64)
        .flat_map(|offset| offset - 1..=offset + 1)
        .collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// Returns the leading bits and index of every item that is not silence, sorted.
fn sorted(items: &[u32]) -> Vec<(u32, u32)> {
    let mut sorted: Vec<(u32, u32)> = items
        .iter()
        .enumerate()
        .filter(|&(_, &item)| item != SILENCE)
        .map(|(place, item)| (item >> (u32::BITS - VOTING_BITS), place as u32))
        .collect();
    sorted.sort_unstable();
    sorted
}

/// Returns the stretch with the greatest weight at this offset, with its weight.
fn at_offset(a: &[u32], b: &[u32], offset: i64) -> Option<(f64, Alignment)> {
    let from = (-offset).max(0) as usize;
    let to = (a.len() as i64).min(b.len() as i64 - offset).max(0) as usize;
    // (weight, first item, end, differing bits, compared items)
    let mut best = (0.0, 0, 0, 0_u32, 0_usize);
    let mut run = (0.0, from, 0_u32, 0_usize);
    for at in from..to {
        let (x, y) = (a[at], b[(at as i64 + offset) as usize]);
        if x == SILENCE && y == SILENCE {
            continue;
        }
        let differ = (x ^ y).count_ones();
        run = (run.0 + TOLERATED_BITS - f64::from(differ), run.1, run.2 + differ, run.3 + 1);
        if run.0 <= 0.0 {
            run = (0.0, at + 1, 0, 0);
        } else if run.0 > best.0 {
            best = (run.0, run.1, at + 1, run.2, run.3);
        }
    }
    let (weight, first, behind, differ, compared) = best;
    (compared >= MIN_ITEMS).then(|| {
        let bit_error_rate = f64::from(differ) / (compared * 32) as f64;
        let alignment = Alignment {
            score: (1.0 - bit_error_rate / CHANCE).max(0.0),
            bit_error_rate,
            offset_s: offset as f64 * ITEM_S,
            start_s: first as f64 * ITEM_S,
            overlap_s: (behind - first) as f64 * ITEM_S,
        };
        (weight, alignment)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(seed: u64, count: u64) -> Vec<u32> {
        (0..count)
            .map(|n| {
                let x = (n + 1 + seed * 1_000_003).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                ((x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 32) as u32
            })
            .collect()
    }

    #[test]
    fn a_cut_is_found_where_it_was_cut() {
        let whole = items(1, 600);
        let cut = &whole[100..400];
        let there = best_alignment(&whole, cut).unwrap();
        assert_eq!((there.score, there.bit_error_rate), (1.0, 0.0));
        assert!((there.offset_s + 100.0 * ITEM_S).abs() < 1e-9);
        assert!((there.start_s - 100.0 * ITEM_S).abs() < 1e-9 && (there.overlap_s - 300.0 * ITEM_S).abs() < 1e-9);
        let back = best_alignment(cut, &whole).unwrap();
        assert!((back.offset_s - 100.0 * ITEM_S).abs() < 1e-9 && back.start_s == 0.0);
    }

    #[test]
    fn flipped_bits_lower_the_score() {
        let a = items(1, 400);
        let b: Vec<u32> = a.iter().map(|item| item ^ 0b101).collect();
        let found = best_alignment(&a, &b).unwrap();
        assert!((found.bit_error_rate - 2.0 / 32.0).abs() < 1e-9 && (found.score - 0.875).abs() < 1e-9);
    }

    #[test]
    fn strangers_and_silence_have_nothing_in_common() {
        assert_eq!(best_alignment(&items(1, 800), &items(2, 800)), None);
        assert_eq!(best_alignment(&[SILENCE; 300], &[SILENCE; 300]), None);
        assert_eq!(best_alignment(&[], &items(1, 300)), None);
        assert_eq!(best_alignment(&items(1, 20), &items(1, 20)), None);
    }

    #[test]
    fn two_places_are_two_alignments() {
        let part = items(3, 100);
        let twice: Vec<u32> = [&items(4, 80)[..], &part, &items(5, 60), &part].concat();
        let found = align(&part, &twice);
        let offsets: Vec<i64> = found.iter().map(|alignment| (alignment.offset_s / ITEM_S).round() as i64).collect();
        assert_eq!(offsets, [80, 240]);
    }
}
