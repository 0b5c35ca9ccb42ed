//! Compares two versions of a recording: aligns the other with the reference in time, and measures what an edit, a
//! codec or a model did to the sound.
//!
//! ```text
//! two readers -> material (memory, one rate, one number of channels)
//!             -> align    (offset, drift, polarity, channel order, gain, confidence)
//!             -> parts    (if it does not hold throughout: cut, inserted, moved, replaced)
//!             -> pair     (equal lengths, frame by frame)
//!             -> measures (one file each: whole, per channel, over time)
//! alignment   -> laid     (a version on the reference's timeline and its difference, as streams)
//! ```
//!
//! [`compare`] does all of it. [`align::align`] and the measures of [`MEASURES`] can be used separately. Everything is
//! computed on the CPU with f64 sums; the results do not depend on the number of threads.

pub mod align;
pub mod codec_superb;
mod kept;
mod laid;
mod material;
pub mod measures;
#[cfg(test)]
mod noise;
mod pair;
mod pairing;
pub mod parts;
mod polyphase;
pub mod report;
mod thresholds;

pub use align::Alignment;
pub use kept::Kept;
pub use laid::{DifferenceReader, LaidReader, Lay};
pub use material::{MAX_SAMPLES, Material};
pub use measures::{
    Curve, Direction, Gap, MEASURES, Measure, Outcome, OverTime, Reading, measure_among, measure_named,
};
pub use pair::Pair;
pub use pairing::{PairBy, Paired, paired};
pub use parts::ComparedPart;
pub use thresholds::{Relation, Threshold};

use std::sync::Arc;

use audio::AudioReader;
use base::error::Result;
use base::progress::Progress;

/// The settings of a comparison.
#[derive(Clone, Debug)]
pub struct Request {
    /// The measures, of [`MEASURES`].
    pub measures: Vec<&'static Measure>,
    /// Whether the other is aligned to the reference. If not, frame 0 of one is compared with frame 0 of the other.
    pub align: bool,
    /// Whether the measures are also computed over time.
    pub curves: bool,
    /// Whether the other is brought to the level of the reference before it is measured.
    pub match_level: bool,
}

