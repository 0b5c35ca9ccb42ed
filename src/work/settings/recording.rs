//! The settings of recording and live sound.

use serde::{Deserialize, Serialize};

use crate::playback::capture::ChannelChoice;
use crate::playback::live::{CALL_FRAMES, USUAL_CALL_FRAMES};
use crate::recording::overdub::MAX_OFFSET_S;
use base::declared::TS;

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
    /// The folder of the files; null for the user's music folder. Only the command `recording.choose_folder` changes
    /// it.
    pub folder: Option<String>,
    /// The level in dBFS at which a recording begins; null to begin at once.
    pub start_at_db: Option<f64>,
    /// The length in seconds after which a recording ends; null to record until it is stopped.
    pub length_s: Option<f64>,
    /// The frames per call of live sound.
    pub live_frames: u32,
    /// The signals that are recorded while live sound runs.
    pub live_records: LiveRecords,
    /// Whether live sound is limited to -1 dBFS, and muted if it rises far above full scale.
    pub live_limiter: bool,
    /// Whether the existing sound is played while a track is recorded.
    pub overdub: bool,
    /// The pre-roll in seconds when a track is recorded from the cursor.
    pub preroll_s: f64,
    /// The pre-roll in seconds when a track is recorded within the selection.
    pub punch_preroll_s: f64,
    /// The recording offsets of inputs and outputs. The window asks for that of the devices in use.
    #[ts(skip)]
    pub offsets: Vec<RecordingOffset>,
}

/// The delay from an output to an input that remains after the latencies that both report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct RecordingOffset {
    /// The input's handle.
    pub input: String,
    /// The offset in samples of the input; negative if the input captures earlier.
    pub output: String,
    /// The offset in samples of the input; negative if it captures earlier.
    pub samples: f64,
    /// The rate of the input to which they belong, in Hz.
    pub rate: u32,
    /// Whether it was measured rather than typed.
    pub measured: bool,
}

impl RecordingSettings {
    /// The levels at which a recording may begin, in dBFS.
    const LEVELS_DB: std::ops::RangeInclusive<f64> = -80.0..=-1.0;
    /// The longest pre-roll in seconds.
    const MAX_PREROLL_S: f64 = 60.0;
    /// The greatest number of device pairs whose offset is kept. The oldest are removed.
    const MAX_OFFSETS: usize = 64;

    /// Returns the settings with every value in its range.
    #[must_use]
    pub fn checked(mut self) -> Self {
        self.start_at_db = self.start_at_db.filter(|level| Self::LEVELS_DB.contains(level));
        self.length_s = self.length_s.filter(|seconds| seconds.is_finite() && *seconds > 0.0);
        let within = |seconds: f64, usual: f64| {
            if seconds.is_finite() { seconds.clamp(0.0, Self::MAX_PREROLL_S) } else { usual }
        };
        self.preroll_s = within(self.preroll_s, 0.0);
        self.punch_preroll_s = within(self.punch_preroll_s, Self::PUNCH_PREROLL_S);
        self.offsets.retain(RecordingOffset::is_possible);
        let beyond = self.offsets.len().saturating_sub(Self::MAX_OFFSETS);
        self.offsets.drain(..beyond);
        self.live_frames = self.live_frames.clamp(*CALL_FRAMES.start(), *CALL_FRAMES.end());
        self
    }

    /// The usual pre-roll before a selection, in seconds.
    const PUNCH_PREROLL_S: f64 = 2.0;

    /// Returns the recording offset of an input and an output.
    pub fn offset(&self, input: &str, output: &str) -> Option<&RecordingOffset> {
        self.offsets.iter().find(|offset| offset.input == input && offset.output == output)
    }

    /// Sets or removes the recording offset of an input and an output.
    pub fn set_offset(&mut self, input: &str, output: &str, offset: Option<RecordingOffset>) {
        self.offsets.retain(|known| known.input != input || known.output != output);
        self.offsets.extend(offset);
    }
}

impl RecordingOffset {
    /// Returns whether the offset is possible.
    pub fn is_possible(&self) -> bool {
        self.rate > 0 && self.samples.abs() <= MAX_OFFSET_S * f64::from(self.rate)
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
            overdub: true,
            preroll_s: 0.0,
            punch_preroll_s: Self::PUNCH_PREROLL_S,
            offsets: Vec::new(),
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

/// The signals that are recorded while live sound runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LiveRecords {
    /// The input.
    Dry,
    /// The output of the effects.
    Wet,
    /// Both, from the same moment, in one file each.
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
