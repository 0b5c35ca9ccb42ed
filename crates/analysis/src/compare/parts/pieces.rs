//! The pieces that two recordings have in common: by landmarks and then at the full rate, or by the samples alone.

use std::ops::Range;

use super::Piece;
use super::edges::runs;
use super::kinds::uncovered;
use crate::compare::align::fine::Fine;
use crate::compare::align::line::Line;
use crate::compare::align::{Search, refined};
use crate::fingerprint::landmark::{CommonPart, Landmarks, parts};
use crate::fingerprint::{Listener, SourceFormat};
use base::error::Result;
use base::progress::Progress;
use base::units::SampleRate;

/// Frames heard at once.
const BLOCK_FRAMES: usize = 1 << 16;
/// A piece whose speed and pitch differ by no more may be the same samples; beyond, the other was played or stretched
/// at another speed.
const SAME_SPEED: f64 = 0.004;
const SAME_SEMITONES: f64 = 0.15;
/// The largest drift within a piece.
const MAX_DRIFT: f64 = 500e-6;
/// How far landmarks are off, in seconds.
const OFF_S: f64 = 0.08;
/// The minimum share of the blocks of a piece that must lie on its line.
const LEAST_SHARE: f64 = 0.5;
/// The minimum length in seconds of an uncovered stretch that is searched, and the maximum number of pairs per round.
const LEAST_LEFT_S: f64 = 0.5;
const TRIES: usize = 16;
/// The maximum number of rounds in which uncovered stretches are searched.
const ROUNDS: usize = 8;
/// The minimum confidence of a piece that is found by samples alone.
const SURE: f64 = 0.5;
/// Neighbouring pieces whose lines differ by less, in frames, are one.
const ONE: f64 = 0.5;
/// Pieces that are no further apart, in seconds, touch.
const TOUCHING_S: f64 = 0.02;

/// Returns the pieces that landmarks find, in order of their times in the reference.
pub(super) fn by_landmarks(
    rate: SampleRate,
    reference: &[f32],
    other: &[f32],
    progress: &Progress,
) -> Result<Vec<Piece>> {
    let (a, b) = rayon::join(|| landmarks(rate, reference, progress), || landmarks(rate, other, progress));
    let found = parts(&a?, &b?);
    progress.check()?;
    let rate_hz = rate.as_f64();
    let mut pieces: Vec<Piece> = Vec::new();
    for part in &found {
        pieces.push(exact(part, rate_hz, reference, other).unwrap_or_else(|| rough(part, rate_hz)));
        progress.check()?;
    }
    Ok(pieces)
}

/// Joins neighbouring pieces that are one, and finds their line anew.
pub(super) fn join(rate: SampleRate, both: [&[f32]; 2], pieces: &mut Vec<Piece>) {
    let near = (TOUCHING_S * rate.as_f64()) as usize;
    let mut joined: Vec<(Piece, bool)> = Vec::new();
    for piece in pieces.drain(..) {
        match joined.last_mut() {
            Some((last, is_new)) if is_one(last, &piece) && (!piece.is_exact || piece.start <= last.end + near) => {
                last.end = piece.end.max(last.end);
                last.confidence = last.confidence.max(piece.confidence);
                *is_new = piece.is_exact;
            }
            _ => joined.push((piece, false)),
        }
    }
    for (piece, _) in joined.iter_mut().filter(|(_, is_new)| *is_new) {
        if let Some((line, error)) = refined(both, piece.start..piece.end, piece.line, piece.sign, rate) {
            (piece.line, piece.error) = (line, error);
        }
    }
    pieces.extend(joined.into_iter().map(|(piece, _)| piece));
}

/// Searches uncovered stretches by their samples and adds the pieces found, until there are no more.
pub(super) fn add_by_samples(
    rate: SampleRate,
    [reference, other]: [&[f32]; 2],
    pieces: &mut Vec<Piece>,
    progress: &Progress,
) -> Result<()> {
    let least = LEAST_LEFT_S * rate.as_f64();
    let mut tried: Vec<[[f64; 2]; 2]> = Vec::new();
    for _ in 0..ROUNDS {
        let [gaps, others] = uncovered(pieces, [reference.len(), other.len()], least);
        let tries: Vec<[[f64; 2]; 2]> =
            gaps.iter().flat_map(|gap| others.iter().map(move |other| [*gap, *other])).collect();
        let mut found: Vec<Piece> = Vec::new();
        for pair in tries.into_iter().filter(|pair| !tried.contains(pair)).take(TRIES).collect::<Vec<_>>() {
            let [stretch, left] = pair.map(|range| range[0].ceil() as usize..range[1] as usize);
            found.extend(by_samples(rate, [reference, other], stretch, left, &found, progress)?);
            tried.push(pair);
        }
        if found.is_empty() {
            break;
        }
        pieces.append(&mut found);
        pieces.sort_by_key(|piece| piece.start);
    }
    Ok(())
}

