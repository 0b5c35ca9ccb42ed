//! The pass over a recording: runs every stage on every block as it is read, then summarises the series.
//!
//! Blocks of [`BLOCK_WINDOWS`] windows are read several at a time. While the next ones are decoded, each block goes
//! through all stages on some thread of the pool. The loudness weighting has to process the samples in order, so it
//! runs beside the blocks. If a GPU pays off, it runs the stages that work on windows - spectra, pitch, pitch classes -
//! for all of these blocks at once, while the CPU does the sums over samples.
//!
//! Pitch classes need the tuning of the whole recording. On the CPU, a recording of a few minutes votes for its tuning
//! while its spectra pass, and its pitch classes follow at the end, from samples that were kept at a lower rate. For a
//! longer recording and on a GPU, the tuning is estimated first, from up to a minute of the recording.
//!
//! Blocks lie on a fixed grid and their results are joined in order. The bits therefore do not depend on the number of
//! threads, nor on how the GPU divides its work. `RUST_LOG=analysis::features=trace` shows what each part takes.
//!
//! Memory is that of a few blocks and of the series, about 250 bytes per window, and up to [`MAX_KEPT_BYTES`] of kept
//! samples.

mod gpu;
mod placed;
mod samples;
mod spectra;
mod tonal;
mod windows;

use std::panic::resume_unwind;
use std::sync::Mutex;
use std::time::Instant;

use rayon::prelude::*;

use self::placed::PlacedWindows;
use self::samples::{SamplePart, SampleStages};
use self::spectra::SpectraStages;
use self::tonal::{KeptSignal, TonalStages};
use self::windows::{WindowMemory, WindowPart, WindowStages};
use super::frames::{Block, BlockSpec, Layout, WindowBlocks};
use super::onset::OnsetStrength;
use super::summary::{Analysis, CollectedSeries, summarise};
use super::true_peak::TruePeakPlan;
use super::tuning::{Tuning, stretches, tuning_of};
use audio::AudioReader;
use base::error::Result;
use base::lock::lock;
use base::progress::Progress;
use dsp::device::DeviceReport;
use dsp::device::Placement;
use dsp::measure::loudness::{self, LoudnessCurve};

/// Windows per block: about 3 s.
const BLOCK_WINDOWS: usize = 256;
/// The number of samples, over all channels, that are read at once.
const SAMPLES_AT_ONCE: usize = 1 << 22;
/// The number of blocks per thread that are read at once.
const BLOCKS_A_THREAD: usize = 2;

/// The maximum memory for samples that are kept until the tuning is known: 6 minutes at 44.1 kHz.
const MAX_KEPT_BYTES: u64 = 32 << 20;

/// The results to compute besides the 25 dimensions, and a tuning that is already known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The tuning of the recording in bins of a third of a semitone, if it is already known. Otherwise it is estimated
    /// as by [`tuning_of`], which moves the reader unless the recording is short.
    pub tuning: Option<f64>,
    /// Computes spectral contrast and mel-frequency cepstral coefficients.
    pub timbre: bool,
    /// Collects series for pictures: chroma, tempogram, loudness.
    pub series: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { tuning: None, timbre: true, series: true }
    }
}

/// An analysis and the device that computed it.
#[derive(Clone, Debug, PartialEq)]
pub struct AnalysisWithDevice {
    /// The result.
    pub analysis: Analysis,
    /// The device that last ran the stages on windows - spectra, pitch, pitch classes - and why. All other stages run
    /// on the CPU.
    pub device: DeviceReport,
    /// GPU time in seconds: transfers and kernels.
    pub gpu_s: f64,
}

/// Analyses a recording from start to end on the CPU. Progress counts frames.
///
/// A value that has no meaning for the recording, such as the tempo of silence, is missing from the result, with the
/// reason. Non-finite samples are treated as silence, and the result states how many there were.
pub fn analyse(reader: &mut dyn AudioReader, options: Options, progress: &Progress) -> Result<Analysis> {
    analyse_on(reader, options, &Placement::cpu(), progress).map(|placed| placed.analysis)
}

