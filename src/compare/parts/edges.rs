//! The frames at which pieces begin and end: where the least is left unexplained.

use super::Piece;
use crate::compare::align::warp::Interpolator;
use crate::units::SampleRate;

/// Places are looked for in steps of this, in seconds.
const STEP_S: f64 = 0.002;
/// How far from where landmarks have it an edge may be, in seconds.
const REACH_S: f64 = 1.5;
/// A share of the reference's energy that counts as unexplained.
const UNEXPLAINED: f64 = 0.5;

/// Moves the edges of pieces, which are in order of their times in the reference.
pub(super) fn settle(pieces: &mut [Piece], reference: &[f32], other: &[f32], rate: SampleRate) {
    let step = ((STEP_S * rate.as_f64()) as usize).max(1);
    let reach = (REACH_S * rate.as_f64()) as usize;
    let frames = reference.len();
    for index in 0..=pieces.len() {
        let before = index.checked_sub(1).map(|before| pieces[before].clone());
        let after = pieces.get(index).cloned();
        let from = before.as_ref().map_or(0, |piece| piece.end.saturating_sub(reach).max(piece.start));
        let to = after.as_ref().map_or(frames, |piece| (piece.start + reach).min(piece.end)).min(frames);
        if from >= to || before.iter().chain(&after).any(|piece| !piece.is_exact) {
            meet(pieces, index);
            continue;
        }
        let left =
            |piece: &Option<Piece>| piece.as_ref().map(|piece| unexplained(piece, reference, other, from..to, step));
        let (first, second) = (left(&before), left(&after));
        let nothing = by_nothing(&reference[from..to], step);
        let never = vec![f64::INFINITY; nothing.len()];
        let (end, start) = split(first.as_ref().unwrap_or(&never), &nothing, second.as_ref().unwrap_or(&never));
        let place = |block: usize| (from + block * step).min(to);
        if index > 0 {
            pieces[index - 1].end = place(end);
        }
        if index < pieces.len() {
            pieces[index].start = place(start);
        }
    }
}

/// Narrows a piece to where its line explains more of the reference than nothing does.
pub(super) fn narrow(piece: &mut Piece, reference: &[f32], other: &[f32], rate: SampleRate) {
    let step = ((STEP_S * rate.as_f64()) as usize).max(1);
    // Once more with the gain of what is left.
    for _ in 0..2 {
        let range = piece.start..piece.end.min(reference.len()).max(piece.start);
        let left = unexplained(piece, reference, other, range.clone(), step);
        let nothing = by_nothing(&reference[range.clone()], step);
        let never = vec![f64::INFINITY; nothing.len()];
        let (_, start) = split(&never, &nothing, &left);
        // From the start on: what it does not explain before is none of its own.
        let (length, _) = split(&left[start..], &nothing[start..], &never[start..]);
        piece.start = (range.start + start * step).min(range.end);
        piece.end = (range.start + (start + length) * step).min(range.end);
    }
}

/// Returns what counts as unexplained in each step where no piece is.
fn by_nothing(reference: &[f32], step: usize) -> Vec<f64> {
    let energy = |part: &[f32]| UNEXPLAINED * part.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
    reference.chunks(step).map(energy).collect()
}

/// Pieces that landmarks alone have found meet in the middle where they overlap.
fn meet(pieces: &mut [Piece], index: usize) {
    if index > 0 && index < pieces.len() && pieces[index - 1].end > pieces[index].start {
        let middle = usize::midpoint(pieces[index - 1].end, pieces[index].start);
        (pieces[index - 1].end, pieces[index].start) = (middle, middle);
    }
}

/// Returns what a piece's line leaves unexplained of the reference in each step.
fn unexplained(
    piece: &Piece,
    reference: &[f32],
    other: &[f32],
    range: std::ops::Range<usize>,
    step: usize,
) -> Vec<f64> {
    let own = &reference[range.clone()];
    let mut read = vec![0.0f32; own.len()];
    Interpolator::shared().along(other, &piece.line, range.start, &mut read);
    // The gain within the piece.
    let within = piece.start.max(range.start)..piece.end.min(range.end);
    let gain = {
        let (mut oo, mut ro) = (0.0, 0.0);
        for at in within {
            let (r, o) = (f64::from(own[at - range.start]), f64::from(read[at - range.start]));
            oo += o * o;
            ro += r * o;
        }
        if oo > 0.0 { ro / oo } else { piece.sign }
    };
    let rest = |(r, o): (&f32, &f32)| (f64::from(*r) - gain * f64::from(*o)).powi(2);
    own.chunks(step).zip(read.chunks(step)).map(|(r, o)| r.iter().zip(o).map(rest).sum()).collect()
}

/// Returns the steps `end <= start` with the least sum of `first` before `end`, `nothing` between, and `second` from
/// `start` on; of equals, the nearest to each other.
fn split(first: &[f64], nothing: &[f64], second: &[f64]) -> (usize, usize) {
    let count = nothing.len();
    // A little for each step between, so that silence is no gap.
    let least = 1e-6 * nothing.iter().sum::<f64>() / count.max(1) as f64 + f64::MIN_POSITIVE;
    // The best end for each start so far, by what `first` and `nothing` cost.
    let (mut before, mut between) = (0.0, 0.0);
    let mut open: Option<(f64, usize)> = None;
    let has_first = first.first().is_some_and(|cost| cost.is_finite());
    let mut rest: f64 = second.iter().sum();
    let has_second = second.first().is_some_and(|cost| cost.is_finite());
    let mut best: Option<(f64, usize, usize)> = None;
    for at in 0..=count {
        if has_first || at == 0 {
            let cost = before - between;
            if open.is_none_or(|(lowest, _)| cost <= lowest) {
                open = Some((cost, at));
            }
        }
        if let Some((lowest, end)) = open
            && (has_second || at == count)
        {
            let cost = lowest + between + if has_second { rest } else { 0.0 };
            if best.is_none_or(|(lowest, ..)| cost < lowest) {
                best = Some((cost, end, at));
            }
        }
        if at < count {
            if has_first {
                before += first[at];
            }
            between += nothing[at] + least;
            if has_second {
                rest -= second[at];
            }
        }
    }
    best.map_or((0, count), |(_, end, start)| (end, start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_where_explanations_change() {
        let never = vec![f64::INFINITY; 100];
        let nothing = vec![0.5; 100];
        let until = |at: usize| (0..100).map(|n| if n < at { 0.01 } else { 1.0 }).collect::<Vec<f64>>();
        let from = |at: usize| (0..100).map(|n| if n >= at { 0.01 } else { 1.0 }).collect::<Vec<f64>>();
        assert_eq!(split(&until(40), &nothing, &from(40)), (40, 40));
        assert_eq!(split(&until(30), &nothing, &from(60)), (30, 60));
        assert_eq!(split(&never, &nothing, &from(25)), (0, 25));
        assert_eq!(split(&until(70), &nothing, &never), (70, 100));
        // In silence, nothing is a gap.
        let silent = vec![0.0; 100];
        let (end, start) = split(&silent, &silent, &silent);
        assert_eq!(end, start);
        assert_eq!(split(&[], &[], &[]), (0, 0));
    }
}
