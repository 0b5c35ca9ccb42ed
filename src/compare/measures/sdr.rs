//! Signal-to-distortion ratio of `BSSEval`: the other against its projection on delayed copies of the reference.

use realfft::RealFftPlanner;
use realfft::num_complex::Complex64;

use super::toeplitz::{product, solved};
use super::{Direction, Measure, Outcome, Reading};
use crate::error::{Error, Result};

/// Taps of the filter that is allowed, as in `BSSEval`.
const TAPS: usize = 512;
/// Points of a transform.
const POINTS: usize = 8192;

pub(super) const SPEC: Measure = Measure {
    name: "sdr",
    unit: "dB",
    direction: Direction::Higher,
    range: "any; infinite for equal recordings",
    definition: "10 log10(sum p^2 / sum (o - p)^2), p the projection of o on r delayed by 0..511 frames: what a filter \
                 of 512 taps does to the reference is no distortion",
    source: "E. Vincent et al., IEEE TASLP 14, 2006 (BSSEval, filters of v4); `fast_bss_eval.sdr`",
    decimals: 2,
    needs_alignment: true,
    compute: |pair, _| Reading::of_channels(pair, |reference, other| Ok((sdr(reference, other)?, None))),
};

fn sdr(reference: &[f32], other: &[f32]) -> Result<Outcome> {
    let energy = |samples: &[f32]| samples.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
    let total = energy(other);
    if energy(reference) == 0.0 {
        return Ok(Outcome::Missing(super::frame_ratios::SILENT_REFERENCE.to_owned()));
    }
    if total == 0.0 {
        return Ok(Outcome::Missing("the other is silent".to_owned()));
    }
    if reference == other {
        return Ok(Outcome::Value(f64::INFINITY));
    }
    let (own, cross) = correlations(reference, other)?;
    let Some(x) = solved(&own, &cross) else {
        return Ok(Outcome::Missing("the reference is too regular for filters of 512 taps".to_owned()));
    };
    // In this form an error of the solution counts by its square only.
    let fits: f64 = x.iter().zip(product(&own, &x)).zip(&cross).map(|((x, p), b)| 2.0 * x * b - x * p).sum();
    Ok(Outcome::Value(10.0 * (fits.max(0.0) / (total - fits).max(0.0)).log10()))
}

/// Returns the autocorrelation of the reference and `sum other[n] reference[n - k]`, for the delays `k` of all taps.
fn correlations(reference: &[f32], other: &[f32]) -> Result<(Vec<f64>, Vec<f64>)> {
    let mut planner = RealFftPlanner::<f64>::new();
    let (forward, inverse) = (planner.plan_fft_forward(POINTS), planner.plan_fft_inverse(POINTS));
    let step = POINTS - (TAPS - 1);
    let spectrum = |samples: &[f32], start: i64, count: usize| -> Result<Vec<Complex64>> {
        let mut frames = forward.make_input_vec();
        for (n, to) in frames.iter_mut().take(count).enumerate() {
            let from = usize::try_from(start + n as i64).ok();
            *to = from.and_then(|from| samples.get(from)).map_or(0.0, |&sample| f64::from(sample));
        }
        let mut bins = forward.make_output_vec();
        forward.process(&mut frames, &mut bins).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(bins)
    };
    let zero = || vec![Complex64::default(); POINTS / 2 + 1];
    let (mut own, mut cross) = (zero(), zero());
    for start in (0..reference.len()).step_by(step) {
        // Frames of the reference, with as many before them as the longest delay.
        let before = spectrum(reference, start as i64 - (TAPS - 1) as i64, POINTS)?;
        for (sums, samples) in [(&mut own, reference), (&mut cross, other)] {
            let part = spectrum(samples, start as i64, step)?;
            sums.iter_mut().zip(&before).zip(&part).for_each(|((sum, before), part)| *sum += before * part.conj());
        }
    }
    let lags = |mut sums: Vec<Complex64>| -> Result<Vec<f64>> {
        sums[0].im = 0.0;
        sums[POINTS / 2].im = 0.0;
        let mut out = inverse.make_output_vec();
        inverse.process(&mut sums, &mut out).map_err(|error| Error::Internal(error.to_string()))?;
        Ok((0..TAPS).map(|delay| out[TAPS - 1 - delay] / POINTS as f64).collect())
    };
    Ok((lags(own)?, lags(cross)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: u64, frames: usize) -> Vec<f32> {
        let mut state = seed | 1;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        (0..frames).map(|_| next()).collect()
    }

    #[test]
    fn correlations_are_the_sums_over_all_frames() {
        let (r, o) = (noise(1, 9000), noise(2, 9000));
        let (own, cross) = correlations(&r, &o).unwrap();
        for delay in [0usize, 1, 511] {
            let sum = |of: &[f32]| (delay..9000).map(|n| f64::from(of[n]) * f64::from(r[n - delay])).sum::<f64>();
            assert!((own[delay] - sum(&r)).abs() < 1e-9 && (cross[delay] - sum(&o)).abs() < 1e-9, "{delay}");
        }
    }

    #[test]
    fn a_filter_is_no_distortion_and_noise_is() {
        let (r, n) = (noise(3, 40_000), noise(4, 40_000));
        let filtered = |noise: f32| -> Vec<f32> {
            (0..r.len()).map(|i| 0.5 * r[i] - 0.3 * r[i.saturating_sub(100)] + noise * n[i]).collect()
        };
        let value = |noise| sdr(&r, &filtered(noise)).unwrap().value().unwrap();
        // The first frames, which repeat frame 0, are no filter's.
        assert!(value(0.0) > 25.0, "{}", value(0.0));
        let expected = 10.0 * (0.34f64 / 0.01).log10();
        assert!((value(0.1) - expected).abs() < 0.5, "{}", value(0.1));
    }
}
