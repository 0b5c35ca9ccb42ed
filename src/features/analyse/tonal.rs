//! The stages on the mean of the channels: pitch and pitch classes of each window. This module runs them on the CPU,
//! one block at a time; `gpu` runs several blocks at once.

use std::ops::Range;

use crate::error::Result;
use crate::features::chroma::{self, Basis, CLASSES, ConstantQ, ConstantQSpec};
use crate::features::frames::{Block, Layout};
use crate::features::yin::{Pitch, YinPlan, YinSpec};
use crate::kernels::stft::Spectra;
use crate::progress::Progress;

/// The stages, planned for a recording.
#[derive(Debug)]
pub(super) struct TonalStages {
    layout: Layout,
    /// `None` if the rate is too low for any pitch.
    pub yin: Option<YinPlan>,
    pub constant_q: Option<ConstantQ>,
}

/// Working memory of one thread.
pub(super) struct TonalMemory {
    transforms: chroma::Memory,
    constant_q: Spectra<f32>,
}

/// The results of one block.
#[derive(Debug, Default)]
pub(super) struct TonalPart {
    pub pitches: Vec<Pitch>,
    pub chroma: Vec<[f32; CLASSES]>,
}

impl TonalStages {
    /// Plans the stages for a recording tuned `tuning` bins above A4 = 440 Hz.
    pub fn new(layout: Layout, rate_hz: f64, tuning: f64) -> Self {
        let constant_q = ConstantQSpec { hop: layout.hop, tuning, basis: Basis::Librosa };
        Self {
            layout,
            yin: YinPlan::new(layout.hop, rate_hz, YinSpec::default()).ok(),
            constant_q: ConstantQ::new(constant_q, rate_hz).ok(),
        }
    }

    /// Returns the margin in frames that is needed on both sides of a block.
    pub fn margin(&self) -> usize {
        let around = |reach: Range<i64>| (reach.end - self.layout.hop as i64).max(-reach.start).max(0) as usize;
        let octaves = self.constant_q.as_ref().map_or(0, |plan| around(plan.reach(0..1)));
        octaves.max(self.yin.as_ref().map_or(0, |plan| around(plan.frames(&(0..1)))))
    }

    pub fn memory(&self) -> TonalMemory {
        let bins = self.constant_q.as_ref().map_or(0, ConstantQ::bins);
        TonalMemory { transforms: chroma::Memory::default(), constant_q: Spectra { bins, values: Vec::new() } }
    }

    pub fn run(&self, block: &Block, memory: &mut TonalMemory, progress: &Progress) -> Result<TonalPart> {
        let TonalMemory { transforms, constant_q } = memory;
        let windows = block.windows.clone();
        let pitches = match &self.yin {
            Some(yin) => yin.pitches(block.mono(), windows.clone()),
            None => vec![Pitch::UNVOICED; (windows.end - windows.start) as usize],
        };
        let chroma = match &self.constant_q {
            Some(plan) => {
                plan.spectra_to(block.mono(), windows, &mut constant_q.values, transforms, progress)?;
                chroma::chroma(constant_q)
            }
            None => Vec::new(),
        };
        Ok(TonalPart { pitches, chroma })
    }
}
