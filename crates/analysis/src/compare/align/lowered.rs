//! A recording as alignment sees it at first: one channel at a low rate, with a flat spectrum.

use std::sync::Arc;

use transforms::RealFftPlanner;
use transforms::num_complex::Complex32;

use audio::{AudioBuffer, AudioReader, MemoryReader};
use base::error::Result;
use base::units::SampleRate;
use dsp::design::Window;
use dsp::measure::resample::{ResamplePlan, ResampledReader};

/// The low rate is at least this, in Hz.
const LEAST_HZ: u32 = 6000;
/// Frames of a window of the mean spectrum: 23 Hz at 6 kHz.
const WINDOW: usize = 512;
/// Taps of the flattening filter.
const TAPS: usize = WINDOW - 1;
/// Bins weaker than this share of the strongest one's power are not raised to its level.
const FLOOR: f64 = 1e-5;
/// Above this share of half the rate the flattened spectrum fades out, so that it can be interpolated.
const FADES: f64 = 0.8;

/// A signal at a low rate with a flattened spectrum.
pub(super) struct Lowered {
    pub samples: Vec<f32>,
}

/// Returns the low rate for a rate, and how many frames of the rate are one of the low rate. The low rate need not be
/// whole in Hz.
pub(super) fn factor(rate: SampleRate) -> u32 {
    (rate.hz() / LEAST_HZ).max(1)
}

/// Lowers one channel by a whole factor. Frame `n` of the result is frame `n factor` of the channel.
pub(super) fn lowered(samples: &Arc<AudioBuffer>, factor: u32) -> Result<Lowered> {
    let samples = if factor == 1 {
        samples.channel(0).to_vec()
    } else {
        // Only the ratio of the rates counts.
        let plan = ResamplePlan::new(SampleRate::new(factor)?, SampleRate::new(1)?);
        let source = MemoryReader::new(SampleRate::new(factor)?, Arc::clone(samples));
        let mut reader = ResampledReader::new(source, &plan);
        let mut out = AudioBuffer::default();
        let frames = reader.frames() as usize;
        reader.read(&mut out, frames)?;
        out.channel(0).to_vec()
    };
    Ok(Lowered { samples: flattened(&samples) })
}

/// Filters a signal so that its mean spectrum becomes flat. The filter is symmetrical and causes no delay.
fn flattened(samples: &[f32]) -> Vec<f32> {
    let power = mean_power(samples);
    let strongest = power.iter().copied().fold(0.0, f64::max);
    if !(strongest > 0.0) {
        return vec![0.0; samples.len()];
    }
    let mut planner = RealFftPlanner::<f64>::new();
    let inverse = planner.plan_fft_inverse(WINDOW);
    let mut gains = inverse.make_input_vec();
    let half = gains.len() - 1;
    for (bin, gain) in gains.iter_mut().enumerate() {
        let beyond = ((bin as f64 / half as f64 - FADES) / (1.0 - FADES)).clamp(0.0, 1.0);
        let fade = (0.5 * std::f64::consts::PI * beyond).cos().powi(2);
        gain.re = if bin == 0 { 0.0 } else { fade / (power[bin] + FLOOR * strongest).sqrt() };
    }
    let mut response = inverse.make_output_vec();
    if inverse.process(&mut gains, &mut response).is_err() {
        return samples.to_vec();
    }
    let window = Window::Hann.symmetric(TAPS + 2);
    let middle = TAPS / 2;
    let taps: Vec<f32> =
        (0..TAPS).map(|tap| (response[(tap + WINDOW - middle) % WINDOW] * window[tap + 1]) as f32).collect();
    filtered(samples, &taps)
}

/// Returns the mean power spectrum in windows of [`WINDOW`] frames.
fn mean_power(samples: &[f32]) -> Vec<f64> {
    let window = Window::Hann.periodic(WINDOW);
    let mut planner = RealFftPlanner::<f64>::new();
    let forward = planner.plan_fft_forward(WINDOW);
    let (mut frames, mut bins) = (forward.make_input_vec(), forward.make_output_vec());
    let mut power = vec![0.0; bins.len()];
    for start in (0..samples.len().max(1)).step_by(WINDOW / 2) {
        for (n, to) in frames.iter_mut().enumerate() {
            *to = samples.get(start + n).map_or(0.0, |&sample| f64::from(sample)) * window[n];
        }
        if forward.process(&mut frames, &mut bins).is_ok() {
            power.iter_mut().zip(&bins).for_each(|(sum, bin)| *sum += bin.norm_sqr());
        }
    }
    power
}

/// Filters with symmetrical taps by overlap-save, without delay.
fn filtered(samples: &[f32], taps: &[f32]) -> Vec<f32> {
    let size = 8 * taps.len().next_power_of_two();
    let step = size - (taps.len() - 1);
    let middle = taps.len() / 2;
    let mut planner = RealFftPlanner::<f32>::new();
    let (forward, inverse) = (planner.plan_fft_forward(size), planner.plan_fft_inverse(size));
    let mut frames = forward.make_input_vec();
    frames[..taps.len()].copy_from_slice(taps);
    let mut response = forward.make_output_vec();
    let mut bins = forward.make_output_vec();
    if forward.process(&mut frames, &mut response).is_err() {
        return samples.to_vec();
    }
    let mut out = vec![0.0; samples.len()];
    for start in (0..samples.len()).step_by(step) {
        for (n, to) in frames.iter_mut().enumerate() {
            // The first output of a step needs the taps before it.
            let from = (start + n + middle).checked_sub(taps.len() - 1);
            *to = from.and_then(|from| samples.get(from)).copied().unwrap_or(0.0);
        }
        if forward.process(&mut frames, &mut bins).is_err() {
            return samples.to_vec();
        }
        bins.iter_mut().zip(&response).for_each(|(bin, gain): (&mut Complex32, _)| *bin *= gain / size as f32);
        // The lowest and the highest bin of a real signal are real.
        bins[0].im = 0.0;
        bins[size / 2].im = 0.0;
        if inverse.process(&mut bins, &mut frames).is_err() {
            return samples.to_vec();
        }
        let end = (start + step).min(samples.len());
        out[start..end].copy_from_slice(&frames[taps.len() - 1..][..end - start]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_without_delay_is_the_sum_over_its_taps() {
        let taps: Vec<f32> = (0..31).map(|tap: i32| 1.0 / (1.0 + (tap - 15).abs() as f32)).collect();
        let samples: Vec<f32> = (0..1000).map(|n| ((n * n) as f32 * 0.37).sin()).collect();
        let got = filtered(&samples, &taps);
        for at in [0usize, 7, 225, 226, 500, 999] {
            let value = |tap: usize| (at + 15).checked_sub(tap).and_then(|from| samples.get(from)).unwrap_or(&0.0);
            let expected: f32 = taps.iter().enumerate().map(|(tap, gain)| gain * value(tap)).sum();
            assert!((got[at] - expected).abs() < 1e-4, "{at}: {} {expected}", got[at]);
        }
    }

    #[test]
    fn silence_and_scraps_stay_as_they_are() {
        assert!(flattened(&[]).is_empty());
        assert_eq!(flattened(&[0.0; 700]), vec![0.0; 700]);
        assert_eq!(flattened(&[1.0]).len(), 1);
    }
}
