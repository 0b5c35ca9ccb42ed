//! The delays of blocks by maximum likelihood, and how exact they are.
//!
//! The model: the other is the reference, filtered by a real gain `H` and delayed, plus noise of power `N`. A delay `d`
//! turns the cross-spectrum of a block by `w d`; its likelihood is largest where `sum w H / N Im(R O*)` is 0, and its
//! Fisher information is `2 sum w^2 H^2 |R|^2 / N` (C. Knapp and G. Carter, IEEE TASSP 24, 1976). `H` and `N` are
//! estimated from the blocks, the noise as the product of a spectrum and a level for each block, so that a block in
//! which the other has something else counts for little.
//!
//! The variance is the largest of three: the Cramér-Rao bound, and estimates from the scatter of the blocks and of the
//! frequencies. Codecs and filters that change the phase make the last two larger than the bound.

use transforms::num_complex::Complex64;

/// The maximum number of bands to which the bins of a block are summed.
const BANDS: usize = 512;
/// The minimum number of bins, over all blocks, from which `H` and `N` of a band are estimated.
const POOLED: usize = 32;
/// The minimum power of the noise relative to the signal: the error of the interpolation and of single precision.
const LEAST_NOISE: f64 = 1e-9;
/// Groups of bands whose delays are compared.
const GROUPS: usize = 8;
/// The minimum standard error, in frames.
const LEAST_ERROR: f64 = 1e-6;

/// Sums over the bins of a band, with the angular frequency `w` in radians per frame.
#[derive(Clone, Copy, Debug, Default)]
struct Band {
    /// `|R|^2`, `|O|^2` and the real part of `R O*`.
    reference: f64,
    other: f64,
    product: f64,
    /// `w Im(R O*)` and `w^2 |R|^2`.
    turned: f64,
    bent: f64,
}

/// A block of both.
pub(super) struct Heard {
    /// Its middle, in frames of the reference.
    pub x: f64,
    bands: Vec<Band>,
}

impl Heard {
    /// Sums the spectra of a block of both up to the bin `highest`.
    pub fn new(x: f64, [reference, other]: [&[Complex64]; 2], highest: usize) -> Self {
        let turn = std::f64::consts::PI / (reference.len() - 1).max(1) as f64;
        let width = width(highest);
        let mut bands = vec![Band::default(); highest.div_ceil(width)];
        for (bin, (r, o)) in reference.iter().zip(other).enumerate().take(highest + 1).skip(1) {
            let w = turn * bin as f64;
            let (cross, power) = (r * o.conj(), r.norm_sqr());
            let band = &mut bands[(bin - 1) / width];
            band.reference += power;
            band.other += o.norm_sqr();
            band.product += cross.re;
            band.turned += w * cross.im;
            band.bent += w * w * power;
        }
        Self { x, bands }
    }
}

/// Bins in a band.
fn width(highest: usize) -> usize {
    highest.div_ceil(BANDS).max(1)
}

/// The delay that remains along a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// The frame of the reference at which delay and drift are independent of each other.
    pub x: f64,
    /// The delay there, in frames.
    pub delay: f64,
    /// The growth of the delay, in frames per frame.
    pub drift: f64,
    /// The standard errors of both; infinite for a drift that one block cannot show.
    pub delay_error: f64,
    pub drift_error: f64,
}

/// Gain and noise of each band, and the noise level of each block.
struct Noise {
    gains: Vec<f64>,
    powers: Vec<f64>,
    levels: Vec<f64>,
}

