//! The frames at which pieces begin and end: where the least is left unexplained.
//!
//! The other is explained by the reference, not the reference by the other: noise of the other then moves no edge, since
//! its products with the reference cancel out over time.

use std::ops::Range;

use super::Piece;
use crate::compare::align::line::Line;
use crate::compare::align::warp::Interpolator;
use base::units::SampleRate;

/// The step in which places are searched, in seconds.
const STEP_S: f64 = 0.002;
/// How far an edge may be from its place by landmarks, in seconds.
const REACH_S: f64 = 1.5;
/// A share of the reference's energy that counts as unexplained where no piece is.
const UNEXPLAINED: f64 = 0.5;
/// The cost of an edge, in seconds of unexplained sound at the mean level.
const EDGE_S: f64 = 0.1;
/// The gain is followed in windows of this, in seconds, down to this share of it.
const GAIN_S: f64 = 0.25;
const LEAST_GAIN: f64 = 0.6;
/// An edge without anything between two pieces is preferred to a gap as short as this, in seconds.
const GAP_S: f64 = 0.02;

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
        let samples = &reference[from..to];
        let left = |piece: &Piece| {
            let gain = gain(piece, reference, other, piece.start.max(from)..piece.end.min(to));
            let cost = |(r, o): (&f32, &f32)| unexplained_of(energy(*r), f64::from(*r) * f64::from(*o), gain);
            samples.iter().zip(&read(piece.line, other, from..to)).map(cost).collect::<Vec<f64>>()
        };
        let (first, second) = (before.as_ref().map(left), after.as_ref().map(left));
        let nothing: Vec<f64> = samples.iter().map(|r| UNEXPLAINED * energy(*r)).collect();
        let in_steps = |costs: &Vec<f64>| costs.chunks(step).map(|step| step.iter().sum()).collect::<Vec<f64>>();
        let stepped = in_steps(&nothing);
        let never = vec![f64::INFINITY; stepped.len()];
        let costs = [&first, &second].map(|costs| costs.as_ref().map_or_else(|| never.clone(), in_steps));
        let (end, start) = split(&costs[0], &stepped, &costs[1]);
        let place = |block: usize| (from + block * step).min(to);
        let mut edge = [place(end), place(start)];
        if let (Some(before), Some(after), Some(first), Some(second)) = (&before, &after, &first, &second) {
            let sum = |costs: &[f64]| costs.iter().sum::<f64>();
            let [end, start] = edge.map(|at| at - from);
            let least = sum(&first[..end]) + sum(&nothing[end..start]) + sum(&second[start..]);
            let mean = nothing.iter().sum::<f64>() / UNEXPLAINED / samples.len() as f64;
            let allowed = GAP_S * rate.as_f64() * mean + 1e-9 * least.abs();
            let joint = joint(first, second, &nothing, cut_frames(before, after, from));
            if joint.0 <= least + allowed {
                edge = [from + joint.1, from + joint.2];
            }
        }
        if index > 0 {
            pieces[index - 1].end = edge[0];
        }
        if index < pieces.len() {
            pieces[index].start = edge[1];
        }
    }
}

/// Returns how many frames of the reference lie between two pieces that follow each other in the other.
fn cut_frames(before: &Piece, after: &Piece, at: usize) -> usize {
    let frames = before.line.at(at as f64) - after.line.at(at as f64);
    frames.round().max(0.0) as usize
}

/// Returns the cheapest edge at which the pieces follow each other in the other, with `cut` frames of the reference left
/// out: the cost, where the first one ends, and where the second one begins.
fn joint(first: &[f64], second: &[f64], nothing: &[f64], cut: usize) -> (f64, usize, usize) {
    let frames = nothing.len();
    let best = |gap: usize| {
        let mut cost = nothing[..gap].iter().sum::<f64>() + second[gap..].iter().sum::<f64>();
        let mut best = (cost, 0, gap);
        for end in 1..=frames - gap {
            let start = end + gap;
            cost += first[end - 1] - second[start - 1];
            if gap > 0 {
                cost += nothing[start - 1] - nothing[end - 1];
            }
            if cost < best.0 {
                best = (cost, end, start);
            }
        }
        best
    };
    // Pieces in a different order in the other still follow each other in the reference.
    best(if cut <= frames { cut } else { 0 })
}

