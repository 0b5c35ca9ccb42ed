//! Parts that were cut, inserted, moved or replaced: what two recordings have in common, piece by piece.
//!
//! 1. Landmarks find the stretches that both have, in any order, also at another speed (`crate::fingerprint`).
//! 2. At the full rate each stretch gets a line of its own, as in [`super::align`] (`pieces`).
//! 3. The frames at which one stretch ends and another begins are those with the least unexplained (`edges`).
//! 4. What is left between the pieces was cut, inserted or replaced; pieces out of order were moved (`kinds`).

mod edges;
mod kinds;
mod pieces;

use serde::Serialize;

use super::align::line::Line;
use super::material::{Material, mean};
use crate::declared::TS;
use crate::error::Result;
use crate::progress::Progress;

/// At lower rates there are no landmarks, and converting to theirs would make many frames of few.
const LEAST_RATE_HZ: u32 = 4000;

/// What became of a part.
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
pub struct Part {
    /// What became of it.
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
}

/// The parts, and the pieces in order of their times in the reference.
pub(super) struct Found {
    pub parts: Vec<Part>,
    pub pieces: Vec<Piece>,
}

/// Finds the parts of two recordings.
///
/// # Errors
/// [`crate::Error::Cancelled`]; [`crate::Error::Internal`] if a transform fails.
pub(super) fn found(material: &Material, progress: &Progress) -> Result<Found> {
    if material.rate.hz() < LEAST_RATE_HZ {
        return Ok(Found { parts: Vec::new(), pieces: Vec::new() });
    }
    let [reference, other] = [mean(&material.reference), mean(&material.other)];
    let mut pieces = pieces::pieces(material.rate, &reference, &other, progress)?;
    edges::settle(&mut pieces, &reference, &other, material.rate);
    pieces.retain(|piece| piece.end > piece.start);
    if !pieces.is_empty() {
        pieces.extend(pieces::between(material.rate, &reference, &other, &pieces, progress)?);
        pieces.sort_by_key(|piece| piece.start);
        edges::settle(&mut pieces, &reference, &other, material.rate);
        pieces.retain(|piece| piece.end > piece.start);
    }
    let parts = kinds::parts(&pieces, [reference.len(), other.len()], material.rate.as_f64());
    Ok(Found { parts, pieces })
}
