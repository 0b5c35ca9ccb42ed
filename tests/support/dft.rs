//! Shared by the tests of transforms: the transform by definition in f64, and error measures.

#![allow(dead_code, reason = "each test uses a part")]

use dsp::device::trials::exact::windowed;
#[allow(unused_imports, reason = "each test uses a part")]
pub use dsp::device::trials::exact::{levels, roots, window_spectrum as radix_2};
use dsp::kernels::signal::stft::{Complex32, StftPlan};

/// Returns some bins of a window's spectrum by the defining sum.
pub fn direct(plan: &StftPlan, samples: &[f32], start: i64, bins: impl Iterator<Item = usize>) -> Vec<[f64; 2]> {
    let weighed = windowed(plan.window(), samples, start);
    let length = plan.fft_length();
    let roots = roots(length);
    bins.map(|bin| {
        let mut sum = [0.0, 0.0];
        for (n, x) in weighed.iter().enumerate() {
            let root = roots[n * bin % length];
            sum[0] += x * root[0];
            sum[1] += x * root[1];
        }
        sum
    })
    .collect()
}

/// Returns the residual in dB relative to the expected spectrum, both as sums of squares.
pub fn residual_db(got: &[Complex32], expected: &[[f64; 2]]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let (mut error, mut level) = (0.0, 0.0);
    for (got, [re, im]) in got.iter().zip(expected) {
        error += (f64::from(got.re) - re).powi(2) + (f64::from(got.im) - im).powi(2);
        level += re * re + im * im;
    }
    10.0 * (error / level).log10()
}

/// Returns the largest difference of a column's levels from those in f64, among rows within 70 dB of the loudest bin,
/// and the number of those rows.
pub fn worst_level(got: impl Iterator<Item = f64>, (expected, loudest): &(Vec<f64>, f64)) -> (f64, usize) {
    let heard = got.zip(expected).filter(|(_, expected)| **expected >= loudest - 70.0);
    let errors: Vec<f64> = heard.map(|(got, expected)| (got - expected).abs()).collect();
    // `NaN` counts as the worst.
    let worst = errors.iter().fold(0.0, |worst, &error| if error <= worst { worst } else { error });
    (worst, errors.len())
}

/// A loud tone, a soft one and a little noise.
pub fn music(frames: usize) -> Vec<f32> {
    let noise = super::gpu::noise(77, frames);
    let tone = |n: usize, step: f64| (step * n as f64).sin();
    (0..frames).map(|n| (0.7 * tone(n, 0.1234) + 0.01 * tone(n, 1.7)) as f32 + 1e-3 * noise[n]).collect()
}
