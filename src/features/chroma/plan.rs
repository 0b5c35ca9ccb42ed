//! The plan of a constant-Q transform, and its run over a block.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use realfft::num_complex::Complex32;
use realfft::{RealFftPlanner, RealToComplex};

use super::BINS_PER_OCTAVE;
use super::basis::{Basis, Octave, Row, length, octaves_within};
use super::halve::{Part, halved, needed};
use crate::error::{Error, Result};
use crate::kernels::constant_q::half_band;
use crate::kernels::stft::{Samples, Spectra};
use crate::progress::Progress;

/// Windows that a thread takes at a time.
const BATCH: usize = 64;
/// Sums that run side by side.
const SUMS: usize = 8;

/// What a constant-Q transform is asked for with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstantQSpec {
    /// Frames of the recording from one window to the next.
    pub hop: usize,
    /// How far the recording is tuned above A4 = 440 Hz, in bins of a third of a semitone: [`super::Tuning`], or 0.
    pub tuning: f64,
    /// What is left out.
    pub basis: Basis,
}

/// A planned constant-Q transform of 36 bins to the octave.
#[derive(Clone)]
pub struct ConstantQ {
    spec: ConstantQSpec,
    octaves: usize,
    octave: Octave,
    /// For each bin from the lowest up.
    weights: Vec<f32>,
    half_band: Vec<f32>,
    forward: Arc<dyn RealToComplex<f32>>,
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
            forward: RealFftPlanner::new().plan_fft_forward(octave.points),
            spec,
            octaves,
            octave,
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
        let bins = self.bins();
        let count = windows.end.saturating_sub(windows.start) as usize;
        let mut spectra = Spectra { bins, values: vec![0.0; count * bins] };
        let mut signal: Option<Part> = None;
        for (level, need) in (0..).zip(self.needs(&windows)) {
            progress.check()?;
            let part = match signal {
                None => {
                    let mut part = Part { first_frame: need.start, samples: Vec::new() };
                    samples.extract(need, &mut part.samples);
                    part
                }
                Some(above) => halved(&above, need, &self.half_band),
            };
            if level >= self.octave.halvings {
                let below = (level - self.octave.halvings) as usize;
                self.octave(&part, level, self.octaves - 1 - below, windows.start, &mut spectra, progress)?;
            }
            signal = Some(part);
        }
        Ok(spectra)
    }

    /// One octave of all windows, from the signal at its rate.
    fn octave(
        &self,
        signal: &Part,
        level: u32,
        octave: usize,
        first: u64,
        to: &mut Spectra<f32>,
        progress: &Progress,
    ) -> Result<()> {
        let bins = octave * BINS_PER_OCTAVE..(octave + 1) * BINS_PER_OCTAVE;
        let weights = &self.weights[bins.clone()];
        to.values.par_chunks_mut(BATCH * to.bins).enumerate().try_for_each_init(
            || (self.forward.make_input_vec(), self.forward.make_output_vec(), self.forward.make_scratch_vec()),
            |(frames, spectrum, scratch), (batch, windows)| -> Result<()> {
                progress.check()?;
                for (index, window) in windows.chunks_exact_mut(self.bins()).enumerate() {
                    let centre = self.centre(first + (batch * BATCH + index) as u64, level);
                    let start = (centre - self.octave.points as i64 / 2 - signal.first_frame) as usize;
                    frames.copy_from_slice(&signal.samples[start..][..self.octave.points]);
                    self.forward
                        .process_with_scratch(frames, spectrum, scratch)
                        .map_err(|error| Error::Internal(format!("a transform was refused: {error}")))?;
                    for ((to, row), weight) in window[bins.clone()].iter_mut().zip(&self.octave.rows).zip(weights) {
                        *to = weight * magnitude(row, spectrum);
                    }
                }
                Ok(())
            },
        )
    }

    /// The frame of a signal halved so often that is nearest to a window's centre.
    fn centre(&self, window: u64, level: u32) -> i64 {
        let frame = window * self.spec.hop as u64;
        ((frame + (1 << level) / 2) >> level) as i64
    }

    /// The frames that are needed of the signal at its own rate, at half of it, and so on.
    fn needs(&self, windows: &Range<u64>) -> Vec<Range<i64>> {
        if windows.start >= windows.end {
            return Vec::new();
        }
        let levels = self.octave.halvings + self.octaves as u32;
        let half = self.octave.points as i64 / 2;
        let mut needs: Vec<Range<i64>> = Vec::new();
        for level in (0..levels).rev() {
            let below = needs.last().map(|below| needed(below, self.half_band.len()));
            let own = (level >= self.octave.halvings)
                .then(|| self.centre(windows.start, level) - half..self.centre(windows.end - 1, level) + half);
            let both = own.into_iter().chain(below).reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
            needs.extend(both);
        }
        needs.reverse();
        needs
    }
}

/// The product of a basis spectrum and a signal's.
fn magnitude(row: &Row, spectrum: &[Complex32]) -> f32 {
    let x = &spectrum[row.first..][..row.re.len()];
    let (mut re, mut im) = ([0.0_f32; SUMS], [0.0_f32; SUMS]);
    for ((x, a), b) in x.chunks(SUMS).zip(row.re.chunks(SUMS)).zip(row.im.chunks(SUMS)) {
        for (lane, ((x, a), b)) in x.iter().zip(a).zip(b).enumerate() {
            re[lane] += a * x.re - b * x.im;
            im[lane] += a * x.im + b * x.re;
        }
    }
    re.iter().sum::<f32>().hypot(im.iter().sum())
}
