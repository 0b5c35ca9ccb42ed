//! Trials: kernels with a test signal. Benchmarks time them on the CPU and on GPUs. Verification compares the results
//! with each other and with a reference in f64.

use std::f64::consts::TAU;
use std::time::Instant;

use crate::design::Window;
use crate::gpu::{Engine, Finished};
use crate::kernels::signal::stft::{Samples, Spectra, StftPlan, StftSpec, Tile, cpu};
use base::error::Result;
use base::sound::AudioBuffer;

/// The sample rate of test signals in Hz.
pub const RATE_HZ: f64 = 48e3;

/// A kernel with its plan and a test signal.
pub trait Trial {
    /// Returns the number of input samples, over all channels.
    fn samples(&self) -> u64;

    /// Returns the number of channels.
    fn channels(&self) -> usize {
        1
    }

    /// Returns the approximate number of floating-point operations of one run on a GPU.
    fn operations(&self) -> f64;

    /// Returns the limits of the errors that [`Trial::error_db`] measures.
    fn limits(&self) -> Limits;

    /// Returns the number of consecutive values that form a group, such as the bands of a window. A [`Reference`] holds
    /// whole groups.
    fn group(&self) -> usize {
        1
    }

    /// Runs the CPU twin on all threads.
    fn on_cpu(&self) -> Result<Run>;

    /// Runs the kernel on a GPU.
    fn on_gpu(&self, engine: &mut Engine) -> Result<Run>;

    /// Computes some of the results in f64, from the kernel's definition.
    fn reference(&self) -> Result<Reference>;

    /// Returns the error of whole groups of values in dB: negative infinity if they are equal, infinity if a value is
    /// not finite but should be.
    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64;

    /// Runs the twin on the CPU in the form that the program uses most, and returns the time in seconds.
    fn time_cpu(&self) -> Result<f64> {
        Ok(self.on_cpu()?.seconds)
    }

    /// Runs the kernel on a GPU in the form that the program uses most, and returns what it took.
    fn time_gpu(&self, engine: &mut Engine) -> Result<Finished> {
        Ok(self.on_gpu(engine)?.finished)
    }
}

/// The usual number of channels of a trial.
pub const CHANNELS: usize = 2;

/// The result of one run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The values, group after group.
    pub values: Vec<f32>,
    /// The time in seconds. On a GPU, it excludes transfers.
    pub seconds: f64,
    /// The outcome on a GPU; empty for the CPU.
    pub finished: Finished,
}

impl Run {
    /// Runs and times a CPU twin. The conversion of its result to values is not timed.
    pub(crate) fn timed<T>(work: impl FnOnce() -> Result<T>, values: impl FnOnce(T) -> Vec<f32>) -> Result<Self> {
        let started = Instant::now();
        let found = std::hint::black_box(work()?);
        let seconds = started.elapsed().as_secs_f64();
        Ok(Self { values: values(found), seconds, finished: Finished::default() })
    }

    pub(crate) fn finished(values: Vec<f32>, finished: Finished) -> Self {
        Self { values, seconds: finished.seconds.kernels, finished }
    }
}

/// Reference results in f64.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    /// The indices of the groups that were computed.
    pub groups: Vec<usize>,
    /// Their values, group after group.
    pub values: Vec<f64>,
}

impl Reference {
    /// Computes the given groups.
    pub(crate) fn of(groups: Vec<usize>, mut group: impl FnMut(usize) -> Vec<f64>) -> Self {
        let values = groups.iter().flat_map(|&index| group(index)).collect();
        Self { groups, values }
    }
}

/// The largest errors allowed, in dB. Negative infinity requires equal values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The limit of the GPU's error against the reference.
    pub gpu_db: f64,
    /// The limit of the CPU twin's error against the reference.
    pub cpu_db: f64,
    /// The limit of the GPU's error against the twin.
    pub twin_db: f64,
}

impl Limits {
    /// Returns the limits for a GPU and a CPU twin that both stay within a tolerance of the reference. They may differ
    /// from each other by twice as much.
    pub fn within(tolerance_db: f64) -> Self {
        Self { gpu_db: tolerance_db, cpu_db: tolerance_db, twin_db: tolerance_db + 20.0 * 2_f64.log10() }
    }
}

/// Returns the RMS of the residual in dB relative to the larger RMS of the expected values and `input_rms`.
pub(crate) fn rms_error_db(got: &[f32], expected: &[f64], input_rms: f64) -> f64 {
    let residual = rms(got.iter().zip(expected).map(|(&got, expected)| f64::from(got) - expected));
    ratio_db(residual, rms(expected.iter().copied()).max(input_rms))
}

