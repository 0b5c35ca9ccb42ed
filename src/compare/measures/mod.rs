//! The measures: one file each, with definition, unit, direction, range and source.
//!
//! A measure is computed for each channel. The whole is the mean over the channels that have a value; channels that are
//! equal, where a ratio is infinite, count only if all are. Loudness and true peak are measured over all channels
//! together, and what concerns pitch on the mean of the channels.

mod bandwidth;
mod estoi;
mod f0_correlation;
mod frame_ratios;
mod l1;
mod log_spectral_distance;
mod loudness_difference;
mod mel;
mod pesq;
mod pitch;
mod reading;
mod sdr;
mod segmental_snr;
mod si_sdr;
mod snr;
mod spectra;
mod stft;
mod stoi;
mod third_octaves;
mod toeplitz;
mod true_peak_difference;
mod voicing_agreement;

use super::pair::Pair;
use crate::error::{Error, Result};
use crate::progress::Progress;
pub(super) use pitch::{Pitches, pitches};
pub use reading::{Curve, Outcome, Reading};
pub(super) use spectra::Spectral;

/// The direction in which a measure is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Higher is better.
    Higher,
    /// Lower is better.
    Lower,
    /// Nearer to 0 is better.
    NearZero,
}

impl Direction {
    /// Returns the words for a table.
    pub fn words(self) -> &'static str {
        match self {
            Self::Higher => "higher is better",
            Self::Lower => "lower is better",
            Self::NearZero => "0 is best",
        }
    }
}

/// A measure of the difference between two versions of a recording.
#[derive(Debug)]
pub struct Measure {
    /// The name, in commands and JSON.
    pub name: &'static str,
    /// The unit; "1" for a plain number.
    pub unit: &'static str,
    /// The direction in which it is better.
    pub direction: Direction,
    /// The range of values, as text.
    pub range: &'static str,
    /// What is measured, as text with its formula.
    pub definition: &'static str,
    /// Where the definition comes from.
    pub source: &'static str,
    /// Digits after the point that are worth printing.
    pub decimals: usize,
    /// Whether frames of both are compared, so that recordings which cannot be aligned have no value.
    pub needs_alignment: bool,
    compute: fn(&Pair, &Progress) -> Result<Reading>,
}

impl Measure {
    /// Computes the measure.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Internal`] if a transform fails. What cannot be had is no error, but an
    /// [`Outcome::Missing`].
    pub fn read(&self, pair: &Pair, progress: &Progress) -> Result<Reading> {
        progress.check()?;
        if pair.frames() == 0 || pair.other.first().is_none_or(Vec::is_empty) {
            return Ok(Reading::missing("there are no frames to compare"));
        }
        (self.compute)(pair, progress)
    }
}

impl PartialEq for Measure {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// All measures, in the order in which they are shown.
pub static MEASURES: [Measure; 17] = [
    snr::SPEC,
    segmental_snr::SPEC,
    si_sdr::SPEC,
    sdr::SPEC,
    l1::SPEC,
    log_spectral_distance::SPEC,
    stft::SPEC,
    mel::SPEC,
    f0_correlation::SPEC,
    voicing_agreement::SPEC,
    stoi::SPEC,
    estoi::SPEC,
    pesq::NARROW,
    pesq::WIDE,
    loudness_difference::SPEC,
    true_peak_difference::SPEC,
    bandwidth::SPEC,
];

/// Returns the measure of a name.
///
/// # Errors
/// [`Error::Invalid`] for an unknown name, with all names.
pub fn measure_named(name: &str) -> Result<&'static Measure> {
    MEASURES.iter().find(|measure| measure.name == name).ok_or_else(|| {
        let names: Vec<&str> = MEASURES.iter().map(|measure| measure.name).collect();
        Error::invalid("measure", name, format!("one of {}", names.join(", ")))
    })
}
