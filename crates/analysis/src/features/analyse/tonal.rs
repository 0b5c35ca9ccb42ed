//! The stages on the mean of the channels: pitch and pitch classes of each window. This module runs them on the CPU,
//! one block at a time; `gpu` runs several blocks at once.
//!
//! Pitch classes need the tuning of the whole recording. While it is not known, a block keeps its samples at a lower
//! rate instead, and [`TonalStages::classes_of_kept`] computes the classes at the end.

use std::ops::Range;
use std::sync::Mutex;

use rayon::prelude::*;

use super::BLOCK_WINDOWS;
use crate::features::chroma::{self, Basis, CLASSES, ConstantQ, ConstantQSpec, Decimator};
use crate::features::frames::{Block, Layout};
use crate::features::tuning::Tuning;
use crate::features::yin::{Pitch, YinPlan, YinSpec};
use base::error::Result;
use base::lock::lock;
use base::progress::Progress;
use dsp::kernels::signal::stft::{Samples, Spectra};

/// The number of windows at a time of a kept signal. The halved rates of a part need margins of some seconds on both sides,
/// which are computed again for the next part.
const KEPT_BLOCK_WINDOWS: usize = 4 * BLOCK_WINDOWS;

/// The stages, planned for a recording.
#[derive(Debug)]
pub(super) struct TonalStages {
    layout: Layout,
    rate_hz: f64,
    /// `None` if the rate is too low for any pitch.
    pub yin: Option<YinPlan>,
    classes: PitchClasses,
    /// The memory of kept signals that were appended.
    spare: Mutex<Vec<Vec<f32>>>,
}

#[derive(Debug)]
enum PitchClasses {
    /// The rate is too low for an octave.
    None,
    /// The tuning is not known yet.
    Kept(Decimator),
    Tuned(Box<ConstantQ>),
}

/// Working memory of one thread.
#[derive(Default)]
pub(super) struct TonalMemory {
    transforms: chroma::Memory,
    constant_q: Spectra<f32>,
}

/// The results of one block.
#[derive(Debug, Default)]
pub(super) struct TonalPart {
    pub pitches: Vec<Pitch>,
    pub chroma: Vec<[f32; CLASSES]>,
    pub kept: KeptSignal,
}

/// The mean of the channels at the rate of a [`Decimator`], with its ringing on both sides.
#[derive(Debug, Default)]
pub(super) struct KeptSignal {
    samples: Vec<f32>,
    first_frame: i64,
}

impl KeptSignal {
    /// Creates an empty signal with room for `samples` samples.
    pub fn with_capacity(samples: usize) -> Self {
        Self { samples: Vec::with_capacity(samples), first_frame: 0 }
    }

    /// Appends the signal of the next block, which begins where the ringing of this one does.
    pub fn append(&mut self, next: &Self) {
        if self.samples.is_empty() {
            self.first_frame = next.first_frame;
        }
        self.samples.truncate((next.first_frame - self.first_frame).max(0) as usize);
        self.samples.extend_from_slice(&next.samples);
    }
}

impl TonalStages {
    /// Plans the stages for a recording of unknown tuning.
    pub fn new(layout: Layout, rate_hz: f64) -> Self {
        let decimator = Decimator::new(rate_hz, Tuning::values());
        Self {
            layout,
            rate_hz,
            yin: YinPlan::new(layout.hop, rate_hz, YinSpec::default()).ok(),
            classes: decimator.map_or(PitchClasses::None, PitchClasses::Kept),
            spare: Mutex::default(),
        }
    }

    /// Sets the tuning, in bins above A4 = 440 Hz, so that blocks compute their pitch classes themselves.
    pub fn tune(&mut self, tuning: f64) {
        self.classes = self.constant_q_of(tuning).map_or(PitchClasses::None, |plan| PitchClasses::Tuned(plan.into()));
    }

    fn constant_q_of(&self, tuning: f64) -> Option<ConstantQ> {
        let spec = ConstantQSpec { hop: self.layout.hop, tuning, basis: Basis::Librosa };
        ConstantQ::new(spec, self.rate_hz).ok()
    }

