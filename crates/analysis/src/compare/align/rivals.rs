//! Whether another alignment explains two recordings as well: the correlation of the aligned signals over all lags.

use transforms::RealFftPlanner;

use super::line::Line;
use super::warp::Interpolator;

/// Rivals that are looked at closely.
const RIVALS: usize = 24;
/// The minimum overlap of a rival, as a share of the alignment's overlap.
const LEAST_OVERLAP: f64 = 0.3;
/// Frames at each end that the filters of `lowered` reach beyond.
const MARGIN: usize = 320;
/// Added to unexplained shares, so that differences between tiny ones do not count.
const NEGLIGIBLE: f64 = 0.01;
/// A rival that leaves more than 1 + this times as much unexplained is no rival.
const CLEARLY: f64 = 0.25;
/// Noise leaves much unexplained in every alignment, so the correlation of a rival is compared in standard deviations
/// of chance: lower by up to the first number, it may be a rival; by the second or more, it is none.
const BY_CHANCE: [f64; 2] = [4.0, 10.0];

/// How well an alignment explains two flattened signals, and how well the best other one does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    /// The normalised correlation, -1..=1.
    pub correlation: f64,
    /// The largest magnitude of the correlation at another lag.
    pub rival: f64,
    /// The root mean square of the correlation at other lags.
    pub chance: f64,
}

impl Standing {
    /// Returns how clearly the alignment is better than every other: 0 if another is as good, 1 if none comes near.
    pub fn clearness(&self) -> f64 {
        let left = |correlation: f64| (1.0 - correlation * correlation).max(0.0) + NEGLIGIBLE;
        let leaves = |rival: f64, correlation: f64| ((left(rival) / left(correlation) - 1.0) / CLEARLY).clamp(0.0, 1.0);
        let correlation = self.correlation.abs();
        // As if there were no noise: both relative to the best correlation.
        let noiseless = if correlation > 0.0 { leaves((self.rival / correlation).min(1.0), 1.0) } else { 0.0 };
        let apart = if self.chance > 0.0 { (correlation - self.rival) / self.chance } else { 0.0 };
        let [may_be, is_none] = BY_CHANCE;
        let beyond_chance = ((apart - may_be) / (is_none - may_be)).clamp(0.0, 1.0);
        leaves(self.rival, correlation).max(noiseless * beyond_chance)
    }
}

/// Compares an alignment of two flattened signals with all others of the same slope.
pub(super) fn standing(reference: &[f32], other: &[f32], line: Line) -> Standing {
    // The other on the reference's clock, over all of its length: frame `n` is frame `n + first` of the reference.
    let back = line.inverted();
    let first = back.at(0.0).floor() as i64;
    let frames = (other.len() as f64 / line.slope).ceil() as usize + 1;
    let mut warped = vec![0.0f32; frames];
    Interpolator::shared().fill(other, |n| line.at((first + n as i64) as f64), &mut warped);
    // Near the ends the filters lack samples that the other recording may have, so these parts are left out. Both lose
    // the same number of frames, so that the offsets between them stay.
    let margin = MARGIN.min(reference.len().min(frames) / 8);
    let reference = &reference[margin..reference.len() - margin];
    let warped = &warped[margin..frames - margin];
    let frames = warped.len();
    let size = (reference.len() + frames).next_power_of_two().max(2);
    let Some(correlation) = correlated(reference, warped, size) else {
        return Standing { correlation: 0.0, rival: 0.0, chance: 0.0 };
    };
    let energies = [running(reference), running(warped)];
    // At `lag`, frame `n` of the warped other lies on frame `n + first + lag` of the reference.
    let overlap = |lag: i64| {
        let shift = first + lag;
        let start = shift.max(0);
        let end = (reference.len() as i64).min(frames as i64 + shift);
        (start < end).then(|| (start as usize..end as usize, (start - shift) as usize..(end - shift) as usize))
    };
    let norm = |lag: i64| {
        let (a, b) = overlap(lag)?;
        let energy = |of: usize, range: &std::ops::Range<usize>| energies[of][range.end] - energies[of][range.start];
        Some((energy(0, &a) * energy(1, &b)).sqrt()).filter(|norm| *norm > 0.0)
    };
    let raw = |lag: i64| f64::from(correlation[(first + lag).rem_euclid(size as i64) as usize]);
    let value = |lag: i64| norm(lag).map_or(0.0, |norm| raw(lag) / norm);
    let here = value(0);
    let common = overlap(0).map_or(0, |(a, _)| a.len());
    let least = ((common as f64 * LEAST_OVERLAP) as usize).max(16);
    let total = (energies[0][reference.len()] * energies[1][frames]).sqrt();
    let counts = |lag: i64| {
        overlap(lag).is_some_and(|(a, _)| a.len() >= least) && norm(lag).is_some_and(|norm| norm > 1e-3 * total)
    };
    // The main lobe ends where the sign changes.
    let lobe = |step: i64| {
        (1..=size as i64).find(|n| value(n * step) * here <= 0.0 || overlap(n * step).is_none()).unwrap_or(1)
    };
    let (before, after) = (-lobe(-1), lobe(1));
    let lowest = -(frames as i64) - first;
    let highest = reference.len() as i64 - first;
    let outside = (lowest..=before).chain(after..=highest);
    let mut rivals: Vec<(f64, i64)> = Vec::new();
    let (mut power, mut lags) = (0.0, 0.0);
    for lag in outside.filter(|&lag| counts(lag)) {
        let size = value(lag).abs();
        power += size * size;
        lags += 1.0;
        if value(lag - 1).abs() <= size && value(lag + 1).abs() < size {
            rivals.push((size, lag));
        }
    }
    rivals.sort_by(|a, b| b.0.total_cmp(&a.0));
    let closely = |&(size, lag): &(f64, i64)| {
        // The correlation of band-limited signals is band-limited, so it can be interpolated.
        let near: Vec<f32> = (lag - 40..=lag + 40).map(|lag| raw(lag) as f32).collect();
        let norm = norm(lag).unwrap_or(f64::INFINITY);
        let at = |part: f64| Interpolator::shared().at(&near, 40.0 + part).abs() / norm;
        (-20..=20).map(|part| at(f64::from(part) / 20.0)).fold(size, f64::max).min(1.0)
    };
    let rival = rivals.iter().take(RIVALS).map(closely).fold(0.0, f64::max);
    Standing { correlation: here, rival, chance: if lags > 0.0 { (power / lags).sqrt() } else { 0.0 } }
}

