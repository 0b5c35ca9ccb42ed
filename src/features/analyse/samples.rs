//! What is taken from the channels' samples: true peak and sums over hops. They are the CPU's: a pass over memory each, to
//! which a way to a GPU and back would only add.

use crate::features::frames::{Block, Layout};
use crate::features::true_peak::TruePeakPlan;
use crate::features::waveform::{self, Hop};

/// The stages, planned for a recording.
pub(super) struct SampleStages {
    layout: Layout,
    true_peak: TruePeakPlan,
}

/// What the stages made of one block.
pub(super) struct SamplePart {
    pub hops: Vec<Hop>,
    pub true_peak: f32,
}

impl SampleStages {
    pub fn new(layout: Layout, rate_hz: f64) -> Self {
        Self { layout, true_peak: TruePeakPlan::new(rate_hz as u32) }
    }

    /// `highest` is the true peak of what came before: what cannot reach it is left out.
    pub fn run(&self, block: &Block, highest: f32) -> SamplePart {
        let channels = block.channels.iter();
        let true_peak = channels.fold(highest, |highest, samples| self.true_peak.peak(samples, highest));
        SamplePart { hops: waveform::hops(block, self.layout), true_peak }
    }
}
