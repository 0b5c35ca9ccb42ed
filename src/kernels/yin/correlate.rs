//! The difference `d` of a window at all lags, from the correlations and energies of its hops.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use std::sync::Arc;

use realfft::num_complex::Complex32;
use realfft::{ComplexToReal, RealFftPlanner};

use crate::error::{Error, Result};
use crate::kernels::stft::{HalfLength, Pairs, Samples};
use crate::simd::{Lanes, Simd, Task};

/// The number of hops that a transform covers, which is also the number of spectra that are kept.
const REACH: usize = 3;
/// The number of hops whose sums of squares are kept.
const ENERGIES: usize = 5;

/// Transforms for hops of one length.
#[derive(Clone)]
pub(super) struct Hops {
    hop: usize,
    longest: usize,
    forward: HalfLength,
    inverse: Arc<dyn ComplexToReal<f32>>,
}

impl Hops {
    /// Plans the transforms for lags up to `longest`, which is at most two hops.
    pub fn new(hop: usize, longest: usize) -> Self {
        // Even, because hops are even.
        let points = REACH * hop;
        let inverse = RealFftPlanner::new().plan_fft_inverse(points);
        Self { hop, longest, forward: HalfLength::new(points), inverse }
    }

    /// Starts at the window whose first hop is `hop`.
    pub fn start(&self, hop: i64) -> Windows<'_> {
        Windows {
            hops: self,
            next: hop,
            begun: false,
            spectra: std::array::from_fn(|_| self.inverse.make_input_vec()),
            pairs: self.forward.memory(),
            product: self.inverse.make_input_vec(),
            frames: self.inverse.make_output_vec(),
            scratch: self.inverse.make_scratch_vec(),
            correlations: std::array::from_fn(|_| vec![0.0; self.longest + 1]),
            energies: std::array::from_fn(|_| vec![0.0; self.hop + 1]),
        }
    }
}

/// Computes the differences of consecutive windows. The data of hop `b` is stored at `b` modulo the number of hops that
/// are kept.
pub(super) struct Windows<'a> {
    hops: &'a Hops,
    /// The first hop of the next window.
    next: i64,
    begun: bool,
    spectra: [Vec<Complex32>; REACH],
    pairs: Pairs,
    product: Vec<Complex32>,
    frames: Vec<f32>,
    scratch: Vec<Complex32>,
    correlations: [Vec<f32>; 2],
    energies: [Vec<f64>; ENERGIES],
}

fn place(hop: i64, of: usize) -> usize {
    hop.rem_euclid(of as i64) as usize
}

