//! What playback is doing, for a face to show.

use super::output::OutputInfo;
use super::source::Side;
use crate::chain::NodeId;

/// What playback is doing.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a lamp of its own")]
pub struct Transport {
    /// Whether sound is going out.
    pub playing: bool,
    /// The frame that is heard now, in the recording's own frames; the place where playing stopped when it does not.
    pub frame: u64,
    /// How often a recording (or none) was loaded: by this a face tells whether `frame` is one of what it loaded last.
    pub loads: u64,
    /// Whether a range is repeated.
    pub looping: bool,
    /// Which side is heard.
    pub side: Side,
    /// Whether both sides are brought to the same loudness.
    pub matched: bool,
    /// The gain on the processed side that matches them, once measured.
    pub matched_gain_db: Option<f64>,
    /// Whether what is known of the whole signal is out of date and being measured.
    pub stale: bool,
    /// Times the output ran dry since playback began.
    pub underruns: u64,
    /// The level in dB over full scale at which the output was muted and playback stopped, until it begins again.
    pub muted_db: Option<f64>,
    /// The output that is used.
    pub output: Option<OutputInfo>,
    /// Why nothing is heard, or not what was asked for.
    pub problem: Option<String>,
    /// Milliseconds from the last change of the chain, the side or the gain until the cross-fade to it was heard half,
    /// the output's own delay (as the host reports it) included.
    pub heard_after_ms: Option<f64>,
}

/// Levels of what is heard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeterLevels {
    /// Sample peak of each of the output's channels over the last 50 ms, as a gain.
    pub peak: Vec<f64>,
    /// RMS likewise; a full-scale square wave is 1.
    pub rms: Vec<f64>,
    /// Samples beyond full scale since playback began.
    pub clipped: u64,
    /// Samples that were not a number or infinite since playback began; silence was put out in their place.
    pub not_finite: u64,
    /// What the chain's nodes reduce by their level where the sound is now, in dB, 0 or more.
    pub reductions: Vec<(NodeId, f32)>,
}