    /// Returns the decimator that keeps the signal until the tuning is known.
    pub fn decimator(&self) -> Option<&Decimator> {
        if let PitchClasses::Kept(decimator) = &self.classes { Some(decimator) } else { None }
    }

    /// Returns the number of samples that are kept of a recording of `frames` frames.
    pub fn kept_samples(&self, frames: u64) -> usize {
        self.decimator().map_or(0, |decimator| (decimator.place(frames) + 2 * Decimator::RINGING).max(0) as usize)
    }

    /// Returns the plan of the pitch classes, if the tuning is set and the rate has an octave.
    pub fn constant_q(&self) -> Option<&ConstantQ> {
        if let PitchClasses::Tuned(plan) = &self.classes { Some(plan) } else { None }
    }

    /// Returns the margin in frames that is needed on both sides of a block.
    pub fn margin(&self) -> usize {
        let around = |reach: Range<i64>| (reach.end - self.layout.hop as i64).max(-reach.start).max(0) as usize;
        let classes = match &self.classes {
            PitchClasses::None => 0,
            PitchClasses::Kept(decimator) => around(
                decimator.reach(-Decimator::RINGING..decimator.place(self.layout.hop as u64) + Decimator::RINGING),
            ),
            PitchClasses::Tuned(plan) => around(plan.reach(0..1)),
        };
        classes.max(self.yin.as_ref().map_or(0, |plan| around(plan.frames(&(0..1)))))
    }

    pub fn run(&self, block: &Block, memory: &mut TonalMemory, progress: &Progress) -> Result<TonalPart> {
        let windows = block.windows.clone();
        let pitches = match &self.yin {
            Some(yin) => yin.pitches(block.mono(), windows.clone()),
            None => vec![Pitch::UNVOICED; (windows.end - windows.start) as usize],
        };
        let mut part = TonalPart { pitches, ..TonalPart::default() };
        match &self.classes {
            PitchClasses::None => {}
            PitchClasses::Kept(decimator) => {
                let first = |window| decimator.place(self.layout.centre(window));
                let frames = first(windows.start)..first(windows.end) + Decimator::RINGING;
                // Nothing precedes the first block.
                let begin = if windows.start == 0 { -Decimator::RINGING } else { frames.start };
                part.kept = KeptSignal { samples: lock(&self.spare).pop().unwrap_or_default(), first_frame: begin };
                decimator.decimate(block.mono(), begin..frames.end, &mut memory.transforms, &mut part.kept.samples);
            }
            PitchClasses::Tuned(plan) => {
                let TonalMemory { transforms, constant_q } = memory;
                constant_q.bins = plan.bins();
                plan.spectra_to(block.mono(), windows, &mut constant_q.values, transforms, progress)?;
                part.chroma = chroma::chroma(constant_q);
            }
        }
        Ok(part)
    }

    /// Takes back a signal that was appended to another.
    pub fn recycle(&self, kept: KeptSignal) {
        lock(&self.spare).push(kept.samples);
    }

    /// Computes the pitch classes of a recording of `windows` windows whose blocks kept their signal, once its tuning
    /// is known.
    pub fn classes_of_kept(
        &self,
        kept: &KeptSignal,
        tuning: f64,
        windows: u64,
        progress: &Progress,
    ) -> Result<Vec<[f32; CLASSES]>> {
        let (PitchClasses::Kept(decimator), Some(plan)) = (&self.classes, self.constant_q_of(tuning)) else {
            return Ok(Vec::new());
        };
        let signal = Samples { samples: &kept.samples, first_frame: kept.first_frame };
        let block = |first: u64, memory: &mut TonalMemory| -> Result<_> {
            let TonalMemory { transforms, constant_q } = memory;
            constant_q.bins = plan.bins();
            let range = first..windows.min(first + KEPT_BLOCK_WINDOWS as u64);
            plan.spectra_of_decimated(decimator, signal, range, &mut constant_q.values, transforms, progress)?;
            Ok(chroma::chroma(constant_q))
        };
        let firsts: Vec<u64> = (0..windows).step_by(KEPT_BLOCK_WINDOWS).collect();
        let blocks: Result<Vec<_>> =
            firsts.into_par_iter().map_init(TonalMemory::default, |memory, first| block(first, memory)).collect();
        Ok(blocks?.concat())
    }
}
