//! What is taken from samples: pitch, chroma, true peak and sums over hops.

use crate::error::Result;
use crate::features::chroma::{self, Basis, CLASSES, ConstantQ, ConstantQSpec};
use crate::features::frames::{Block, Layout};
use crate::features::true_peak::TruePeakPlan;
use crate::features::waveform::{self, Hop};
use crate::features::yin::{Pitch, YinPlan, YinSpec};
use crate::kernels::stft::Spectra;
use crate::progress::Progress;

/// The stages, planned for a recording.
pub(super) struct SampleStages {
    layout: Layout,
    /// None where the rate is too low for any pitch, or any octave.
    yin: Option<YinPlan>,
    constant_q: Option<ConstantQ>,
    true_peak: TruePeakPlan,
}

/// What a thread needs for a block.
pub(super) struct SampleMemory {
    transforms: chroma::Memory,
    constant_q: Spectra<f32>,
}

/// What the stages made of one block.
pub(super) struct SamplePart {
    pub hops: Vec<Hop>,
    pub pitches: Vec<Pitch>,
    pub chroma: Vec<[f32; CLASSES]>,
    pub true_peak: f32,
}

impl SampleStages {
    pub fn new(layout: Layout, rate_hz: f64) -> Self {
        let constant_q = ConstantQSpec { hop: layout.hop, tuning: 0.0, basis: Basis::Librosa };
        Self {
            layout,
            yin: YinPlan::new(layout, rate_hz, YinSpec::default()).ok(),
            constant_q: ConstantQ::new(constant_q, rate_hz).ok(),
            true_peak: TruePeakPlan::new(rate_hz as u32),
        }
    }

    /// Frames that are needed on both sides of a block's own.
    pub fn margin(&self) -> usize {
        let octaves = self.constant_q.as_ref().map_or(0, |plan| {
            let (reach, hop) = (plan.reach(0..1), self.layout.hop as i64);
            (reach.end - hop).max(-reach.start)
        });
        octaves as usize
    }

    pub fn memory(&self) -> SampleMemory {
        let bins = self.constant_q.as_ref().map_or(0, ConstantQ::bins);
        SampleMemory { transforms: chroma::Memory::default(), constant_q: Spectra { bins, values: Vec::new() } }
    }

    /// `highest` is the true peak of what came before: what cannot reach it is left out.
    pub fn run(
        &self,
        block: &Block,
        highest: f32,
        memory: &mut SampleMemory,
        progress: &Progress,
    ) -> Result<SamplePart> {
        let SampleMemory { transforms, constant_q } = memory;
        let windows = block.windows.clone();
        let pitches = match &self.yin {
            Some(yin) => yin.pitches(block.mono(), windows.clone())?,
            None => vec![Pitch::UNVOICED; (windows.end - windows.start) as usize],
        };
        let chroma = match &self.constant_q {
            Some(plan) => {
                plan.spectra_to(block.mono(), windows, &mut constant_q.values, transforms, progress)?;
                chroma::chroma(constant_q)
            }
            None => Vec::new(),
        };
        let channels = block.channels.iter();
        let true_peak = channels.fold(highest, |highest, samples| self.true_peak.peak(samples, highest));
        Ok(SamplePart { hops: waveform::hops(block, self.layout), pitches, chroma, true_peak })
    }
}
