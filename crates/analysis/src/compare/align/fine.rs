//! The line between two recordings to a small fraction of a frame, from blocks at the full rate.
//!
//! Each block of the reference is compared with the other, read along the line found so far. The delay that remains in
//! a block is first the peak of its generalised cross-correlation with phase transform (C. Knapp and G. Carter, "The
//! generalized correlation method for estimation of time delay", IEEE TASSP 24, 1976); a robust line through the peaks
//! of all blocks corrects the line. From the line that explains most, the line of maximum likelihood is estimated
//! ([`super::likelihood`]), from as many blocks as a small error needs. The result is the simplest line that is
//! likelier than this one.

use std::sync::Arc;

use rayon::prelude::*;
use transforms::num_complex::Complex64;
use transforms::{ComplexToReal, RealFftPlanner, RealToComplex};

use super::likelihood::{Estimate, Heard, estimate};
use super::line::{Line, Point, robust};
use super::warp::Interpolator;

/// The maximum number of blocks at first, and in all.
const BLOCKS: usize = 48;
const ALL_BLOCKS: usize = 512;
/// A standard error, in frames, for which no more blocks are needed.
const EXACT: f64 = 1e-3;
/// The approximate duration of a block in seconds.
const BLOCK_S: f64 = 0.3;
/// The number of fits by the peaks of correlations, then the maximum of those by phases.
const BY_PEAKS: usize = 2;
const BY_PHASES: usize = 6;
/// A line that moves by less than this, in frames, is final.
const SETTLED: f64 = 1e-5;
/// The interpolation is exact up to this share of the rate.
const HIGHEST: f64 = 0.44;
/// Delays of blocks that differ by at most this many frames are of one place: drift and noise cause as much.
const ONE_PLACE: f64 = 6.0;
/// Bins on either side over which the coherence is averaged.
const SMOOTHED: usize = 8;
/// The share of a window that fades at each end.
const FADES: f64 = 0.125;
/// The prior odds of no drift, and of whole frames, against any other value.
const ODDS: f64 = 10.0;
/// A whole offset is as good if it is within this many frames and costs at most this many dB: codecs and filters shift
/// the sound by as much.
const NEAR: f64 = 0.005;
const COSTS_DB: f64 = 0.01;
/// How much less, in dB, the likeliest line may explain than the one it began with. Beyond, the noise does not fit the
/// model, as with codecs, whose noise follows the signal.
const LOST_DB: f64 = 0.1;
/// Above this ratio in dB, all that is left is the rounding of the interpolation.
const AS_GOOD_DB: f64 = 100.0;