/// Does the same as [`analyse`], on the requested device. A GPU's numbers differ from the CPU's by rounding only. If a
/// GPU cannot do the work, or fails, the CPU does it and the report says so.
pub fn analyse_on(
    reader: &mut dyn AudioReader,
    options: Options,
    placement: &Placement,
    progress: &Progress,
) -> Result<AnalysisWithDevice> {
    let format = reader.format();
    let rate_hz = format.rate.as_f64();
    let layout = Layout::of_rate(rate_hz);
    let stated_frames = reader.frames();
    progress.set_total(stated_frames);
    let windows = layout.windows(stated_frames);
    let mut onsets = OnsetStrength::new(layout.size, layout.hop, rate_hz)?;
    let mut stages = Stages {
        windows: WindowStages {
            spectra: SpectraStages::new(layout, rate_hz, windows, onsets.plan().clone(), options.timbre)?,
            tonal: TonalStages::new(layout, rate_hz),
            tuning: Tuning::new(layout.size, rate_hz),
            votes: Vec::new(),
        },
        samples: SampleStages::new(layout, rate_hz),
        spare: Mutex::default(),
    };
    let at_once = SAMPLES_AT_ONCE / (BLOCK_WINDOWS * layout.hop * format.channels.max(1));
    let at_once = at_once.clamp(1, BLOCKS_A_THREAD * rayon::current_num_threads());
    if let Some(tuning) = options.tuning {
        stages.windows.tonal.tune(tuning);
    }
    let mut find_tuning = || timed("tuning", || tuning_of(reader, progress));
    let mut placed = PlacedWindows::new(&mut stages.windows, placement, at_once * BLOCK_WINDOWS, &mut find_tuning)?;
    if let Some(decimator) = stages.windows.tonal.decimator() {
        if decimator.place(stated_frames) as u64 <= MAX_KEPT_BYTES / 4 {
            stages.windows.votes = stretches(layout, rate_hz, stated_frames);
        } else {
            stages.windows.tonal.tune(find_tuning()?);
        }
    }
    let cut = BlockSpec { windows: BLOCK_WINDOWS, margin: stages.windows.margin(), lead: TruePeakPlan::LEAD };

    let mut heard = CollectedSeries::new(layout, format);
    // Loudness is undefined for some streams; the analysis then leaves it out.
    let mut weighting = loudness::Blocks::new(format).ok();
    let mut curve = LoudnessCurve::default();
    let mut blocks = WindowBlocks::new(reader, layout, cut)?;
    // These grow to megabytes, and would be copied again and again.
    let mut kept = KeptSignal::with_capacity(stages.windows.tonal.kept_samples(stated_frames));
    onsets.reserve(windows);
    let mut tuning = stages.windows.tuning.clone();
    let mut ready = blocks.next_blocks(at_once, progress)?;
    while !ready.is_empty() {
        let highest = heard.true_peak;
        let is_placed = placed.is_on_gpu();
        let mut on_cpu = || {
            rayon::join(
                || timed("reading", || blocks.next_blocks(at_once, progress)),
                || {
                    rayon::join(
                        || {
                            let all = ready.par_iter().map(|block| stages.run(block, highest, !is_placed, progress));
                            timed("stages on the CPU", || all.collect::<Result<Vec<BlockResults>>>())
                        },
                        || {
                            let weigh = |meter| weigh(meter, &ready, format.channels, &mut curve);
                            timed("loudness", || weighting.as_mut().map_or(Ok(()), weigh))
                        },
                    )
                },
            )
        };
        // A separate thread waits for the device, so that the pool's threads stay free.
        let (on_device, (next, (parts, weighed))) = std::thread::scope(|scope| {
            let device = is_placed
                .then(|| scope.spawn(|| timed("stages on the GPU", || placed.run(&stages.windows, &ready, progress))));
            let done = on_cpu();
            (device.map(|device| device.join().unwrap_or_else(|panic| resume_unwind(panic))), done)
        });
        weighed?;
        let mut parts = parts?;
        if let Some(on_device) = on_device {
            let windows = match on_device? {
                Some(windows) => windows,
                // The GPU failed: the CPU takes these blocks and all later ones.
                None => ready.par_iter().map(|block| stages.run_windows(block, progress)).collect::<Result<_>>()?,
            };
            parts.iter_mut().zip(windows).for_each(|(part, windows)| part.windows = windows);
        }
        timed("joining", || {
            for mut part in parts {
                onsets.push_bands(&part.windows.spectra.bands);
                tuning.vote(&part.windows.partials);
                kept.append(&part.windows.tonal.kept);
                stages.windows.tonal.recycle(std::mem::take(&mut part.windows.tonal.kept));
                part.join(&mut heard);
            }
        });
        let frames: u64 = ready.iter().map(|block| block.frames.end - block.frames.start).sum();
        blocks.recycle(ready);
        progress.advance(frames)?;
        ready = next?;
    }
    heard.frames = blocks.frames();
    heard.not_finite = blocks.not_finite();
    if stages.windows.tonal.decimator().is_some() {
        let (tonal, tuning) = (&stages.windows.tonal, tuning.finish().unwrap_or(0.0));
        let classes = || tonal.classes_of_kept(&kept, tuning, heard.pitches.len() as u64, progress);
        heard.chroma = timed("pitch classes", classes)?;
    }
    heard.onsets = timed("onsets", || onsets.finish());
    heard.loudness = weighting.is_some().then_some(curve);
    let (device, gpu_s) = placed.finish();
    let analysis = timed("summary", || summarise(heard, options, progress))?;
    Ok(AnalysisWithDevice { analysis, device, gpu_s })
}