/// Returns the largest error in dB. Each item is an absolute difference and the magnitude to which it is relative.
pub(crate) fn worst_error_db(errors: impl Iterator<Item = (f64, f64)>) -> f64 {
    errors.map(|(difference, scale)| ratio_db(difference, scale)).fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the error of a column's levels: the largest level difference, expressed as a relative amplitude error in dB.
/// Ignores rows more than 60 dB below the loudest row, because rounding at -140 dB of the loudest affects them.
pub(crate) fn level_error_db(got: &[f32], expected: &[f64]) -> f64 {
    let loudest = expected.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let heard = got.iter().zip(expected).filter(|(_, expected)| **expected >= loudest - 60.0);
    worst_error_db(heard.map(|(&got, expected)| (10_f64.powf((f64::from(got) - expected).abs() / 20.0) - 1.0, 1.0)))
}

/// Returns the levels of a tile, column after column.
pub(crate) fn columns(tile: &Tile<f32>) -> Vec<f32> {
    (0..tile.columns)
        .flat_map(|column| (0..tile.rows).map(move |row| tile.values[row * tile.columns + column]))
        .collect()
}

fn ratio_db(difference: f64, scale: f64) -> f64 {
    match difference {
        0.0 => f64::NEG_INFINITY,
        _ if difference.is_finite() && scale > 0.0 => 20.0 * (difference / scale).log10(),
        _ => f64::INFINITY,
    }
}

pub(crate) fn rms(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, count), value| (sum + value * value, count + 1));
    (sum / count.max(1) as f64).sqrt()
}

/// Returns up to `count` of the numbers in `0..total`, spread evenly from the first to the last.
pub(crate) fn spread(total: usize, count: usize) -> Vec<usize> {
    let count = count.min(total);
    (0..count).map(|n| n * (total - 1) / (count - 1).max(1)).collect()
}

/// Returns the plan of the transform for [`powers`]: Hann windows of 2048 frames, four of which cover each frame.
pub(super) fn transform() -> Result<StftPlan> {
    StftPlan::new(StftSpec { window: Window::Hann, size: 2048, padding: 1, hop: 512 })
}

/// Returns the power spectra of a test signal, for kernels that process spectra.
pub(crate) fn powers(plan: &StftPlan, frames: usize) -> Result<Spectra<f32>> {
    let samples = music(1, frames);
    cpu::power(plan, Samples::whole(&samples), 0..plan.windows(frames as u64))
}

/// Returns [`music`] on each of `channels` channels, by seeds from `first_seed` on.
pub(crate) fn band(first_seed: u64, channels: usize, frames: usize) -> AudioBuffer {
    let channels = (first_seed..).take(channels.max(1));
    AudioBuffer::from_channels(channels.map(|seed| music(seed, frames)).collect())
}

/// Returns a test signal at [`RATE_HZ`]: a melody with two harmonics over a little noise, within full scale.
pub fn music(seed: u64, frames: usize) -> Vec<f32> {
    // Semitones of a major scale above 110 Hz.
    const SCALE: [f64; 8] = [0.0, 2.0, 4.0, 5.0, 7.0, 9.0, 11.0, 12.0];
    const NOTE_FRAMES: usize = 6000;
    let mut noise = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut phase = 0.0;
    let sample = |n: usize| {
        // xorshift64 (Marsaglia, 2003)
        noise ^= noise << 13;
        noise ^= noise >> 7;
        noise ^= noise << 17;
        let hiss = (noise >> 40) as f64 / f64::from(1 << 23) - 1.0;
        let note = (seed as usize).wrapping_add(n / NOTE_FRAMES * 5) % 24;
        let semitones = SCALE[note % 8] + 12.0 * (note / 8) as f64;
        phase += TAU * 110.0 * (semitones / 12.0).exp2() / RATE_HZ;
        let tone = 0.4 * phase.sin() + 0.2 * (2.0 * phase + 1.0).sin() + 0.1 * (3.0 * phase + 2.0).sin();
        (tone + 0.02 * hiss) as f32
    };
    (0..frames).map(sample).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_relative_and_broken_values_are_the_worst() {
        assert!((rms_error_db(&[1.1, 2.0], &[1.0, 2.0], 0.0) + 26.99).abs() < 0.1);
        assert_eq!(rms_error_db(&[1.0], &[1.0], 0.0), f64::NEG_INFINITY);
        assert_eq!(rms_error_db(&[f32::NAN], &[1.0], 0.0), f64::INFINITY);
        assert_eq!(worst_error_db([(0.0, 0.0), (1e-3, 1.0), (1e-5, 1.0)].into_iter()), -60.0);
        assert_eq!(worst_error_db([(1e-3, 0.0)].into_iter()), f64::INFINITY);
        assert_eq!(worst_error_db([(f64::NAN, 1.0)].into_iter()), f64::INFINITY);
    }

    #[test]
    fn places_are_spread_from_end_to_end() {
        assert_eq!(spread(10, 4), [0, 3, 6, 9]);
        assert_eq!(spread(2, 4), [0, 1]);
        assert_eq!(spread(5, 1), [0]);
        assert!(spread(0, 3).is_empty());
    }

    #[test]
    fn the_signal_is_within_full_scale_and_repeats() {
        let x = music(1, 20_000);
        assert_eq!(x, music(1, 20_000));
        assert_ne!(x, music(2, 20_000));
        assert!(x.iter().all(|x| x.abs() < 1.0));
    }
}
