//! The state of playback, for display.

use serde::Serialize;

use super::output::OutputInfo;
use super::source::Side;
use crate::document::TrackId;
use base::declared::TS;
use effects::chain::NodeId;

/// The state of playback.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
#[ts(rename = "Playing")]
#[allow(clippy::struct_excessive_bools, reason = "each is a lamp of its own")]
pub struct Transport {
    /// Whether sound is going out.
    pub playing: bool,
    /// The frame of the recording that is heard now, or at which playback stopped.
    pub frame: u64,
    /// The number of loads so far (unloading included). With it a front end can tell whether `frame` belongs to its
    /// last load.
    #[serde(skip)]
    pub loads: u64,
    /// Whether it stopped where the sound is not computed yet.
    #[serde(skip)]
    pub held: bool,
    /// Whether a range is looped.
    pub looping: bool,
    /// Which side is heard.
    pub side: Side,
    /// Whether loudness matching of the two sides is on.
    pub matched: bool,
    /// The gain of the processed side that matches the loudness, in dB, once it is known.
    pub matched_gain_db: Option<f64>,
    /// Whether a measurement of the whole signal is out of date and being renewed.
    pub stale: bool,
    /// How often the output ran dry since playback began.
    pub underruns: u64,
    /// The level in dB above full scale that muted the output and stopped playback; cleared when playback begins again.
    pub muted_db: Option<f64>,
    /// The output in use.
    #[serde(skip)]
    pub output: Option<OutputInfo>,
    /// The reason why nothing, or something other than requested, is heard.
    pub problem: Option<String>,
    /// Milliseconds from the last change of the chain, the side or the gain to the middle of the cross-fade as it is
    /// heard, including the output's latency as the host reports it.
    #[serde(skip)]
    pub heard_after_ms: Option<f64>,
}

/// Levels of what is heard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeterLevels {
    /// The sample peak of each output channel over the last 50 ms, as a linear gain.
    pub peak: Vec<f64>,
    /// The RMS of each output channel over the last 50 ms; a full-scale square wave is 1.
    pub rms: Vec<f64>,
    /// The number of samples beyond full scale since playback began.
    pub clipped: u64,
    /// The number of non-finite samples since playback began; they were replaced by silence.
    pub not_finite: u64,
    /// The gain reduction of the chain's nodes at the current position, in dB, 0 or more.
    pub reductions: Vec<(NodeId, f32)>,
    /// The sample peak of each track that is heard, as it enters the sum, over the last 50 ms, as a linear gain; empty
    /// without several tracks.
    pub tracks: Vec<(TrackId, f32)>,
}
