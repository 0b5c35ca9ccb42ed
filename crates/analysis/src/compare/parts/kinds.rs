//! The kind of each part: same, moved, cut, inserted, replaced.

use super::{ComparedPart, Kind, Piece};

/// The confidence of a part that may be something else.
const UNSURE: f64 = 0.4;
/// The minimum length of a gap in seconds, and that of a gap which only one recording has, between pieces that follow
/// each other in both: such a gap is as exact as the lines.
const LEAST_S: f64 = 0.02;
const ONE_SIDED_S: f64 = 0.001;
/// The minimum length, in seconds, of gaps between pieces that only landmarks have found.
const ROUGH_S: f64 = 1.0;

/// Returns the parts in order of their times in the reference; an inserted part follows the part before it.
pub(super) fn parts(pieces: &[Piece], [frames, others]: [usize; 2], rate_hz: f64) -> Vec<ComparedPart> {
    let in_other =
        |piece: &Piece| [piece.start, piece.end].map(|at| piece.line.at(at as f64).clamp(0.0, others as f64));
    let in_order = in_order(pieces, |piece| in_other(piece)[0]);
    let mut found: Vec<ComparedPart> = pieces
        .iter()
        .enumerate()
        .map(|(index, piece)| ComparedPart {
            kind: if in_order.contains(&index) { Kind::Same } else { Kind::Moved },
            reference_s: Some([piece.start, piece.end].map(|at| at as f64 / rate_hz)),
            other_s: Some(in_other(piece).map(|at| at / rate_hz)),
            speed: if piece.is_exact { 1.0 } else { 1.0 / piece.line.slope },
            confidence: piece.confidence,
        })
        .collect();
    let is_exact = pieces.iter().all(|piece| piece.is_exact);
    let least = if is_exact { LEAST_S } else { ROUGH_S } * rate_hz;
    let shortest = if is_exact { ONE_SIDED_S } else { ROUGH_S } * rate_hz;
    let of_reference: Vec<(usize, [f64; 2])> =
        pieces.iter().enumerate().map(|(index, piece)| (index, [piece.start as f64, piece.end as f64])).collect();
    let of_other: Vec<(usize, [f64; 2])> =
        pieces.iter().enumerate().map(|(index, piece)| (index, in_other(piece))).collect();
    let mut cut = gaps(of_reference, frames as f64, shortest);
    let mut inserted = gaps(of_other, others as f64, shortest);
    let starts: Vec<f64> = pieces.iter().map(|piece| in_other(piece)[0]).collect();
    let is_followed = |before: usize| {
        let [from, to] = [starts[before], starts[before + 1]];
        from < to && !starts.iter().any(|start| from < *start && *start < to)
    };
    let is_gap = |gap: &Gap, others: &[Gap]| {
        let between = gap.before.is_some_and(|before| gap.after == Some(before + 1) && is_followed(before));
        let longer = others
            .iter()
            .any(|other| (other.before, other.after) == (gap.before, gap.after) && other.length() >= gap.length());
        gap.length() >= least || (between && !longer)
    };
    let counted = [
        cut.iter().map(|gap| is_gap(gap, &inserted)).collect::<Vec<_>>(),
        inserted.iter().map(|gap| is_gap(gap, &cut)).collect(),
    ];
    let [mut cut_counts, mut inserted_counts] = counted.map(Vec::into_iter);
    cut.retain(|_| cut_counts.next().unwrap_or(true));
    inserted.retain(|_| inserted_counts.next().unwrap_or(true));
    // A cut and an insertion of the same length elsewhere may be one piece that moved.
    let alone = |gaps: &[Gap], others: &[Gap]| -> Vec<f64> {
        let is_alone = |gap: &&Gap| others.iter().all(|other| (other.before, other.after) != (gap.before, gap.after));
        gaps.iter().filter(is_alone).map(Gap::length).collect()
    };
    let [cut_lengths, inserted_lengths] = [alone(&cut, &inserted), alone(&inserted, &cut)];
    let confidence = |gap: &Gap, others: &[f64]| {
        let length = gap.length();
        let may_have_moved = others.iter().any(|other| (other - length).abs() < 0.1 * length);
        let neighbours = gap.before.iter().chain(&gap.after).map(|&index| pieces[index].confidence);
        neighbours.fold(if may_have_moved { UNSURE } else { 1.0 }, f64::min)
    };
    let seconds = |gap: &Gap| Some(gap.range.map(|at| at / rate_hz));
    for gap in &cut {
        // Between the same neighbours, the insertion replaces the cut.
        let same = inserted.iter().position(|other| (other.before, other.after) == (gap.before, gap.after));
        let other = same.map(|at| inserted.remove(at));
        let alike: &[f64] = if same.is_some() { &[] } else { &inserted_lengths };
        found.push(ComparedPart {
            kind: if other.is_some() { Kind::Replaced } else { Kind::Cut },
            reference_s: seconds(gap),
            other_s: other.as_ref().and_then(seconds),
            speed: 1.0,
            confidence: confidence(gap, alike),
        });
    }
    found.extend(inserted.iter().map(|gap| ComparedPart {
        kind: Kind::Inserted,
        reference_s: None,
        other_s: seconds(gap),
        speed: 1.0,
        confidence: confidence(gap, &cut_lengths),
    }));
    // An insertion is placed where the piece before it in the other ends.
    let place = |part: &ComparedPart| match (part.reference_s, part.other_s) {
        (Some([start, _]), _) => start,
        (None, Some([start, _])) => {
            let before = pieces.iter().filter(|piece| in_other(piece)[1] / rate_hz <= start + LEAST_S);
            let last = before.max_by(|a, b| in_other(a)[1].total_cmp(&in_other(b)[1]));
            last.map_or(-1.0, |piece| piece.end as f64 / rate_hz - 1e-9)
        }
        (None, None) => 0.0,
    };
    found.sort_by(|a, b| place(a).total_cmp(&place(b)));
    found
}