/// Returns the pieces of a range of the reference that are in a range of the other, outside the pieces `taken`.
fn by_samples(
    rate: SampleRate,
    both: [&[f32]; 2],
    stretch: Range<usize>,
    left: Range<usize>,
    taken: &[Piece],
    progress: &Progress,
) -> Result<Vec<Piece>> {
    let least = (LEAST_LEFT_S * rate.as_f64()) as usize;
    let mut pieces: Vec<Piece> = Vec::new();
    let parts = [&both[0][stretch.clone()], &both[1][left.clone()]];
    let search = Search::new(parts, rate)?;
    for candidate in search.candidates() {
        progress.check()?;
        // Where another piece is already, this one is not.
        let free = |range: &Range<usize>, pieces: &[Piece]| {
            let range = stretch.start + range.start..stretch.start + range.end;
            free(range, taken.iter().chain(pieces))
        };
        if free(&candidate.stretch, &pieces).len() < least.min(candidate.stretch.len() / 2).max(1) {
            continue;
        }
        let Some(fitted) = search.fitted(&candidate) else { continue };
        let common = fitted.line.common(stretch.len(), left.len());
        for run in runs((fitted.line, candidate.sign), parts, common, rate) {
            let free = free(&run, &pieces);
            if free.len() < least {
                continue;
            }
            let local = free.start - stretch.start..free.end - stretch.start;
            let (line, error) =
                refined(parts, local.clone(), fitted.line, candidate.sign, rate).unwrap_or((fitted.line, fitted.error));
            let confidence = search.confidence(&local, line, error);
            if confidence >= SURE {
                let offset = line.offset + left.start as f64 - line.slope * stretch.start as f64;
                pieces.push(Piece {
                    start: free.start,
                    end: free.end,
                    line: Line { offset, ..line },
                    sign: candidate.sign,
                    is_exact: true,
                    confidence,
                    error,
                });
            }
        }
    }
    Ok(pieces)
}

/// Returns the longest stretch of a range that no piece covers.
fn free<'a>(range: Range<usize>, pieces: impl Iterator<Item = &'a Piece>) -> Range<usize> {
    let mut taken: Vec<[usize; 2]> = pieces.map(|piece| [piece.start, piece.end]).collect();
    taken.push([range.end, usize::MAX]);
    taken.sort_unstable();
    let (mut from, mut longest) = (range.start, range.start..range.start);
    for [start, end] in taken {
        let gap = from..start.min(range.end).max(from);
        if gap.len() > longest.len() {
            longest = gap;
        }
        from = from.max(end);
    }
    longest
}

fn landmarks(rate: SampleRate, samples: &[f32], progress: &Progress) -> Result<Landmarks> {
    let mut listener = Listener::new(SourceFormat::new(rate, 1, None), 1.0)?;
    for block in samples.chunks(BLOCK_FRAMES) {
        listener.push(&[block])?;
        progress.check()?;
    }
    Ok(listener.finish().landmarks)
}

fn is_one(a: &Piece, b: &Piece) -> bool {
    let at = b.start as f64;
    a.is_exact == b.is_exact
        && a.sign * b.sign > 0.0
        && (a.line.at(at) - b.line.at(at)).abs() < if a.is_exact { ONE } else { 2000.0 }
        && (a.line.slope - b.line.slope).abs() < if a.is_exact { 20e-6 } else { 0.005 }
}

fn rough(part: &CommonPart, rate_hz: f64) -> Piece {
    let slope = 1.0 / part.speed;
    Piece {
        start: (part.start_s * rate_hz) as usize,
        end: (part.end_s * rate_hz) as usize,
        line: Line { offset: part.at_s * rate_hz - slope * part.start_s * rate_hz, slope },
        sign: 1.0,
        is_exact: false,
        confidence: part.confidence,
        error: 0.0,
    }
}

/// Finds the line of a part at the full rate; `None` if the samples do not correspond.
fn exact(part: &CommonPart, rate_hz: f64, reference: &[f32], other: &[f32]) -> Option<Piece> {
    if (part.speed - 1.0).abs() > SAME_SPEED || part.pitch_semitones.abs() > SAME_SEMITONES {
        return None;
    }
    let rough = rough(part, rate_hz);
    let end = rough.end.min(reference.len());
    let start = rough.start.min(end);
    let middle = f64::midpoint(start as f64, end as f64);
    // Within a part the clock of both is nearly the same; landmarks give the place more exactly than the speed.
    let from = rough.line.at(middle) - middle + start as f64;
    let first = from.max(0.0) as usize;
    let last = (from + (end - start) as f64).clamp(0.0, other.len() as f64) as usize;
    if last <= first || end - start < (0.5 * rate_hz) as usize {
        return None;
    }
    let (samples, others) = (&reference[start..end], &other[first..last]);
    let line = Line { offset: from - first as f64, slope: 1.0 };
    let fine = Fine::new(samples, others, 1.0, rate_hz, end - start);
    let inverse = Fine::new(samples, others, -1.0, rate_hz, end - start);
    let tried = [(&fine, 1.0), (&inverse, -1.0)].map(|(fine, sign)| {
        let fitted = fine.fitted(line, OFF_S * rate_hz, MAX_DRIFT)?;
        let near = (fitted.line.at(middle - start as f64) - line.at(middle - start as f64)).abs();
        (fitted.share >= LEAST_SHARE && near <= 1.5 * OFF_S * rate_hz && fitted.snr_db > 0.0).then_some((fitted, sign))
    });
    let (fitted, sign) = tried.into_iter().flatten().max_by(|a, b| a.0.snr_db.total_cmp(&b.0.snr_db))?;
    let slope = fitted.line.slope;
    let line = Line { offset: fitted.line.offset + first as f64 - slope * start as f64, slope };
    Some(Piece { start, end, line, sign, is_exact: true, confidence: part.confidence, error: fitted.error })
}
