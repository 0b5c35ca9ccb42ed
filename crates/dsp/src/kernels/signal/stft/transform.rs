//! Forward and inverse transforms on one thread, with their scratch memory.
//!
//! Lengths that are products of small primes run in f32, with an error of about -137 dB re the spectrum. Even lengths,
//! which are nearly all, use [`HalfLength`]. Other lengths need a convolution (Bluestein, Rader), which would have an
//! error of -130 dB in f32. These run in f64 and are rounded at the end.

use std::sync::Arc;

use transforms::num_complex::Complex;
use transforms::{ComplexToReal, FftError, FftNum, Planned, RealFftPlanner, RealToComplex};

use super::half_length::{HalfLength, Pairs};
use super::{Complex32, Samples};
use base::error::Result;

/// Lengths that are products of these primes are transformed in f32.
const SMALL_PRIMES: [usize; 6] = [2, 3, 5, 7, 11, 13];

/// Planned transforms of one length, in both directions.
#[derive(Clone)]
pub(super) enum Transforms {
    Single(Both<f32>, Option<HalfLength>),
    Double(Both<f64>),
}

#[derive(Clone)]
pub(super) struct Both<T> {
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

impl<T: Planned> Both<T> {
    fn new(length: usize) -> Self {
        let mut planner = RealFftPlanner::new();
        Self { forward: planner.plan_fft_forward(length), inverse: planner.plan_fft_inverse(length) }
    }
}

/// The transforms of a plan with their scratch memory.
pub struct Transform<'a>(Number<'a>);

/// The numbers that a transform computes with.
enum Number<'a> {
    Single { both: &'a Both<f32>, taps: &'a [f32], memory: Memory<f32>, halves: Option<(&'a HalfLength, Pairs)> },
    Double { both: &'a Both<f64>, taps: &'a [f64], memory: Memory<f64>, spectrum: Vec<Complex32>, frames: Vec<f32> },
}

struct Memory<T> {
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

    /// Ignores the imaginary parts at 0 Hz and the Nyquist frequency, which are zero for a real signal.
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
    /// Creates the scratch memory for a window function, given in f64 and f32.
    pub(super) fn new(transforms: &'a Transforms, window: &'a [f64], taps: &'a [f32]) -> Self {
        Self(match transforms {
            Transforms::Single(both, half) => {
                let halves = half.as_ref().map(|half| (half, half.memory()));
                Number::Single { both, taps, memory: Memory::new(both), halves }
            }
            Transforms::Double(both) => {
                let memory = Memory::new(both);
                let spectrum = vec![Complex32::default(); memory.spectrum.len()];
                Number::Double { both, taps: window, frames: vec![0.0; memory.frames.len()], spectrum, memory }
            }
        })
    }

    /// Returns the spectrum of the window that begins at frame `start`.
    pub fn spectrum(&mut self, samples: Samples<'_>, start: i64) -> Result<&[Complex32]> {
        match &mut self.0 {
            Number::Single { taps, memory, halves: Some((half, pairs)), .. } => {
                samples.weigh(start, taps, pairs.frames());
                half.spectrum(pairs, &mut memory.spectrum);
                Ok(&memory.spectrum)
            }
            Number::Single { both, taps, memory, .. } => {
                samples.weigh(start, taps, &mut memory.frames);
                memory.forward(both)?;
                Ok(&memory.spectrum)
            }
            Number::Double { both, taps, memory, spectrum, .. } => {
                samples.weigh(start, taps, &mut memory.frames);
                memory.forward(both)?;
                for (to, x) in spectrum.iter_mut().zip(&memory.spectrum) {
                    *to = Complex32::new(x.re as f32, x.im as f32);
                }
                Ok(spectrum)
            }
        }
    }

    /// Adds `scale |X|^2` of the window that begins at frame `start` to the sum of every bin.
    pub fn add_power(&mut self, samples: Samples<'_>, start: i64, scale: f32, sums: &mut [f32]) -> Result<()> {
        if let Number::Single { taps, halves: Some((half, pairs)), .. } = &mut self.0 {
            samples.weigh(start, taps, pairs.frames());
            half.add_power(pairs, scale, sums);
            return Ok(());
        }
        for (sum, x) in sums.iter_mut().zip(self.spectrum(samples, start)?) {
            *sum += scale * x.norm_sqr();
        }
        Ok(())
    }

    /// Computes `scale |X|^2` of the window that begins at frame `start`, for every bin.
    pub fn power(&mut self, samples: Samples<'_>, start: i64, scale: f32, to: &mut [f32]) -> Result<()> {
        if let Number::Single { taps, halves: Some((half, pairs)), .. } = &mut self.0 {
            samples.weigh(start, taps, pairs.frames());
            half.power(pairs, scale, to);
            return Ok(());
        }
        for (to, x) in to.iter_mut().zip(self.spectrum(samples, start)?) {
            *to = scale * x.norm_sqr();
        }
        Ok(())
    }

    /// Returns the frames of a spectrum, multiplied by the transform length. Frames after the window's end come from
    /// padding.
    pub fn frames(&mut self, of: &[Complex32]) -> Result<&[f32]> {
        match &mut self.0 {
            Number::Single { both, memory, .. } => {
                memory.spectrum.copy_from_slice(of);
                memory.inverse(both)?;
                Ok(&memory.frames)
            }
            Number::Double { both, memory, frames, .. } => {
                for (to, x) in memory.spectrum.iter_mut().zip(of) {
                    *to = Complex::new(f64::from(x.re), f64::from(x.im));
                }
                memory.inverse(both)?;
                for (to, &x) in frames.iter_mut().zip(&memory.frames) {
                    *to = x as f32;
                }
                Ok(frames)
            }
        }
    }
}
