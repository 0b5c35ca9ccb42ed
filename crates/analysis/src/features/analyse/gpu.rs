//! The stages on windows for several blocks at once on a GPU, in one recording: transforms, medians, masks, the sums
//! and extremes of each window, its pitch and its pitch classes. Spectra never leave the device; about 170 numbers per
//! window are read back. Levels in dB, means and the parabolas of the pitches are computed from them by the same code
//! as on the CPU.
//!
//! A block with a non-finite window is recomputed on the CPU, so that shaders need not handle such values.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::spectra::SpectraPart;
use super::tonal::TonalPart;
use super::windows::{WindowPart, WindowStages};
use crate::features::chroma::CLASSES;
use crate::features::chroma::gpu::GpuChroma;
use crate::features::frames::Block;
use crate::features::onset;
use crate::features::yin::{Pitch, YinPlan};
use base::error::{Error, Result};
use base::progress::Progress;
use dsp::gpu::{GpuSeconds, Recording, SubmissionBatcher};
use dsp::kernels::signal::FrameSpan as Signal;
use dsp::kernels::signal::extremes::Means;
use dsp::kernels::signal::hpss::{self, Energies};
use dsp::kernels::signal::spectral_shape::SpectralShape;
use dsp::kernels::signal::stft::Samples;
use dsp::kernels::signal::stft::gpu::GpuStft;

/// The maximum device memory of one recording, in bytes: half of what the smallest current GPUs have available.
const MAX_BYTES: usize = 256 << 20;

/// The stages, lowered for a GPU.
#[derive(Debug)]
pub(super) struct GpuWindows {
    stft: GpuStft,
    chroma: Option<GpuChroma>,
    /// The maximum number of windows in one recording; reduced if the device runs out of memory.
    max_windows: AtomicUsize,
}

/// A range of consecutive windows, and the mean of the channels around them.
struct WindowSpan<'a> {
    samples: Samples<'a>,
    windows: Range<u64>,
}

/// The results of the recordings so far.
#[derive(Default)]
struct Made {
    energies: Vec<Energies>,
    shapes: Vec<Option<SpectralShape>>,
    mel_powers: Vec<f32>,
    /// Extremes of the windows that are chosen for timbre.
    extremes: Vec<Means>,
    pitches: Vec<Pitch>,
    chroma: Vec<[f32; CLASSES]>,
}

/// The results of some blocks, and the GPU time in seconds.
pub(super) struct Batch {
    pub parts: Vec<WindowPart>,
    pub seconds: f64,
}

impl GpuWindows {
    /// Lowers the stages.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the window size is not supported on a GPU.
    pub fn new(stages: &WindowStages) -> Result<Self> {
        let (spectra, tonal) = (&stages.spectra, &stages.tonal);
        let stft = GpuStft::new(&spectra.stft)?;
        let chroma = tonal.constant_q().map(GpuChroma::new).transpose()?;
        // Per window: the spectrum, two medians, the samples and the differences. Transforms through memory need two
        // more complex planes.
        let through_memory = if stft.is_short() { 0 } else { 4 * stft.points() };
        let words = 3 * stft.plan().bins() + 3 * spectra.layout.hop + through_memory;
        let each = 4 * words + chroma.as_ref().map_or(0, GpuChroma::bytes_a_window);
        let most = stft.max_windows().min(MAX_BYTES / each).saturating_sub(2 * hpss::MARGIN).max(1);
        let most = most.min(chroma.as_ref().map_or(most, GpuChroma::max_windows));
        let most = most.min(tonal.yin.as_ref().map_or(most, YinPlan::max_windows)).max(1);
        Ok(Self { stft, chroma, max_windows: AtomicUsize::new(most) })
    }