/// A stretch that no piece covers, and the pieces beside it.
struct Gap {
    range: [f64; 2],
    before: Option<usize>,
    after: Option<usize>,
}

impl Gap {
    fn length(&self) -> f64 {
        self.range[1] - self.range[0]
    }
}

fn gaps(mut pieces: Vec<(usize, [f64; 2])>, length: f64, least: f64) -> Vec<Gap> {
    pieces.sort_by(|a, b| a.1[0].total_cmp(&b.1[0]));
    let mut found = Vec::new();
    let (mut end, mut before) = (0.0, None);
    let last = (usize::MAX, [length, length]);
    for (index, [start, stop]) in pieces.into_iter().chain([last]) {
        if start - end >= least {
            found.push(Gap { range: [end, start], before, after: (index != usize::MAX).then_some(index) });
        }
        if stop > end {
            (end, before) = (stop, Some(index));
        }
    }
    found
}

/// Returns the pieces of the longest sequence that has the order of both.
fn in_order(pieces: &[Piece], place: impl Fn(&Piece) -> f64) -> Vec<usize> {
    let mut best: Vec<(f64, Option<usize>)> = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let length = (piece.end - piece.start) as f64;
        let before = (0..index)
            .filter(|&before| place(&pieces[before]) < place(piece))
            .max_by(|&a, &b| best[a].0.total_cmp(&best[b].0));
        best.push((length + before.map_or(0.0, |before| best[before].0), before));
    }
    let mut at = (0..best.len()).max_by(|&a, &b| best[a].0.total_cmp(&best[b].0));
    let mut chosen = Vec::new();
    while let Some(index) = at {
        chosen.push(index);
        at = best[index].1;
    }
    chosen
}

/// Returns the stretches of the reference and of the other that no piece covers and that last `least` frames.
pub(super) fn uncovered(pieces: &[Piece], [frames, others]: [usize; 2], least: f64) -> [Vec<[f64; 2]>; 2] {
    let in_reference = pieces.iter().map(|piece| [piece.start as f64, piece.end as f64]).enumerate().collect();
    let in_other =
        |piece: &Piece| [piece.start, piece.end].map(|at| piece.line.at(at as f64).clamp(0.0, others as f64));
    let in_other = pieces.iter().map(in_other).enumerate().collect();
    let ranges = |gaps: Vec<Gap>| gaps.into_iter().map(|gap| gap.range).collect();
    [ranges(gaps(in_reference, frames as f64, least)), ranges(gaps(in_other, others as f64, least))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::align::line::Line;

    fn piece(start: usize, end: usize, at: usize) -> Piece {
        let line = Line { offset: at as f64 - start as f64, slope: 1.0 };
        Piece { start, end, line, sign: 1.0, is_exact: true, confidence: 0.9, error: 0.0 }
    }

    fn kinds(pieces: &[Piece], lengths: [usize; 2]) -> Vec<Kind> {
        parts(pieces, lengths, 100.0).iter().map(|part| part.kind).collect()
    }

    #[test]
    fn what_is_between_pieces_was_cut_inserted_or_replaced() {
        use Kind::{Cut, Inserted, Moved, Replaced, Same};
        assert_eq!(kinds(&[piece(0, 1000, 0)], [1000, 1000]), [Same]);
        assert_eq!(kinds(&[piece(0, 400, 0), piece(600, 1000, 400)], [1000, 800]), [Same, Cut, Same]);
        assert_eq!(kinds(&[piece(0, 400, 0), piece(400, 1000, 700)], [1000, 1300]), [Same, Inserted, Same]);
        assert_eq!(kinds(&[piece(0, 400, 0), piece(600, 1000, 700)], [1000, 1100]), [Same, Replaced, Same]);
        let moved = [piece(0, 500, 0), piece(500, 700, 800), piece(700, 1000, 500)];
        assert_eq!(kinds(&moved, [1000, 1000]), [Same, Moved, Same]);
        // Edges are settled along the reference: a moment in the other beside what moved is no insertion.
        let late = [piece(0, 500, 0), piece(500, 700, 800), piece(700, 1001, 500), piece(1001, 1200, 1001)];
        assert_eq!(kinds(&late, [1200, 1200]), [Same, Moved, Same, Same]);
        let short = [piece(0, 500, 0), piece(501, 1000, 500)];
        assert_eq!(kinds(&short, [1000, 999]), [Same, Cut, Same]);
        assert_eq!(kinds(&[], [1000, 500]), [Replaced]);
        let ends = parts(&[piece(100, 900, 0)], [1000, 900], 100.0);
        assert_eq!(ends[0].reference_s, Some([0.0, 1.0]));
        assert_eq!(ends.iter().map(|part| part.kind).collect::<Vec<_>>(), [Cut, Same, Replaced]);
    }
}
