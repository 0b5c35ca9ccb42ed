//! The stages on spectra for several blocks at once on a GPU, in one recording: transforms, medians, masks, and the sums of
//! every window. Spectra never leave the device but at the few windows whose contrast is wanted, which takes sorting; what
//! comes back otherwise is some 150 numbers a window. Levels in dB are made of them by what the CPU makes them with.
//!
//! A block in which a window is not finite is done again on the CPU, which knows what to make of it: shaders need not
//! know such numbers.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::spectra::{SpectraPart, SpectraStages};
use crate::error::{Error, Result};
use crate::features::frames::Block;
use crate::features::onset;
use crate::gpu::{Engine, GpuSeconds, Recording};
use crate::kernels::hpss::{self, Energies};
use crate::kernels::spectral_shape::Shape;
use crate::kernels::stft::gpu::GpuStft;
use crate::kernels::stft::{Samples, Spectra};
use crate::progress::Progress;

/// The most that a recording takes on the device, in bytes: half of what the smallest of today's GPUs has left.
const MOST_BYTES: usize = 256 << 20;

/// The stages in the form that a GPU wants.
#[derive(Debug)]
pub(super) struct GpuSpectra {
    stft: GpuStft,
    /// Windows of one recording at the most; fewer once the device had no memory for so many.
    most_windows: AtomicUsize,
}

/// Windows that follow each other, and the mean of the channels around them.
struct Stretch<'a> {
    samples: Samples<'a>,
    windows: Range<u64>,
}

/// What a recording made of some windows.
#[derive(Default)]
struct Made {
    energies: Vec<Energies>,
    shapes: Vec<Option<Shape>>,
    mel_powers: Vec<f32>,
    /// The chosen windows' powers.
    chosen: Vec<f32>,
}

/// What a device made of some blocks, and the seconds that it took.
pub(super) struct Batch {
    pub parts: Vec<SpectraPart>,
    pub seconds: f64,
}

impl GpuSpectra {
    /// Lowers the stages.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for windows that are none for a GPU.
    pub fn new(stages: &SpectraStages) -> Result<Self> {
        let stft = GpuStft::new(&stages.stft)?;
        // Spectra, two medians and the samples of each window; transforms through memory have two complex planes more.
        let through_memory = if stft.is_short() { 0 } else { 4 * stft.points() };
        let each = 4 * (3 * stft.plan().bins() + stages.layout.hop + through_memory);
        let most = stft.most_windows().min(MOST_BYTES / each).saturating_sub(2 * hpss::MARGIN).max(1);
        Ok(Self { stft, most_windows: AtomicUsize::new(most) })
    }

