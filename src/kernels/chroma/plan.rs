//! The plan of a constant-Q transform, and its run over a block.

use std::ops::Range;

use super::BINS_PER_OCTAVE;
use super::basis::{Basis, Octave, length, octaves_within};
use super::halve::{Halver, needed};
use super::products::Products;
use crate::error::{Error, Result};
use crate::kernels::Simd;
use crate::kernels::constant_q::half_band;
use crate::kernels::stft::{HalfLength, Pairs, Samples, Spectra};
use crate::progress::Progress;

/// What a constant-Q transform is asked for with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstantQSpec {
    /// Frames of the recording from one window to the next.
    pub hop: usize,
    /// How far the recording is tuned above A4 = 440 Hz, in bins of a third of a semitone:
    /// [`crate::features::tuning::Tuning`], or 0.
    pub tuning: f64,
    /// What is left out.
    pub basis: Basis,
}

/// A planned constant-Q transform of 36 bins to the octave.
#[derive(Clone)]
pub struct ConstantQ {
    pub(super) spec: ConstantQSpec,
    pub(super) octaves: usize,
    /// Halvings of the rate before the highest octave.
    pub(super) halvings: u32,
    /// Points of its transforms.
    pub(super) points: usize,
    pub(super) products: Products,
    /// For each bin from the lowest up.
    pub(super) weights: Vec<f32>,
    pub(super) half_band: Vec<f32>,
    transform: HalfLength,
}

impl std::fmt::Debug for ConstantQ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConstantQ").field("spec", &self.spec).field("octaves", &self.octaves).finish_non_exhaustive()
    }
}

/// Memory for transforms, to be used again for the next block.
#[derive(Default)]
pub struct Memory {
    halver: Halver,
    /// The signal at one rate, and at half of it.
    signal: Vec<f32>,
    halved: Vec<f32>,
    pairs: Option<Pairs>,
    re: Vec<f32>,
    im: Vec<f32>,
}

impl ConstantQ {
    /// Plans it for a rate.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a hop of 0, a tuning of more than half a bin and a rate that has no room for an octave.
    pub fn new(spec: ConstantQSpec, rate_hz: f64) -> Result<Self> {
        if spec.hop == 0 {
            return Err(Error::invalid("hop", "0 frames", "1 frame or more"));
        }
        if !(spec.tuning.abs() <= 0.5) {
            return Err(Error::invalid("tuning", format!("{} bins", spec.tuning), "-0.5 to 0.5 bins"));
        }
        let octaves = if rate_hz.is_finite() { octaves_within(rate_hz, spec.tuning) } else { 0 };
        if octaves == 0 {
            return Err(Error::invalid("sample rate", format!("{rate_hz} Hz"), "132 Hz or more for pitch classes"));
        }
        let octave = Octave::highest(octaves, spec.tuning, rate_hz, spec.basis)?;
        let weight = |bin: usize| length(bin as f64 + spec.tuning, rate_hz).sqrt() as f32;
        Ok(Self {
            weights: (0..octaves * BINS_PER_OCTAVE).map(weight).collect(),
            half_band: half_band().iter().map(|&tap| tap as f32).collect(),
            transform: HalfLength::new(octave.points),
            products: Products::new(&octave.rows),
            spec,
            octaves,
            halvings: octave.halvings,
            points: octave.points,
        })
    }

    /// Bins of a window: 36 for each octave.
    pub fn bins(&self) -> usize {
        self.weights.len()
    }

    /// Windows that are centred within a signal or on its end: `1 + frames / hop`, none for no signal.
    pub fn windows(&self, frames: u64) -> u64 {
        if frames == 0 { 0 } else { 1 + frames / self.spec.hop as u64 }
    }

    /// The frames of the recording that these windows are made of, about 1.5 s more on either side.
    pub fn reach(&self, windows: Range<u64>) -> Range<i64> {
        self.needs(&windows).first().cloned().unwrap_or(0..0)
    }

