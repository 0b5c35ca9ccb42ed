//! What is played: a recording as it is, and the same through a chain.

use crate::audio::{AudioFormat, AudioReader};
use crate::chain::{Chain, Course, MeasuredMap, NodeId};
use crate::error::Result;
use crate::progress::Progress;

/// Which of the two is heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// A: the recording as it is.
    Original,
    /// B: through the chain.
    #[default]
    Processed,
}

/// A recording that can be played. It opens readers as it is asked; all of them have the same rate and length.
pub trait PlaybackSource: Send + Sync {
    /// Rate and channels of the recording.
    fn format(&self) -> AudioFormat;

    /// Its length in frames.
    fn frames(&self) -> u64;

    /// The recording as it is.
    ///
    /// # Errors
    /// What keeps it from being read.
    fn original(&self) -> Result<Box<dyn AudioReader>>;

    /// The recording through a chain, with what is known of the whole signal.
    ///
    /// # Errors
    /// What keeps it from being read, or the chain from being run.
    fn processed(&self, chain: &Chain, measured: &MeasuredMap) -> Result<Box<dyn PreviewRender>>;

    /// Whether all that the chain asks of the whole signal is known and holds.
    ///
    /// # Errors
    /// What is wrong with the chain.
    fn is_measured(&self, chain: &Chain, measured: &MeasuredMap) -> Result<bool>;

    /// Measures what the chain asks of the whole signal. Progress counts frames.
    ///
    /// # Errors
    /// What keeps it from being read, or the chain from being run; [`crate::Error::Cancelled`].
    fn measure(&self, chain: &Chain, progress: &Progress) -> Result<MeasuredMap>;

    /// What is known, before anything is measured, of the gain that brings the processed side to the original's loudness.
    fn matching_gain(&self) -> MatchingGain {
        MatchingGain::Unknown
    }
}

/// What is known of a matching gain before it is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum MatchingGain {
    /// Nothing.
    #[default]
    Unknown,
    /// About what it will be, in dB: applied until it is measured.
    Expected(f64),
    /// What it is in dB, whatever the chain: nothing needs to be measured.
    Exact(f64),
}

/// A chain rendered for listening: its frame `n` sounds at the same time as the recording's, latency being compensated,
/// unless its [`PreviewRender::course`] says otherwise.
pub trait PreviewRender: AudioReader {
    /// Goes on with another chain from the present position, or with the same chain and other knowledge of the signal.
    ///
    /// # Errors
    /// What is wrong with the chain; the one before it stays in force.
    fn set_chain(&mut self, chain: &Chain, measured: &MeasuredMap) -> Result<()>;

    /// How its time goes with the recording's: its frames are counted at the recording's rate.
    fn course(&self) -> Course {
        Course::IDENTITY
    }

    /// What nodes reduce by their level at a frame that was read not long ago, in dB.
    fn reductions(&self, _frame: u64) -> Vec<(NodeId, f32)> {
        Vec::new()
    }
}