    /// What the stages make of blocks that follow each other.
    ///
    /// # Errors
    /// [`Error::Cancelled`], and what a device fails with when it has no memory for a single window, or is lost.
    pub fn run(
        &self,
        stages: &SpectraStages,
        engine: &mut Engine,
        blocks: &[Block],
        progress: &Progress,
    ) -> Result<Batch> {
        let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
            return Ok(Batch { parts: Vec::new(), seconds: 0.0 });
        };
        let (mono, first_frame) = stitched(blocks);
        let samples = Samples { samples: &mono, first_frame };
        let stretch = Stretch { samples, windows: first.windows.start..last.windows.end };
        let mut made = Made::default();
        let mut seconds = GpuSeconds::default();
        let mut next = stretch.windows.start;
        while next < stretch.windows.end {
            let most = self.most_windows.load(Ordering::Relaxed);
            let own = next..stretch.windows.end.min(next + most as u64);
            match self.record_and_run(stages, engine, &stretch, own.clone(), &mut made, progress) {
                Ok(took) => {
                    seconds += took;
                    next = own.end;
                }
                Err(Error::GpuOutOfMemory(why)) if own.end - own.start > 1 => {
                    let fewer = (own.end - own.start) as usize / 2;
                    tracing::warn!("{why}; going on with {fewer} windows at a time");
                    self.most_windows.store(fewer, Ordering::Relaxed);
                }
                Err(error) => return Err(error),
            }
        }
        let parts = made.shared_out(stages, blocks, progress)?;
        Ok(Batch { parts, seconds: seconds.upload + seconds.kernels + seconds.readback })
    }

    /// The windows `own` of a stretch.
    fn record_and_run(
        &self,
        stages: &SpectraStages,
        engine: &mut Engine,
        stretch: &Stretch<'_>,
        own: Range<u64>,
        made: &mut Made,
        progress: &Progress,
    ) -> Result<GpuSeconds> {
        let mut recording = Recording::new();
        // The stream's end as the last block sees it.
        let end = stages.around(&stretch.windows).end;
        let around = stages.around(&own).start..end.min(own.end + hpss::MARGIN as u64);
        let rows = (own.start - around.start) as usize..(own.end - around.start) as usize;
        let power = self.stft.record_power(&mut recording, stretch.samples, around.clone());
        let energies = hpss::gpu::record(&mut recording, power, rows.clone());
        let shapes = stages.shapes.record(&mut recording, power, rows.clone());
        let mel = stages.bands.sums().record(&mut recording, power, rows.clone());
        let chosen: Vec<u64> = own.clone().filter(|&window| stages.is_chosen(window)).collect();
        let kept = recording.buffer((chosen.len() * power.columns * 4) as u64);
        for (index, window) in chosen.iter().enumerate() {
            let row = power.row((window - around.start) as usize);
            recording.copy(row, kept.part(index as u64 * row.bytes, row.bytes));
        }
        let [energies, shapes, mel] = [energies, shapes, mel].map(|view| recording.readback(view));
        let kept = (!chosen.is_empty()).then(|| recording.readback(kept));
        let count = rows.len();
        let finished = engine.execute(&recording, Some(progress), &mut |got, bytes| {
            if got == energies {
                made.energies.extend(hpss::gpu::read(bytes, count));
            } else if got == shapes {
                made.shapes.extend(stages.shapes.read(bytes, count));
            } else if got == mel {
                let bytes = &bytes[..count * onset::BANDS * 4];
                made.mel_powers.extend(bytemuck::pod_collect_to_vec::<u8, f32>(bytes));
            } else if Some(got) == kept {
                made.chosen.extend(bytemuck::pod_collect_to_vec::<u8, f32>(bytes));
            }
        })?;
        Ok(finished.seconds)
    }
}

/// The mean of the channels of blocks that follow each other, margins at both ends among it, and its first frame.
fn stitched(blocks: &[Block]) -> (Vec<f32>, i64) {
    let mut stitched = Vec::new();
    let first_frame = blocks.first().map_or(0, |block| block.mono().first_frame);
    for block in blocks {
        let Samples { samples, first_frame: from } = block.mono();
        // Blocks overlap by their margins.
        let known = (first_frame + stitched.len() as i64 - from).clamp(0, samples.len() as i64);
        stitched.extend_from_slice(&samples[known as usize..]);
    }
    (stitched, first_frame)
}

impl Made {
    /// To each block what is its own.
    fn shared_out(self, stages: &SpectraStages, blocks: &[Block], progress: &Progress) -> Result<Vec<SpectraPart>> {
        let bins = stages.stft.bins();
        let mut chosen = self.chosen.chunks_exact(bins);
        let mut first = 0;
        let mut parts = Vec::with_capacity(blocks.len());
        for block in blocks {
            let own = first..first + (block.windows.end - block.windows.start) as usize;
            first = own.end;
            let picked: Vec<f32> = {
                let count = block.windows.clone().filter(|&window| stages.is_chosen(window)).count();
                chosen.by_ref().take(count).flatten().copied().collect()
            };
            let shapes: Option<Vec<Shape>> = self.shapes[own.clone()].iter().copied().collect();
            let Some(shapes) = shapes else {
                parts.push(stages.run(block, &mut stages.memory(), progress)?);
                continue;
            };
            let powers = &self.mel_powers[own.start * onset::BANDS..own.end * onset::BANDS];
            let mut part = SpectraPart {
                shapes,
                bands: stages.bands.bands_of_sums(powers),
                components: self.energies[own].to_vec(),
                ..SpectraPart::default()
            };
            if let Some((contrasts, mels)) = &stages.timbre {
                let spectra = Spectra { bins, values: picked };
                contrasts.add(&spectra, 0..spectra.windows(), &mut part.contrast);
                let sums = powers.as_chunks::<{ onset::BANDS }>().0;
                let windows = block.windows.clone().zip(sums);
                let sums = windows.filter(|(window, _)| stages.is_chosen(*window)).map(|(_, sums)| sums);
                mels.add_sums(sums, &mut part.mel);
            }
            parts.push(part);
        }
        Ok(parts)
    }
}
