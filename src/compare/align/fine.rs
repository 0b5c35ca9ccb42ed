//! The line between two recordings to a small fraction of a frame, from blocks at the full rate.
//!
//! Each block of the reference is compared with the other, read along the line found so far. The delay that remains in
//! a block is first the peak of its generalised cross-correlation with phase transform (C. Knapp and G. Carter, "The
//! generalized correlation method for estimation of time delay", IEEE TASSP 24, 1976), then the slope of its
//! cross-spectrum's phase, weighted by `g^2 / (1 - g^2)` with the coherence `g` of all blocks (the maximum likelihood
//! weights of the same paper). A robust line through the delays of all blocks corrects the line.

use std::sync::Arc;

use rayon::prelude::*;
use transforms::num_complex::Complex64;
use transforms::{ComplexToReal, RealFftPlanner, RealToComplex};

use super::line::{Line, Point, robust};
use super::warp::Interpolator;
use crate::design::Window;

/// The most blocks.
const BLOCKS: usize = 48;
/// The duration of a block in seconds, about.
const BLOCK_S: f64 = 0.3;
/// Fits by the peaks of correlations, then at most so many by phases.
const BY_PEAKS: usize = 2;
const BY_PHASES: usize = 6;
/// A line that moves by less than this, in frames, is final.
const SETTLED: f64 = 1e-5;
/// The interpolation is exact up to this share of the rate.
const HIGHEST: f64 = 0.44;
/// Bins on either side over which the coherence is averaged.
const SMOOTHED: usize = 8;

/// A line, and the share of the blocks that lie on it.
#[derive(Clone, Copy, Debug)]
pub(in crate::compare) struct Fitted {
    pub line: Line,
    pub share: f64,
    /// The signal-to-noise ratio in dB of the other against the reference along the line, at the best gain.
    pub snr_db: f64,
}

/// Blocks of two recordings at the full rate.
pub(in crate::compare) struct Fine<'a> {
    reference: &'a [f32],
    other: &'a [f32],
    sign: f64,
    size: usize,
    window: Vec<f64>,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

/// The windowed samples and spectra of a block of both.
struct Block {
    start: usize,
    samples: [Vec<f32>; 2],
    spectra: [Vec<Complex64>; 2],
}

impl<'a> Fine<'a> {
    /// Prepares to fit; `sign` is -1 if the other is inverted. `common` is the number of frames that both have in common.
    pub fn new(reference: &'a [f32], other: &'a [f32], sign: f64, rate_hz: f64, common: usize) -> Self {
        let longest = ((BLOCK_S * rate_hz) as usize).next_power_of_two().clamp(256, 1 << 16);
        let size = longest.min((common.max(2) + 1).next_power_of_two() / 2).max(64);
        let mut planner = RealFftPlanner::<f64>::new();
        Self {
            reference,
            other,
            sign,
            size,
            window: Window::Hann.periodic(size),
            forward: planner.plan_fft_forward(size),
            inverse: planner.plan_fft_inverse(size),
        }
    }

    /// Corrects a line that is within `reach` frames of the truth. Returns `None` if nothing is in common.
    pub fn fitted(&self, start: Line, reach: f64, max_drift: f64) -> Option<Fitted> {
        let mut line = start;
        let mut share = 0.0;
        for round in 0..BY_PEAKS + BY_PHASES {
            let blocks = self.blocks(line);
            let weights = weights(&blocks)?;
            let points: Vec<Point> = blocks
                .par_iter()
                .filter_map(|block| {
                    let (delay, weight) = if round < BY_PEAKS {
                        self.by_peak(block, &weights, if round == 0 { reach } else { reach.min(8.0) })?
                    } else {
                        by_phase(block, &weights, self.size)?
                    };
                    let x = block.start as f64 + self.size as f64 / 2.0;
                    Some(Point { x, y: line.at(x) + delay, weight })
                })
                .collect();
            let least_scale = if round < BY_PEAKS { 0.05 } else { 1e-6 };
            // By peaks, blocks count alike: a loud one may be wrong by a period.
            let count_alike = |point: &Point| Point { weight: 1.0, ..*point };
            let counted: Vec<Point> = if round < BY_PEAKS { points.iter().map(count_alike).collect() } else { points };
            let (next, on_line) = robust(&counted, median_line(&counted, line), least_scale)?;
            if !(next.offset.is_finite() && (next.slope - 1.0).abs() <= max_drift) {
                return None;
            }
            let ends = [0.0, self.reference.len() as f64];
            let moved = ends.map(|x| (next.at(x) - line.at(x)).abs()).into_iter().fold(0.0, f64::max);
            (line, share) = (next, on_line * counted.len() as f64 / blocks.len() as f64);
            if round > BY_PEAKS && moved < SETTLED {
                break;
            }
        }
        Some(Fitted { line, share, snr_db: self.snr_db(line) })
    }

