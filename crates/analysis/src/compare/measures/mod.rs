//! The measures: one file each, with definition, unit, direction, range and source.
//!
//! A measure is computed for each channel. The whole is the mean over the channels that have a value; channels that are
//! equal, where a ratio is infinite, count only if all are. Loudness and true peak are measured over all channels
//! together, and what concerns pitch on the mean of the channels.

mod bands;
mod bandwidth;
mod cepstral_distance;
mod crest_difference;
mod curve;
mod estoi;
mod f0_correlation;
mod frame_ratios;
mod l1;
mod log_ratios;
mod log_spectral_distance;
mod loudness;
pub(super) mod mel;
mod noise_added;
pub(super) mod pesq;
mod pitch;
mod pre_echo;
#[cfg(feature = "pesq")]
mod rate;
mod reading;
mod sdr;
mod segmental_snr;
mod si_sdr;
mod snr;
mod spectra;
mod stereo_image;
pub(super) mod stft;
mod stoi;
mod third_octaves;
mod toeplitz;
mod true_peak_difference;
mod voicing_agreement;

use serde::Serialize;

use super::pair::Pair;
use crate::features::dimensions::shown_unit;
pub(super) use bands::{FoundEdges, edges};
use base::declared::TS;
use base::error::{Error, Result};
use base::progress::Progress;
pub use curve::{Curve, Gap};
pub(super) use loudness::{Loudness, loudness};
pub(super) use pitch::{Pitches, pitches};
pub use reading::{Outcome, Reading};
pub(super) use spectra::{Magnitudes, Spectral};

/// The direction in which a measure is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "MeasureDirection")]
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
#[derive(Debug, Serialize, TS)]
pub struct Measure {
    /// The name, in commands and JSON.
    pub name: &'static str,
    /// The name that people read.
    pub title: &'static str,
    /// The unit; "1" for a plain number, which the window shows without a unit.
    #[serde(serialize_with = "shown_unit")]
    pub unit: &'static str,
    /// The direction in which it is better.
    pub direction: Direction,
    /// The range of values, as text.
    pub range: &'static str,
    /// The definition, as text with its formula.
    pub definition: &'static str,
    /// Where the definition comes from.
    pub source: &'static str,
    /// Digits after the point that are worth printing.
    pub decimals: usize,
    /// Whether frames of both are compared, so that recordings which cannot be aligned have no value.
    #[serde(skip)]
    pub needs_alignment: bool,
    /// The unit and the definition of its curve, if it makes sense over time.
    #[serde(skip)]
    pub over_time: Option<OverTime>,
    #[serde(skip)]
    pub(super) compute: fn(&Pair, bool, &Progress) -> Result<Reading>,
}

/// The unit and the definition of a measure's curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverTime {
    /// The unit of its values; "1" for a plain number.
    pub unit: &'static str,
    /// The part that each value describes, as text.
    pub definition: &'static str,
}

impl Measure {
    /// Computes the measure over the whole and for each channel. A value that cannot be computed is not an error, but
    /// an [`Outcome::Missing`].
    pub fn read(&self, pair: &Pair, progress: &Progress) -> Result<Reading> {
        self.computed(pair, false, progress)
    }

    /// Computes the measure over the whole, for each channel, and over the time of the reference.
    pub fn read_with_curves(&self, pair: &Pair, progress: &Progress) -> Result<Reading> {
        Ok(self.computed(pair, self.over_time.is_some(), progress)?.placed(pair))
    }

    fn computed(&self, pair: &Pair, curves: bool, progress: &Progress) -> Result<Reading> {
        progress.check()?;
        if pair.frames() == 0 || pair.other.first().is_none_or(Vec::is_empty) {
            return Ok(Reading::missing("there are no frames to compare"));
        }
        (self.compute)(pair, curves, progress)
    }
}

impl PartialEq for Measure {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// All measures, in the order in which they are shown.
pub static MEASURES: [Measure; 26] = [
    snr::SPEC,
    segmental_snr::SPEC,
    si_sdr::SPEC,
    sdr::SPEC,
    l1::SPEC,
    log_spectral_distance::SPEC,
    stft::SPEC,
    mel::SPEC,
    cepstral_distance::SPEC,
    noise_added::SPEC,
    pre_echo::SPEC,
    f0_correlation::SPEC,
    voicing_agreement::SPEC,
    stoi::SPEC,
    estoi::SPEC,
    pesq::NARROW,
    pesq::WIDE,
    loudness::INTEGRATED,
    loudness::RANGE,
    true_peak_difference::SPEC,
    crest_difference::SPEC,
    stereo_image::WIDTH,
    stereo_image::CORRELATION,
    stereo_image::BALANCE,
    bandwidth::KEPT,
    bandwidth::LOST,
];

/// Returns the measure of a name.
pub fn measure_named(name: &str) -> Result<&'static Measure> {
    measure_among(&MEASURES, name)
}

/// Returns the measure of a name among `measures`.
pub fn measure_among(measures: &'static [Measure], name: &str) -> Result<&'static Measure> {
    measures.iter().find(|measure| measure.name == name).ok_or_else(|| {
        let names: Vec<&str> = measures.iter().map(|measure| measure.name).collect();
        Error::invalid("measure", name, format!("one of {}", names.join(", ")))
    })
}
