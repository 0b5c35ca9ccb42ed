//! Playback: transport, outputs, meters.

use serde::Serialize;
use ts_rs::TS;

use super::documents::DocumentId;
use super::library::AuditionView;
use crate::chain::NodeId;
use crate::playback::{OutputInfo, Side};

/// The state of playback.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TransportView {
    /// The document that is loaded.
    pub document: Option<DocumentId>,
    /// The library audition that is loaded. No document is loaded then, and frames count in the audition's common time.
    pub audition: Option<AuditionView>,
    /// Whether playback is running.
    pub playing: bool,
    /// The frame that is heard now, in the document's own frames.
    pub frame: u64,
    /// Whether the selection is looped.
    pub looping: bool,
    /// The side that is heard.
    pub side: Side,
    /// Whether both sides are matched in loudness.
    pub matched: bool,
    /// The gain in dB on the processed side that matches them, once measured.
    pub matched_gain_db: Option<f64>,
    /// Whether whole-signal measurements (matched loudness, normalise) are out of date and being repeated.
    pub stale: bool,
    /// The number of buffer underruns since playback started.
    pub underruns: u64,
    /// The level in dB above full scale at which the output was muted and playback stopped; null once it starts again.
    pub muted_db: Option<f64>,
    /// The output in use.
    pub output: Option<OutputInfo>,
    /// Why nothing is heard.
    pub problem: Option<String>,
    /// The time from the last change of the chain until it was heard, in milliseconds.
    pub heard_after_ms: Option<f64>,
}

/// The levels of what is heard, over about the last 50 ms.
#[derive(Clone, Debug, Default, Serialize, TS)]
pub struct Meters {
    /// Sample peak of each channel in dBFS; null for silence.
    pub peak_db: Vec<Option<f64>>,
    /// RMS of each channel in dBFS; null for silence.
    pub rms_db: Vec<Option<f64>>,
    /// The number of samples beyond full scale since playback started.
    pub clipped: u64,
    /// The number of `NaN` or infinite samples since playback started, which are output as silence.
    pub not_finite: u64,
    /// The current gain reduction of the chain's nodes.
    pub reductions: Vec<NodeReduction>,
}

/// The gain reduction of a node.
#[derive(Clone, Debug, Serialize, TS)]
pub struct NodeReduction {
    /// The node.
    pub node: NodeId,
    /// The reduction in dB, 0 or more.
    pub db: f64,
}
