//! What an export is asked for, what is foreseen, and what came of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::audio::encode::{Dither, FileFormat, LossySettings, SampleFormat};
use crate::audio::tags::ChangedTag;
use crate::device::DeviceReport;
use crate::document::FrameRange;
use base::declared::TS;

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
    #[ts(inline)]
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
    /// The number of samples that integers of 16 and of 24 bits cannot represent, which are dithered and rounded. All
    /// others keep their bits. Empty for the lossy formats.
    pub rounded: BTreeMap<SampleFormat, u64>,
    /// The sample peak in dBFS; null for silence.
    pub peak_db: Option<f64>,
    /// The true peak in dBTP, at least the sample peak; null for silence.
    pub true_peak_db: Option<f64>,
    /// The gain in dB that reaches the target loudness; null if there is no target.
    pub loudness_gain_db: Option<f64>,
    /// The output gain in dB with which the true peak stays below full scale; null if it already does.
    pub remedy_gain_db: Option<f64>,
}

/// The target loudness of an export, reached by one gain for the whole recording.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LoudnessTarget {
    /// The integrated loudness in LUFS, -70..=0 (ITU-R BS.1770).
    pub lufs: f64,
    /// The highest allowed true peak in dBTP, -20..=0. The gain is reduced if the peak would exceed it.
    pub true_peak_db: f64,
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
