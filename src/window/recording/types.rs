//! Recording and live sound.

use serde::Serialize;

use crate::audio::encode::SampleFormat;
use crate::document::TakeTrack;
use crate::playback::live::LiveStatus;
use crate::recording::{Belonging, RecorderStatus};
use crate::window::moment::Moment;
use crate::window::workspace::types::{DocumentId, DocumentView, Opened};
use crate::work::settings::{LiveRecords, RecordingSample};
use base::declared::TS;

impl From<RecordingSample> for SampleFormat {
    fn from(sample: RecordingSample) -> Self {
        match sample {
            RecordingSample::Int24 => Self::Int24,
            RecordingSample::Float32 => Self::Float32,
        }
    }
}

/// The state of recording and live sound.
#[derive(Clone, Debug, Default, Serialize, TS)]
pub struct RecordingView {
    /// When this view was taken.
    pub moment: Moment,
    /// The recorder; null while no input is open.
    pub recorder: Option<RecorderStatus>,
    /// The document to which the recording will be appended; null for a new document.
    pub appends_to: Option<DocumentId>,
    /// The track that is recorded onto; null for another recording.
    pub onto: Option<OntoView>,
    /// The recorded signals of live sound; null for a recording of the input alone.
    pub of_live: Option<LiveRecords>,
    /// Live sound; null while it is off.
    pub live: Option<LiveStatus>,
    /// Why the previous chain of the document is heard live instead of the current one; null if the current one is.
    pub live_problem: Option<String>,
}

/// A track that is recorded onto.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct OntoView {
    /// Its document.
    pub document: DocumentId,
    /// The track in front, or a new one.
    pub track: TakeTrack,
    /// The frame of the document at which recording starts.
    #[ts(type = "number")]
    pub start: u64,
    /// The frame at which recording ends by itself; null if it does not.
    #[ts(type = "number | null")]
    pub end: Option<u64>,
    /// Whether the existing sound is played meanwhile.
    pub plays: bool,
    /// Whether the recording offset of the devices is known. If not, what they report is trusted.
    pub has_offset: bool,
}

/// The result of a recording onto a track.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct OntoEnd {
    /// The length that was placed on the track, in seconds; 0 if nothing was.
    pub placed_s: f64,
    /// The number of output underruns meanwhile.
    #[ts(type = "number")]
    pub underruns: u64,
    /// Whether the devices reported the times by which the take is aligned.
    pub is_aligned: bool,
    /// The drift between the clocks of the devices from start to end, in milliseconds, for which the take is corrected;
    /// 0 if no correction was needed.
    pub drift_ms: f64,
    /// The name of the file.
    pub file: String,
    /// Why the take could not be placed on the track and became a document instead; null if it could.
    pub problem: Option<String>,
}

/// The recording offset of the input and the output that are chosen.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct OffsetView {
    /// The name of the input.
    pub input: String,
    /// The name of the output.
    pub output: String,
    /// The rate of the input in Hz.
    pub rate: u32,
    /// The offset in samples; null if it was neither measured nor typed.
    pub samples: Option<f64>,
    /// Whether it was measured.
    pub measured: bool,
}

/// The result of a recording.
#[derive(Clone, Debug, Serialize, TS)]
pub struct RecordingEnd {
    /// The documents that were opened; empty if the recording was added to an open one.
    pub opened: Opened,
    /// The document to which it was added; null if it became a new one.
    pub appended: Option<DocumentView>,
    /// The result of recording onto a track; null for another recording.
    pub onto: Option<OntoEnd>,
    /// Its length in seconds; 0 if nothing was recorded.
    pub recorded_s: f64,
    /// The problem, in words; null if there was none.
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
    /// The length in seconds; null if the file cannot be read.
    pub seconds: Option<f64>,
    /// The document onto which it was recorded; null for a separate recording.
    #[ts(inline)]
    pub belongs: Option<Belonging>,
}
