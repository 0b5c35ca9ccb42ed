//! Least-squares design: the linear-phase taps that minimise the weighted squared error, integrated over the bands.
//!
//! The amplitude is `A(f) = sum a_k cos(2 pi f (k + s))`, with `s = 0` for an odd number of taps and 1/2 for an even
//! one. The normal equations are `Q a = b` with `Q_kl = (q(k - l) + q(k + l + 2 s)) / 2`, where `q(n)` is the integral
//! of `W cos(2 pi n f)` over the bands and `b_k` that of `W D cos(2 pi (k + s) f)` (I. Selesnick, "Linear-phase FIR
//! filter design by least squares"). `Q` is positive definite, but nearly singular if much of the axis is
//! unconstrained. In that case a small ridge term, a multiple of the taps' mean square, is added to the objective; it
//! is too small to affect the response in the bands.

use std::f64::consts::PI;

use super::{DesiredBand, checked};
use base::error::{Error, Result};

/// The maximum number of taps. The cost is cubic in half the number of taps.
pub const MAX_LEAST_SQUARES_TAPS: usize = 2049;

/// Returns the `taps` taps closest to `bands` in the mean square.
///
/// # Errors
/// [`Error::Invalid`] for fewer than 3 or more than [`MAX_LEAST_SQUARES_TAPS`] taps, for bands out of order, for an
/// even number of taps if the Nyquist frequency must pass, and if the equations have no solution.
pub fn firls(bands: &[DesiredBand], taps: usize) -> Result<Vec<f64>> {
    checked(bands, taps, MAX_LEAST_SQUARES_TAPS)?;
    let half = taps.div_ceil(2);
    let shift = if taps.is_multiple_of(2) { 0.5 } else { 0.0 };
    let integral = |n: f64| -> f64 {
        bands.iter().map(|band| band.weight * (sine_integral(n, band.to) - sine_integral(n, band.from))).sum()
    };
    // All differences and sums of two indices are integers, with or without the shift.
    let q: Vec<f64> = (0..=2 * half).map(|n| integral(n as f64)).collect();
    let twice = (2.0 * shift) as usize;
    let b: Vec<f64> = (0..half).map(|k| bands.iter().map(|band| wanted(band, k as f64 + shift)).sum()).collect();
    let entry = |k: usize, l: usize| 0.5 * (q[k.abs_diff(l)] + q[k + l + twice]);
    for ridge in [0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-10] {
        if let Some(a) = solved(half, |k, l| entry(k, l) + if k == l { ridge * q[0] } else { 0.0 }, &b) {
            return Ok(mirrored(&a, taps));
        }
    }
    Err(Error::invalid("bands of a filter", "equations without a solution", "wider bands or fewer taps"))
}

/// Returns the integral of `cos(2 pi n x)` for `x` from 0 to `f`.
fn sine_integral(n: f64, f: f64) -> f64 {
    if n == 0.0 { f } else { (2.0 * PI * n * f).sin() / (2.0 * PI * n) }
}

/// Returns the integral over a band of the weight times the desired gain times `cos(2 pi n f)`.
fn wanted(band: &DesiredBand, n: f64) -> f64 {
    let slope = (band.gain.1 - band.gain.0) / (band.to - band.from);
    let at = |f: f64| {
        let gain = band.gain_at(f);
        if n == 0.0 {
            // The integral of the gain, up to a constant.
            let run = f - band.from;
            return band.gain.0 * run + 0.5 * slope * run * run;
        }
        let angle = 2.0 * PI * n * f;
        gain * angle.sin() / (2.0 * PI * n) + slope * angle.cos() / (2.0 * PI * n).powi(2)
    };
    band.weight * (at(band.to) - at(band.from))
}

/// Converts the cosine coefficients of an amplitude to taps.
fn mirrored(a: &[f64], taps: usize) -> Vec<f64> {
    let middle = (taps - 1) / 2;
    (0..taps)
        .map(|n| {
            if taps.is_multiple_of(2) {
                let k = if n <= middle { middle - n } else { n - middle - 1 };
                return a[k] / 2.0;
            }
            let k = n.abs_diff(middle);
            if k == 0 { a[0] } else { a[k] / 2.0 }
        })
        .collect()
}

/// Solves symmetric positive definite equations by Cholesky decomposition with one step of refinement. Returns `None`
/// if the matrix is not numerically positive definite in f64.
fn solved(size: usize, entry: impl Fn(usize, usize) -> f64, b: &[f64]) -> Option<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(size);
    let largest = (0..size).map(|k| entry(k, k)).fold(0.0, f64::max);
    for k in 0..size {
        let mut row = vec![0.0; k + 1];
        for l in 0..=k {
            let before: f64 =
                row[..l].iter().zip(rows.get(l).map_or(&row[..0], |other| &other[..l])).map(|(x, y)| x * y).sum();
            if l < k {
                row[l] = (entry(k, l) - before) / rows[l][l];
            } else {
                let square: f64 = entry(k, k) - row[..k].iter().map(|x| x * x).sum::<f64>();
                if !(square > largest * 1e-16) {
                    return None;
                }
                row[k] = square.sqrt();
            }
        }
        rows.push(row);
    }
    let substituted = |right: &[f64]| {
        let mut x = right.to_vec();
        for k in 0..size {
            let before: f64 = rows[k][..k].iter().zip(&x).map(|(l, x)| l * x).sum();
            x[k] = (x[k] - before) / rows[k][k];
        }
        for k in (0..size).rev() {
            x[k] /= rows[k][k];
            let value = x[k];
            x[..k].iter_mut().zip(&rows[k]).for_each(|(x, l)| *x -= l * value);
        }
        x
    };
    let mut x = substituted(b);
    let rest: Vec<f64> = (0..size).map(|k| b[k] - (0..size).map(|l| entry(k, l) * x[l]).sum::<f64>()).collect();
    x.iter_mut().zip(substituted(&rest)).for_each(|(x, more)| *x += more);
    x.iter().all(|value| value.is_finite()).then_some(x)
}
