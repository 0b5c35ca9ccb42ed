//! What the tests of transforms share: the transform by its definition, in f64, and how far a result is from it.

#![allow(dead_code, reason = "each test uses a part")]

use std::f64::consts::PI;

use undertone::design::{Bank, BankRow, RowKind};
use undertone::kernels::stft::{Columns, Complex32, StftPlan};

/// `exp(-2 pi i n / N)` for every `n`.
pub fn roots(length: usize) -> Vec<[f64; 2]> {
    (0..length).map(|n| 2.0 * PI * n as f64 / length as f64).map(|angle| [angle.cos(), -angle.sin()]).collect()
}

/// What window `k` takes in, weighed, in f64.
pub fn weighed(plan: &StftPlan, samples: &[f32], start: i64) -> Vec<f64> {
    let at = |n: usize| usize::try_from(start + n as i64).ok().and_then(|at| samples.get(at)).copied();
    plan.window().iter().enumerate().map(|(n, w)| w * at(n).map_or(0.0, f64::from)).collect()
}

/// Some bins of a window's spectrum by the sum that defines them.
pub fn direct(plan: &StftPlan, samples: &[f32], start: i64, bins: impl Iterator<Item = usize>) -> Vec<[f64; 2]> {
    let weighed = weighed(plan, samples, start);
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

/// All bins by radix 2 in f64, for lengths that are powers of two: quick, and of another build than what is tested.
pub fn radix_2(plan: &StftPlan, samples: &[f32], start: i64) -> Vec<[f64; 2]> {
    let length = plan.fft_length();
    assert!(length.is_power_of_two());
    let mut x: Vec<[f64; 2]> = weighed(plan, samples, start).into_iter().map(|x| [x, 0.0]).collect();
    x.resize(length, [0.0; 2]);
    let roots = roots(length);
    let bits = length.trailing_zeros();
    for n in 0..length {
        let reversed = n.reverse_bits() >> (usize::BITS - bits);
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

/// The residual in dB re the expected spectrum, both as sums of squares.
pub fn residual_db(got: &[Complex32], expected: &[[f64; 2]]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let (mut error, mut level) = (0.0, 0.0);
    for (got, [re, im]) in got.iter().zip(expected) {
        error += (f64::from(got.re) - re).powi(2) + (f64::from(got.im) - im).powi(2);
        level += re * re + im * im;
    }
    10.0 * (error / level).log10()
}

/// The levels of a column's rows in f64, and the level of its loudest bin.
pub fn levels(plan: &StftPlan, bank: &Bank, samples: &[f32], columns: &Columns, column: usize) -> (Vec<f64>, f64) {
    let mut power = vec![0.0; plan.bins()];
    for window in 0..columns.windows {
        let spectrum = radix_2(plan, samples, plan.start_of_centre(columns.centre(column, window)));
        for (sum, [re, im]) in power.iter_mut().zip(spectrum) {
            *sum += plan.power_scale() * (re * re + im * im) / columns.windows as f64;
        }
    }
    let db = |power: f64| (10.0 * power.log10()).max(-200.0);
    let level = |row: &BankRow| {
        let pairs = power[row.first_bin.min(power.len())..].iter().zip(&row.weights);
        match row.kind {
            RowKind::Peak => db(pairs.fold(0.0, |most: f64, (&power, _)| most.max(power))),
            RowKind::Power => db(pairs.map(|(power, weight)| power * weight).sum()),
            RowKind::Level if row.weights.is_empty() => -200.0,
            RowKind::Level => pairs.map(|(&power, weight)| weight * db(power)).sum(),
        }
    };
    (bank.rows().iter().map(level).collect(), db(power.iter().fold(0.0, |most, &power| most.max(power))))
}

/// The largest difference of a column's levels from those in f64, among rows within 70 dB of the loudest bin; and how
/// many rows that was.
pub fn worst_level(got: impl Iterator<Item = f64>, (expected, loudest): &(Vec<f64>, f64)) -> (f64, usize) {
    let heard = got.zip(expected).filter(|(_, expected)| **expected >= loudest - 70.0);
    let errors: Vec<f64> = heard.map(|(got, expected)| (got - expected).abs()).collect();
    // A NaN is the worst of all.
    let worst = errors.iter().fold(0.0, |worst, &error| if error <= worst { worst } else { error });
    (worst, errors.len())
}

/// A loud tone, a soft one and a little noise.
pub fn music(frames: usize) -> Vec<f32> {
    let noise = super::gpu::noise(77, frames);
    let tone = |n: usize, step: f64| (step * n as f64).sin();
    (0..frames).map(|n| (0.7 * tone(n, 0.1234) + 0.01 * tone(n, 1.7)) as f32 + 1e-3 * noise[n]).collect()
}