/// Estimates delay and drift. `redundancy` is the factor by which the window function and overlapping blocks make the
/// variance exceed that of independent bins.
pub(super) fn estimate(blocks: &[Heard], highest: usize, redundancy: f64) -> Option<Estimate> {
    let noise = noise(blocks, width(highest));
    // Score and information of each block and band.
    let bands = noise.gains.len();
    let of = |block: usize, band: usize| {
        let (sums, gain) = (&blocks[block].bands[band], noise.gains[band]);
        let power = noise.powers[band] * noise.levels[block];
        if power > 0.0 && power.is_finite() {
            [2.0 * gain * sums.turned / power, 2.0 * gain * gain * sums.bent / power]
        } else {
            [0.0; 2]
        }
    };
    let summed =
        |block: usize| (0..bands).map(|band| of(block, band)).fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
    let points: Vec<(f64, [f64; 2])> = (0..blocks.len()).map(|block| (blocks[block].x, summed(block))).collect();
    let mut trusts = vec![1.0; blocks.len()];
    let mut fit = Fit::of(&points, &trusts)?;
    for _ in 0..8 {
        let off = |(x, [score, information]): &(f64, [f64; 2])| {
            if *information > 0.0 {
                (score / information - fit.at(*x)).abs() * (information / redundancy).sqrt()
            } else {
                0.0
            }
        };
        let mut sorted: Vec<f64> = points.iter().map(off).collect();
        let trust = |z: f64, scale: f64| (1.0 - (z / (4.7 * scale)).powi(2)).max(0.0).powi(2);
        let all = sorted.clone();
        sorted.sort_by(f64::total_cmp);
        let scale = (1.483 * sorted[sorted.len() / 2]).max(1.0);
        trusts = all.into_iter().map(|z| trust(z, scale)).collect();
        let next = Fit::of(&points, &trusts)?;
        let moved = (next.delay - fit.delay).abs();
        fit = next;
        if moved < 1e-9 {
            break;
        }
    }
    let variances = variances(&points, &trusts, &fit, redundancy);
    let grouped = of_groups(&points, &trusts, &fit, bands, of);
    let error = |variance: f64, other: f64, least: f64| variance.max(other).sqrt().max(least);
    let length = points.iter().map(|(x, _)| (x - fit.x).abs()).fold(1.0, f64::max);
    Some(Estimate {
        x: fit.x,
        delay: fit.delay,
        drift: fit.drift,
        delay_error: error(variances[0], grouped[0], LEAST_ERROR),
        drift_error: error(variances[1], grouped[1], LEAST_ERROR / length),
    })
}

/// A line through the delays of blocks, each weighted by its information.
struct Fit {
    x: f64,
    delay: f64,
    drift: f64,
    information: f64,
    /// Of the drift.
    moment: f64,
}

impl Fit {
    fn of(points: &[(f64, [f64; 2])], trusts: &[f64]) -> Option<Self> {
        let sum = |of: &dyn Fn(f64, f64, f64) -> f64| -> f64 {
            points
                .iter()
                .zip(trusts)
                .map(|((x, [score, information]), trust)| trust * of(*x, *score, *information))
                .sum()
        };
        let information = sum(&|_, _, j| j);
        if !(information > 0.0 && information.is_finite()) {
            return None;
        }
        let x = sum(&|x, _, j| j * x) / information;
        let moment = sum(&|at, _, j| j * (at - x).powi(2));
        let drift = if moment > information { sum(&|at, u, _| u * (at - x)) / moment } else { 0.0 };
        Some(Self { x, delay: sum(&|_, u, _| u) / information, drift, information, moment })
    }

    fn at(&self, x: f64) -> f64 {
        self.delay + self.drift * (x - self.x)
    }

    /// Returns the variances of delay and drift from sums of squared scores.
    fn variances(&self, [delay, drift]: [f64; 2]) -> [f64; 2] {
        let drift = if self.moment > self.information { drift / self.moment.powi(2) } else { f64::INFINITY };
        [delay / self.information.powi(2), drift]
    }
}

