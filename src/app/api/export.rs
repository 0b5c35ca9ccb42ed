//! Exports and the jobs they are.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::documents::Selection;
use crate::audio::encode::LossySettings;
use crate::device::DeviceReport;
use crate::error::Failure;

/// The handle of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct JobId(pub u32);

/// The handle of a file that the user chose to write to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct TargetId(pub u32);

/// How to write an export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ExportSettings {
    /// The file format.
    pub format: ExportFormat,
    /// The sample format.
    pub bits: ExportBits,
    /// What is done against the distortion of rounding.
    pub dither: Dither,
    /// Frames to export; none is the whole.
    pub range: Option<Selection>,
    /// The rate to convert to; none is the document's own.
    pub rate: Option<u32>,
    /// Whether declared tails (reverb, delay) are appended.
    pub tail: bool,
    /// How the lossy formats are written.
    #[serde(default)]
    pub lossy: LossySettings,
    /// The loudness to reach; none leaves the level as the chain gives it.
    #[serde(default)]
    pub loudness: Option<LoudnessTarget>,
}

/// The loudness that an export is brought to, by one gain for the whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LoudnessTarget {
    /// Integrated loudness in LUFS, -70 to 0 (ITU-R BS.1770).
    pub lufs: f64,
    /// The highest true peak in dBTP that may come of it, -20 to 0: the gain is kept below where it would be passed.
    pub true_peak_db: f64,
}

/// A file format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum ExportFormat {
    Wav,
    Flac,
    Vorbis,
    Opus,
    /// Only where the program was built with it.
    Mp3,
}

/// A sample format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "their own names")]
pub enum ExportBits {
    #[serde(rename = "16")]
    Int16,
    #[serde(rename = "24")]
    Int24,
    #[serde(rename = "32")]
    Int32,
    #[serde(rename = "f32")]
    Float32,
}

/// What is done against the distortion of rounding to integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Dither {
    /// Rounding alone.
    None,
    /// Triangular noise of two steps.
    Tpdf,
    /// Triangular noise, shaped to where the ear is least keen.
    Shaped,
}

/// A file that the user chose to write to.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ExportTarget {
    /// Its handle.
    pub id: TargetId,
    /// Its name.
    pub name: String,
    /// Its folder, for reading only.
    pub folder: String,
}

/// What an export did.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ExportResult {
    /// The file's name.
    pub name: String,
    /// Its folder, for reading only.
    pub folder: String,
    /// Frames written.
    pub frames: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Samples beyond full scale, which were cut to it.
    pub clipped: u64,
    /// Sample peak in dBFS before cutting; null for silence.
    pub peak_db: Option<f64>,
    /// Where it ran, and why.
    pub device: DeviceReport,
    /// Where the time went.
    pub seconds: StageSeconds,
    /// The gain in dB that brought it to the loudness asked for; null when none was asked for.
    pub loudness_gain_db: Option<f64>,
    /// What was not as wished: tags that could not be kept, damaged parts.
    pub warnings: Vec<String>,
}

/// Wall time in which each stage was busy, in seconds. Stages overlap, so that they may add up to more than the total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "each is its stage")]
pub struct StageSeconds {
    pub decode: f64,
    pub upload: f64,
    pub kernels: f64,
    pub readback: f64,
    pub encode: f64,
    pub total: f64,
}

/// A job as the window shows it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct JobView {
    /// Its handle.
    pub id: JobId,
    /// What for.
    pub purpose: JobPurpose,
    /// What it does: "Export speech.wav".
    pub title: String,
    /// How it stands.
    pub state: JobState,
    /// Done so far, in frames; in steps of its own for what is no export.
    pub done: u64,
    /// To do; 0 while not known.
    pub total: u64,
    /// Frames per second.
    pub rate: f64,
    /// Seconds left.
    pub remaining_s: Option<f64>,
    /// What came of it.
    pub result: Option<ExportResult>,
    /// Why it failed.
    pub failure: Option<Failure>,
}

/// What a job is for: where its outcome is asked for when it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum JobPurpose {
    /// An export; the job's own result.
    Export,
    /// Many files through one chain; `batch`. In thousandths of a file.
    Batch,
    /// Finding duplicates; `duplicates`.
    Duplicates,
    /// Laying out the map; `library_map`.
    Map,
    /// Identifying a clip; `identified`.
    Identify,
}

/// How a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum JobState {
    Running,
    Done,
    Failed,
    Cancelled,
}
