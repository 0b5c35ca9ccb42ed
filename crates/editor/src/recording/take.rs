//! One recording: where it is written, when it begins and ends, and what became of it.

use std::path::PathBuf;

use serde::Serialize;

use super::Belonging;
use audio::encode::SampleFormat;

/// A recording to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Take {
    /// The WAV file to write, which must not exist.
    pub path: PathBuf,
    /// Its sample format.
    pub sample: SampleFormat,
    /// Its length in seconds; `None` until it is stopped.
    pub length_s: Option<f64>,
    /// The level in dBFS at which it begins; `None` to begin at once.
    pub start_at_db: Option<f64>,
    /// The length of earlier sound to begin with, in seconds; at most [`Take::MAX_PREROLL_S`].
    pub preroll_s: f64,
    /// The document it belongs to, remembered until the take ends; `None` for an independent recording.
    pub belongs: Option<Belonging>,
}

impl Take {
    /// The longest pre-roll in seconds.
    pub const MAX_PREROLL_S: f64 = 10.0;
    /// The usual pre-roll of a recording that begins at a level.
    pub const LEVEL_PREROLL_S: f64 = 1.0;
}

/// Samples that were lost. In the file, there is silence of the same length where it is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LostPart {
    /// The time in the recording in seconds.
    pub at_s: f64,
    /// The number of frames; null if the system did not say.
    pub frames: Option<u64>,
}

/// Why a recording has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TakeEnd {
    /// It was stopped.
    Stopped,
    /// It has its length.
    Length,
    /// Something went wrong, as the sentences say. The recorded sound is kept.
    Problem(String),
}