    /// Runs the stages on consecutive blocks that were read together.
    ///
    /// # Errors
    /// Any device error if the memory does not suffice for a single window, or if the device is lost.
    pub fn run(
        &self,
        stages: &WindowStages,
        batcher: &SubmissionBatcher,
        blocks: &[Block],
        progress: &Progress,
    ) -> Result<Batch> {
        let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
            return Ok(Batch { parts: Vec::new(), seconds: 0.0 });
        };
        let samples = Block::mono_of(blocks).ok_or_else(|| Error::Internal("blocks that were read apart".into()))?;
        let stretch = WindowSpan { samples, windows: first.windows.start..last.windows.end };
        let mut made = Made::default();
        let mut seconds = GpuSeconds::default();
        let mut next = stretch.windows.start;
        while next < stretch.windows.end {
            let most = self.max_windows.load(Ordering::Relaxed);
            let windows = next..stretch.windows.end.min(next + most as u64);
            match self.record_and_run(stages, batcher, &stretch, windows.clone(), progress) {
                Ok((found, took)) => {
                    made.append(found);
                    seconds += took;
                    next = windows.end;
                }
                Err(Error::GpuOutOfMemory(why)) if windows.end - windows.start > 1 => {
                    let fewer = (windows.end - windows.start) as usize / 2;
                    tracing::warn!("{why}; going on with {fewer} windows at a time");
                    self.max_windows.store(fewer, Ordering::Relaxed);
                }
                Err(error) => return Err(error),
            }
        }
        let parts = made.shared_out(stages, blocks, progress)?;
        Ok(Batch { parts, seconds: seconds.upload + seconds.kernels + seconds.readback })
    }

    /// Records and runs some windows of a stretch.
    fn record_and_run(
        &self,
        stages: &WindowStages,
        batcher: &SubmissionBatcher,
        stretch: &WindowSpan<'_>,
        windows: Range<u64>,
        progress: &Progress,
    ) -> Result<(Made, GpuSeconds)> {
        let mut recording = Recording::new();
        let WindowStages { spectra, tonal, .. } = stages;
        // The end of the stream as the last block sees it.
        let end = spectra.around(&stretch.windows).end;
        let around = spectra.around(&windows).start..end.min(windows.end + hpss::MARGIN as u64);
        let rows = (windows.start - around.start) as usize..(windows.end - around.start) as usize;
        // One upload serves the spectra, the pitches and the pitch classes.
        let plan = self.stft.plan();
        let reaches = [
            Some(plan.start_frame(around.start)..plan.start_frame(around.end - 1) + plan.spec().size as i64),
            tonal.yin.as_ref().map(|yin| yin.frames(&windows)),
            self.chroma.as_ref().map(|chroma| chroma.plan().reach(windows.clone())),
        ];
        let reach = reaches.into_iter().flatten().reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
        let signal = Signal::upload(&mut recording, stretch.samples, reach.unwrap_or(0..0));
        let power = self.stft.record_power(&mut recording, signal, around.clone());
        let energies = hpss::gpu::record(&mut recording, power, rows.clone());
        let shapes = spectra.shapes.record(&mut recording, power, rows.clone());
        let mel = spectra.bands.sums().record(&mut recording, power, rows.clone());
        let chosen: Vec<usize> = rows.clone().filter(|&row| spectra.is_chosen(around.start + row as u64)).collect();
        let extremes = spectra.timbre.as_ref().filter(|_| !chosen.is_empty()).map(|(contrasts, _)| {
            let extremes = contrasts.extremes();
            let sums = extremes.record(&mut recording, power, chosen.iter().copied());
            (extremes, recording.readback(sums))
        });
        let pitches = tonal.yin.as_ref().map(|yin| {
            let dips = yin.record(&mut recording, signal, &windows);
            (yin, recording.readback(dips))
        });
        let chroma = self.chroma.as_ref().map(|chroma| {
            let classes = chroma.record(&mut recording, signal, windows.clone());
            recording.readback(classes)
        });
        let [energies, shapes, mel] = [energies, shapes, mel].map(|view| recording.readback(view));
        let count = rows.len();
        let mut made = Made::default();
        let finished = batcher.execute(&recording, Some(progress), &mut |got, bytes| {
            if got == energies {
                made.energies.extend(hpss::gpu::read(bytes, count));
            } else if got == shapes {
                made.shapes.extend(spectra.shapes.read(bytes, count));
            } else if got == mel {
                let bytes = &bytes[..count * onset::BANDS * 4];
                made.mel_powers.extend(bytemuck::pod_collect_to_vec::<u8, f32>(bytes));
            } else if Some(got) == chroma {
                made.chroma.extend(GpuChroma::read(bytes, count));
            } else if let Some((yin, _)) = pitches.filter(|(_, ticket)| *ticket == got) {
                made.pitches.extend(yin.read(bytes, count));
            } else if let Some((extremes, _)) = extremes.filter(|(_, ticket)| *ticket == got) {
                made.extremes.extend(extremes.read(bytes, chosen.len()));
            }
        })?;
        if tonal.yin.is_none() {
            made.pitches.resize(count, Pitch::UNVOICED);
        }
        Ok((made, finished.seconds))
    }
}

impl Made {
    /// Appends the results of the windows that follow.
    fn append(&mut self, next: Self) {
        self.energies.extend(next.energies);
        self.shapes.extend(next.shapes);
        self.mel_powers.extend(next.mel_powers);
        self.extremes.extend(next.extremes);
        self.pitches.extend(next.pitches);
        self.chroma.extend(next.chroma);
    }

    /// Splits the results into one part per block.
    fn shared_out(self, stages: &WindowStages, blocks: &[Block], progress: &Progress) -> Result<Vec<WindowPart>> {
        let spectra = &stages.spectra;
        let mut extremes = self.extremes.as_slice();
        let mut first = 0;
        let mut parts = Vec::with_capacity(blocks.len());
        for block in blocks {
            let range = first..first + (block.windows.end - block.windows.start) as usize;
            first = range.end;
            let chosen = block.windows.clone().filter(|&window| spectra.is_chosen(window)).count();
            let runs = spectra.timbre.as_ref().map_or(0, |(contrasts, _)| contrasts.bands());
            let (picked, rest) = extremes.split_at(chosen * runs);
            extremes = rest;
            let shapes: Option<Vec<SpectralShape>> = self.shapes[range.clone()].iter().copied().collect();
            let chroma = if self.chroma.is_empty() { Vec::new() } else { self.chroma[range.clone()].to_vec() };
            // Pitch classes depend on more frames than spectra do.
            let Some(shapes) = shapes.filter(|_| chroma.as_flattened().iter().all(|class| class.is_finite())) else {
                parts.push(stages.run(block, &mut stages.memory(), progress)?);
                continue;
            };
            let powers = &self.mel_powers[range.start * onset::BANDS..range.end * onset::BANDS];
            let mut part = SpectraPart {
                shapes,
                bands: spectra.bands.bands_of_sums(powers),
                components: self.energies[range.clone()].to_vec(),
                ..SpectraPart::default()
            };
            if let Some((contrasts, mels)) = &spectra.timbre {
                contrasts.add_means(picked, &mut part.contrast);
                let sums = powers.as_chunks::<{ onset::BANDS }>().0;
                let windows = block.windows.clone().zip(sums);
                let sums = windows.filter(|(window, _)| spectra.is_chosen(*window)).map(|(_, sums)| sums);
                mels.add_sums(sums, &mut part.mel);
            }
            let tonal = TonalPart { pitches: self.pitches[range].to_vec(), chroma, ..TonalPart::default() };
            parts.push(WindowPart { spectra: part, tonal, partials: Vec::new() });
        }
        Ok(parts)
    }
}
