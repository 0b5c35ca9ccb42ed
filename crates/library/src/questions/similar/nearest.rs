//! Selects the nearest of all tracks by partial sorting.

use super::Question;
use super::scan::{LANES, PreparedTrack, ValueBlocks};

/// Number of candidates kept beyond those requested, so that rounding to `f32` does not affect the end of the list:
/// results are sorted again by `f64` distances.
const SPARE: usize = 32;

/// Returns the indices of the tracks nearest to the given one, unordered: at least `question.count` of them if as many
/// are accepted. Ties go to the smaller id, so that the order of the table does not matter.
pub(super) fn nearest(blocks: &ValueBlocks, ids: &[i64], asked: &PreparedTrack, question: &Question) -> Vec<usize> {
    let keep = question.count.saturating_add(SPARE).min(ids.len());
    if question.count == 0 || keep == 0 {
        return Vec::new();
    }
    let order = |a: &(f32, usize), b: &(f32, usize)| a.0.total_cmp(&b.0).then(ids[a.1].cmp(&ids[b.1]));
    // Collects four times the number to keep before dropping the farther ones: each selection is linear, and its cost
    // is amortised over the candidates.
    let mut candidates: Vec<(f32, usize)> = Vec::with_capacity(4 * keep);
    let mut limit = f32::INFINITY;
    for block in 0..blocks.len() {
        let squared = blocks.squared(block, asked);
        let first = block * LANES;
        let lanes = &squared[..LANES.min(ids.len() - first)];
        // Checks all lanes without branches, because most blocks contain nothing near.
        if lanes.iter().map(|distance| u32::from(*distance <= limit)).sum::<u32>() == 0 {
            continue;
        }
        for (lane, &distance) in lanes.iter().enumerate() {
            if distance <= limit && question.accept.is_none_or(|accept| accept(first + lane)) {
                candidates.push((distance, first + lane));
            }
        }
        if candidates.len() >= 4 * keep {
            candidates.select_nth_unstable_by(keep - 1, order);
            candidates.truncate(keep);
            limit = candidates[keep - 1].0;
        }
    }
    if candidates.len() > keep {
        candidates.select_nth_unstable_by(keep - 1, order);
        candidates.truncate(keep);
    }
    candidates.into_iter().map(|(_, place)| place).collect()
}
