//! Exports, and jobs in general.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::library::CoverView;

use crate::audio::encode::{Dither, FileFormat, LossySettings, SampleFormat};
use crate::audio::tags::ChangedTag;
use crate::device::DeviceReport;
use crate::document::FrameRange;
use crate::error::Failure;
use base::declared::TS;

/// The handle of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct JobId(pub u32);

/// The handle of a file that the user chose to write to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct TargetId(pub u32);

/// The settings of an export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ExportSettings {
    /// The file format.
    pub format: FileFormat,
    /// The sample format.
    pub bits: SampleFormat,
    /// The dither for integer formats.
    pub dither: Dither,
    /// The frames to export; null for all.
    pub range: Option<FrameRange>,
    /// The sample rate to convert to, in Hz; null for the document's.
    pub rate: Option<u32>,
    /// Whether to append the tails that effects declare (reverb, delay).
    pub tail: bool,
    /// The settings of the lossy formats.
    #[serde(default)]
    pub lossy: LossySettings,
    /// The loudness to reach; null leaves the level unchanged.
    #[serde(default)]
    pub loudness: Option<LoudnessTarget>,
    /// The output gain of this export in dB, -96..=48, applied after the chain and the loudness.
    #[serde(default)]
    pub gain_db: f64,
    /// Whether the markers are written, as far as the format supports them.
    #[serde(default = "yes")]
    pub markers: bool,
}

impl ExportSettings {
    /// Returns the settings that export a whole recording unchanged in this format, with its markers.
    pub fn plain(format: FileFormat, bits: SampleFormat, dither: Dither, lossy: LossySettings) -> Self {
        Self {
            format,
            bits,
            dither,
            range: None,
            rate: None,
            tail: false,
            lossy,
            loudness: None,
            gain_db: 0.0,
            markers: true,
        }
    }
}

fn yes() -> bool {
    true
}

/// The properties of the file that an export will write, so far as they are known without rendering.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct ExportPlan {
    /// The number of frames; null if it depends on the sound, as for a chain that trims silence.
    pub frames: Option<u64>,
    /// The sample rate in Hz.
    pub rate: u32,
    /// The file size in bytes; null if the number of frames is not known.
    pub bytes: Option<u64>,
    /// Whether the size is exact. Otherwise it is an estimate, because it depends on the sound.
    pub bytes_exact: bool,
    /// Tags that the format cannot hold, or holds in a place that not every program reads.
    pub tag_limits: Vec<String>,
    /// The tags that the file will not have as they are in the recording, and why.
    pub changed_tags: Vec<ChangedTag>,
    /// The number of markers in the exported range, before effects trim it.
    pub markers: usize,
    /// The properties of these markers that the format cannot hold.
    pub marker_limits: Vec<String>,
    /// The effect of the export on the speaker layout, in words; absent if mono or stereo is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub layout: Option<String>,
}

/// Measurements of an export before it is made, with its chain, range and settings.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct ExportForecast {
    /// The number of frames.
    pub frames: u64,
    /// The number of samples that will be clipped: those beyond full scale, in integer formats.
    pub clipped: u64,
    /// How many samples do not fit integers; null for the lossy formats.
    pub rounded: Option<RoundedSamples>,
    /// The sample peak in dBFS; null for silence.
    pub peak_db: Option<f64>,
    /// The true peak in dBTP, at least the sample peak; null for silence.
    pub true_peak_db: Option<f64>,
    /// The gain in dB that reaches the target loudness; null if there is no target.
    pub loudness_gain_db: Option<f64>,
    /// The output gain in dB with which the true peak stays below full scale; null if it already does.
    pub remedy_gain_db: Option<f64>,
}

/// The number of samples that integers of a size cannot represent, which are dithered and rounded. All others keep
/// their bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
pub struct RoundedSamples {
    /// For integers of 16 bits.
    pub bits_16: u64,
    /// For integers of 24 bits.
    pub bits_24: u64,
}

/// The handle of a picture that the user chose as a cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct CoverId(pub u32);

/// The tags of a recording before an export.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ExportTags {
    /// Text by field, named as in Vorbis comments.
    pub items: BTreeMap<String, String>,
    /// The cover; null if there is none.
    pub cover: Option<CoverView>,
}

