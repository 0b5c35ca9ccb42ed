//! The page that compares versions of a recording.

use serde::{Deserialize, Serialize};

use crate::compare::{Alignment, ComparedPart, Curve, Measure};
use crate::error::Failure;
use crate::window::jobs::JobId;
use base::declared::TS;

/// A sound to hear or draw: a version, or its difference from the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CompareSound {
    /// A version on the reference's timeline.
    Version {
        /// Its handle.
        version: u32,
    },
    /// The difference of a version from the reference.
    Difference {
        /// The handle of the version.
        version: u32,
    },
}

impl CompareSound {
    /// Returns the handle of the version.
    pub fn version(self) -> u32 {
        match self {
            Self::Version { version } | Self::Difference { version } => version,
        }
    }
}

/// The page.
#[derive(Clone, Debug, Serialize, TS)]
pub struct CompareView {
    /// The versions in their order.
    pub versions: Vec<CompareVersion>,
    /// The version that the others are compared with; null if none can be read.
    pub reference: Option<u32>,
    /// The measures of the table, in its order.
    pub measures: &'static [Measure],
    /// The timeline; null if there is no reference.
    pub timeline: Option<CompareTimeline>,
    /// The job of the running comparison; null if none runs.
    pub job: Option<JobId>,
    /// Whether versions are waiting to be compared, for instance after a comparison was cancelled.
    pub waiting: bool,
    /// Whether loudness is matched: every version at the loudness of the quietest, and differences of equal levels.
    pub matched: bool,
    /// Whether versions are brought to the level of the reference before they are measured.
    pub match_level: bool,
    /// The gain of differences, in dB.
    pub difference_gain_db: f64,
    /// The sound that is played, or will be when playback starts; null without a reference.
    pub heard: Option<CompareSound>,
}

/// The timeline of the reference, with which all versions are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct CompareTimeline {
    /// Sample rate in Hz.
    pub rate: u32,
    /// Length in frames.
    pub frames: u64,
    /// The number of channels of all that is drawn and played.
    pub channels: usize,
    /// A number that changes whenever one of the sounds changes.
    pub revision: u32,
}

/// The state of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum CompareState {
    Reference,
    Waiting,
    Running,
    Compared,
    Failed,
}

/// A version of the recording.
#[derive(Clone, Debug, Serialize, TS)]
pub struct CompareVersion {
    /// Its handle.
    pub id: u32,
    /// The name of the file or document.
    pub name: String,
    /// The folder of the file; empty for a document.
    pub folder: String,
    /// The format in words; null if it cannot be read.
    pub kind: Option<String>,
    /// Sample rate in Hz; null if it cannot be read.
    pub rate: Option<u32>,
    /// The number of channels; null if it cannot be read.
    pub channels: Option<usize>,
    /// Length in seconds; null if it cannot be read.
    pub duration_s: Option<f64>,
    /// The state.
    pub state: CompareState,
    /// Why it cannot be read or compared.
    pub failure: Option<Failure>,
    /// The warnings of its reader.
    pub warnings: Vec<String>,
    /// Its alignment with the reference; null until it is compared, and if the two have nothing in common.
    pub alignment: Option<Alignment>,
    /// The gain at which it is played while loudness is matched, in dB; null if there is none.
    pub gain_db: Option<f64>,
    /// Notes on conversions, on what was left out, and on what prevents a comparison.
    pub notes: Vec<String>,
    /// The cut, inserted, moved, replaced and unchanged parts; empty if one alignment holds throughout.
    pub parts: Vec<ComparedPart>,
    /// The results of the measures, in the table's order; empty until it is compared.
    pub readings: Vec<CompareReading>,
}

/// The result of a measure.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct CompareReading {
    /// The result over the whole length and all channels.
    pub whole: CompareValue,
    /// The result for each channel; empty for measures of all channels together.
    pub channels: Vec<CompareValue>,
    /// Whether there is a curve over time.
    pub curve: bool,
}

/// A value, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct CompareValue {
    /// The value; null if it is missing or infinite.
    pub value: Option<f64>,
    /// 1 or -1 for a value that is infinite.
    pub infinite: Option<i8>,
    /// Why there is no number.
    pub missing: Option<String>,
}

/// A measure over time.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct CompareCurve {
    /// The version.
    pub version: u32,
    /// The time of the first value on the timeline, in seconds.
    pub start_s: f64,
    /// The time from one value to the next, in seconds.
    pub step_s: f64,
    /// The values; null where there is none.
    pub values: Vec<Option<f64>>,
}

impl CompareCurve {
    /// Returns a curve in the form that the window draws.
    pub(in crate::window) fn new(version: u32, curve: &Curve) -> Self {
        let finite = |value: &Option<f64>| value.filter(|value| value.is_finite());
        Self {
            version,
            start_s: curve.start_s,
            step_s: curve.step_s,
            values: curve.values.iter().map(finite).collect(),
        }
    }
}

/// A format of an exported comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum CompareFormat {
    Csv,
    Json,
    Markdown,
    Html,
}

/// The comparison that is loaded into the player.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct ComparisonHeard {
    /// The sound that is heard; null in a blind test, which hides it.
    pub sound: Option<CompareSound>,
    /// Sample rate of the timeline in Hz.
    pub rate: u32,
    /// Length of the timeline in frames.
    pub frames: u64,
}