/// A line, and the share of the blocks that lie on it.
#[derive(Clone, Copy, Debug)]
pub(in crate::compare) struct Fitted {
    pub line: Line,
    pub share: f64,
    /// The signal-to-noise ratio in dB of the other against the reference along the line, at the best gain.
    pub snr_db: f64,
    /// The standard error of the line in frames, where it is largest.
    pub error: f64,
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

/// The spectra of a block of both.
struct Block {
    start: usize,
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
            window: window(size),
            forward: planner.plan_fft_forward(size),
            inverse: planner.plan_fft_inverse(size),
        }
    }

    /// Corrects a line that is within `reach` frames of the truth. Returns `None` if nothing is in common.
    pub fn fitted(&self, start: Line, reach: f64, max_drift: f64) -> Option<Fitted> {
        let mut line = start;
        let mut share = 0.0;
        // The line that explains most: the given one or one through the peaks.
        let mut best: Option<(f64, Line, Estimate)> = None;
        for round in 0..BY_PEAKS {
            let blocks = self.blocks(line);
            let weights = weights(&blocks)?;
            // Blocks count alike: a loud one may be wrong by a period.
            let points: Vec<Point> = blocks
                .par_iter()
                .filter_map(|block| {
                    let delay = self.by_peak(block, &weights, if round == 0 { reach } else { reach.min(8.0) })?;
                    let x = block.start as f64 + self.size as f64 / 2.0;
                    Some(Point { x, y: line.at(x) + delay, weight: 1.0 })
                })
                .collect();
            let points = gathered(&points, line);
            let (next, on_line) = robust(&points, median_line(&points, line), 0.05)?;
            is_within(next, max_drift).then_some(())?;
            for of in [line, next] {
                let snr_db = self.snr_db(of);
                if best.as_ref().is_none_or(|best| snr_db >= best.0) {
                    best = Some((snr_db, of, scatter(&points, of)));
                }
            }
            (line, share) = (next, on_line * points.len() as f64 / blocks.len() as f64);
        }
        let (least_db, line, scattered) = best?;
        let likeliest = self.likeliest(line, max_drift);
        let likeliest = likeliest.filter(|(line, _)| self.snr_db(*line) >= least_db - LOST_DB);
        let (line, found) = likeliest.unwrap_or((line, scattered));
        Some(Fitted { share, ..self.simplest(line, &found, max_drift) })
    }

    /// Corrects a line that is within a frame or so of the truth; `None` if the likelihood does not know better.
    pub fn refined(&self, start: Line, max_drift: f64) -> Option<Fitted> {
        let (line, estimate) = self.likeliest(start, max_drift)?;
        let loses = self.snr_db(line) < self.snr_db(start) - LOST_DB;
        (!loses).then(|| self.simplest(line, &estimate, max_drift))
    }

    /// Returns the line of the largest likelihood near a line.
    fn likeliest(&self, start: Line, max_drift: f64) -> Option<(Line, Estimate)> {
        let common = start.common(self.reference.len(), self.other.len()).len();
        let all = common.div_ceil(self.size).clamp(BLOCKS, ALL_BLOCKS);
        let mut line = start;
        let mut most = BLOCKS;
        let mut rounds = 0;
        loop {
            let heard = self.heard(line, most);
            let overlap = (heard.len() * self.size) as f64 / common.max(1) as f64;
            let found = estimate(&heard, self.highest(), self.redundancy() * overlap.max(1.0))?;
            let slope = line.slope + found.drift;
            let next = Line { offset: line.at(found.x) + found.delay - slope * found.x, slope };
            is_within(next, max_drift).then_some(())?;
            let ends = [0.0, self.reference.len() as f64];
            let moved = ends.map(|x| (next.at(x) - line.at(x)).abs()).into_iter().fold(0.0, f64::max);
            line = next;
            rounds += 1;
            let is_settled = moved < SETTLED.max(0.02 * found.delay_error) || rounds >= BY_PHASES;
            if is_settled && (most == all || found.delay_error < EXACT) {
                return Some((line, found));
            }
            if is_settled {
                (most, rounds) = (all, BY_PHASES - 2);
            }
        }
    }

    /// Returns the simplest line that is likelier than the fitted one: whole frames without a drift, else a fraction
    /// without a drift, else a drift.
    fn simplest(&self, line: Line, found: &Estimate, max_drift: f64) -> Fitted {
        let snr_db = self.snr_db(line);
        let drift = line.slope - 1.0;
        let offset = line.at(found.x) - found.x;
        let fitted = |line: Line, snr_db: f64, error: f64| Fitted { line, share: 1.0, snr_db, error };
        let still = Line { offset, slope: 1.0 };
        let still_db = self.snr_db(still);
        if !is_chance(drift, found.drift_error, 2.0 * max_drift) && still_db < AS_GOOD_DB {
            let furthest =
                [0.0, self.reference.len() as f64].map(|x| (x - found.x).abs()).into_iter().fold(0.0, f64::max);
            return fitted(line, snr_db, found.delay_error.hypot(found.drift_error * furthest));
        }
        // The whole offset on either side that explains more: half-way between the two, which is nearer is chance.
        let whole = [offset.floor(), offset.ceil()].map(|offset| Line { offset, slope: 1.0 });
        let [below, above] = whole.map(|line| (line, self.snr_db(line)));
        let (whole, whole_db) = if above.1 > below.1 { above } else { below };
        let off = (offset - whole.offset).abs();
        let is_as_good = off <= NEAR && whole_db >= still_db - COSTS_DB;
        if is_chance(off, found.delay_error, 1.0) || is_as_good || whole_db >= AS_GOOD_DB {
            return fitted(whole, whole_db, found.delay_error);
        }
        fitted(still, still_db, found.delay_error)
    }

    /// Returns the ratio, in dB, of the part of the other that the reference explains to the rest; infinite for copies.
    pub fn snr_db(&self, line: Line) -> f64 {
        let (mut rr, mut oo, mut ro) = (0.0, 0.0, 0.0);
        for block in self.samples(line, BLOCKS) {
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

    /// Returns the first frames of at most `most` blocks, spread over what both have in common.
    fn starts(&self, line: Line, most: usize) -> Vec<usize> {
        let common = line.common(self.reference.len(), self.other.len());
        if common.len() < self.size {
            return Vec::new();
        }
        let room = common.len() - self.size;
        let count = (2 * room / self.size + 1).min(most);
        let start = |block: usize| common.start + if count == 1 { room / 2 } else { room * block / (count - 1) };
        (0..count).map(start).collect()
    }

    /// Returns the samples of blocks.
    fn samples(&self, line: Line, most: usize) -> Vec<(usize, [Vec<f32>; 2])> {
        self.starts(line, most).into_par_iter().map(|start| (start, self.read(line, start))).collect()
    }

    /// Returns the samples of the block that begins at a frame.
    fn read(&self, line: Line, start: usize) -> [Vec<f32>; 2] {
        let mut other = vec![0.0f32; self.size];
        match line.whole_offset() {
            Some(offset) => {
                let from = (start as i64 + offset) as usize;
                other.copy_from_slice(&self.other[from..from + self.size]);
            }
            None => Interpolator::shared().along(self.other, &line, start, &mut other),
        }
        [self.reference[start..start + self.size].to_vec(), other]
    }

    /// Returns a block, unless one of both is silent in it.
    fn block(&self, line: Line, start: usize) -> Option<Block> {
        let samples = self.read(line, start);
        let is_silent = |samples: &Vec<f32>| samples.iter().all(|&sample| sample == 0.0);
        if samples.iter().any(is_silent) {
            return None;
        }
        let spectrum = |samples: &[f32], sign: f64| {
            let mut frames: Vec<f64> =
                samples.iter().zip(&self.window).map(|(x, w)| f64::from(*x) * w * sign).collect();
            let mut bins = self.forward.make_output_vec();
            // The lengths match the plan, so this does not fail.
            let _ = self.forward.process(&mut frames, &mut bins);
            bins
        };
        Some(Block { start, spectra: [spectrum(&samples[0], 1.0), spectrum(&samples[1], self.sign)] })
    }

    fn blocks(&self, line: Line) -> Vec<Block> {
        self.starts(line, BLOCKS).into_par_iter().filter_map(|start| self.block(line, start)).collect()
    }

    /// Returns the sums that the likelihood needs, for at most `most` blocks.
    fn heard(&self, line: Line, most: usize) -> Vec<Heard> {
        let one = |start: usize| {
            let block = self.block(line, start)?;
            let x = start as f64 + self.size as f64 / 2.0;
            Some(Heard::new(x, [&block.spectra[0], &block.spectra[1]], self.highest()))
        };
        self.starts(line, most).into_par_iter().filter_map(one).collect()
    }

    /// The highest bin that the interpolation keeps.
    fn highest(&self) -> usize {
        (HIGHEST * self.size as f64) as usize
    }

    /// The factor by which the window function increases the variance of an estimate.
    fn redundancy(&self) -> f64 {
        let power = |of: i32| self.window.iter().map(|w| w.powi(of)).sum::<f64>();
        self.size as f64 * power(4) / power(2).powi(2)
    }

    /// Returns the delay at the peak of the weighted correlation within `reach` frames.
    fn by_peak(&self, block: &Block, weights: &[f64], reach: f64) -> Option<f64> {
        let mut bins: Vec<Complex64> = block.spectra[0]
            .iter()
            .zip(&block.spectra[1])
            .zip(weights)
            .map(|((r, o), weight)| {
                let cross = r.conj() * o;
                let size = cross.norm();
                // The phase alone, weighted by its certainty.
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
        (b > 0.0).then_some(best as f64 + part)
    }
}

/// Returns a window that fades at both ends as a cosine: nearly all frames count alike, and beyond a few bins leakage
/// falls with the cube of the distance.
fn window(size: usize) -> Vec<f64> {
    let fade = (FADES * size as f64).max(1.0);
    let value = |n: usize| {
        let x = (n.min(size - 1 - n) as f64 + 0.5) / fade;
        if x < 1.0 { 0.5 - 0.5 * (std::f64::consts::PI * x).cos() } else { 1.0 }
    };
    (0..size).map(value).collect()
}

/// Returns whether a line is finite and its drift at most `max_drift`.
fn is_within(line: Line, max_drift: f64) -> bool {
    line.offset.is_finite() && (line.slope - 1.0).abs() <= max_drift
}

/// Returns the points near the offset of most of them: parts beside a short cut have another offset.
fn gathered(points: &[Point], line: Line) -> Vec<Point> {
    let off = |point: &Point| point.y - line.at(point.x);
    let near = |at: f64, within: f64| points.iter().filter(move |point| (off(point) - at).abs() <= within);
    let most = points.iter().map(off).max_by_key(|&at| near(at, ONE_PLACE).count());
    most.map_or_else(Vec::new, |at| near(at, 2.0 * ONE_PLACE).copied().collect())
}

/// Returns how exact a line through points is, by their scatter.
fn scatter(points: &[Point], line: Line) -> Estimate {
    let count = points.len().max(1) as f64;
    let x = points.iter().map(|point| point.x).sum::<f64>() / count;
    let moment = points.iter().map(|point| (point.x - x).powi(2)).sum::<f64>();
    let mut off: Vec<f64> = points.iter().map(|point| (point.y - line.at(point.x)).abs()).collect();
    off.sort_by(f64::total_cmp);
    // The median magnitude, as a standard deviation; peaks are exact to some thousandths of a frame.
    let deviation = (1.483 * off.get(off.len() / 2).copied().unwrap_or(f64::INFINITY)).max(EXACT);
    let drift_error = if moment > 0.0 { deviation / moment.sqrt() } else { f64::INFINITY };
    Estimate { x, delay: 0.0, drift: 0.0, delay_error: deviation / count.sqrt(), drift_error }
}

/// Whether it is likelier that a value is 0 and was found by chance, with a standard error, than that it is anything else
/// within a range of `width`.
fn is_chance(value: f64, error: f64, width: f64) -> bool {
    let odds = (ODDS * width / (error * std::f64::consts::TAU.sqrt())).max(ODDS);
    !error.is_finite() || (value / error).powi(2) < 2.0 * odds.ln()
}

/// Returns the signal-to-noise ratio of each bin from the coherence of all blocks.
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
        // Minus the chance coherence of unrelated spectra.
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
