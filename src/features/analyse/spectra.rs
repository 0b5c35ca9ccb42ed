//! What is taken from power spectra, window by window: harmonic and percussive energies, shapes, mel bands, timbre. Here
//! on the CPU, block by block; `gpu` does several blocks at once.

use std::ops::Range;

use crate::error::Result;
use crate::features::contrast::{Contrast, ContrastPlan};
use crate::features::frames::{Block, Layout};
use crate::features::mfcc::{LogMel, MelPlan};
use crate::features::onset::{Bands, MelBands};
use crate::kernels::hpss;
use crate::kernels::spectral_shape::{Shape, ShapePlan};
use crate::kernels::stft::{Spectra, StftPlan, cpu};
use crate::progress::Progress;

/// Timbre is measured at windows that do not overlap, and at no more than so many: means do not need them all.
const MOST_TIMBRE_WINDOWS: u64 = 1 << 14;
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

/// What a thread needs for a block: megabytes that would else be asked of the system, and given back, for each.
pub(super) struct SpectraMemory {
    spectra: Spectra<f32>,
    medians: hpss::Medians,
}

/// What the stages made of one block.
#[derive(Debug, Default)]
pub(super) struct SpectraPart {
    pub bands: Vec<Bands>,
    pub shapes: Vec<Shape>,
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
            stride: TIMBRE_STRIDE.max(windows.div_ceil(MOST_TIMBRE_WINDOWS)),
            windows,
            stft,
        })
    }

    /// Windows that the recording was said to have.
    pub fn windows(&self) -> u64 {
        self.windows
    }

    /// Frames that are needed on both sides of a block's own.
    pub fn margin(&self) -> usize {
        hpss::MARGIN * self.layout.hop + self.layout.size
    }

    pub fn memory(&self) -> SpectraMemory {
        let bins = self.stft.bins();
        SpectraMemory { spectra: Spectra { bins, values: Vec::new() }, medians: hpss::Medians::new(bins) }
    }

    /// Those windows with the ones around them that the medians look at; none beyond the ends of the stream.
    pub fn around(&self, windows: &Range<u64>) -> Range<u64> {
        let end = self.windows.max(windows.end).min(windows.end + hpss::MARGIN as u64);
        windows.start.saturating_sub(hpss::MARGIN as u64)..end
    }

    /// Whether timbre is measured at a window.
    pub fn is_chosen(&self, window: u64) -> bool {
        self.timbre.is_some() && window.is_multiple_of(self.stride)
    }

    pub fn run(&self, block: &Block, memory: &mut SpectraMemory, progress: &Progress) -> Result<SpectraPart> {
        let SpectraMemory { spectra, medians } = memory;
        let windows = block.windows.clone();
        let around = self.around(&windows);
        let first = around.start;
        let own = (windows.start - first) as usize..(windows.end - first) as usize;
        cpu::power_to(&self.stft, block.mono(), around, &mut spectra.values)?;
        progress.check()?;
        let components = hpss::energies_with(spectra, own.clone(), medians, progress)?;
        spectra.values.truncate(own.end * spectra.bins);
        let mut part = SpectraPart {
            shapes: self.shapes.shapes(spectra, own.start),
            bands: self.bands.bands_of(spectra, own.clone())?,
            components,
            ..SpectraPart::default()
        };
        if let Some((contrasts, mels)) = &self.timbre {
            let chosen = || own.clone().filter(|&k| self.is_chosen(first + k as u64));
            contrasts.add(spectra, chosen(), &mut part.contrast);
            mels.add(spectra, chosen(), &mut part.mel);
        }
        Ok(part)
    }
}
