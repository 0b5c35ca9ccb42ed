//! The stages on the channels' samples: true peak and sums over hops. They always run on the CPU: each is one pass over
//! memory, and a transfer to a GPU would only add to it.

use crate::features::frames::{Block, Layout};
use crate::features::true_peak::TruePeakPlan;
use crate::features::waveform::{self, Hop};

/// The stages, planned for a recording.
pub(super) struct SampleStages {
    layout: Layout,
    true_peak: TruePeakPlan,
}

/// The results of one block.
pub(super) struct SamplePart {
    pub hops: Vec<Hop>,
    pub true_peak: f32,
}

impl SampleStages {
    pub fn new(layout: Layout, rate_hz: f64) -> Self {
        Self { layout, true_peak: TruePeakPlan::new(rate_hz as u32) }
    }

    /// Runs the stages. `highest` is the true peak so far; samples that cannot exceed it are skipped.
    pub fn run(&self, block: &Block, highest: f32) -> SamplePart {
        let channels = (0..block.channels()).map(|channel| block.channel_with_lead(channel));
        let true_peak = channels.fold(highest, |highest, samples| self.true_peak.peak(samples, highest));
        SamplePart { hops: waveform::hops(block, self.layout), true_peak }
    }
}