/// Returns the stretches within a range of the reference that a line explains.
pub(super) fn runs(
    (line, sign): (Line, f64),
    [reference, other]: [&[f32]; 2],
    range: Range<usize>,
    rate: SampleRate,
) -> Vec<Range<usize>> {
    let step = ((STEP_S * rate.as_f64()) as usize).max(1);
    let samples = &reference[range.clone()];
    let read = read(line, other, range.clone());
    let sums: Vec<[f64; 3]> = samples.chunks(step).zip(read.chunks(step)).map(|(r, o)| sums(r, o)).collect();
    let in_window = ((GAIN_S / STEP_S) as usize).max(1);
    let windows: Vec<[f64; 3]> = sums
        .chunks(in_window)
        .map(|part| part.iter().fold([0.0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]))
        .collect();
    // The gain where the line holds: windows are weighted by how much one recording explains of the other.
    let share = |[rr, oo, ro]: &[f64; 3]| if rr * oo > 0.0 && ro * sign > 0.0 { ro * ro / (rr * oo) } else { 0.0 };
    let weighted = |of: usize| windows.iter().map(|window| share(window).powi(2) * window[of]).sum::<f64>();
    let gain = weighted(2) / weighted(0);
    if !(gain * sign > 0.0 && gain.is_finite()) {
        return Vec::new();
    }
    let cost = |index: usize| {
        let near = &windows[(index / in_window).saturating_sub(1)..(index / in_window + 2).min(windows.len())];
        let [rr, ro] = [0, 2].map(|of| near.iter().map(|window| window[of]).sum::<f64>());
        let local = if rr > 0.0 { (ro / rr * sign).max(LEAST_GAIN * gain.abs()) * sign } else { gain };
        unexplained_of(sums[index][0], sums[index][2], local)
    };
    let total: f64 = sums.iter().map(|sums| sums[0]).sum();
    let edge = EDGE_S * rate.as_f64() * total / samples.len().max(1) as f64;
    let nothing: Vec<f64> = sums.iter().map(|sums| UNEXPLAINED * sums[0]).collect();
    let costs: Vec<f64> = (0..sums.len()).map(cost).collect();
    let frames =
        |steps: Range<usize>| range.start + steps.start * step..(range.start + steps.end * step).min(range.end);
    explained(&costs, &nothing, edge).into_iter().map(frames).collect()
}

/// Returns the energies of two stretches and their product.
fn sums(r: &[f32], o: &[f32]) -> [f64; 3] {
    r.iter().zip(o).fold([0.0; 3], |[rr, oo, ro], (r, o)| {
        let (r, o) = (f64::from(*r), f64::from(*o));
        [rr + r * r, oo + o * o, ro + r * o]
    })
}

/// Returns the stretches in which `costs` are worth less than `nothing`, if each edge costs `edge`.
fn explained(costs: &[f64], nothing: &[f64], edge: f64) -> Vec<Range<usize>> {
    // The cheapest way to each step outside a stretch and inside, and whether it came from the other.
    let (mut outside, mut inside) = (0.0, 0.0);
    let mut came: Vec<[bool; 2]> = Vec::with_capacity(costs.len());
    for (cost, nothing) in costs.iter().zip(nothing) {
        let [leaves, enters] = [inside + edge < outside, outside + edge < inside];
        (outside, inside) = (
            if leaves { inside + edge } else { outside } + nothing,
            if enters { outside + edge } else { inside } + cost,
        );
        came.push([leaves, enters]);
    }
    let mut found = Vec::new();
    let mut is_inside = inside <= outside;
    let mut end = costs.len();
    for at in (0..costs.len()).rev() {
        if came[at][usize::from(is_inside)] {
            if is_inside {
                found.push(at..end);
            }
            end = at;
            is_inside = !is_inside;
        }
    }
    if is_inside && end > 0 {
        found.push(0..end);
    }
    found.reverse();
    found
}

/// Returns how much of the reference's energy pieces explain within a range.
pub(super) fn explained_energy(pieces: &[Piece], reference: &[f32], other: &[f32], range: &Range<usize>) -> f64 {
    let of_piece = |piece: &Piece| {
        let [start, end] = [piece.start.max(range.start), piece.end.min(range.end)];
        if start >= end || !piece.is_exact {
            return 0.0;
        }
        let gain = gain(piece, reference, other, start..end);
        let [rr, _, ro] = sums(&reference[start..end], &read(piece.line, other, start..end));
        (rr - unexplained_of(rr, ro, gain)).max(0.0)
    };
    pieces.iter().map(of_piece).sum()
}