impl Default for Request {
    fn default() -> Self {
        Self { measures: MEASURES.iter().collect(), align: true, curves: false, match_level: false }
    }
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// How the other lies against the reference; `None` if the two could not be aligned, or were not to be.
    pub alignment: Option<Alignment>,
    /// The parts that were cut, inserted, moved, replaced or kept; empty if one alignment holds throughout.
    pub parts: Vec<ComparedPart>,
    /// The reading of each measure of the request, in the request's order.
    pub readings: Vec<(&'static Measure, Reading)>,
    /// The frame of the reference where the compared part begins.
    pub start_frame: u64,
    /// Frames compared, at the reference's rate.
    pub frames: u64,
    /// The gain in dB by which the other was brought to the level of the reference, if that was asked for: the inverse of
    /// the gain of the least squares, `sum r o / sum r^2`.
    pub matched_gain_db: Option<f64>,
    /// Sentences about what was converted, left out, or stands in the way.
    pub notes: Vec<String>,
}

impl Comparison {
    /// Returns what a measure gave; `None` if it was not asked for.
    pub fn reading(&self, measure: &Measure) -> Option<&Reading> {
        self.readings.iter().find(|(candidate, _)| *candidate == measure).map(|(_, reading)| reading)
    }
}

/// Returns what two recordings have in common, frame by frame, with the alignment undone.
pub fn paired_with(material: &Material, alignment: &Alignment) -> Pair {
    pair::aligned(material, alignment, &mut Vec::new())
}

impl Request {
    /// Returns the steps that [`compare`] counts: reading, aligning, pairing, and each measure.
    pub fn steps(&self) -> u64 {
        3 + self.measures.len() as u64
    }
}

/// Compares `other` with `reference`. Progress advances by [`Request::steps`]; the caller sets the total.
///
/// # Errors
/// [`base::error::Error::Limit`] for recordings of more than [`MAX_SAMPLES`] samples.
pub fn compare(
    reference: &mut dyn AudioReader,
    other: &mut dyn AudioReader,
    request: &Request,
    progress: &Progress,
) -> Result<Comparison> {
    compared(reference, other, request, None, progress)
}

/// Same as [`compare`], for one of several versions of the same `reference`: shared results are computed once and stay
/// in `kept`.
pub fn compare_keeping(
    reference: &mut dyn AudioReader,
    other: &mut dyn AudioReader,
    request: &Request,
    kept: &Arc<Kept>,
    progress: &Progress,
) -> Result<Comparison> {
    compared(reference, other, request, Some(kept), progress)
}

fn compared(
    reference: &mut dyn AudioReader,
    other: &mut dyn AudioReader,
    request: &Request,
    kept: Option<&Arc<Kept>>,
    progress: &Progress,
) -> Result<Comparison> {
    let mut material = Material::read(reference, other, progress)?;
    progress.advance(1)?;
    let mut notes = std::mem::take(&mut material.notes);
    let lie = lie(&material, request.align, &mut notes, progress)?;
    progress.advance(1)?;
    let mut pair = match (&lie.alignment, &lie.why_not) {
        (Some(alignment), _) if !lie.pieces.is_empty() => {
            Some(pair::of_pieces(&material, &lie.pieces, alignment, &mut notes))
        }
        (Some(alignment), _) => Some(pair::aligned(&material, alignment, &mut notes)),
        (None, None) => Some(pair::as_they_are(&material, &mut notes)),
        (None, Some(_)) => None,
    };
    let matched_gain_db = match pair.as_mut().filter(|_| request.match_level) {
        Some(pair) => pair.match_level(&mut notes),
        None => None,
    };
    let whole = 0..material.frames()[0];
    if let Some(pair) = pair.as_mut().filter(|pair| pair.stretches == std::slice::from_ref(&whole)) {
        pair.kept = kept.cloned();
    }
    if let Some(alignment) = &lie.alignment {
        notes.extend(alignment.remarks(!lie.parts.is_empty()));
    }
    if let Some(reason) = &lie.why_not {
        notes.push(reason.clone());
    }
    let Lie { alignment, why_not, parts, .. } = lie;
    progress.advance(1)?;
    let mut readings = Vec::new();
    for &measure in &request.measures {
        let reading = match &pair {
            Some(pair) if request.curves => measure.read_with_curves(pair, progress)?,
            Some(pair) => measure.read(pair, progress)?,
            None if measure.needs_alignment => Reading::missing(why_not.as_deref().unwrap_or_default()),
            // Without a common time there are no curves.
            None => measure.read(&pair::unaligned(&material), progress)?,
        };
        readings.push((measure, reading));
        progress.advance(1)?;
    }
    let [start_frame, frames] =
        pair.map_or([0; 2], |pair| [pair.start_frame(), pair.frames()].map(|count| count as u64));
    Ok(Comparison { alignment, parts, readings, start_frame, frames, matched_gain_db, notes })
}

/// A piece that is surer than this is compared.
const SURE: f64 = 0.5;

/// How two recordings lie against each other.
#[derive(Default)]
struct Lie {
    alignment: Option<Alignment>,
    /// Why there is no alignment, if one was asked for.
    why_not: Option<String>,
    parts: Vec<ComparedPart>,
    /// The pieces to compare; empty if one alignment holds throughout.
    pieces: Vec<parts::Piece>,
}

fn lie(material: &Material, align: bool, notes: &mut Vec<String>, progress: &Progress) -> Result<Lie> {
    if !align {
        return Ok(Lie::default());
    }
    let (alignment, why_not) = match align::align(material, progress)? {
        Ok(alignment) => (Some(alignment), None),
        Err(reason) => (None, Some(reason)),
    };
    let agrees = alignment.as_ref().is_some_and(|alignment| alignment.agreement == 1.0);
    if let Some(whole) = alignment.as_ref().filter(|_| agrees)
        && parts::holds(material, whole.line(), f64::from(whole.polarity))
    {
        return Ok(Lie { alignment, ..Lie::default() });
    }
    let found = parts::found(material, progress)?;
    let is_sure = |piece: &&parts::Piece| piece.confidence >= SURE;
    let (exact, rough): (Vec<_>, Vec<_>) =
        found.pieces.iter().filter(is_sure).cloned().partition(|piece| piece.is_exact);
    // All blocks agree with the alignment, so only another exact piece can add anything.
    if agrees && exact.len() < 2 {
        return Ok(Lie { alignment, ..Lie::default() });
    }
    // A piece, and its ends which only one of both has, are an alignment.
    let parts = if found.pieces.len() > 1 || !rough.is_empty() { found.parts } else { Vec::new() };
    if let Some(piece) = rough.first() {
        notes.push(format!(
            "The other was played or stretched at {:.4} times the speed: its parts were found by landmarks, exact to \
             about 0.3 s, and samples at another speed are not compared.",
            1.0 / piece.line.slope
        ));
    }
    let Some(longest) = exact.iter().max_by_key(|piece| piece.end - piece.start) else {
        return Ok(Lie { alignment, why_not, parts, pieces: Vec::new() });
    };
    // From the pieces alone: sound outside them says nothing about gain and channels.
    let stretches: Vec<_> = exact.iter().map(|piece| (piece.start..piece.end, piece.line)).collect();
    let of_pieces = align::along(material, &stretches, longest.sign, longest.confidence, longest.error);
    match alignment {
        Some(mut alignment) if exact.len() == 1 => {
            alignment.gain_db = of_pieces.gain_db;
            Ok(Lie { alignment: Some(alignment), why_not, parts, pieces: Vec::new() })
        }
        _ => Ok(Lie { alignment: Some(of_pieces), parts, pieces: exact, why_not: None }),
    }
}
