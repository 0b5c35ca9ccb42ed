//! The pieces that two recordings have in common, by landmarks and then at the full rate.

use super::Piece;
use super::edges::narrow;
use super::kinds::uncovered;
use crate::compare::align::align;
use crate::compare::align::fine::Fine;
use crate::compare::align::line::Line;
use crate::compare::material::Material;
use crate::error::Result;
use crate::fingerprint::landmark::{Landmarks, Part, parts};
use crate::fingerprint::{Listener, SourceFormat};
use crate::progress::Progress;
use crate::units::SampleRate;

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
/// The least share of the blocks of a piece that must lie on its line.
const LEAST_SHARE: f64 = 0.5;
/// What pieces leave is looked at if it lasts so long, in seconds, in at most so many pairs.
const LEAST_LEFT_S: f64 = 0.5;
const TRIES: usize = 16;
/// The least confidence and agreement of an alignment of what pieces leave.
const SURE: f64 = 0.5;
/// Neighbouring pieces whose lines differ by less, in frames, are one.
const ONE: f64 = 1.5;

/// Returns the pieces in order of their times in the reference.
pub(super) fn pieces(rate: SampleRate, reference: &[f32], other: &[f32], progress: &Progress) -> Result<Vec<Piece>> {
    let (a, b) = rayon::join(|| landmarks(rate, reference, progress), || landmarks(rate, other, progress));
    let found = parts(&a?, &b?);
    progress.check()?;
    let rate_hz = rate.as_f64();
    let mut pieces: Vec<Piece> = Vec::new();
    for part in &found {
        let piece = exact(part, rate_hz, reference, other).unwrap_or_else(|| by_landmarks(part, rate_hz));
        match pieces.last_mut() {
            Some(last) if is_one(last, &piece) => {
                last.end = piece.end;
                last.confidence = last.confidence.max(piece.confidence);
            }
            _ => pieces.push(piece),
        }
        progress.check()?;
    }
    Ok(pieces)
}

/// Returns pieces that landmarks did not find: what one piece leaves of the reference is looked for in what all leave of
/// the other.
pub(super) fn between(
    rate: SampleRate,
    reference: &[f32],
    other: &[f32],
    pieces: &[Piece],
    progress: &Progress,
) -> Result<Vec<Piece>> {
    let least = LEAST_LEFT_S * rate.as_f64();
    let [own, others] = uncovered(pieces, [reference.len(), other.len()], least);
    let mut found = Vec::new();
    let tries = own.iter().flat_map(|own| others.iter().map(move |other| (own, other)));
    for (own, left) in tries.take(TRIES) {
        let [own, left] = [own, left].map(|range| range[0].ceil() as usize..range[1] as usize);
        let part = Material {
            rate,
            reference: vec![reference[own.clone()].to_vec()],
            other: vec![other[left.clone()].to_vec()],
            layout: None,
            notes: Vec::new(),
        };
        let Ok(alignment) = align(&part, progress)? else { continue };
        if alignment.confidence < SURE || alignment.agreement < SURE {
            continue;
        }
        let line = alignment.line();
        let common = line.common(own.len(), left.len());
        let mut piece = Piece {
            start: own.start + common.start,
            end: own.start + common.end,
            line: Line { offset: left.start as f64 + line.offset - line.slope * own.start as f64, slope: line.slope },
            sign: f64::from(alignment.polarity),
            is_exact: true,
            confidence: alignment.confidence,
        };
        narrow(&mut piece, reference, other, rate);
        if (piece.end - piece.start) as f64 >= least {
            found.push(piece);
        }
    }
    found.sort_by_key(|piece| piece.start);
    // Of pieces that overlap, the first.
    let mut end = 0;
    found.retain(|piece| {
        let is_free = piece.start >= end;
        end = if is_free { piece.end } else { end };
        is_free
    });
    Ok(found)
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

fn by_landmarks(part: &Part, rate_hz: f64) -> Piece {
    let slope = 1.0 / part.speed;
    Piece {
        start: (part.start_s * rate_hz) as usize,
        end: (part.end_s * rate_hz) as usize,
        line: Line { offset: part.at_s * rate_hz - slope * part.start_s * rate_hz, slope },
        sign: 1.0,
        is_exact: false,
        confidence: part.confidence,
    }
}

/// Finds the line of a part at the full rate; `None` if the samples do not correspond.
fn exact(part: &Part, rate_hz: f64, reference: &[f32], other: &[f32]) -> Option<Piece> {
    if (part.speed - 1.0).abs() > SAME_SPEED || part.pitch_semitones.abs() > SAME_SEMITONES {
        return None;
    }
    let rough = by_landmarks(part, rate_hz);
    let end = rough.end.min(reference.len());
    let start = rough.start.min(end);
    let middle = f64::midpoint(start as f64, end as f64);
    // Within a part the clock of both is nearly the same; landmarks tell the place better than the speed.
    let from = rough.line.at(middle) - middle + start as f64;
    let first = from.max(0.0) as usize;
    let last = (from + (end - start) as f64).clamp(0.0, other.len() as f64) as usize;
    if last <= first || end - start < (0.5 * rate_hz) as usize {
        return None;
    }
    let (own, others) = (&reference[start..end], &other[first..last]);
    let line = Line { offset: from - first as f64, slope: 1.0 };
    let fine = Fine::new(own, others, 1.0, rate_hz, end - start);
    let inverse = Fine::new(own, others, -1.0, rate_hz, end - start);
    let tried = [(&fine, 1.0), (&inverse, -1.0)].map(|(fine, sign)| {
        let fitted = fine.fitted(line, OFF_S * rate_hz, MAX_DRIFT)?;
        let near = (fitted.line.at(middle - start as f64) - line.at(middle - start as f64)).abs();
        (fitted.share >= LEAST_SHARE && near <= 1.5 * OFF_S * rate_hz && fitted.snr_db > 0.0).then_some((fitted, sign))
    });
    let (fitted, sign) = tried.into_iter().flatten().max_by(|a, b| a.0.snr_db.total_cmp(&b.0.snr_db))?;
    let slope = fitted.line.slope;
    let offset = fitted.line.offset + first as f64 - slope * start as f64;
    let whole = Line { offset: (offset + (slope - 1.0) * middle).round(), slope: 1.0 };
    let local = Line { offset: whole.offset + start as f64 - first as f64, slope: 1.0 };
    // Frames as they are, if they explain as much.
    let is_whole = fine.snr_db(local) >= fitted.snr_db - 0.01;
    let line = if is_whole { whole } else { Line { offset, slope } };
    Some(Piece { start, end, line, sign, is_exact: true, confidence: part.confidence })
}
