//! Recording and live sound.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::documents::{DocumentId, DocumentView, Opened};
use crate::audio::encode::SampleFormat;
use crate::playback::capture::ChannelChoice;
use crate::playback::live::{CALL_FRAMES, LiveStatus, USUAL_CALL_FRAMES};
use crate::recording::RecorderStatus;

/// The settings of recording and live sound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct RecordingSettings {
    /// The input's handle; null for the system's default.
    pub input: Option<String>,
    /// The channels of the input.
    pub channels: ChannelChoice,
    /// The sample format of the files.
    pub sample: RecordingSample,
    /// The folder of the files; null for the user's music folder. Only the command `choose_recording_folder` changes it.
    pub folder: Option<String>,
    /// The level in dBFS at which a recording begins; null to begin at once.
    pub start_at_db: Option<f64>,
    /// The length in seconds after which a recording ends; null to record until it is stopped.
    pub length_s: Option<f64>,
    /// The frames per call of live sound.
    pub live_frames: u32,
    /// What is recorded while live sound runs.
    pub live_records: LiveRecords,
    /// Whether live sound is limited to -1 dBFS, and muted if it rises far above full scale.
    pub live_limiter: bool,
}

impl RecordingSettings {
    /// The levels at which a recording may begin, in dBFS.
    const LEVELS_DB: std::ops::RangeInclusive<f64> = -80.0..=-1.0;

    /// Returns the settings with every value in its range.
    #[must_use]
    pub fn checked(mut self) -> Self {
        self.start_at_db = self.start_at_db.filter(|level| Self::LEVELS_DB.contains(level));
        self.length_s = self.length_s.filter(|seconds| seconds.is_finite() && *seconds > 0.0);
        self.live_frames = self.live_frames.clamp(*CALL_FRAMES.start(), *CALL_FRAMES.end());
        self
    }
}

impl Default for RecordingSettings {
    fn default() -> Self {
        Self {
            input: None,
            channels: ChannelChoice::default(),
            sample: RecordingSample::Int24,
            folder: None,
            start_at_db: None,
            length_s: None,
            live_frames: USUAL_CALL_FRAMES,
            live_records: LiveRecords::Dry,
            live_limiter: true,
        }
    }
}

/// The sample format of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub enum RecordingSample {
    /// 24-bit integers.
    #[serde(rename = "24")]
    Int24,
    /// 32-bit floating point.
    #[serde(rename = "f32")]
    Float32,
}

impl From<RecordingSample> for SampleFormat {
    fn from(sample: RecordingSample) -> Self {
        match sample {
            RecordingSample::Int24 => Self::Int24,
            RecordingSample::Float32 => Self::Float32,
        }
    }
}

/// What is recorded while live sound runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LiveRecords {
    /// The input.
    Dry,
    /// What comes out of the effects.
    Wet,
    /// Both, from the same moment on, in a file each.
    Both,
}

impl LiveRecords {
    /// Returns whether the input is recorded.
    pub fn has_dry(self) -> bool {
        self != Self::Wet
    }

    /// Returns whether the sound after the effects is recorded.
    pub fn has_wet(self) -> bool {
        self != Self::Dry
    }
}

/// The state of recording and live sound.
#[derive(Clone, Debug, Default, Serialize, TS)]
pub struct RecordingView {
    /// The recorder; null while no input is open.
    pub recorder: Option<RecorderStatus>,
    /// The document at whose end the recording will be put; null for a new document.
    pub appends_to: Option<DocumentId>,
    /// What is recorded of live sound; null for a recording of the input alone.
    pub of_live: Option<LiveRecords>,
    /// Live sound; null while it is off.
    pub live: Option<LiveStatus>,
    /// The document whose chain is heard live.
    pub live_document: Option<DocumentId>,
    /// Why the present chain of that document is not heard live, but the one before it; null if it is.
    pub live_problem: Option<String>,
}

/// What became of a recording.
#[derive(Clone, Debug, Serialize, TS)]
pub struct RecordingEnd {
    /// The documents that were opened; none if it was put into an open one.
    pub opened: Opened,
    /// The document that it was put into; null if it has one of its own.
    pub appended: Option<DocumentView>,
    /// Its length in seconds; 0 if nothing was recorded.
    pub recorded_s: f64,
    /// What went wrong; null if nothing did.
    pub problem: Option<String>,
    /// How often samples were lost.
    #[ts(type = "number")]
    pub losses: u64,
}

/// A recording that a crash left.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct LeftRecordingView {
    /// The handle.
    pub id: String,
    /// The name of the file.
    pub name: String,
    /// The input.
    pub input: String,
    /// The start in seconds since 1970.
    #[ts(type = "number")]
    pub began_s: u64,
    /// The length in seconds; null if the file cannot be read.
    pub seconds: Option<f64>,
}