impl Windows<'_> {
    /// Writes the difference of the next window at lags 0 to the longest to `to`, and returns whether the window has
    /// energy. `to` does not change if it has none.
    pub fn next_difference(&mut self, samples: Samples<'_>, to: &mut [f32]) -> Result<bool> {
        let first = self.next;
        if !self.begun {
            self.begun = true;
            for hop in first..first + 3 {
                self.take(samples, hop);
            }
            self.correlate(first)?;
        }
        self.energy(samples, first + 3);
        self.take_spectrum(samples, first + 3);
        self.correlate(first + 1)?;
        self.next = first + 1;
        let energies: [&[f64]; 4] = std::array::from_fn(|hop| &*self.energies[place(first + hop as i64, ENERGIES)]);
        let heard = energies.iter().any(|sums| sums[self.hops.hop] > 0.0);
        if heard {
            let correlations = [0, 1].map(|hop| &*self.correlations[place(first + hop, 2)]);
            Simd::best().dispatch(Difference { hop: self.hops.hop, energies, correlations, to });
        }
        Ok(heard)
    }

    fn take(&mut self, samples: Samples<'_>, hop: i64) {
        self.energy(samples, hop);
        self.take_spectrum(samples, hop);
    }

    /// Computes the sums of squares of a hop up to each of its frames.
    fn energy(&mut self, samples: Samples<'_>, hop: i64) {
        let length = self.hops.hop;
        let start = hop * length as i64;
        self.frames.clear();
        samples.extract(start..start + length as i64, &mut self.frames);
        let sums = &mut self.energies[place(hop, ENERGIES)];
        let mut sum = 0.0;
        for (to, &x) in sums[1..].iter_mut().zip(&self.frames) {
            sum += f64::from(x) * f64::from(x);
            *to = sum;
        }
    }

    /// Computes the spectrum of a hop at its position modulo three.
    fn take_spectrum(&mut self, samples: Samples<'_>, hop: i64) {
        let length = self.hops.hop;
        let start = hop * length as i64;
        let slot = place(hop, REACH);
        self.frames.clear();
        samples.extract(start..start + length as i64, &mut self.frames);
        let frames = self.pairs.frames();
        frames.fill(0.0);
        frames[slot * length..][..length].copy_from_slice(&self.frames);
        self.hops.forward.spectrum(&mut self.pairs, &mut self.spectra[slot]);
    }

    /// Computes the correlation of a hop with the three hops that begin with it.
    fn correlate(&mut self, hop: i64) -> Result<()> {
        let [zero, one, two] = [0, 1, 2].map(|next| place(hop + next, REACH));
        Simd::best().dispatch(Product {
            spectra: [&self.spectra[zero], &self.spectra[one], &self.spectra[two]],
            to: &mut self.product,
        });
        self.frames.resize(REACH * self.hops.hop, 0.0);
        self.hops
            .inverse
            .process_with_scratch(&mut self.product, &mut self.frames, &mut self.scratch)
            .map_err(|error| Error::Internal(format!("a transform was refused: {error}")))?;
        let scale = 1.0 / (REACH * self.hops.hop) as f32;
        for (to, &x) in self.correlations[place(hop, 2)].iter_mut().zip(&self.frames) {
            *to = scale * x;
        }
        Ok(())
    }
}

/// Computes `conj(G_0) (G_0 + G_1 + G_2)`.
struct Product<'a> {
    spectra: [&'a [Complex32]; 3],
    to: &'a mut [Complex32],
}

impl Task for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let [a, b, c] = self.spectra;
        for (((to, a), b), c) in self.to.iter_mut().zip(a).zip(b).zip(c) {
            let (re, im) = (b.re + c.re, b.im + c.im);
            to.re = (a.re * a.re + a.im * a.im) + (a.re * re + a.im * im);
            to.im = a.re * im - a.im * re;
        }
        // The first and last bins of a real signal's spectrum are real. The inverse transform rejects rounding errors
        // there.
        if let Some(first) = self.to.first_mut() {
            first.im = 0.0;
        }
        if let Some(last) = self.to.last_mut() {
            last.im = 0.0;
        }
    }
}

/// Computes the energies of both windows minus twice their correlation.
struct Difference<'a> {
    hop: usize,
    /// Running sums of squares of the window's four hops.
    energies: [&'a [f64]; 4],
    correlations: [&'a [f32]; 2],
    to: &'a mut [f32],
}

impl Task for Difference<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { hop, energies, correlations: [c0, c1], to } = self;
        let still = energies[0][hop] + energies[1][hop];
        for (begun, to) in to.chunks_mut(hop).enumerate() {
            // At a lag of `begun` hops and `i` frames, the window covers the end of a hop, a whole hop and the
            // beginning of a third.
            let lags = begun * hop;
            let (c0, c1) = (&c0[lags..], &c1[lags..]);
            let constant = still + energies[begun][hop] + energies[(begun + 1).min(3)][hop];
            let leaves = energies[begun];
            let enters = energies.get(begun + 2).copied().unwrap_or(energies[3]);
            for (i, to) in to.iter_mut().enumerate() {
                let energy = constant + (enters[i] - leaves[i]);
                let value = energy - 2.0 * (f64::from(c0[i]) + f64::from(c1[i]));
                *to = if value > 0.0 { value as f32 } else { 0.0 };
            }
        }
    }
}