/// Pieces that landmarks alone have found meet in the middle where they overlap.
fn meet(pieces: &mut [Piece], index: usize) {
    if index > 0 && index < pieces.len() && pieces[index - 1].end > pieces[index].start {
        let middle = usize::midpoint(pieces[index - 1].end, pieces[index].start);
        (pieces[index - 1].end, pieces[index].start) = (middle, middle);
    }
}

/// Returns the energy of a stretch.
pub(super) fn energy_of(samples: &[f32]) -> f64 {
    samples.iter().map(|sample| energy(*sample)).sum()
}

fn energy(sample: f32) -> f64 {
    f64::from(sample) * f64::from(sample)
}

/// Returns the unexplained energy of a stretch of the reference, from its energy, its product with the other, and the
/// gain of the other: on average 0 where the other has it, and twice its energy where the other has something else.
fn unexplained_of(energy: f64, product: f64, gain: f64) -> f64 {
    2.0 * (energy - product / gain)
}

/// Reads the other along a line for a range of the reference.
fn read(line: Line, other: &[f32], range: Range<usize>) -> Vec<f32> {
    let mut read = vec![0.0f32; range.len()];
    if let Some(offset) = line.whole_offset() {
        // As far as the other reaches.
        let place = |at: usize| (at as i64 + offset).clamp(0, other.len() as i64);
        let (from, to) = (place(range.start), place(range.end));
        let lead = (from - (range.start as i64 + offset)).clamp(0, range.len() as i64) as usize;
        read[lead..][..(to - from) as usize].copy_from_slice(&other[from as usize..to as usize]);
    } else {
        Interpolator::shared().along(other, &line, range.start, &mut read);
    }
    read
}

/// Returns the gain of the other along a piece, within a range.
fn gain(piece: &Piece, reference: &[f32], other: &[f32], range: Range<usize>) -> f64 {
    let range = range.start..range.end.max(range.start);
    let [rr, _, ro] = sums(&reference[range.clone()], &read(piece.line, other, range));
    // With the polarity of the piece, and never 0.
    if rr > 0.0 && ro * piece.sign > 1e-6 * rr { ro / rr } else { piece.sign }
}

/// Returns the steps `end <= start` with the least sum of `first` before `end`, `nothing` between, and `second` from
/// `start` on; of equals, the nearest to each other.
fn split(first: &[f64], nothing: &[f64], second: &[f64]) -> (usize, usize) {
    let count = nothing.len();
    // A small cost for each step between, so that silence is not a gap.
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

    fn until(at: usize) -> Vec<f64> {
        (0..100).map(|n| if n < at { 0.01 } else { 1.0 }).collect()
    }

    fn from(at: usize) -> Vec<f64> {
        (0..100).map(|n| if n >= at { 0.01 } else { 1.0 }).collect()
    }

    #[test]
    fn edges_are_where_explanations_change() {
        let never = vec![f64::INFINITY; 100];
        let nothing = vec![0.5; 100];
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

    #[test]
    fn a_cut_or_an_insertion_has_one_edge() {
        let nothing = vec![0.5; 100];
        let (_, end, start) = joint(&until(30), &from(47), &nothing, 17);
        assert_eq!((end, start), (30, 47));
        let (_, end, start) = joint(&until(52), &from(52), &nothing, 0);
        assert_eq!((end, start), (52, 52));
        assert_eq!(joint(&[], &[], &[], 3), (0.0, 0, 0));
    }

    #[test]
    fn stretches_are_worth_their_edges() {
        let nothing = vec![0.5; 100];
        let costs: Vec<f64> = (0..100).map(|n| if (20..60).contains(&n) || n == 80 { 0.0 } else { 2.0 }).collect();
        assert_eq!(explained(&costs, &nothing, 3.0), vec![20..60]);
        assert_eq!(explained(&vec![0.0; 100], &nothing, 3.0), vec![0..100]);
        assert!(explained(&vec![2.0; 100], &nothing, 3.0).is_empty());
        let gap: Vec<f64> = (0..100).map(|n| if (40..60).contains(&n) { 2.0 } else { 0.0 }).collect();
        assert_eq!(explained(&gap, &nothing, 3.0), [0..40, 60..100]);
        assert!(explained(&[], &[], 1.0).is_empty());
    }
}
