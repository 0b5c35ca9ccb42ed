//! The stages on power spectra: harmonic and percussive energies, spectral shapes, mel bands, timbre. This module runs
//! them on the CPU, one block at a time; `gpu` runs several blocks at once.

use std::ops::Range;

use crate::features::contrast::{Contrast, ContrastPlan};
use crate::features::frames::{Block, Layout};
use crate::features::mfcc::{LogMel, MelPlan};
use crate::features::onset::{Bands, MelBands};
use base::error::Result;
use base::progress::Progress;
use dsp::kernels::signal::hpss;
use dsp::kernels::signal::spectral_shape::{ShapePlan, SpectralShape};
use dsp::kernels::signal::stft::{Spectra, StftPlan, cpu};

/// The maximum number of windows at which timbre is measured. They do not overlap; a mean does not need all windows.
const MAX_TIMBRE_WINDOWS: u64 = 1 << 14;
const TIMBRE_STRIDE: u64 = 4;

/// The stages, planned for a recording.
#[derive(Debug)]
pub(super) struct SpectraStages {
    pub layout: Layout,
    pub stft: StftPlan,
    pub shapes: ShapePlan,
    pub bands: MelBands,
    pub timbre: Option<(ContrastPlan, MelPlan)>,
    stride: u64,
    windows: u64,
}

/// Working memory of one thread. Reuse avoids allocating and freeing megabytes for each block.
pub(super) struct SpectraMemory {
    spectra: Spectra<f32>,
    medians: hpss::Medians,
}

/// The results of one block.
#[derive(Debug, Default)]
pub(super) struct SpectraPart {
    pub bands: Vec<Bands>,
    pub shapes: Vec<SpectralShape>,
    pub components: Vec<hpss::Energies>,
    pub contrast: Contrast,
    pub mel: LogMel,
}

impl SpectraStages {
    pub fn new(layout: Layout, rate_hz: f64, windows: u64, bands: MelBands, timbre: bool) -> Result<Self> {
        let stft = layout.plan()?;
        let (bins, scale) = (stft.bins_at(rate_hz), stft.power_scale());
        let timbre = if timbre { Some((ContrastPlan::new(bins, scale)?, MelPlan::new(bins, scale)?)) } else { None };
        Ok(Self {
            layout,
            shapes: ShapePlan::new(bins, scale),
            bands,
            timbre,
            stride: TIMBRE_STRIDE.max(windows.div_ceil(MAX_TIMBRE_WINDOWS)),
            windows,
            stft,
        })
    }

    /// The number of windows that the recording was stated to have.
    pub fn windows(&self) -> u64 {
        self.windows
    }

    /// Returns the margin in frames that is needed on both sides of a block.
    pub fn margin(&self) -> usize {
        hpss::MARGIN * self.layout.hop + self.layout.size
    }

    pub fn memory(&self) -> SpectraMemory {
        let bins = self.stft.bins();
        SpectraMemory { spectra: Spectra { bins, values: Vec::new() }, medians: hpss::Medians::new(bins) }
    }

    /// Returns the windows with those around them that the medians need, limited to the stream.
    pub fn around(&self, windows: &Range<u64>) -> Range<u64> {
        let end = self.windows.max(windows.end).min(windows.end + hpss::MARGIN as u64);
        windows.start.saturating_sub(hpss::MARGIN as u64)..end
    }

    /// Returns whether timbre is measured at a window.
    pub fn is_chosen(&self, window: u64) -> bool {
        self.timbre.is_some() && window.is_multiple_of(self.stride)
    }

    /// Runs the stages. `each` receives each of the block's windows with its powers.
    pub fn run(
        &self,
        block: &Block,
        memory: &mut SpectraMemory,
        mut each: impl FnMut(u64, &[f32]),
        progress: &Progress,
    ) -> Result<SpectraPart> {
        let SpectraMemory { spectra, medians } = memory;
        let windows = block.windows.clone();
        let around = self.around(&windows);
        let first = around.start;
        let indices = (windows.start - first) as usize..(windows.end - first) as usize;
        cpu::power_to(&self.stft, block.mono(), around, &mut spectra.values)?;
        indices.clone().for_each(|index| each(first + index as u64, spectra.window(index)));
        progress.check()?;
        let components = hpss::energies_with(spectra, indices.clone(), medians, progress)?;
        spectra.values.truncate(indices.end * spectra.bins);
        let mut part = SpectraPart {
            shapes: self.shapes.shapes(spectra, indices.start),
            bands: self.bands.bands_of(spectra, indices.clone())?,
            components,
            ..SpectraPart::default()
        };
        if let Some((contrasts, mels)) = &self.timbre {
            let chosen = || indices.clone().filter(|&k| self.is_chosen(first + k as u64));
            contrasts.add(spectra, chosen(), &mut part.contrast);
            mels.add(spectra, chosen(), &mut part.mel);
        }
        Ok(part)
    }
}
