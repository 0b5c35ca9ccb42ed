//! One transform after another on one thread, forwards or back, with the memory for it.
//!
//! In f32 where the length is a product of small primes, which leaves some -137 dB of the spectrum; even lengths, which
//! nearly all are, through [`HalfLength`]. Other lengths go by
//! convolution (Bluestein, Rader), which leaves -130 dB in f32: these run in f64, and are rounded when they are done.

use std::sync::Arc;

use realfft::num_complex::Complex;
use realfft::{ComplexToReal, FftError, FftNum, RealFftPlanner, RealToComplex};

use super::half_length::{HalfLength, Pairs};
use super::{Complex32, Samples};
use crate::error::{Error, Result};

/// Primes of which a length may consist to be transformed in f32.
const SMALL_PRIMES: [usize; 6] = [2, 3, 5, 7, 11, 13];

/// Transforms of one length, both ways, planned.
#[derive(Clone)]
pub(crate) enum Transforms {
    Single(Both<f32>, Option<HalfLength>),
    Double(Both<f64>),
}

#[derive(Clone)]
pub(crate) struct Both<T> {
    forward: Arc<dyn RealToComplex<T>>,
    inverse: Arc<dyn ComplexToReal<T>>,
}

impl Transforms {
    pub fn new(length: usize) -> Self {
        let mut rest = length;
        for prime in SMALL_PRIMES {
            while rest.is_multiple_of(prime) {
                rest /= prime;
            }
        }
        if rest != 1 {
            return Self::Double(Both::new(length));
        }
        Self::Single(Both::new(length), length.is_multiple_of(2).then(|| HalfLength::new(length)))
    }
}

impl<T: FftNum> Both<T> {
    fn new(length: usize) -> Self {
        let mut planner = RealFftPlanner::new();
        Self { forward: planner.plan_fft_forward(length), inverse: planner.plan_fft_inverse(length) }
    }
}

/// Memory for transforms of a window of any plan.
pub(crate) enum Transform<'a> {
    Single { both: &'a Both<f32>, taps: &'a [f32], memory: Memory<f32>, halves: Option<(&'a HalfLength, Pairs)> },
    Double { both: &'a Both<f64>, taps: &'a [f64], memory: Memory<f64>, spectrum: Vec<Complex32>, frames: Vec<f32> },
}

pub(crate) struct Memory<T> {
    frames: Vec<T>,
    spectrum: Vec<Complex<T>>,
    scratch: Vec<Complex<T>>,
}

impl<T: FftNum> Memory<T> {
    fn new(both: &Both<T>) -> Self {
        let scratch = both.forward.get_scratch_len().max(both.inverse.get_scratch_len());
        Self {
            frames: both.forward.make_input_vec(),
            spectrum: both.forward.make_output_vec(),
            scratch: vec![Complex::new(T::zero(), T::zero()); scratch],
        }
    }

    fn forward(&mut self, both: &Both<T>) -> Result<(), FftError> {
        both.forward.process_with_scratch(&mut self.frames, &mut self.spectrum, &mut self.scratch)
    }

    /// What is imaginary at 0 Hz and half the rate belongs to no real signal, and is left out.
    fn inverse(&mut self, both: &Both<T>) -> Result<(), FftError> {
        self.spectrum[0].im = T::zero();
        if self.frames.len().is_multiple_of(2)
            && let Some(last) = self.spectrum.last_mut()
        {
            last.im = T::zero();
        }
        both.inverse.process_with_scratch(&mut self.spectrum, &mut self.frames, &mut self.scratch)
    }
}

impl<'a> Transform<'a> {
    /// Memory for windows of these values, in f64 and f32.
    pub fn new(transforms: &'a Transforms, window: &'a [f64], taps: &'a [f32]) -> Self {
        match transforms {
            Transforms::Single(both, half) => {
                let halves = half.as_ref().map(|half| (half, half.memory()));
                Self::Single { both, taps, memory: Memory::new(both), halves }
            }
            Transforms::Double(both) => {
                let memory = Memory::new(both);
                let spectrum = vec![Complex32::default(); memory.spectrum.len()];
                Self::Double { both, taps: window, frames: vec![0.0; memory.frames.len()], spectrum, memory }
            }
        }
    }

    /// The spectrum of the window that begins at frame `start`.
    pub fn spectrum(&mut self, samples: Samples<'_>, start: i64) -> Result<&[Complex32]> {
        match self {
            Self::Single { taps, memory, halves: Some((half, pairs)), .. } => {
                samples.weigh(start, taps, pairs.frames());
                half.spectrum(pairs, &mut memory.spectrum);
                Ok(&memory.spectrum)
            }
            Self::Single { both, taps, memory, .. } => {
                samples.weigh(start, taps, &mut memory.frames);
                memory.forward(both).map_err(refused)?;
                Ok(&memory.spectrum)
            }
            Self::Double { both, taps, memory, spectrum, .. } => {
                samples.weigh(start, taps, &mut memory.frames);
                memory.forward(both).map_err(refused)?;
                for (to, x) in spectrum.iter_mut().zip(&memory.spectrum) {
                    *to = Complex32::new(x.re as f32, x.im as f32);
                }
                Ok(spectrum)
            }
        }
    }

    /// Adds `scale |X|^2` of that window to every bin's sum.
    pub fn add_power(&mut self, samples: Samples<'_>, start: i64, scale: f32, sums: &mut [f32]) -> Result<()> {
        if let Self::Single { taps, halves: Some((half, pairs)), .. } = self {
            samples.weigh(start, taps, pairs.frames());
            half.add_power(pairs, scale, sums);
            return Ok(());
        }
        for (sum, x) in sums.iter_mut().zip(self.spectrum(samples, start)?) {
            *sum += scale * x.norm_sqr();
        }
        Ok(())
    }

    /// The frames of a spectrum, times the transform's length; behind the window's last is what padding made room for.
    pub fn frames(&mut self, of: &[Complex32]) -> Result<&[f32]> {
        match self {
            Self::Single { both, memory, .. } => {
                memory.spectrum.copy_from_slice(of);
                memory.inverse(both).map_err(refused)?;
                Ok(&memory.frames)
            }
            Self::Double { both, memory, frames, .. } => {
                for (to, x) in memory.spectrum.iter_mut().zip(of) {
                    *to = Complex::new(f64::from(x.re), f64::from(x.im));
                }
                memory.inverse(both).map_err(refused)?;
                for (to, &x) in frames.iter_mut().zip(&memory.frames) {
                    *to = x as f32;
                }
                Ok(frames)
            }
        }
    }
}

fn refused(error: FftError) -> Error {
    Error::Internal(format!("a transform was refused: {error}"))
}
