//! Signal-to-distortion ratio of `BSSEval`: the other against its projection on delayed copies of the reference.

use transforms::RealFftPlanner;
use transforms::num_complex::Complex64;

use super::curve::Curve;
use super::frame_ratios::{SILENT_OTHER, SILENT_REFERENCE};
use super::toeplitz::{product, solved};
use super::{Direction, Measure, Outcome, OverTime, Reading};
use base::error::Result;

/// Taps of the filter that is allowed, as in `BSSEval`.
const TAPS: usize = 512;
/// Points of a transform.
const POINTS: usize = 8192;

pub(super) const SPEC: Measure = Measure {
    name: "sdr",
    title: "SDR",
    unit: "dB",
    direction: Direction::Higher,
    range: "any; infinite for equal recordings",
    definition: "10 log10(sum p^2 / sum (o - p)^2), p the projection of o on r delayed by 0..511 frames: what a filter \
                 of 512 taps does to the reference is no distortion",
    source: "E. Vincent et al., IEEE TASLP 14, 2006 (BSSEval, filters of v4); `fast_bss_eval.sdr`",
    decimals: 2,
    needs_alignment: true,
    over_time: Some(OverTime {
        unit: "dB",
        definition: "of each second, with the filter of the whole, as BSSEval v4 has it",
    }),
    compute: |pair, curves, _| {
        Reading::of_channels(pair, |reference, other| {
            let seconds = curves.then_some(pair.rate.hz() as usize);
            sdr(reference, other, seconds)
        })
    },
};

/// Returns the ratio of the whole and, if `window` is a number of frames, that of each such window.
fn sdr(reference: &[f32], other: &[f32], window: Option<usize>) -> Result<(Outcome, Option<Curve>)> {
    let energy = |samples: &[f32]| samples.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
    let total = energy(other);
    let missing = |reason: &str| Ok((Outcome::Missing(reason.to_owned()), None));
    if energy(reference) == 0.0 {
        return missing(SILENT_REFERENCE);
    }
    if total == 0.0 {
        return missing(SILENT_OTHER);
    }
    if reference == other {
        let points = |window: usize| (0..other.len().div_ceil(window)).map(|_| Ok(f64::INFINITY));
        return Ok((Outcome::Value(f64::INFINITY), window.map(|window| Curve::new(0.5, 1.0, points(window)))));
    }
    let (auto, cross) = correlations(reference, other)?;
    let Some(x) = solved(&auto, &cross) else {
        return missing("the reference is too regular for filters of 512 taps");
    };
    // In this form an error of the solution counts by its square only.
    let fits: f64 = x.iter().zip(product(&auto, &x)).zip(&cross).map(|((x, p), b)| 2.0 * x * b - x * p).sum();
    let whole = Outcome::Value(10.0 * (fits.max(0.0) / (total - fits).max(0.0)).log10());
    let curve = window.map(|window| over_time(reference, other, &x, window)).transpose()?;
    Ok((whole, curve))
}

/// Returns the ratio of each window of `window` frames, a second, with one filter for all.
fn over_time(reference: &[f32], other: &[f32], filter: &[f64], window: usize) -> Result<Curve> {
    let projected = filtered(reference, filter)?;
    let ratio = |(projected, other): (&[f64], &[f32])| {
        let (mut fits, mut rest, mut total) = (0.0, 0.0, 0.0);
        for (p, o) in projected.iter().zip(other) {
            let o = f64::from(*o);
            fits += p * p;
            rest += (o - p) * (o - p);
            total += o * o;
        }
        match (fits > 0.0, total > 0.0) {
            (true, true) => Ok(10.0 * (fits / rest).log10()),
            (false, _) => Err(SILENT_REFERENCE),
            (true, false) => Err(SILENT_OTHER),
        }
    };
    Ok(Curve::new(0.5, 1.0, projected.chunks(window).zip(other.chunks(window)).map(ratio)))
}