    /// `C` of the windows of that range, bins from the lowest up.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn spectra(&self, samples: Samples<'_>, windows: Range<u64>, progress: &Progress) -> Result<Spectra<f32>> {
        let mut spectra = Spectra { bins: self.bins(), values: Vec::new() };
        self.spectra_to(samples, windows, &mut spectra.values, &mut Memory::default(), progress)?;
        Ok(spectra)
    }

    /// As [`ConstantQ::spectra`], in memory that is there already: `to` becomes the windows' values.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn spectra_to(
        &self,
        samples: Samples<'_>,
        windows: Range<u64>,
        to: &mut Vec<f32>,
        memory: &mut Memory,
        progress: &Progress,
    ) -> Result<()> {
        let count = windows.end.saturating_sub(windows.start) as usize;
        to.resize(count * self.bins(), 0.0);
        let (mut signal, mut halved) = (std::mem::take(&mut memory.signal), std::mem::take(&mut memory.halved));
        let mut done = Ok(());
        let mut first_frame = 0;
        for (level, need) in (0_u32..).zip(self.needs(&windows)) {
            done = progress.check();
            if done.is_err() {
                break;
            }
            if level == 0 {
                // The first rate is what was given; where nothing is taken from it, it is not copied.
                first_frame = need.start;
                signal.clear();
                if self.halvings == 0 {
                    samples.extract(need, &mut signal);
                }
            } else {
                let above = Samples { samples: &signal, first_frame };
                let above = if level == 1 && self.halvings > 0 { samples } else { above };
                memory.halver.halve(above, need.clone(), &self.half_band, &mut halved);
                std::mem::swap(&mut signal, &mut halved);
                first_frame = need.start;
            }
            if let Some(below) = level.checked_sub(self.halvings) {
                let octave = self.octaves - 1 - below as usize;
                let part = Samples { samples: &signal, first_frame };
                self.octave(part, level, octave, windows.start, to, memory);
            }
        }
        (memory.signal, memory.halved) = (signal, halved);
        done
    }

    /// One octave of all windows, from the signal at its rate.
    fn octave(&self, signal: Samples<'_>, level: u32, octave: usize, first: u64, to: &mut [f32], memory: &mut Memory) {
        let simd = Simd::best();
        let bins = octave * BINS_PER_OCTAVE..(octave + 1) * BINS_PER_OCTAVE;
        let weights = &self.weights[bins.clone()];
        let Memory { pairs, re, im, .. } = memory;
        let pairs = pairs.get_or_insert_with(|| self.transform.memory());
        let kept = self.points / 2 + 1;
        re.resize(kept.max(self.products.bins()), 0.0);
        im.resize(kept.max(self.products.bins()), 0.0);
        for (index, window) in to.chunks_exact_mut(self.bins()).enumerate() {
            let start = self.centre(first + index as u64, level) - self.points as i64 / 2 - signal.first_frame;
            let frames = &signal.samples[start as usize..][..self.points];
            self.transform.parts(frames, pairs, &mut re[..kept], &mut im[..kept]);
            self.products.magnitudes(simd, re, im, weights, &mut window[bins.clone()]);
        }
    }

    /// The frame of a signal halved so often that is nearest to a window's centre.
    pub(super) fn centre(&self, window: u64, level: u32) -> i64 {
        let frame = window * self.spec.hop as u64;
        ((frame + (1 << level) / 2) >> level) as i64
    }

    /// The frames that are needed of the signal at its own rate, at half of it, and so on.
    pub(super) fn needs(&self, windows: &Range<u64>) -> Vec<Range<i64>> {
        if windows.start >= windows.end {
            return Vec::new();
        }
        let levels = self.halvings + self.octaves as u32;
        let half = self.points as i64 / 2;
        let mut needs: Vec<Range<i64>> = Vec::new();
        for level in (0..levels).rev() {
            let below = needs.last().map(|below| needed(below, self.half_band.len()));
            let own = (level >= self.halvings)
                .then(|| self.centre(windows.start, level) - half..self.centre(windows.end - 1, level) + half);
            let both = own.into_iter().chain(below).reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
            needs.extend(both);
        }
        needs.reverse();
        needs
    }
}
