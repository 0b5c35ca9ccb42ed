//! The codec grid in the window: recordings encoded and decoded by codecs, and measured.

use serde::{Deserialize, Serialize};

use crate::codec_grid::Spread;
use crate::compare::Measure;
use crate::error::Failure;
use crate::window::jobs::{JobId, JobState};
use base::declared::TS;

/// The grid as the window shows it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct CodecsView {
    /// The codecs that can be used.
    pub families: Vec<CodecFamily>,
    /// The available measures.
    pub measures: &'static [Measure],
    /// The recordings.
    pub recordings: Vec<CodecsRecording>,
    /// The settings of a run.
    pub settings: CodecsSettings,
    /// The codecs that the settings name, each with its setting; empty while the text has an error.
    pub codecs: Vec<String>,
    /// The error in the text of the codecs.
    pub problem: Option<String>,
    /// Why a model among the codecs may not run yet: its licence is not confirmed.
    pub licence_problem: Option<String>,
    /// The folder of the results, for display only; null before one was chosen.
    pub output: Option<String>,
    /// The state of the last run; null before the first. A grid that was cancelled continues where it stopped.
    pub phase: Option<JobState>,
    /// The job that runs the grid and reports its progress, in cells.
    pub job: Option<JobId>,
    /// Why the last run failed as a whole.
    pub failure: Option<Failure>,
    /// The results of the last completed run.
    pub results: Option<CodecsResults>,
}

/// A codec that can be used.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct CodecFamily {
    /// The name in the text of the codecs.
    pub name: String,
    /// The title that the window shows.
    pub title: String,
    /// The meaning of a setting.
    pub settings: String,
    /// Why it cannot be used on this system, and what to do.
    pub missing: Option<String>,
}

/// A recording of the grid.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct CodecsRecording {
    /// The handle.
    pub id: u32,
    /// The file name.
    pub name: String,
    /// The category, which is the folder.
    pub category: String,
}

/// The settings with which the codecs are run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct CodecsSettings {
    /// The codecs as text, such as "opus:32,64 vorbis:q4 flac".
    pub codecs: String,
    /// The names of the measures.
    pub measures: Vec<String>,
    /// Whether decoded sound is kept, so that it can be listened to.
    pub keeps_decoded: bool,
}

/// The results of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct CodecsResults {
    /// The measures, in the order of the values.
    pub measures: Vec<&'static Measure>,
    /// A row for each codec, over all recordings.
    pub overall: Vec<CodecsRow>,
    /// The rows of each category by its name, if there are several.
    pub categories: Vec<(String, Vec<CodecsRow>)>,
    /// The number of cells.
    pub cells: u32,
    /// The cells that failed, at most a thousand.
    pub failures: Vec<CodecsFailure>,
    /// The number of cells that failed.
    pub failed: u32,
}

/// The results of a codec over some recordings.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct CodecsRow {
    /// The codec with its setting.
    pub codec: String,
    /// The codec's name.
    pub family: String,
    /// The measured bit rate, in kbit/s.
    pub kbps: Option<Spread>,
    /// The algorithmic delay in milliseconds.
    pub latency_ms: Option<f64>,
    /// Seconds of sound encoded in a second.
    pub encode_speed: Option<f64>,
    /// Seconds of sound decoded in a second.
    pub decode_speed: Option<f64>,
    /// The result of each measure; null if no recording has a number.
    pub values: Vec<Option<Spread>>,
    /// For each measure, the number of recordings without any difference.
    pub infinite: Vec<u32>,
    /// The number of recordings that failed.
    pub failed: u32,
}

/// A cell that failed.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct CodecsFailure {
    /// The recording's file name.
    pub recording: String,
    /// The codec with its setting.
    pub codec: String,
    /// Why.
    pub failure: Failure,
}

/// The results of a codec for one recording.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct CodecsCell {
    /// The codec with its setting.
    pub codec: String,
    /// The measured bit rate, in kbit/s; null if the cell failed.
    pub kbps: Option<f64>,
    /// The result of each measure; null if there is no number.
    pub values: Vec<Option<f64>>,
    /// Whether the decoded sound was kept and can be opened.
    pub has_sound: bool,
}
