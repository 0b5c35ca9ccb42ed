//! The sound that the engine plays, in the form that the monitor needs.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::lock::Mutex;
use super::super::output::OutputInfo;
use super::super::source::{PlaybackSource, Side};
use super::super::tap::Tap;
use super::super::timeline::Timeline;
use effects::chain::{Chain, MeasuredMap};

/// The number of changes remembered: enough for those whose sound has not reached the listener yet.
const HEARD: usize = 32;

/// The sound that is heard from a clock on.
#[derive(Clone, Debug, PartialEq)]
pub struct HeardSegment {
    /// The clock at which it begins.
    pub clock: u64,
    /// The map from clocks to frames.
    pub timeline: Timeline,
    /// The side that is heard.
    pub side: Side,
    /// The frame of the recording at which it ends.
    pub end: u64,
}

/// Everything that the monitor needs to know. The engine writes it and the monitor reads it; neither runs on the audio
/// thread.
#[derive(Default)]
pub struct Scene {
    /// The tap of a newly opened output, until the monitor takes it.
    pub tap: Option<Tap>,
    /// The output that is open.
    pub output: Option<OutputInfo>,
    /// The recording.
    pub source: Option<Arc<dyn PlaybackSource>>,
    /// Counts loaded recordings and opened outputs.
    pub opened: u64,
    /// The current chain.
    pub chain: Chain,
    /// The last known measurements of the whole signal.
    pub measured: MeasuredMap,
    /// Counts changes of the chain and the measurements.
    pub changes: u64,
    /// The gain of the processed side, linear.
    pub processed_gain: f32,
    /// The segments that are heard, in order of the output's clock.
    pub heard: VecDeque<HeardSegment>,
    /// Counts the starts of playback.
    pub begins: u64,
}

/// Shared between the engine's thread and the monitor's.
pub type SharedScene = Arc<Mutex<Scene>>;

impl Scene {
    /// Adds what will be heard from a clock on.
    pub fn will_hear(&mut self, heard: HeardSegment) {
        self.heard.push_back(heard);
        if self.heard.len() > HEARD {
            self.heard.pop_front();
        }
    }
}
