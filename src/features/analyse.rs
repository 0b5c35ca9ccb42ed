//! The pass over a recording: every stage on every block as it is read, then what the whole amounts to.
//!
//! Blocks of [`BLOCK_WINDOWS`] windows are read a few at a time; while the next ones are decoded, each of these goes
//! through all stages on one thread or another, and the loudness weighting, which must follow the samples in order, runs
//! beside them. Blocks stand on a fixed grid and their results are joined in order, so that the bits are the same with
//! any number of threads. Memory is that of some blocks and of the series: about 250 bytes a window.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::chroma::{self, Basis, CLASSES, ConstantQ, ConstantQSpec};
use super::contrast::{Contrast, ContrastPlan};
use super::frames::{Block, Blocks, Cut, Layout};
use super::hpss;
use super::loudness::Weighting;
use super::mfcc::{LogMel, MelPlan};
use super::onset::{Bands, MelBands, OnsetStrength};
use super::spectral::{Shape, ShapePlan};
use super::summary::{Analysis, Heard, summarise};
use super::true_peak::TruePeakPlan;
use super::waveform::{self, Hop};
use super::yin::{Pitch, YinPlan, YinSpec};
use crate::audio::AudioReader;
use crate::error::Result;
use crate::kernels::stft::{Spectra, StftPlan, cpu};
use crate::measure::loudness::LoudnessCurve;
use crate::progress::Progress;

/// Windows of a block: some 3 s.
const BLOCK_WINDOWS: usize = 256;
/// Samples, over all channels, that are read at once.
const SAMPLES_AT_ONCE: usize = 1 << 22;
/// Blocks that are read at once for each thread.
const BLOCKS_A_THREAD: usize = 4;
/// Timbre is measured at windows that do not overlap, and at no more than so many: means do not need them all.
const MOST_TIMBRE_WINDOWS: u64 = 1 << 14;
const TIMBRE_STRIDE: u64 = 4;

/// What beside the 25 dimensions is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Spectral contrast and mel-frequency cepstral coefficients.
    pub timbre: bool,
    /// Series for pictures: chroma, tempogram, loudness.
    pub series: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { timbre: true, series: true }
    }
}

/// Listens to a recording from its beginning to its end. Progress counts frames.
///
/// What has no meaning for it - the tempo of silence - is missing from the result, with the reason; samples that are no
/// numbers count as silence, and the result says how many there were.
///
/// # Errors
/// What reading fails with; [`crate::Error::Invalid`] for a recording without channels; [`crate::Error::Cancelled`].
pub fn analyse(reader: &mut dyn AudioReader, options: Options, progress: &Progress) -> Result<Analysis> {
    let format = reader.format();
    let rate_hz = format.rate.as_f64();
    let layout = Layout::of_rate(rate_hz);
    progress.set_total(reader.frames());
    let windows = layout.windows(reader.frames());
    let mut onsets = OnsetStrength::new(layout.size, layout.hop, rate_hz)?;
    let stages = Stages::new(layout, rate_hz, options, windows, onsets.plan().clone())?;
    let cut = Cut { windows: BLOCK_WINDOWS, margin: stages.margin(), lead: TruePeakPlan::LEAD };
    let at_once = SAMPLES_AT_ONCE / (BLOCK_WINDOWS * layout.hop * format.channels.max(1));
    let at_once = at_once.clamp(1, BLOCKS_A_THREAD * rayon::current_num_threads());

    let mut heard = Heard::new(layout, format);
    // A stream whose loudness has no definition has none; the rest can still be told.
    let mut weighting = Weighting::new(format).ok();
    let mut curve = LoudnessCurve::default();
    let mut blocks = Blocks::new(reader, layout, cut)?;
    let mut ready = read(&mut blocks, at_once, progress)?;
    while !ready.is_empty() {
        let highest = heard.true_peak;
        let (next, done) = rayon::join(
            || read(&mut blocks, at_once, progress),
            || {
                rayon::join(
                    || {
                        let all = ready.par_iter().map(|block| stages.run(block, highest, progress));
                        all.collect::<Result<Vec<Part>>>()
                    },
                    || weighting.as_mut().map_or(Ok(()), |meter| meter.add(&ready, |energy| curve.push(energy))),
                )
            },
        );
        let (parts, weighed) = done;
        weighed?;
        for part in parts? {
            onsets.push_bands(&part.bands);
            part.join(&mut heard);
        }
        let frames: u64 = ready.iter().map(|block| block.own.end - block.own.start).sum();
        ready.into_iter().for_each(|block| blocks.recycle(block));
        progress.advance(frames)?;
        ready = next?;
    }
    heard.frames = blocks.frames();
    heard.not_finite = blocks.not_finite();
    heard.onsets = onsets.finish();
    heard.loudness = weighting.is_some().then_some(curve);
    summarise(heard, options, progress)
}

fn read(blocks: &mut Blocks<'_>, count: usize, progress: &Progress) -> Result<Vec<Block>> {
    let mut read = Vec::with_capacity(count);
    for _ in 0..count {
        progress.check()?;
        let Some(block) = blocks.next_block()? else { break };
        read.push(block);
    }
    Ok(read)
}

