//! The stages that work on windows: those on spectra and those on pitch. A GPU can run them.

use std::ops::Range;

use super::spectra::{SpectraMemory, SpectraPart, SpectraStages};
use super::tonal::{TonalMemory, TonalPart, TonalStages};
use crate::features::frames::Block;
use crate::features::tuning::{Partial, Tuning};
use base::error::Result;
use base::progress::Progress;

/// The stages, planned for a recording.
#[derive(Debug)]
pub(super) struct WindowStages {
    pub spectra: SpectraStages,
    pub tonal: TonalStages,
    pub tuning: Tuning,
    /// The windows whose partials vote for the tuning.
    pub votes: Vec<Range<u64>>,
}

/// Working memory of one thread.
pub(super) struct WindowMemory {
    spectra: SpectraMemory,
    tonal: TonalMemory,
    magnitudes: Vec<f32>,
}

/// The results of one block.
#[derive(Debug, Default)]
pub(super) struct WindowPart {
    pub spectra: SpectraPart,
    pub tonal: TonalPart,
    pub partials: Vec<Partial>,
}

impl WindowStages {
    /// Returns the margin in frames that is needed on both sides of a block.
    pub fn margin(&self) -> usize {
        self.spectra.margin().max(self.tonal.margin())
    }

    pub fn memory(&self) -> WindowMemory {
        WindowMemory { spectra: self.spectra.memory(), tonal: TonalMemory::default(), magnitudes: Vec::new() }
    }

    pub fn run(&self, block: &Block, memory: &mut WindowMemory, progress: &Progress) -> Result<WindowPart> {
        let WindowMemory { spectra, tonal, magnitudes } = memory;
        let mut partials = Vec::new();
        let each = |window: u64, power: &[f32]| {
            if self.votes.iter().any(|stretch| stretch.contains(&window)) {
                self.tuning.partials(power, magnitudes, &mut partials);
            }
        };
        let spectra = self.spectra.run(block, spectra, each, progress)?;
        progress.check()?;
        Ok(WindowPart { spectra, tonal: self.tonal.run(block, tonal, progress)?, partials })
    }
}
