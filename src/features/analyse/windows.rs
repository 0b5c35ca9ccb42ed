//! The stages that work on windows: those on spectra and those on pitch. A GPU can run them.

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

/// Working memory of one thread.
pub(super) struct WindowMemory {
    spectra: SpectraMemory,
    tonal: TonalMemory,
}

/// The results of one block.
#[derive(Debug, Default)]
pub(super) struct WindowPart {
    pub spectra: SpectraPart,
    pub tonal: TonalPart,
}

impl WindowStages {
    /// Returns the margin in frames that is needed on both sides of a block.
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