/// The tags that an exported file has instead of the recording's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct TagEdits {
    /// Text by field, named as in Vorbis comments. An empty text removes the field. Other fields are kept.
    pub items: BTreeMap<String, String>,
    /// The edit of the cover.
    pub cover: CoverEdit,
    /// Whether the gain of the track is measured again on the written file; false if absent.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub replay_gain: bool,
}

/// An edit of the cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CoverEdit {
    /// Keeps the cover and all other pictures.
    #[default]
    Keep,
    /// Removes all pictures.
    Remove,
    /// Replaces the cover by the chosen picture.
    Replace {
        /// The picture.
        cover: CoverId,
    },
}

/// A picture that the user chose as a cover.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ChosenCover {
    /// The handle.
    pub id: CoverId,
    /// The file name.
    pub name: String,
    /// The picture.
    pub view: CoverView,
}

/// The target loudness of an export, reached by one gain for the whole recording.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LoudnessTarget {
    /// The integrated loudness in LUFS, -70..=0 (ITU-R BS.1770).
    pub lufs: f64,
    /// The highest allowed true peak in dBTP, -20..=0. The gain is reduced if the peak would exceed it.
    pub true_peak_db: f64,
}

/// A file that the user chose to write to.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ExportTarget {
    /// The handle.
    pub id: TargetId,
    /// The file name.
    pub name: String,
    /// The folder, for display only.
    pub folder: String,
}

/// The result of an export.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ExportResult {
    /// The file name.
    pub name: String,
    /// The folder, for display only.
    pub folder: String,
    /// The number of frames written.
    pub frames: u64,
    /// The sample rate in Hz.
    pub rate: u32,
    /// The file size in bytes.
    pub bytes: u64,
    /// The number of samples that were clipped: those beyond full scale, in integer formats.
    pub clipped: u64,
    /// The sample peak in dBFS before clipping; null for silence.
    pub peak_db: Option<f64>,
    /// The device that it ran on, and why.
    pub device: DeviceReport,
    /// The time of each stage.
    pub seconds: StageSeconds,
    /// The gain in dB that was applied to reach the target loudness; null if there was no target.
    pub loudness_gain_db: Option<f64>,
    /// Problems: tags that could not be kept, damaged parts.
    pub warnings: Vec<String>,
}

/// The wall time in which each stage was busy, in seconds. Stages overlap, so that their sum may exceed the total.
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
    /// The handle.
    pub id: JobId,
    /// The purpose.
    pub purpose: JobPurpose,
    /// The title, such as "Export speech.wav".
    pub title: String,
    /// The current step, if the job names it.
    pub step: Option<String>,
    /// The state.
    pub state: JobState,
    /// The amount done: frames for an export, other units for other jobs.
    pub done: u64,
    /// The total amount; 0 if unknown.
    pub total: u64,
    /// The amount done per second.
    pub rate: f64,
    /// The remaining time in seconds.
    pub remaining_s: Option<f64>,
    /// The result of an export.
    pub result: Option<ExportResult>,
    /// Why it failed.
    pub failure: Option<Failure>,
}

/// The purpose of a job. It determines which command returns the result when the job is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum JobPurpose {
    /// An export; the result is in the job itself.
    Export,
    /// Writing a spectrogram as a picture or as numbers.
    Picture,
    /// Writing each track to a file.
    Stems,
    /// Separating recordings into stems; each opens as a document. Progress counts milliseconds of sound.
    Separate,
    /// Rendering an edit of sound; `render_sound` returns its result.
    Sound,
    /// Measuring what an export would write; `forecast`.
    Forecast,
    /// Comparing versions; `comparison`. Progress counts steps.
    Compare,
    /// Writing a comparison to a file.
    Report,
    /// Many files through one chain; `batch`. Progress counts thousandths of a file.
    Batch,
    /// Recordings through codecs; `codecs`. Progress counts cells.
    Codecs,
    /// A search for duplicates; `duplicates`.
    Duplicates,
    /// Computing the map; `library_map`.
    Map,
    /// Identifying a clip; `identified`.
    Identify,
    /// Choosing the tracks of a playlist; `playlist`.
    Playlist,
    /// Writing a playlist to a file. Progress counts tracks.
    PlaylistFile,
    /// Previewing, writing or undoing tags of originals; `tag_run`. Progress counts files.
    Tags,
    /// Verifying the devices; `verification`. Progress counts checks.
    Verify,
}

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum JobState {
    Running,
    Done,
    Failed,
    Cancelled,
}
