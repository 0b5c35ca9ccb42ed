//! The stages that look at windows: those on spectra and those on pitch. They are what a GPU may be given.

use super::spectra::{SpectraMemory, SpectraPart, SpectraStages};
use super::tonal::{TonalMemory, TonalPart, TonalStages};
use crate::error::Result;
use crate::features::frames::Block;
use crate::progress::Progress;

/// The stages, planned for a recording.
#[derive(Debug)]
pub(super) struct WindowStages {
    pub spectra: SpectraStages,
    pub tonal: TonalStages,
}

/// What a thread needs for a block.
pub(super) struct WindowMemory {
    spectra: SpectraMemory,
    tonal: TonalMemory,
}

/// What the stages made of one block.
#[derive(Debug, Default)]
pub(super) struct WindowPart {
    pub spectra: SpectraPart,
    pub tonal: TonalPart,
}

impl WindowStages {
    /// Frames that are needed on both sides of a block's own.
    pub fn margin(&self) -> usize {
        self.spectra.margin().max(self.tonal.margin())
    }

    pub fn memory(&self) -> WindowMemory {
        WindowMemory { spectra: self.spectra.memory(), tonal: self.tonal.memory() }
    }

    pub fn run(&self, block: &Block, memory: &mut WindowMemory, progress: &Progress) -> Result<WindowPart> {
        let spectra = self.spectra.run(block, &mut memory.spectra, progress)?;
        progress.check()?;
        Ok(WindowPart { spectra, tonal: self.tonal.run(block, &mut memory.tonal, progress)? })
    }
}
