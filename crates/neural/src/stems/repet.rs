//! Voice and accompaniment by REPET-SIM: repeating sound is accompaniment.
//!
//! With the magnitudes `V(j, b)` of window `j` and bin `b` of a channel, and the similar windows `J(j)`
//! ([`super::similar_windows`]),
//!
//! ```text
//! W(j, b) = min(V(j, b), median over k in J(j) of V(k, b))     what repeats
//! M(j, b) = W / V, and 1 where V is 0, below 100 Hz and where J(j) is empty
//! ```
//!
//! `M` is the share of the accompaniment (Z. Rafii and B. Pardo, "Music/voice separation using the similarity matrix",
//! ISMIR 2012; the parameters are those of the authors' code: windows of 40 ms rounded up to a power of two, Hamming,
//! half a window from one to the next, at most 100 similar windows at least 1 s apart, high-pass at 100 Hz). The voice
//! is the input times `1 - M`. In stereo it is multiplied by the centredness `C` too ([`super::place`]), since voices
//! are mostly in the middle; this second cue is not part of REPET-SIM.
//!
//! A recording whose spectra exceed a limit is taken in sections of half of that limit. The similar windows of a
//! section are searched in it and in a quarter of the limit on either side, so that time grows linearly with the
//! length, and memory does not grow.

use std::ops::Range;

use rayon::prelude::*;

use super::held::Held;
use super::medians::ColumnMedians;
use super::place::centredness;
use super::similar::{Search, similar_windows};
use super::split::Masker;
use super::window_frames;
use audio::{AudioFormat, AudioReader};
use base::error::Result;
use base::progress::Progress;
use base::units::SampleRate;
use dsp::design::Window;
use dsp::kernels::signal::istft::IstftPlan;
use dsp::kernels::signal::stft::{self, Complex32, Spectra, StftPlan, StftSpec};

/// The most similar windows that are taken.
const MOST: usize = 100;
/// The least distance between similar windows, in seconds.
const DISTANCE_S: f64 = 1.0;
/// Below this frequency all is accompaniment.
const CUTOFF_HZ: f64 = 100.0;
/// The windows that are transformed at once.
const BLOCK: u64 = 256;

/// Returns the transform at a sample rate.
///
/// # Errors
/// None for a valid rate.
pub fn transform(rate: SampleRate) -> Result<IstftPlan> {
    let size = window_frames(rate);
    IstftPlan::new(&StftPlan::new(StftSpec { window: Window::Hamming, size, padding: 1, hop: size / 2 })?)
}

/// Returns how many similar windows are looked for at a sample rate, and how far from each other.
pub fn search(rate: SampleRate) -> Search {
    let hop = window_frames(rate) / 2;
    Search { most: MOST, distance: (DISTANCE_S * rate.as_f64() / hop as f64).round().max(1.0) as usize }
}

/// Returns the first bin that can be the voice's.
pub fn first_bin(rate: SampleRate) -> usize {
    (CUTOFF_HZ * window_frames(rate) as f64 / rate.as_f64()).ceil() as usize + 1
}

/// Returns the magnitudes of the windows `range` of each channel of a source, on the scale of a full-scale sine.
pub fn magnitudes(
    source: &mut dyn AudioReader,
    plan: &StftPlan,
    range: Range<u64>,
    progress: &Progress,
) -> Result<Vec<Spectra<f32>>> {
    let channels = source.format().channels;
    let values = (range.end - range.start) as usize * plan.bins();
    let mut all: Vec<_> =
        (0..channels).map(|_| Spectra { bins: plan.bins(), values: Vec::with_capacity(values) }).collect();
    let mut held = Held::new(channels);
    for start in range.clone().step_by(BLOCK as usize) {
        progress.check()?;
        let block = start..(start + BLOCK).min(range.end);
        held.cover(source, plan.reach(block.clone()), progress)?;
        for (channel, all) in all.iter_mut().enumerate() {
            let power = stft::cpu::power(plan, held.samples(channel), block.clone())?;
            all.values.extend(power.values.into_iter().map(f32::sqrt));
        }
    }
    Ok(all)
}

/// Scratch memory for the shares of one window.
#[derive(Clone, Debug, Default)]
pub struct RepeatingShare {
    medians: ColumnMedians,
}

impl RepeatingShare {
    /// Writes to `share` the share `M` of repeating sound in each bin of a window of a channel, given its similar
    /// windows. Bins below `first_bin` get 1.
    pub fn run(
        &mut self,
        magnitudes: &Spectra<f32>,
        window: usize,
        similar: &[u32],
        first_bin: usize,
        share: &mut [f32],
    ) {
        if similar.is_empty() {
            share.fill(1.0);
            return;
        }
        self.medians.run(&magnitudes.values, similar, share);
        for (share, &magnitude) in share.iter_mut().zip(magnitudes.window(window)) {
            let of = share.min(magnitude) / magnitude;
            *share = if of.is_finite() { of } else { 1.0 };
        }
        let low = first_bin.min(share.len());
        share[..low].fill(1.0);
    }
}

