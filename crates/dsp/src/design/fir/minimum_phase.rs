//! The minimum-phase filter of a given magnitude.
//!
//! Uses the homomorphic method: the cepstrum of the magnitude, folded onto its causal side, is the logarithm of the
//! minimum-phase response (A. V. Oppenheim, R. W. Schafer, *Discrete-Time Signal Processing*, 13.5). The transform is
//! finite, so the cepstrum aliases in time, and it decays slowly if there are zeros on the unit circle, where the
//! logarithm is infinite. A transform of 128 values per tap and a floor 200 dB below the peak keep the magnitude within
//! 1e-5 of the peak (-100 dB) for the filters that this program designs.

use transforms::num_complex::Complex64;
use transforms::{FftPlanner, RealFftPlanner};

use base::error::Result;

/// Transform length per tap.
const OVERSAMPLING: usize = 128;
/// The minimum transform length.
const MIN_TRANSFORM: usize = 1 << 17;
/// The maximum transform length, so that the buffers stay within 64 MiB.
const MAX_TRANSFORM: usize = 1 << 21;
/// The smallest magnitude relative to the largest; anything below is raised to it.
const FLOOR: f64 = 1e-10;

/// Returns as many taps with the same magnitude as `taps` and minimum phase.
pub fn minimum_phase(taps: &[f64]) -> Result<Vec<f64>> {
    if taps.len() < 2 {
        return Ok(taps.iter().map(|tap| tap.abs()).collect());
    }
    let least = taps.len().next_power_of_two();
    let length = (taps.len() * OVERSAMPLING).next_power_of_two().clamp(MIN_TRANSFORM, MAX_TRANSFORM).max(2 * least);
    let mut planner = RealFftPlanner::<f64>::new();
    let (forward, inverse) = (planner.plan_fft_forward(length), planner.plan_fft_inverse(length));
    let mut values = taps.to_vec();
    values.resize(length, 0.0);
    let mut bins = forward.make_output_vec();
    forward.process(&mut values, &mut bins)?;
    let peak = bins.iter().map(|bin| bin.norm()).fold(0.0, f64::max);
    if peak == 0.0 {
        return Ok(taps.to_vec());
    }
    for bin in &mut bins {
        *bin = Complex64::new(bin.norm().max(peak * FLOOR).ln() / length as f64, 0.0);
    }
    // Fold the cepstrum: move its negative times onto the positive ones.
    inverse.process(&mut bins, &mut values)?;
    let mut cepstrum: Vec<Complex64> = values.iter().map(|value| Complex64::new(*value, 0.0)).collect();
    for value in &mut cepstrum[1..length / 2] {
        *value *= 2.0;
    }
    cepstrum[length / 2 + 1..].fill(Complex64::ZERO);
    let mut planner = FftPlanner::<f64>::new();
    planner.plan_fft_forward(length).process(&mut cepstrum);
    for value in &mut cepstrum {
        *value = value.exp() / length as f64;
    }
    planner.plan_fft_inverse(length).process(&mut cepstrum);
    Ok(cepstrum[..taps.len()].iter().map(|value| value.re).collect())
}
