//! Transforms and levels in f64, as references for kernels.

use std::f64::consts::TAU;

use crate::design::{Bank, BankRow, RowKind};
use crate::kernels::signal::stft::{Columns, StftPlan};

/// Returns `exp(-2 pi i n / N)` for every `n` below `N`.
pub fn roots(length: usize) -> Vec<[f64; 2]> {
    (0..length).map(|n| TAU * n as f64 / length as f64).map(|angle| [angle.cos(), -angle.sin()]).collect()
}

/// Returns the frames from `start` on, weighted by the window function. Frames beyond the ends of `samples` are silent.
pub fn windowed(window: &[f64], samples: &[f32], start: i64) -> Vec<f64> {
    let at = |n: usize| usize::try_from(start + n as i64).ok().and_then(|at| samples.get(at)).copied();
    window.iter().enumerate().map(|(n, w)| w * at(n).map_or(0.0, f64::from)).collect()
}

/// Returns bins 0 to `length / 2` of the Fourier transform of real values, padded with zeros to `length`. Uses radix 2.
///
/// # Panics
/// If `length` is not a power of two, or is less than the number of values.
pub fn spectrum(values: &[f64], length: usize) -> Vec<[f64; 2]> {
    assert!(length.is_power_of_two() && length >= values.len(), "{length} points for {} values", values.len());
    let mut x: Vec<[f64; 2]> = values.iter().map(|&x| [x, 0.0]).collect();
    x.resize(length, [0.0; 2]);
    let roots = roots(length);
    let bits = length.trailing_zeros();
    for n in 0..length {
        let reversed = n.reverse_bits().checked_shr(usize::BITS - bits).unwrap_or(0);
        if n < reversed {
            x.swap(n, reversed);
        }
    }
    let mut half = 1;
    while half < length {
        for first in (0..length).step_by(2 * half) {
            for n in 0..half {
                let [c, s] = roots[n * (length / (2 * half))];
                let (a, b) = (x[first + n], x[first + n + half]);
                let b = [b[0] * c - b[1] * s, b[0] * s + b[1] * c];
                x[first + n] = [a[0] + b[0], a[1] + b[1]];
                x[first + n + half] = [a[0] - b[0], a[1] - b[1]];
            }
        }
        half *= 2;
    }
    x.truncate(length / 2 + 1);
    x
}

/// Returns the spectrum of the window that begins at frame `start`.
///
/// # Panics
/// If the transform's length is not a power of two.
pub fn window_spectrum(plan: &StftPlan, samples: &[f32], start: i64) -> Vec<[f64; 2]> {
    spectrum(&windowed(plan.window(), samples, start), plan.fft_length())
}

/// Returns the levels in dB of a column: one per row, and that of its loudest bin.
///
/// # Panics
/// If the transform's length is not a power of two.
pub fn levels(plan: &StftPlan, bank: &Bank, samples: &[f32], columns: &Columns, column: usize) -> (Vec<f64>, f64) {
    let mut power = vec![0.0; plan.bins()];
    for window in 0..columns.windows {
        let spectrum = window_spectrum(plan, samples, plan.start_of_centre(columns.centre(column, window)));
        for (sum, [re, im]) in power.iter_mut().zip(spectrum) {
            *sum += plan.power_scale() * (re * re + im * im) / columns.windows as f64;
        }
    }
    let level = |row: &BankRow| {
        let pairs = power[row.first_bin.min(power.len())..].iter().zip(&row.weights);
        match row.kind {
            RowKind::Peak => db(pairs.fold(0.0, |most: f64, (&power, _)| most.max(power))),
            RowKind::Power => db(pairs.map(|(power, weight)| power * weight).sum()),
            RowKind::Level if row.weights.is_empty() => db(0.0),
            RowKind::Level => pairs.map(|(&power, weight)| weight * db(power)).sum(),
        }
    };
    (bank.rows().iter().map(level).collect(), db(power.iter().fold(0.0, |most, &power| most.max(power))))
}

/// Returns a power in dB, at least -200 dB.
pub fn db(power: f64) -> f64 {
    (10.0 * power.log10()).max(-200.0)
}