    /// Returns the ratio, in dB, of what the reference explains of the other to the rest; infinite for copies.
    pub fn snr_db(&self, line: Line) -> f64 {
        let (mut rr, mut oo, mut ro) = (0.0, 0.0, 0.0);
        for block in self.samples(line) {
            for (r, o) in block.1[0].iter().zip(&block.1[1]) {
                let (r, o) = (f64::from(*r), f64::from(*o));
                rr += r * r;
                oo += o * o;
                ro += r * o;
            }
        }
        let explained = if rr > 0.0 { ro * ro / rr } else { 0.0 };
        10.0 * (explained / (oo - explained).max(0.0)).log10()
    }

    /// Returns the samples of blocks spread over what both have in common.
    fn samples(&self, line: Line) -> Vec<(usize, [Vec<f32>; 2])> {
        let common = line.common(self.reference.len(), self.other.len());
        if common.len() < self.size {
            return Vec::new();
        }
        let room = common.len() - self.size;
        let count = (2 * room / self.size + 1).min(BLOCKS);
        let start = |block: usize| common.start + if count == 1 { room / 2 } else { room * block / (count - 1) };
        let read = |start: usize| {
            let mut other = vec![0.0f32; self.size];
            match line.whole_offset() {
                Some(offset) => {
                    let from = (start as i64 + offset) as usize;
                    other.copy_from_slice(&self.other[from..from + self.size]);
                }
                None => Interpolator::shared().along(self.other, &line, start, &mut other),
            }
            (start, [self.reference[start..start + self.size].to_vec(), other])
        };
        (0..count).into_par_iter().map(|block| read(start(block))).collect()
    }

    fn blocks(&self, line: Line) -> Vec<Block> {
        let spectrum = |samples: &[f32], sign: f64| {
            let mut frames: Vec<f64> =
                samples.iter().zip(&self.window).map(|(x, w)| f64::from(*x) * w * sign).collect();
            let mut bins = self.forward.make_output_vec();
            // Lengths are those of the plan, so this does not fail.
            let _ = self.forward.process(&mut frames, &mut bins);
            bins
        };
        let block = |(start, samples): (usize, [Vec<f32>; 2])| {
            let spectra = [spectrum(&samples[0], 1.0), spectrum(&samples[1], self.sign)];
            Block { start, samples, spectra }
        };
        let blocks: Vec<Block> = self.samples(line).into_par_iter().map(block).collect();
        let energy = |samples: &[f32]| samples.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
        blocks.into_iter().filter(|block| block.samples.iter().all(|samples| energy(samples) > 0.0)).collect()
    }

