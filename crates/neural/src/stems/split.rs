//! Streams a recording through a mask: transforms windows, masks them, and transforms them back.
//!
//! With the spectra `X` of the windows of a channel and a mask `A` between 0 and 1, the first stem has the spectra
//! `A X`, transformed back by weighted overlap-add ([`dsp::kernels::signal::istft`]). The second is the input minus the first,
//! so that both sum to the input but for the rounding of f32. Each window is masked once, and the result does not depend
//! on how many windows are taken at a time.

use std::ops::Range;

use super::held::Held;
use audio::{AudioBuffer, AudioReader};
use base::error::Result;
use base::progress::Progress;
use dsp::kernels::signal::istft::{self, IstftPlan};
use dsp::kernels::signal::stft::{self, Complex32, Spectra};

/// How much is worked on at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of windows masked at a time; 1 or more. It does not affect the result.
    pub block_windows: u64,
    /// The bytes of spectra among which the voice's split looks for repetitions. A longer recording is taken in sections,
    /// each with its surroundings; see [`super::repet`].
    pub context_bytes: u64,
}

impl Default for Limits {
    /// 128 windows, and 320 MiB: ten minutes of stereo at 44.1 kHz.
    fn default() -> Self {
        Self { block_windows: 128, context_bytes: 320 << 20 }
    }
}

/// A block of stems.
#[derive(Clone, Debug, PartialEq)]
pub struct StemBlock {
    /// The frames of the input. Samples that are not finite are replaced by silence.
    pub input: AudioBuffer,
    /// Each stem, at the frames of `input`.
    pub stems: Vec<AudioBuffer>,
}

impl StemBlock {
    /// Returns the residual of the stems at the given positions: the input minus their sum.
    pub fn residual(&self, stems: &[usize]) -> AudioBuffer {
        let mut left = self.input.clone();
        for stem in stems.iter().map(|&stem| &self.stems[stem]) {
            for (left, stem) in left.iter_mut().zip(stem.iter()) {
                left.iter_mut().zip(stem).for_each(|(left, stem)| *left -= stem);
            }
        }
        left
    }

    /// Returns the stems at the given positions, each with an equal share of their residual.
    #[must_use]
    pub fn spread(&self, stems: &[usize]) -> Vec<AudioBuffer> {
        let left = self.residual(stems);
        let share = 1.0 / stems.len().max(1) as f32;
        let with_share = |&stem: &usize| {
            let mut stem = self.stems[stem].clone();
            for (stem, left) in stem.iter_mut().zip(left.iter()) {
                stem.iter_mut().zip(left).for_each(|(stem, left)| *stem += share * left);
            }
            stem
        };
        stems.iter().map(with_share).collect()
    }
}

/// Receives the blocks of a separation in order, without gaps.
pub type Sink<'a> = dyn FnMut(&StemBlock) -> Result<()> + 'a;

/// The counts of a separation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Separated {
    /// The number of frames of each stem.
    pub frames: u64,
    /// The number of samples of the input that were not finite and count as silence.
    pub non_numbers: u64,
    /// The number of frames at the end, within its length, that the source did not deliver. They are silent.
    pub missing: u64,
}

/// Computes the spectra of the first stem.
pub(super) trait Masker {
    /// The number of windows before and after the wanted ones that it needs.
    fn margin(&self) -> u64;

    /// Returns the spectra of the first stem at the windows `wanted`, for each channel. `spectra` are those of the input
    /// from window `first` on, with the margin as far as there is one. `source` may be read and left at any frame.
    fn masked(
        &mut self,
        source: &mut dyn AudioReader,
        spectra: &[Spectra<Complex32>],
        first: u64,
        wanted: Range<u64>,
        progress: &Progress,
    ) -> Result<Vec<Spectra<Complex32>>>;
}

/// Runs a source through a mask. Adds each frame once to the progress.
pub(super) fn split(
    source: &mut dyn AudioReader,
    plan: &IstftPlan,
    masker: &mut dyn Masker,
    block_windows: u64,
    sink: &mut Sink<'_>,
    progress: &Progress,
) -> Result<Separated> {
    let (forward, frames, channels) = (plan.forward(), source.frames(), source.format().channels);
    let spec = forward.spec();
    let hop = spec.hop as u64;
    // The windows before and after a frame that have a part in it.
    let beside = (spec.size as u64 / 2).div_ceil(hop);
    let total = forward.windows_to_invert(frames);
    let mut held = Held::new(channels);
    // The masked spectra from window `start` on.
    let mut ready = vec![Spectra { bins: forward.bins(), values: Vec::new() }; channels];
    let (mut start, mut end) = (0, 0);
    let mut block = 0;
    while block * hop < frames {
        progress.check()?;
        let next = (block + block_windows.max(1)).min(total);
        let new = end..(next + beside).min(total);
        if !new.is_empty() {
            let around = new.start.saturating_sub(masker.margin())..(new.end + masker.margin()).min(total);
            let reach = forward.reach(around.clone());
            let begin = (block * hop) as i64;
            held.cover(source, reach.start.min(begin)..reach.end.max((next * hop) as i64), progress)?;
            let spectra = (0..channels)
                .map(|channel| stft::cpu::spectra(forward, held.samples(channel), around.clone()))
                .collect::<Result<Vec<_>>>()?;
            let masked = masker.masked(source, &spectra, around.start, new.clone(), progress)?;
            for (ready, masked) in ready.iter_mut().zip(masked) {
                ready.values.extend(masked.values);
            }
            end = new.end;
        }
        let wanted = block.saturating_sub(beside);
        for ready in &mut ready {
            ready.values.drain(..(wanted - start) as usize * ready.bins);
        }
        start = wanted;
        let out = block * hop..(next * hop).min(frames);
        let lead = ((block - start) * hop) as usize;
        let input = held.copied(out.clone());
        let first = ready
            .iter()
            .map(|spectra| inverted(plan, spectra, lead, (out.end - out.start) as usize))
            .collect::<Result<Vec<_>>>()?;
        let mut stems = StemBlock { input, stems: vec![AudioBuffer::from_channels(first)] };
        stems.stems.push(stems.residual(&[0]));
        sink(&stems)?;
        progress.advance(out.end - out.start)?;
        block = next;
    }
    Ok(Separated { frames, non_numbers: held.non_numbers, missing: held.missing })
}

/// Returns `count` frames from frame `lead` on, counted from the centre of the first window. Values that overflow
/// become silent.
fn inverted(plan: &IstftPlan, spectra: &Spectra<Complex32>, lead: usize, count: usize) -> Result<Vec<f32>> {
    let mut samples = istft::cpu::samples(plan, spectra, lead + count)?;
    samples.drain(..lead);
    samples.iter_mut().filter(|sample| !sample.is_finite()).for_each(|sample| *sample = 0.0);
    Ok(samples)
}