/// All stages that need no more than a block and its margins.
struct Stages {
    layout: Layout,
    stft: StftPlan,
    shapes: ShapePlan,
    /// None where the rate is too low for any pitch, or any octave.
    yin: Option<YinPlan>,
    constant_q: Option<ConstantQ>,
    true_peak: TruePeakPlan,
    timbre: Option<(ContrastPlan, MelPlan)>,
    bands: MelBands,
    stride: u64,
    last_window: u64,
    /// Memory of threads that are not at work.
    spare: Mutex<Vec<Memory>>,
}

/// What a thread needs for a block: megabytes that would else be asked of the system, and given back, for each.
struct Memory {
    spectra: Spectra<f32>,
    medians: hpss::Medians,
    transforms: chroma::Memory,
    constant_q: Spectra<f32>,
}

/// What the stages made of one block.
struct Part {
    bands: Vec<Bands>,
    hops: Vec<Hop>,
    shapes: Vec<Shape>,
    pitches: Vec<Pitch>,
    components: Vec<hpss::Energies>,
    chroma: Vec<[f32; CLASSES]>,
    true_peak: f32,
    contrast: Contrast,
    mel: LogMel,
}

impl Stages {
    fn new(layout: Layout, rate_hz: f64, options: Options, windows: u64, bands: MelBands) -> Result<Self> {
        let stft = layout.plan()?;
        let (bins, scale) = (stft.bins_at(rate_hz), stft.power_scale());
        let timbre =
            if options.timbre { Some((ContrastPlan::new(bins, scale), MelPlan::new(bins, scale)?)) } else { None };
        Ok(Self {
            layout,
            shapes: ShapePlan::new(bins, scale),
            yin: YinPlan::new(layout, rate_hz, YinSpec::default()).ok(),
            constant_q: ConstantQ::new(ConstantQSpec { hop: layout.hop, tuning: 0.0, basis: Basis::Librosa }, rate_hz)
                .ok(),
            true_peak: TruePeakPlan::new(rate_hz as u32),
            timbre,
            bands,
            spare: Mutex::default(),
            stride: TIMBRE_STRIDE.max(windows.div_ceil(MOST_TIMBRE_WINDOWS)),
            last_window: windows,
            stft,
        })
    }

    /// Frames that are needed on both sides of a block's own.
    fn margin(&self) -> usize {
        let windows = hpss::MARGIN * self.layout.hop + self.layout.size;
        let octaves = self.constant_q.as_ref().map_or(0, |plan| {
            let (reach, hop) = (plan.reach(0..1), self.layout.hop as i64);
            (reach.end - hop).max(-reach.start)
        });
        windows.max(octaves as usize)
    }

    fn memory(&self) -> Memory {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let bins = self.stft.bins();
        spare.unwrap_or_else(|| Memory {
            spectra: Spectra { bins, values: Vec::new() },
            medians: hpss::Medians::new(bins),
            transforms: chroma::Memory::default(),
            constant_q: Spectra { bins: self.constant_q.as_ref().map_or(0, ConstantQ::bins), values: Vec::new() },
        })
    }

    fn run(&self, block: &Block, highest: f32, progress: &Progress) -> Result<Part> {
        let mut memory = self.memory();
        let part = self.run_in(block, highest, &mut memory, progress);
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        part
    }

    fn run_in(&self, block: &Block, highest: f32, memory: &mut Memory, progress: &Progress) -> Result<Part> {
        let Memory { spectra, medians, transforms, constant_q } = memory;
        progress.check()?;
        let windows = block.windows.clone();
        // Windows around the block for the medians; none beyond the ends of the stream.
        let first = windows.start.saturating_sub(hpss::MARGIN as u64);
        let end = self.last_window.max(windows.end).min(windows.end + hpss::MARGIN as u64);
        let own = (windows.start - first) as usize..(windows.end - first) as usize;
        cpu::power_to(&self.stft, block.mono(), first..end, &mut spectra.values)?;
        progress.check()?;
        let components = hpss::energies_with(spectra, own.clone(), medians, progress)?;
        spectra.values.truncate(own.end * spectra.bins);
        let shapes = self.shapes.shapes(spectra, own.start);
        let bands = self.bands.bands_of(spectra, own.clone())?;
        let (mut contrast, mut mel) = (Contrast::default(), LogMel::default());
        if let Some((contrasts, mels)) = &self.timbre {
            let chosen = || own.clone().filter(|&k| (first + k as u64).is_multiple_of(self.stride));
            contrasts.add(spectra, chosen(), &mut contrast);
            mels.add(spectra, chosen(), &mut mel);
        }
        progress.check()?;
        let pitches = match &self.yin {
            Some(yin) => yin.pitches(block.mono(), windows.clone())?,
            None => vec![Pitch::UNVOICED; own.len()],
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
        let hops = waveform::hops(block, self.layout);
        Ok(Part { bands, hops, shapes, pitches, components, chroma, true_peak, contrast, mel })
    }
}

impl Part {
    fn join(self, heard: &mut Heard) {
        heard.hops.extend(self.hops);
        heard.shapes.extend(self.shapes);
        heard.pitches.extend(self.pitches);
        heard.components.extend(self.components);
        heard.chroma.extend(self.chroma);
        heard.true_peak = heard.true_peak.max(self.true_peak);
        heard.contrast.append(&self.contrast);
        heard.mel.append(&self.mel);
    }
}