/// Does a part of the work, and traces how long it took.
fn timed<T>(part: &str, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = work();
    tracing::trace!(target: "analysis::features", "{part}: {:.2} ms", 1e3 * begun.elapsed().as_secs_f64());
    result
}

/// Adds the loudness of blocks to the curve.
fn weigh(meter: &mut loudness::Blocks, blocks: &[Block], channels: usize, curve: &mut LoudnessCurve) -> Result<()> {
    blocks.iter().try_for_each(|block| {
        let planes: Vec<&[f32]> = (0..channels).map(|channel| block.own_channel(channel)).collect();
        meter.add(&planes, |energy| curve.push(energy))
    })
}

/// All stages that need only a block and its margins.
struct Stages {
    windows: WindowStages,
    samples: SampleStages,
    /// Working memory of idle threads. Reuse avoids allocating and freeing megabytes for each block.
    spare: Mutex<Vec<WindowMemory>>,
}

/// The results of one block.
struct BlockResults {
    windows: WindowPart,
    samples: SamplePart,
}

impl Stages {
    /// Runs all stages, or only those on samples.
    fn run(&self, block: &Block, highest: f32, with_windows: bool, progress: &Progress) -> Result<BlockResults> {
        progress.check()?;
        let windows = if with_windows { self.run_windows(block, progress)? } else { WindowPart::default() };
        progress.check()?;
        Ok(BlockResults { windows, samples: self.samples.run(block, highest) })
    }

    fn run_windows(&self, block: &Block, progress: &Progress) -> Result<WindowPart> {
        let spare = lock(&self.spare).pop();
        let mut memory = spare.unwrap_or_else(|| self.windows.memory());
        let made = self.windows.run(block, &mut memory, progress);
        lock(&self.spare).push(memory);
        made
    }
}

impl BlockResults {
    fn join(self, heard: &mut CollectedSeries) {
        let WindowPart { spectra, tonal, .. } = self.windows;
        heard.hops.extend(self.samples.hops);
        heard.true_peak = heard.true_peak.max(self.samples.true_peak);
        heard.pitches.extend(tonal.pitches);
        heard.chroma.extend(tonal.chroma);
        heard.shapes.extend(spectra.shapes);
        heard.components.extend(spectra.components);
        heard.contrast.append(&spectra.contrast);
        heard.mel.append(&spectra.mel);
    }
}