/// Returns the variances of delay and drift: the bound, or the estimate from the scatter of the blocks if that is
/// larger.
fn variances(points: &[(f64, [f64; 2])], trusts: &[f64], fit: &Fit, redundancy: f64) -> [f64; 2] {
    let bound = fit.variances([redundancy * fit.information, redundancy * fit.moment]);
    let count = trusts.iter().filter(|trust| **trust > 0.0).count();
    if count < 4 {
        return bound;
    }
    let mut sums = [0.0; 2];
    for ((x, [score, information]), trust) in points.iter().zip(trusts) {
        let rest = trust * (score - information * fit.at(*x));
        sums[0] += rest * rest;
        sums[1] += (rest * (x - fit.x)).powi(2);
    }
    let scatter = fit.variances(sums.map(|sum| sum * count as f64 / (count - 2) as f64));
    [0, 1].map(|of| bound[of].max(scatter[of]))
}

/// Returns the variances from the scatter of the frequencies: of groups of bands with equal information.
fn of_groups(
    points: &[(f64, [f64; 2])],
    trusts: &[f64],
    fit: &Fit,
    bands: usize,
    of: impl Fn(usize, usize) -> [f64; 2],
) -> [f64; 2] {
    let mut groups = [[0.0; 2]; GROUPS];
    let mut before = 0.0;
    for band in 0..bands {
        let (mut weight, mut rests) = (0.0, [0.0; 2]);
        for (block, ((x, _), trust)) in points.iter().zip(trusts).enumerate() {
            let [score, information] = of(block, band);
            let rest = trust * (score - information * fit.at(*x));
            weight += trust * information;
            rests[0] += rest;
            rests[1] += rest * (x - fit.x);
        }
        let group = (((before + 0.5 * weight) / fit.information * GROUPS as f64) as usize).min(GROUPS - 1);
        groups[group][0] += rests[0];
        groups[group][1] += rests[1];
        before += weight;
    }
    let sum = |of: usize| groups.iter().map(|group| group[of] * group[of]).sum::<f64>();
    fit.variances([sum(0), sum(1)].map(|sum| sum * GROUPS as f64 / (GROUPS - 1) as f64))
}

fn noise(blocks: &[Heard], width: usize) -> Noise {
    let bands = blocks.first().map_or(0, |block| block.bands.len());
    let reach = POOLED.div_ceil((width * blocks.len()).max(1)) / 2;
    let near = |band: usize| band.saturating_sub(reach)..(band + reach + 1).min(bands);
    let mut levels = vec![1.0; blocks.len()];
    let (mut gains, mut powers) = (vec![0.0; bands], vec![0.0; bands]);
    for _ in 0..5 {
        let mut sums = vec![[0.0; 3]; bands + 1];
        for band in 0..bands {
            let mut total = sums[band];
            for (block, level) in blocks.iter().zip(&levels) {
                let of = &block.bands[band];
                total[0] += of.reference / level;
                total[1] += of.other / level;
                total[2] += of.product / level;
            }
            sums[band + 1] = total;
        }
        for band in 0..bands {
            let near = near(band);
            let bins = (near.len() * width * blocks.len()) as f64;
            let [reference, other, product] = [0, 1, 2].map(|of| sums[near.end][of] - sums[near.start][of]);
            let gain = if reference > 0.0 { product / reference } else { 0.0 };
            let rest = (other - gain * product) / (bins - 0.5);
            gains[band] = gain.max(0.0);
            powers[band] = rest.max(LEAST_NOISE * gain * gain * reference / bins);
        }
        for (block, level) in blocks.iter().zip(&mut levels) {
            let (mut sum, mut count) = (0.0, 0.0);
            for ((of, gain), power) in block.bands.iter().zip(&gains).zip(&powers) {
                if *power > 0.0 {
                    sum += (of.other - 2.0 * gain * of.product + gain * gain * of.reference).max(0.0) / power;
                    count += width as f64;
                }
            }
            *level = if count > 0.0 { (sum / count).clamp(1e-4, 1e8) } else { 1.0 };
        }
    }
    Noise { gains, powers, levels }
}