/// The masks of the voice.
pub(super) struct Repet {
    plan: StftPlan,
    search: Search,
    first_bin: usize,
    /// The length of the recording.
    frames: u64,
    /// The number of its windows.
    windows: u64,
    /// The most windows whose magnitudes are in memory.
    most: u64,
    section: Section,
}

/// Consecutive windows and their surroundings.
#[derive(Default)]
struct Section {
    windows: Range<u64>,
    /// The windows of the magnitudes.
    context: Range<u64>,
    magnitudes: Vec<Spectra<f32>>,
    similar: Vec<Vec<u32>>,
}

impl Repet {
    pub fn new(plan: &StftPlan, format: AudioFormat, frames: u64, context_bytes: u64) -> Self {
        // The magnitudes of each channel, and the directions.
        let bytes = (plan.bins() * (format.channels + 1) * size_of::<f32>()) as u64;
        Self {
            plan: plan.clone(),
            search: search(format.rate),
            first_bin: first_bin(format.rate),
            frames,
            windows: plan.windows_to_invert(frames),
            most: (context_bytes / bytes).max(4),
            section: Section::default(),
        }
    }

    /// Loads the section that begins with a window.
    fn load(&mut self, source: &mut dyn AudioReader, start: u64, progress: &Progress) -> Result<()> {
        let (windows, context) = if self.windows <= self.most {
            (0..self.windows, 0..self.windows)
        } else {
            let end = (start + self.most / 2).min(self.windows);
            (start..end, start.saturating_sub(self.most / 4)..(end + self.most / 4).min(self.windows))
        };
        // The memory of the section before is given back first.
        self.section = Section::default();
        let magnitudes = magnitudes(source, &self.plan, context.clone(), progress)?;
        let wanted = (windows.start - context.start) as usize..(windows.end - context.start) as usize;
        let hop = self.plan.spec().hop as u64;
        let (first, frames) = (context.start, self.frames);
        let frame = |window: usize| ((first + window as u64) * hop).min(frames);
        let mut done = |searched: Range<usize>| progress.advance(frame(searched.end) - frame(searched.start));
        let similar = similar_windows(&magnitudes, wanted, self.search, progress, &mut done)?;
        self.section = Section { windows, context, magnitudes, similar };
        Ok(())
    }

    /// Masks the windows of `to`, the first of which is `start` and in the section.
    fn mask(&self, start: u64, to: &mut [Spectra<Complex32>], progress: &Progress) -> Result<()> {
        let (section, bins) = (&self.section, self.plan.bins());
        let centre = match to {
            [left, right] => Some(centredness(left, right)),
            _ => None,
        };
        for (to, magnitudes) in to.iter_mut().zip(&section.magnitudes) {
            to.values.par_chunks_mut(bins).enumerate().try_for_each_init(
                || (RepeatingShare::default(), vec![0.0; bins]),
                |(memory, share), (index, to)| -> Result<()> {
                    progress.check()?;
                    let window = start + index as u64;
                    let similar = &section.similar[(window - section.windows.start) as usize];
                    let in_context = (window - section.context.start) as usize;
                    memory.run(magnitudes, in_context, similar, self.first_bin, share);
                    for (bin, (to, share)) in to.iter_mut().zip(share.iter()).enumerate() {
                        let place = centre.as_ref().map_or(1.0, |centre| centre.values[index * bins + bin]);
                        *to *= (1.0 - share) * place;
                    }
                    Ok(())
                },
            )?;
        }
        Ok(())
    }
}

impl Masker for Repet {
    fn margin(&self) -> u64 {
        0
    }

    fn masked(
        &mut self,
        source: &mut dyn AudioReader,
        spectra: &[Spectra<Complex32>],
        first: u64,
        wanted: Range<u64>,
        progress: &Progress,
    ) -> Result<Vec<Spectra<Complex32>>> {
        let bins = self.plan.bins();
        let mut masked = vec![Spectra { bins, values: Vec::new() }; spectra.len()];
        let mut at = wanted.start;
        while at < wanted.end {
            if !self.section.windows.contains(&at) {
                self.load(source, at, progress)?;
            }
            let end = wanted.end.min(self.section.windows.end);
            let taken = (at - first) as usize * bins..(end - first) as usize * bins;
            let mut part: Vec<_> = spectra
                .iter()
                .map(|channel| Spectra { bins, values: channel.values[taken.clone()].to_vec() })
                .collect();
            self.mask(at, &mut part, progress)?;
            masked.iter_mut().zip(part).for_each(|(masked, part)| masked.values.extend(part.values));
            at = end;
        }
        Ok(masked)
    }
}