/// Filters a signal by overlap-save.
fn filtered(samples: &[f32], filter: &[f64]) -> Result<Vec<f64>> {
    let mut planner = RealFftPlanner::<f64>::new();
    let (forward, inverse) = (planner.plan_fft_forward(POINTS), planner.plan_fft_inverse(POINTS));
    let (mut frames, mut bins) = (forward.make_input_vec(), forward.make_output_vec());
    frames[..filter.len()].copy_from_slice(filter);
    let mut response = forward.make_output_vec();
    forward.process(&mut frames, &mut response)?;
    let lead = filter.len().saturating_sub(1);
    let mut out = Vec::with_capacity(samples.len());
    for start in (0..samples.len()).step_by(POINTS - lead) {
        for (n, to) in frames.iter_mut().enumerate() {
            let from = (start + n).checked_sub(lead);
            *to = from.and_then(|from| samples.get(from)).map_or(0.0, |&sample| f64::from(sample));
        }
        forward.process(&mut frames, &mut bins)?;
        bins.iter_mut().zip(&response).for_each(|(bin, gain)| *bin = *bin * gain / POINTS as f64);
        // The lowest and the highest bin of a real signal are real.
        bins[0].im = 0.0;
        bins[POINTS / 2].im = 0.0;
        inverse.process(&mut bins, &mut frames)?;
        let count = (POINTS - lead).min(samples.len() - start);
        out.extend_from_slice(&frames[lead..lead + count]);
    }
    Ok(out)
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
        forward.process(&mut frames, &mut bins)?;
        Ok(bins)
    };
    let zero = || vec![Complex64::default(); POINTS / 2 + 1];
    let (mut auto, mut cross) = (zero(), zero());
    for start in (0..reference.len()).step_by(step) {
        // Frames of the reference, with as many before them as the longest delay.
        let before = spectrum(reference, start as i64 - (TAPS - 1) as i64, POINTS)?;
        for (sums, samples) in [(&mut auto, reference), (&mut cross, other)] {
            let part = spectrum(samples, start as i64, step)?;
            sums.iter_mut().zip(&before).zip(&part).for_each(|((sum, before), part)| *sum += before * part.conj());
        }
    }
    let lags = |mut sums: Vec<Complex64>| -> Result<Vec<f64>> {
        sums[0].im = 0.0;
        sums[POINTS / 2].im = 0.0;
        let mut out = inverse.make_output_vec();
        inverse.process(&mut sums, &mut out)?;
        Ok((0..TAPS).map(|delay| out[TAPS - 1 - delay] / POINTS as f64).collect())
    };
    Ok((lags(auto)?, lags(cross)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::noise::noise;

    #[test]
    fn correlations_are_the_sums_over_all_frames() {
        let (r, o) = (noise(1, 9000), noise(2, 9000));
        let (auto, cross) = correlations(&r, &o).unwrap();
        for delay in [0usize, 1, 511] {
            let sum = |of: &[f32]| (delay..9000).map(|n| f64::from(of[n]) * f64::from(r[n - delay])).sum::<f64>();
            assert!((auto[delay] - sum(&r)).abs() < 1e-9 && (cross[delay] - sum(&o)).abs() < 1e-9, "{delay}");
        }
    }

    #[test]
    fn a_filter_is_no_distortion_and_noise_is() {
        let (r, n) = (noise(3, 40_000), noise(4, 40_000));
        let with_filter = |noise: f32| -> Vec<f32> {
            (0..r.len()).map(|i| 0.5 * r[i] - 0.3 * r[i.saturating_sub(100)] + noise * n[i]).collect()
        };
        let value = |noise| sdr(&r, &with_filter(noise), None).unwrap().0.value().unwrap();
        // The first frames, which repeat frame 0, are no filter's.
        assert!(value(0.0) > 25.0, "{}", value(0.0));
        let expected = 10.0 * (0.34f64 / 0.01).log10();
        assert!((value(0.1) - expected).abs() < 0.5, "{}", value(0.1));
    }

    #[test]
    fn a_filter_is_the_sum_over_its_taps() {
        let (samples, taps) = (noise(5, 20_000), noise(6, 512));
        let taps: Vec<f64> = taps.iter().map(|&tap| f64::from(tap)).collect();
        let got = filtered(&samples, &taps).unwrap();
        assert_eq!(got.len(), samples.len());
        for at in [0usize, 511, 7680, 7681, 19_999] {
            let term =
                |(delay, tap): (usize, &f64)| at.checked_sub(delay).map_or(0.0, |from| tap * f64::from(samples[from]));
            let expected: f64 = taps.iter().enumerate().map(term).sum();
            assert!((got[at] - expected).abs() < 1e-9, "{at}: {} {expected}", got[at]);
        }
    }

    #[test]
    fn each_second_has_its_own_ratio() {
        let (r, n) = (noise(7, 40_000), noise(8, 40_000));
        // Noise in the second half only.
        let other: Vec<f32> = (0..r.len()).map(|i| r[i] + if i < 20_000 { 0.0 } else { 0.1 * n[i] }).collect();
        let (_, curve) = sdr(&r, &other, Some(10_000)).unwrap();
        let values: Vec<f64> = curve.unwrap().values.into_iter().flatten().collect();
        assert_eq!(values.len(), 4);
        assert!(values[0] > 30.0 && (values[3] - 20.0).abs() < 0.5, "{values:?}");
    }
}
