//! Compares two versions of a recording: finds how the other lies in time against the reference, and measures what an
//! edit, a codec or a model did to the sound.
//!
//! ```text
//! two readers -> material (memory, one rate, one number of channels)
//!             -> align    (offset, drift, polarity, channel order, gain, confidence)
//!             -> pair     (equal lengths, frame by frame)
//!             -> measures (one file each: whole, per channel, over time)
//! alignment   -> laid     (a version on the reference's timeline and its difference, as streams)
//! ```
//!
//! [`compare`] does all of it. [`align::align`] and the measures of [`MEASURES`] can be used on their own. Everything is
//! computed on the CPU with f64 sums; the results do not depend on the number of threads.

pub mod align;
mod laid;
mod material;
pub mod measures;
mod pair;
mod pairing;
mod thresholds;

pub use align::Alignment;
pub use laid::{DifferenceReader, LaidReader, Lay};
pub use material::{MAX_SAMPLES, Material};
pub use measures::{Curve, Direction, MEASURES, Measure, Outcome, Reading, measure_named};
pub use pair::Pair;
pub use pairing::{PairBy, Paired, paired};
pub use thresholds::{Relation, Threshold};

use crate::audio::AudioReader;
use crate::error::Result;
use crate::progress::Progress;

/// What is compared, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// The measures, of [`MEASURES`].
    pub measures: Vec<&'static Measure>,
    /// Whether the other is aligned to the reference. If not, frame 0 of one is compared with frame 0 of the other.
    pub align: bool,
}

impl Default for Request {
    fn default() -> Self {
        Self { measures: MEASURES.iter().collect(), align: true }
    }
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// How the other lies against the reference; `None` if the two could not be aligned, or were not to be.
    pub alignment: Option<Alignment>,
    /// What each measure of the request gave, in the request's order.
    pub readings: Vec<(&'static Measure, Reading)>,
    /// Frames compared, at the reference's rate.
    pub frames: u64,
    /// Sentences about what was converted, left out, or stands in the way.
    pub notes: Vec<String>,
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
/// Any error of reading; [`crate::Error::Limit`] for recordings of more than [`MAX_SAMPLES`] samples;
/// [`crate::Error::Cancelled`].
pub fn compare(
    reference: &mut dyn AudioReader,
    other: &mut dyn AudioReader,
    request: &Request,
    progress: &Progress,
) -> Result<Comparison> {
    let mut material = Material::read(reference, other, progress)?;
    progress.advance(1)?;
    let mut notes = std::mem::take(&mut material.notes);
    let (alignment, why_not) = if request.align {
        match align::align(&material, progress)? {
            Ok(alignment) => (Some(alignment), None),
            Err(reason) => (None, Some(reason)),
        }
    } else {
        (None, None)
    };
    progress.advance(1)?;
    let pair = match (&alignment, &why_not) {
        (Some(alignment), _) => Some(pair::aligned(&material, alignment, &mut notes)),
        (None, None) => Some(pair::as_they_are(&material, &mut notes)),
        (None, Some(_)) => None,
    };
    if let Some(alignment) = &alignment {
        notes.extend(alignment.remarks());
    }
    if let Some(reason) = &why_not {
        notes.push(reason.clone());
    }
    progress.advance(1)?;
    let mut readings = Vec::new();
    for &measure in &request.measures {
        let reading = match &pair {
            Some(pair) => measure.read(pair, progress)?,
            None if measure.needs_alignment => Reading::missing(why_not.as_deref().unwrap_or_default()),
            None => measure.read(&pair::unaligned(&material), progress)?,
        };
        readings.push((measure, reading));
        progress.advance(1)?;
    }
    Ok(Comparison { alignment, readings, frames: pair.map_or(0, |pair| pair.frames() as u64), notes })
}
