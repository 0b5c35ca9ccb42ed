//! Parts that were cut, inserted, moved or replaced: what two recordings have in common, piece by piece.
//!
//! 1. Blocks of samples find lines on which stretches lie. The search repeats on what these leave, until nothing is
//!    left or found (`pieces`).
//! 2. If that leaves some of the reference, landmarks find the stretches that both have, in any order, also at another
//!    speed (`crate::fingerprint`); at the full rate each stretch gets a separate line, as in [`super::align`]. The
//!    explanation that leaves less is taken. A speed is believed only where no pieces at the same speed explain the
//!    samples.
//! 3. The frames at which one stretch ends and another begins are those with the least unexplained (`edges`).
//! 4. What is left between the pieces was cut, inserted or replaced; pieces out of order were moved (`kinds`).

mod edges;
mod kinds;
mod pieces;

use serde::Serialize;

use super::align::line::Line;
use super::material::{Material, mean};
use base::declared::TS;
use base::error::Result;
use base::progress::Progress;

/// At lower rates there are no landmarks, and a conversion to their rate would multiply the frames.
const LEAST_RATE_HZ: u32 = 4000;

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "PartKind")]
pub enum Kind {
    /// Both have it, in the same order.
    Same,
    /// Both have it, and the other at another place.
    Moved,
    /// Only the reference has it.
    Cut,
    /// Only the other has it.
    Inserted,
    /// The other has something else in its place.
    Replaced,
}

/// A part of two recordings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
#[ts(rename = "Part")]
pub struct ComparedPart {
    /// Whether it was kept, moved, cut, inserted or replaced.
    pub kind: Kind,
    /// Where it begins and ends in the reference, in seconds; `None` if it was inserted.
    pub reference_s: Option<[f64; 2]>,
    /// Where it begins and ends in the other, in seconds; `None` if it was cut.
    pub other_s: Option<[f64; 2]>,
    /// The speed of the other relative to the reference; 1 for what only one has.
    pub speed: f64,
    /// From 0, it may be another part, to 1, nothing else comes near. What was cut, inserted or replaced has the lower
    /// confidence of its neighbours.
    pub confidence: f64,
}

/// A piece that both have.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// The first frame in the reference, and the one after the last.
    pub start: usize,
    pub end: usize,
    /// From the reference's frames to the other's.
    pub line: Line,
    /// -1 if the other is inverted here.
    pub sign: f64,
    /// Whether the line is exact to a fraction of a frame; landmarks alone are not.
    pub is_exact: bool,
    pub confidence: f64,
    /// The standard error of an exact line, in frames.
    pub error: f64,
}

/// The parts, and the pieces in order of their times in the reference.
pub(super) struct FoundParts {
    pub parts: Vec<ComparedPart>,
    pub pieces: Vec<Piece>,
}

/// The share of the reference's energy below which nothing counts as left.
const NOTHING_LEFT: f64 = 0.005;
/// Pieces at the same speed that explain this share of a stretch are believed before another speed.
const EXPLAINED: f64 = 0.6;
/// The minimum remainder of an alignment that may be a part, in seconds at the mean level.
const LEAST_PART_S: f64 = 0.25;

/// Returns whether a line explains all that both have in common, except for moments.
pub(super) fn holds(material: &Material, line: Line, sign: f64) -> bool {
    let both = [mean(&material.reference), mean(&material.other)];
    let [reference, other] = [&both[0][..], &both[1][..]];
    let common = line.common(reference.len(), other.len());
    let mut left = edges::energy_of(&reference[common.clone()]);
    let allowed = LEAST_PART_S * material.rate.as_f64() * left / common.len().max(1) as f64;
    for run in edges::runs((line, sign), [reference, other], common, material.rate) {
        left -= edges::energy_of(&reference[run]);
    }
    left <= allowed
}

/// Finds the parts of two recordings.
pub(super) fn found(material: &Material, progress: &Progress) -> Result<FoundParts> {
    if material.rate.hz() < LEAST_RATE_HZ {
        return Ok(FoundParts { parts: Vec::new(), pieces: Vec::new() });
    }
    let rate = material.rate;
    let (reference, other) = (mean(&material.reference), mean(&material.other));
    let both = [&reference[..], &other[..]];
    let settle = |pieces: &mut Vec<Piece>| {
        edges::settle(pieces, &reference, &other, rate);
        pieces.retain(|piece| piece.end > piece.start);
        pieces::join(rate, both, pieces);
    };
    let settled = |mut pieces: Vec<Piece>| -> Result<Vec<Piece>> {
        if !pieces.is_empty() {
            settle(&mut pieces);
            pieces::add_by_samples(rate, both, &mut pieces, progress)?;
            settle(&mut pieces);
        }
        Ok(pieces)
    };
    let mut pieces = Vec::new();
    pieces::add_by_samples(rate, both, &mut pieces, progress)?;
    let mut pieces = settled(pieces)?;
    let explained = |pieces: &[Piece], range| edges::explained_energy(pieces, &reference, &other, &range);
    let all = edges::energy_of(&reference);
    let energy = explained(&pieces, 0..reference.len());
    if energy < (1.0 - NOTHING_LEFT) * all {
        let rivals = settled(pieces::by_landmarks(rate, &reference, &other, progress)?)?;
        let is_explained = |rival: &&Piece| {
            let range = rival.start..rival.end.min(reference.len()).max(rival.start);
            explained(&pieces, range.clone()) >= EXPLAINED * edges::energy_of(&reference[range])
        };
        let rough: Vec<&Piece> = rivals.iter().filter(|piece| !piece.is_exact).collect();
        let is_better = match rough.iter().find(|rival| !is_explained(rival)) {
            Some(_) => true,
            None => rough.is_empty() && explained(&rivals, 0..reference.len()) >= energy - NOTHING_LEFT * all,
        };
        if is_better {
            pieces = rivals;
        }
    }
    let parts = kinds::parts(&pieces, [reference.len(), other.len()], rate.as_f64());
    Ok(FoundParts { parts, pieces })
}
