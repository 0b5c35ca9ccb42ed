//! Playback: transport, outputs, meters.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::documents::DocumentId;
use super::library::AuditionView;
use crate::chain::NodeId;

/// Which of the two is heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// A: the recording as it is.
    Original,
    /// B: through the chain.
    #[default]
    Processed,
}

/// What playback is doing.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TransportView {
    /// The document that is played.
    pub document: Option<DocumentId>,
    /// What of the library is auditioned; no document is played then, and frames are its common time's.
    pub audition: Option<AuditionView>,
    /// Whether sound is going out.
    pub playing: bool,
    /// The frame that is heard now, in the document's own frames.
    pub frame: u64,
    /// Whether the selection is repeated.
    pub looping: bool,
    /// Which side is heard.
    pub side: Side,
    /// Whether both sides are brought to the same loudness.
    pub matched: bool,
    /// The gain on the processed side that matches them, once measured.
    pub matched_gain_db: Option<f64>,
    /// Whether what is known of the whole signal (matched loudness, normalise) is out of date and being measured.
    pub stale: bool,
    /// Times the output ran dry since playback began.
    pub underruns: u64,
    /// The level in dB over full scale at which the output was muted and playback stopped, until it begins again.
    pub muted_db: Option<f64>,
    /// The output that is used.
    pub output: Option<OutputView>,
    /// Why nothing is heard.
    pub problem: Option<String>,
    /// Milliseconds from the last change of the chain until it was heard.
    pub heard_after_ms: Option<f64>,
}

/// A sound output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct OutputView {
    /// Its handle, for the settings.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its rate.
    pub rate: u32,
    /// Its channels.
    pub channels: usize,
}

/// Levels of what is heard, over the last 50 ms or so.
#[derive(Clone, Debug, Default, Serialize, TS)]
pub struct Meters {
    /// Sample peak of each channel in dBFS; null for silence.
    pub peak_db: Vec<Option<f64>>,
    /// RMS of each channel in dBFS; null for silence.
    pub rms_db: Vec<Option<f64>>,
    /// Samples beyond full scale since playback began.
    pub clipped: u64,
    /// Samples that were not a number or infinite since playback began, put out as silence.
    pub not_finite: u64,
    /// By how much the chain's nodes turn down what is heard now.
    pub reductions: Vec<NodeReduction>,
}

/// By how much a node turns the sound down by its level.
#[derive(Clone, Debug, Serialize, TS)]
pub struct NodeReduction {
    /// Which.
    pub node: NodeId,
    /// In dB, 0 or more.
    pub db: f64,
}
