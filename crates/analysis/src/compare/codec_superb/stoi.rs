//! STOI as Codec-SUPERB's code computes it.
//!
//! The definition is that of STOI in [`super::super::measures`], but the filter of the rate conversion is shorter, the
//! test for silence looks at windows that begin one sample earlier, and the constant that prevents a division by zero
//! is larger.

use std::f64::consts::TAU;

use transforms::RealFftPlanner;
use transforms::num_complex::Complex64;

use super::super::polyphase::{Filter, converted};
use base::units::SampleRate;

const RATE_HZ: u32 = 10_000;
const WINDOW: usize = 256;
const HOP: usize = WINDOW / 2;
const POINTS: usize = 512;
const BANDS: usize = 15;
const SEGMENT: usize = 30;
const RANGE_DB: f64 = 40.0;
/// Added where there would be a division by zero.
const EPSILON: f64 = 1e-10;
/// `SciPy`'s default filter for a rate conversion.
const FILTER: Filter = Filter { periods: 10.0, beta: 5.0 };

type Bands = [f64; BANDS];

/// Returns the measure, 0..=1; `None` where that code fails.
pub(super) fn stoi(reference: &[f32], other: &[f32], rate: SampleRate) -> Option<f64> {
    let [r, o] = [reference, other].map(|samples| converted(samples, rate, RATE_HZ, FILTER));
    let window: Vec<f64> = (1..=WINDOW).map(|n| 0.5 - 0.5 * (TAU * n as f64 / (WINDOW + 1) as f64).cos()).collect();
    let (r, o) = without_silence(&r, &o, &window)?;
    let [r, o] = [bands(&r, &window)?, bands(&o, &window)?];
    if r.len() < SEGMENT {
        return Some(0.0);
    }
    let segments = r.windows(SEGMENT).zip(o.windows(SEGMENT));
    let sum: f64 = segments.map(|(r, o)| (0..BANDS).map(|band| correlation(r, o, band)).sum::<f64>()).sum();
    let mean = sum / BANDS as f64 / (r.len() - SEGMENT + 1) as f64;
    (!mean.is_nan()).then(|| mean.clamp(0.0, 1.0))
}

/// Joins the windows in which the reference is heard.
fn without_silence(r: &[f64], o: &[f64], window: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    let starts: Vec<usize> = (0..r.len().saturating_sub(WINDOW)).step_by(HOP).collect();
    // One sample earlier; the sample before the first is the last one.
    let before = |at: usize| r[(at + r.len() - 1) % r.len()];
    let level = |&start: &usize| {
        let energy: f64 = window.iter().enumerate().map(|(n, w)| (before(start + n) * w).powi(2)).sum();
        20.0 * (energy.sqrt() / (WINDOW as f64).sqrt() + EPSILON).log10()
    };
    let levels: Vec<f64> = starts.iter().map(level).collect();
    let loudest = levels.iter().copied().reduce(f64::max)?;
    let heard: Vec<usize> = starts
        .iter()
        .zip(&levels)
        .filter(|(_, level)| **level - loudest + RANGE_DB > 0.0)
        .map(|(start, _)| *start)
        .collect();
    let joined = |samples: &[f64]| {
        let mut out = vec![0.0; heard.len().saturating_sub(1) * HOP + WINDOW];
        for (index, &start) in heard.iter().enumerate() {
            for (n, weight) in window.iter().enumerate() {
                out[index * HOP + n] += weight * samples[start + n];
            }
        }
        out
    };
    Some((joined(r), joined(o)))
}

fn bands(samples: &[f64], window: &[f64]) -> Option<Vec<Bands>> {
    let sum: f64 = window.iter().sum();
    let forward = RealFftPlanner::<f64>::new().plan_fft_forward(POINTS);
    let (mut frames, mut bins) = (forward.make_input_vec(), forward.make_output_vec());
    let edge = |sixths: f64| (150.0 * (sixths / 6.0).exp2() * POINTS as f64 / f64::from(RATE_HZ)).round() as usize;
    let mut out = Vec::new();
    for index in 0..(samples.len() - WINDOW) / HOP {
        frames.fill(0.0);
        let part = &samples[index * HOP..][..WINDOW];
        frames.iter_mut().zip(part).zip(window).for_each(|((to, x), w)| *to = x * w / sum);
        forward.process(&mut frames, &mut bins).ok()?;
        out.push(std::array::from_fn(|band| {
            let range = edge(2.0 * band as f64 - 1.0)..edge(2.0 * band as f64 + 1.0);
            bins[range].iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
        }));
    }
    Some(out)
}

fn correlation(reference: &[Bands], other: &[Bands], band: usize) -> f64 {
    let energy = |of: &[Bands]| of.iter().map(|window| window[band].powi(2)).sum::<f64>();
    let scale = (energy(reference) / (energy(other) + EPSILON)).sqrt();
    let limit = 1.0 + 10f64.powf(15.0 / 20.0);
    let r: Vec<f64> = reference.iter().map(|window| window[band]).collect();
    let o: Vec<f64> = other.iter().zip(&r).map(|(window, r)| (window[band] * scale).min(r * limit)).collect();
    let normalised = |values: &[f64]| -> Vec<f64> {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let norm = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>().sqrt();
        values.iter().map(|x| (x - mean) / (norm + EPSILON)).collect()
    };
    normalised(&r).iter().zip(normalised(&o)).map(|(r, o)| r * o).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::noise::noise;

    #[test]
    fn a_copy_is_one_and_scraps_fail() {
        let rate = SampleRate::new(16_000).unwrap();
        let samples = noise(1, 32_000);
        assert!((stoi(&samples, &samples, rate).unwrap() - 1.0).abs() < 1e-6);
        assert_eq!(stoi(&samples[..100], &samples[..100], rate), None);
        assert_eq!(stoi(&samples[..2000], &samples[..2000], rate), Some(0.0));
        assert!(stoi(&samples, &noise(2, 32_000), rate).unwrap() < 0.3);
    }
}