    /// Returns the delay at the peak of the weighted correlation within `reach` frames.
    fn by_peak(&self, block: &Block, weights: &[f64], reach: f64) -> Option<(f64, f64)> {
        let mut bins: Vec<Complex64> = block.spectra[0]
            .iter()
            .zip(&block.spectra[1])
            .zip(weights)
            .map(|((r, o), weight)| {
                let cross = r.conj() * o;
                let size = cross.norm();
                // The phase alone, but of what is certain.
                if size > 0.0 { cross / size * (weight / (1.0 + weight)) } else { Complex64::default() }
            })
            .collect();
        bins[0] = Complex64::default();
        if let Some(last) = bins.last_mut() {
            last.im = 0.0;
        }
        let mut correlation = self.inverse.make_output_vec();
        self.inverse.process(&mut bins, &mut correlation).ok()?;
        let reach = (reach.ceil() as i64).min(self.size as i64 / 4);
        let value = |lag: i64| correlation[lag.rem_euclid(self.size as i64) as usize];
        let best = (-reach..=reach).max_by(|&a, &b| value(a).total_cmp(&value(b)))?;
        let [a, b, c] = [best - 1, best, best + 1].map(value);
        let curve = a - 2.0 * b + c;
        let part = if curve < 0.0 { (0.5 * (a - c) / curve).clamp(-0.5, 0.5) } else { 0.0 };
        (b > 0.0).then_some((best as f64 + part, b))
    }
}

/// Returns the delay of the other in a block by the phase of its cross-spectrum, and the evidence for it.
fn by_phase(block: &Block, weights: &[f64], size: usize) -> Option<(f64, f64)> {
    let (mut above, mut below) = (0.0, 0.0);
    for (bin, ((r, o), weight)) in block.spectra[0].iter().zip(&block.spectra[1]).zip(weights).enumerate() {
        // A delay of the other turns the phase of this product forward.
        let cross = r * o.conj();
        let turn = std::f64::consts::TAU * bin as f64 / size as f64;
        let norm = r.norm_sqr().max(o.norm_sqr());
        if norm > 0.0 && cross.re > 0.0 {
            let share = weight * (cross.re / norm).min(1.0);
            above += share * turn * cross.arg();
            below += share * turn * turn;
        }
    }
    (below > 0.0).then(|| (above / below, below))
}

/// Returns the maximum likelihood weight of each bin from the coherence of all blocks.
///
/// Cross-spectra are averaged over neighbouring bins within a block, where a small delay hardly turns them, and their
/// magnitudes over the blocks, whose delays may differ.
fn weights(blocks: &[Block]) -> Option<Vec<f64>> {
    let bins = blocks.first()?.spectra[0].len();
    let reach = (bins / 1024).clamp(1, SMOOTHED);
    let near = |bin: usize| bin.saturating_sub(reach)..(bin + reach + 1).min(bins);
    let mut sums = vec![(0.0, 0.0, 0.0); bins];
    let mut running = vec![Complex64::default(); bins + 1];
    for block in blocks {
        for (bin, (r, o)) in block.spectra[0].iter().zip(&block.spectra[1]).enumerate() {
            running[bin + 1] = running[bin] + r * o.conj();
            sums[bin].1 += r.norm_sqr();
            sums[bin].2 += o.norm_sqr();
        }
        for (bin, sum) in sums.iter_mut().enumerate() {
            sum.0 += (running[near(bin).end] - running[near(bin).start]).norm();
        }
    }
    let highest = (2.0 * HIGHEST * bins as f64) as usize;
    let weight = |bin: usize| {
        let near = near(bin);
        let chance = 1.0 / near.len() as f64;
        let (rr, oo) = sums[near].iter().fold((0.0, 0.0), |a, b| (a.0 + b.1, a.1 + b.2));
        let coherence = if rr > 0.0 && oo > 0.0 { sums[bin].0.powi(2) / (rr * oo) } else { 0.0 };
        // Less what unrelated spectra have by chance.
        let coherence = ((coherence - chance) / (1.0 - chance)).clamp(0.0, 1.0 - 1e-9);
        if bin == 0 || bin > highest { 0.0 } else { coherence / (1.0 - coherence) }
    };
    Some((0..bins).map(weight).collect())
}

/// Moves a line by the weighted median of the deviations of points.
fn median_line(points: &[Point], line: Line) -> Line {
    let mut off: Vec<(f64, f64)> = points.iter().map(|point| (point.y - line.at(point.x), point.weight)).collect();
    off.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = off.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    let middle = off.iter().find(|(_, weight)| {
        sum += weight;
        sum >= total / 2.0
    });
    Line { offset: line.offset + middle.map_or(0.0, |(off, _)| *off), ..line }
}
