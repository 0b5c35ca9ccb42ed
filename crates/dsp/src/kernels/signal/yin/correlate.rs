//! The difference `d` of a window at all lags, from the correlations and energies of its hops.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use transforms::num_complex::Complex32;

use crate::kernels::signal::stft::{Bins, HalfLength, InverseHalfLength, InversePairs, Pairs, Samples};
use base::simd::{LANES, Lanes, Simd, Singles, Task};

/// The number of hops that a transform covers, which is also the number of spectra that are kept.
const REACH: usize = 3;
/// The number of hops whose sums of squares are kept.
const ENERGIES: usize = 5;
/// The number of sums of squares that grow side by side.
const QUARTERS: usize = 4;

/// Transforms for hops of one length.
#[derive(Clone)]
pub(super) struct Hops {
    hop: usize,
    longest: usize,
    forward: HalfLength,
    inverse: InverseHalfLength,
}

impl Hops {
    /// Plans the transforms for lags up to `longest`, which is at most two hops.
    pub fn new(hop: usize, longest: usize) -> Self {
        // Even, because hops are even.
        let points = REACH * hop;
        Self { hop, longest, forward: HalfLength::new(points), inverse: InverseHalfLength::new(points) }
    }

    /// Starts at the window whose first hop is `hop`.
    pub fn start(&self, hop: i64) -> Windows<'_> {
        Windows {
            hops: self,
            next: hop,
            begun: false,
            spectra: std::array::from_fn(|_| vec![Complex32::default(); REACH * self.hop / 2 + 1]),
            placed: std::array::from_fn(|_| vec![0.0; REACH * self.hop]),
            pairs: self.forward.memory(),
            inverse: self.inverse.memory(),
            frames: Vec::new(),
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
    /// For each position of a hop, a transform's frames with that hop and zeros.
    placed: [Vec<f32>; REACH],
    pairs: Pairs,
    inverse: InversePairs,
    /// Copies of frames at the ends of the samples.
    frames: Vec<f32>,
    correlations: [Vec<f32>; 2],
    energies: [Vec<f64>; ENERGIES],
}

fn place(hop: i64, of: usize) -> usize {
    hop.rem_euclid(of as i64) as usize
}

impl Windows<'_> {
    /// Writes the difference of the next window at lags 0 to the longest to `to`, and returns whether the window has
    /// energy. `to` does not change if it has none.
    pub fn next_difference(&mut self, samples: Samples<'_>, to: &mut [f32]) -> bool {
        let first = self.next;
        if !self.begun {
            self.begun = true;
            for hop in first..first + 3 {
                self.take(samples, hop);
            }
            self.correlate(first);
        }
        self.energy(samples, first + 3);
        self.take_spectrum(samples, first + 3);
        self.correlate(first + 1);
        self.next = first + 1;
        let energies: [&[f64]; 4] = std::array::from_fn(|hop| &*self.energies[place(first + hop as i64, ENERGIES)]);
        let heard = energies.iter().any(|sums| sums[self.hops.hop] > 0.0);
        if heard {
            let correlations = [0, 1].map(|hop| &*self.correlations[place(first + hop, 2)]);
            Simd::best().dispatch(Difference { hop: self.hops.hop, energies, correlations, to });
        }
        heard
    }

    fn take(&mut self, samples: Samples<'_>, hop: i64) {
        self.energy(samples, hop);
        self.take_spectrum(samples, hop);
    }

    /// Computes the sums of squares of a hop up to each of its frames.
    fn energy(&mut self, samples: Samples<'_>, hop: i64) {
        let length = self.hops.hop;
        let start = hop * length as i64;
        let frames = samples.frames(start..start + length as i64, &mut self.frames);
        let sums = &mut self.energies[place(hop, ENERGIES)][1..];
        Simd::best().dispatch(RunningSums { frames, sums });
    }

    /// Computes the spectrum of a hop at its position modulo three.
    fn take_spectrum(&mut self, samples: Samples<'_>, hop: i64) {
        let length = self.hops.hop;
        let start = hop * length as i64;
        let slot = place(hop, REACH);
        let taken = samples.frames(start..start + length as i64, &mut self.frames);
        let placed = &mut self.placed[slot];
        placed[slot * length..][..length].copy_from_slice(taken);
        self.hops.forward.spectrum_of(placed, &mut self.pairs, &mut self.spectra[slot]);
    }

    /// Computes the correlation of a hop with the three hops that begin with it.
    fn correlate(&mut self, hop: i64) {
        let spectra = [0, 1, 2].map(|next| &*self.spectra[place(hop + next, REACH)]);
        let frames = self.hops.inverse.frames(&Product { spectra }, &mut self.inverse);
        let scale = 1.0 / (REACH * self.hops.hop / 2) as f32;
        for (to, &x) in self.correlations[place(hop, 2)].iter_mut().zip(frames) {
            *to = scale * x;
        }
    }
}

/// Computes the sums of squares of a hop up to each of its frames: of each quarter for itself, so that four sums grow at
/// a time, then from the beginning.
struct RunningSums<'a> {
    frames: &'a [f32],
    sums: &'a mut [f64],
}

impl Task for RunningSums<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { frames, sums } = self;
        // A hop is a multiple of four frames.
        let part = frames.len() / QUARTERS;
        let mut running = [0.0; QUARTERS];
        for i in 0..part {
            for (quarter, sum) in running.iter_mut().enumerate() {
                let x = f64::from(frames[quarter * part + i]);
                *sum += x * x;
                sums[quarter * part + i] = *sum;
            }
        }
        let mut before = 0.0;
        for (quarter, total) in sums.chunks_exact_mut(part.max(1)).zip(running) {
            if before > 0.0 {
                for sum in quarter.iter_mut() {
                    *sum += before;
                }
            }
            before += total;
        }
    }
}

/// The bins of `conj(G_0) (G_0 + G_1 + G_2)`.
struct Product<'a> {
    spectra: [&'a [Complex32]; 3],
}

impl Product<'_> {
    #[inline(always)]
    fn eight<S: Singles>(&self, from: usize) -> [S; 2] {
        let [a, b, c] = self.spectra;
        let [ar, ai] = S::load_complex(eight(a, from));
        let ([br, bi], [cr, ci]) = (S::load_complex(eight(b, from)), S::load_complex(eight(c, from)));
        let (re, im) = (br.add(cr), bi.add(ci));
        let energy = ar.mul(ar).add(ai.mul(ai));
        [energy.add(ar.mul(re).add(ai.mul(im))), ar.mul(im).sub(ai.mul(re))]
    }
}

impl Bins for Product<'_> {
    #[inline(always)]
    fn block<S: Singles>(&self, k: usize, last: usize) -> ([S; 2], [S; 2]) {
        let [re, im] = self.eight::<S>(last + 1 - LANES);
        (self.eight(k), [re.reversed(), im.reversed()])
    }

    #[inline(always)]
    fn one(&self, bin: usize) -> Complex32 {
        let [a, b, c] = [self.spectra[0][bin], self.spectra[1][bin], self.spectra[2][bin]];
        let (re, im) = (b.re + c.re, b.im + c.im);
        Complex32::new((a.re * a.re + a.im * a.im) + (a.re * re + a.im * im), a.re * im - a.im * re)
    }
}

#[inline(always)]
fn eight(values: &[Complex32], from: usize) -> &[Complex32; LANES] {
    values[from..].first_chunk().expect("eight bins, as planned")
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
