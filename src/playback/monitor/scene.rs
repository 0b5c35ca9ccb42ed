//! What the engine plays, as the monitor needs to know it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::lock::Mutex;
use super::super::output::OutputInfo;
use super::super::source::{PlaybackSource, Side};
use super::super::tap::Tap;
use super::super::timeline::Timeline;
use crate::chain::{Chain, MeasuredMap};

/// Changes that are remembered: those of which something may still be on its way to the ear.
const HEARD: usize = 32;

/// What is heard from a clock on.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// From which clock.
    pub clock: u64,
    /// When it is which frame.
    pub timeline: Timeline,
    /// Which side.
    pub side: Side,
    /// The recording's frame at which it ends.
    pub end: u64,
}

/// All that the monitor needs to know; the engine writes it, the monitor reads it, neither is the audio thread.
#[derive(Default)]
pub struct Scene {
    /// The tap of an output that was opened, until the monitor takes it.
    pub tap: Option<Tap>,
    /// That output.
    pub output: Option<OutputInfo>,
    /// The recording.
    pub source: Option<Arc<dyn PlaybackSource>>,
    /// Counts recordings and outputs.
    pub opened: u64,
    /// The chain and what is known of the whole signal.
    pub chain: Chain,
    /// As last known.
    pub measured: MeasuredMap,
    /// Counts changes of these two.
    pub changes: u64,
    /// The gain on the processed side.
    pub processed_gain: f32,
    /// What is heard from which clock of the output on, in order.
    pub heard: VecDeque<Heard>,
    /// Counts how often playback began.
    pub begins: u64,
}

/// Between the engine's thread and the monitor's.
pub type SharedScene = Arc<Mutex<Scene>>;

impl Scene {
    /// Adds what will be heard from a clock on.
    pub fn will_hear(&mut self, heard: Heard) {
        self.heard.push_back(heard);
        if self.heard.len() > HEARD {
            self.heard.pop_front();
        }
    }
}
