//! Playback sources: a recording, and the same recording through a chain.

use serde::{Deserialize, Serialize};

use super::preparation::Preparation;
use crate::document::TrackId;
use audio::{AudioFormat, AudioReader};
use base::declared::TS;
use base::error::Result;
use base::progress::Progress;
use effects::chain::{Chain, MeasuredMap, NodeId, TimeMapping};

/// The side that is heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// A: the unprocessed recording.
    Original,
    /// B: the recording through the chain.
    #[default]
    Processed,
}

/// A recording that can be played. It opens readers on request; all have the same rate and length.
pub trait PlaybackSource: Send + Sync {
    /// The sample rate and channel count of the recording.
    fn format(&self) -> AudioFormat;

    /// The length in frames.
    fn frames(&self) -> u64;

    /// Returns the number of frames that can be read already. Playback stops there until more can be. Only a source that
    /// keeps its time may have fewer than all.
    fn settled_frames(&self) -> u64 {
        self.frames()
    }

    /// Opens the unprocessed recording.
    fn original(&self) -> Result<Box<dyn AudioReader>>;

    /// Opens the recording through a chain, given the measurements of the whole signal.
    fn processed(&self, chain: &Chain, measured: &MeasuredMap) -> Result<Box<dyn PreviewRender>>;

    /// Returns whether everything that the chain needs to know about the whole signal is measured and current.
    fn is_measured(&self, chain: &Chain, measured: &MeasuredMap) -> Result<bool>;

    /// Measures what the chain needs to know about the whole signal. Progress counts frames.
    fn measure(&self, chain: &Chain, progress: &Progress) -> Result<MeasuredMap>;

    /// Returns work that makes the device ready for the chain, such as compiling shaders, so that a switch to it is not
    /// held up; `None` if nothing can take long. It runs on another thread, while the previous chain is heard.
    fn preparation(&self, _chain: &Chain, _measured: &MeasuredMap) -> Option<Preparation> {
        None
    }

    /// Returns the peak of each track that is heard of a side over the last 50 ms before a frame, as a linear gain; empty
    /// without several tracks.
    fn track_levels(&self, _side: Side, _frame: u64) -> Vec<(TrackId, f32)> {
        Vec::new()
    }

    /// Returns the gain that brings the processed side to the original's loudness, as far as it is known before
    /// measuring.
    fn matching_gain(&self) -> MatchingGain {
        MatchingGain::Unknown
    }
}

/// A matching gain, as far as it is known before it is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum MatchingGain {
    /// Nothing is known.
    #[default]
    Unknown,
    /// An estimate in dB, applied until the gain is measured.
    Expected(f64),
    /// The exact gain in dB, whatever the chain; nothing needs to be measured.
    Exact(f64),
}

/// A chain rendered for listening. Latency is compensated: frame `n` belongs to frame `n` of the recording, unless
/// [`PreviewRender::time_mapping`] maps time differently.
pub trait PreviewRender: AudioReader {
    /// Switches to another chain, or to other measurements of the signal, at the current position.
    ///
    /// # Errors
    /// After an error the previous chain stays in force.
    fn set_chain(&mut self, chain: &Chain, measured: &MeasuredMap) -> Result<()>;

    /// The map from its time to the recording's. Its frames are counted at the recording's rate.
    fn time_mapping(&self) -> TimeMapping {
        TimeMapping::IDENTITY
    }

    /// The gain reduction of dynamics nodes at a recently read frame, in dB.
    fn reductions(&self, _frame: u64) -> Vec<(NodeId, f32)> {
        Vec::new()
    }
}