/// Returns the cyclic cross-correlation: value `k` is the sum of `a[n + k] b[n]`.
fn correlated(a: &[f32], b: &[f32], size: usize) -> Option<Vec<f32>> {
    let mut planner = RealFftPlanner::<f32>::new();
    let (forward, inverse) = (planner.plan_fft_forward(size), planner.plan_fft_inverse(size));
    let spectrum = |samples: &[f32]| {
        let mut frames = forward.make_input_vec();
        frames[..samples.len()].copy_from_slice(samples);
        let mut bins = forward.make_output_vec();
        forward.process(&mut frames, &mut bins).ok()?;
        Some(bins)
    };
    let (mut product, other) = (spectrum(a)?, spectrum(b)?);
    product.iter_mut().zip(&other).for_each(|(a, b)| *a = *a * b.conj() / size as f32);
    product[0].im = 0.0;
    product[size / 2].im = 0.0;
    let mut out = inverse.make_output_vec();
    inverse.process(&mut product, &mut out).ok()?;
    Some(out)
}

/// Returns the energies of all beginnings of a signal.
fn running(samples: &[f32]) -> Vec<f64> {
    let mut sum = 0.0;
    let after = samples.iter().map(|&sample| {
        sum += f64::from(sample).powi(2);
        sum
    });
    std::iter::once(0.0).chain(after.collect::<Vec<f64>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::noise;

    /// Noise without the highest frequencies, as the fade of the flattened spectrum leaves it.
    fn soft_noise(frames: usize) -> Vec<f32> {
        noise::noise(9, frames + 1).windows(2).map(|pair| pair[0] + pair[1]).collect()
    }

    #[test]
    fn a_loop_has_rivals_and_noise_has_none() {
        let line = Line { offset: -2000.0, slope: 1.0 };
        let once = soft_noise(12_000);
        let alone = standing(&once, &once[2000..], line);
        assert!(alone.correlation > 0.999 && alone.clearness() == 1.0, "{alone:?}");
        let round: Vec<f32> = once[..1000].iter().copied().cycle().take(12_000).collect();
        let repeated = standing(&round, &round[2000..], line);
        assert!(repeated.correlation > 0.999 && repeated.clearness() < 0.1, "{repeated:?}");
    }

    #[test]
    fn noise_makes_no_rivals_and_hides_none() {
        let line = Line { offset: -2000.0, slope: 1.0 };
        let once = soft_noise(12_000);
        let round: Vec<f32> = once[..1000].iter().copied().cycle().take(12_000).collect();
        // Seven times as strong as the signal.
        let noise = noise::noise(77, 12_001);
        let noisy = |of: &[f32]| -> Vec<f32> {
            of.iter().zip(noise.windows(2)).map(|(x, n)| x + 2.6 * (n[0] + n[1])).collect()
        };
        let alone = standing(&once, &noisy(&once[2000..]), line);
        assert!(alone.correlation < 0.5 && alone.clearness() > 0.9, "{alone:?}");
        let repeated = standing(&round, &noisy(&round[2000..]), line);
        assert!(repeated.clearness() < 0.2, "{repeated:?}");
        let stranger = standing(&once, &noise, line);
        assert!(stranger.clearness() < 0.2, "{stranger:?}");
    }
}
