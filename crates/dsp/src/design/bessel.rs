//! Bessel (Thomson) filters: maximally flat group delay, and therefore a step response without overshoot.
//!
//! `H(s) = theta_N(0)/theta_N(s)` with the reverse Bessel polynomial `theta_N`. `s` is scaled so that the response at
//! the cutoff is -3 dB (`SciPy`'s `norm='mag'`; W. E. Thomson, "Delay Networks Having Maximally Flat Frequency
//! Characteristics", Proc. IEE 96, 1949). The bilinear transform distorts the delay near the Nyquist frequency.
//!
//! The zeros of `theta_N` are computed for all orders on first use. In double precision, the recurrence
//! `theta_n = (2n - 1) theta_(n-1) + s^2 theta_(n-2)` loses up to 13 digits to cancellation at a zero of order 24. It
//! is therefore evaluated in double-double arithmetic, which leaves full double precision.

use std::f64::consts::PI;
use std::ops::{Add, Mul};
use std::sync::LazyLock;

use transforms::num_complex::Complex64;

use super::MAX_ORDER;
use super::prototype::{Pair, Prototype, PrototypeSection};

/// The poles in the upper half plane and on the real axis, indexed by `order - 1`. Each is the negated real part and
/// the imaginary part, scaled to -3 dB at 1, with the most resonant first.
static POLES: LazyLock<Vec<Vec<(f64, f64)>>> = LazyLock::new(|| (1..=MAX_ORDER).map(scaled_poles).collect());

/// Returns the prototype of `order`, 1..=[`MAX_ORDER`].
pub fn bessel(order: usize) -> Prototype {
    let part = |&(real, imaginary): &(f64, f64)| {
        if imaginary == 0.0 {
            PrototypeSection::Real(real)
        } else {
            PrototypeSection::Pair(Pair::at(real, imaginary, None))
        }
    };
    let parts: Vec<PrototypeSection> = POLES[order - 1].iter().map(part).collect();
    Prototype::new(&parts, 1.0)
}

fn scaled_poles(order: usize) -> Vec<(f64, f64)> {
    let mut poles: Vec<(f64, f64)> = zeros(order)
        .into_iter()
        // An odd order has one real pole; drop the rounding residue in its imaginary part.
        .map(|z| (-z.re, if z.im.abs() < 1e-9 * z.re.abs() { 0.0 } else { z.im }))
        .filter(|&(_, imaginary)| imaginary >= 0.0)
        .collect();
    poles.sort_by(|a, b| (a.0 * b.1).total_cmp(&(b.0 * a.1)));
    let cutoff = half_power(&poles);
    poles.into_iter().map(|(real, imaginary)| (real / cutoff, imaginary / cutoff)).collect()
}

/// Returns the frequency at which the response of these poles is down to half power.
fn half_power(poles: &[(f64, f64)]) -> f64 {
    let power = |w: f64| -> f64 {
        let factor = |&(real, imaginary): &(f64, f64)| {
            if imaginary == 0.0 {
                return 1.0 + (w / real).powi(2);
            }
            let square = real * real + imaginary * imaginary;
            ((square - w * w).powi(2) + (2.0 * real * w).powi(2)) / (square * square)
        };
        poles.iter().map(factor).product()
    };
    // The response decreases monotonically, so bisection finds the frequency.
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if power(middle) < 2.0 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// Returns the zeros of `theta_N`, all at once by the Ehrlich-Aberth method. The starting points lie along the curve
/// near which the zeros are.
fn zeros(order: usize) -> Vec<Complex64> {
    let n = order as f64;
    let start = |index: usize| {
        let angle = PI * (index as f64 + 0.5) / n;
        Complex64::new(-0.2 - 0.5 * angle.sin(), 0.9 * angle.cos()) * n
    };
    let mut zeros: Vec<Complex64> = (0..order).map(start).collect();
    for _ in 0..100 {
        let mut furthest: f64 = 0.0;
        for index in 0..order {
            let at = zeros[index];
            let newton = newton_step(order, at);
            let others = zeros.iter().enumerate().filter(|&(other, _)| other != index);
            let repelled: Complex64 = others.map(|(_, other)| (at - other).inv()).sum();
            let step = newton / (1.0 - newton * repelled);
            zeros[index] = at - step;
            furthest = furthest.max(step.norm() / at.norm());
        }
        if furthest < 1e-15 {
            break;
        }
    }
    zeros
}

/// Returns `theta_N / theta_N'` at `s`.
fn newton_step(order: usize, s: Complex64) -> Complex64 {
    let s = Wide { re: s.re.into(), im: s.im.into() };
    let square = s * s;
    let real = |value: f64| Wide { re: value.into(), im: 0.0.into() };
    let (mut before, mut value) = (real(1.0), s + real(1.0));
    let (mut slope_before, mut slope) = (real(0.0), real(1.0));
    for n in 2..=order {
        let factor = real((2 * n - 1) as f64);
        let next_slope = factor * slope + square * slope_before + real(2.0) * s * before;
        let next = factor * value + square * before;
        (before, value, slope_before, slope) = (value, next, slope, next_slope);
    }
    value.narrow() / slope.narrow()
}

/// A complex number with about 106 bits of precision per component.
#[derive(Clone, Copy)]
struct Wide {
    re: Double,
    im: Double,
}

impl Wide {
    fn narrow(self) -> Complex64 {
        Complex64::new(self.re.high + self.re.low, self.im.high + self.im.low)
    }
}

impl Add for Wide {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Mul for Wide {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let minus = Double { high: -other.im.high, low: -other.im.low };
        Self { re: self.re * other.re + self.im * minus, im: self.re * other.im + self.im * other.re }
    }
}

/// A double-double number: the unevaluated sum of two doubles (T. J. Dekker, 1971; D. E. Knuth's two-sum).
#[derive(Clone, Copy)]
struct Double {
    high: f64,
    low: f64,
}

impl From<f64> for Double {
    fn from(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }
}

impl Add for Double {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let high = self.high + other.high;
        let of_other = high - self.high;
        let rounded = (self.high - (high - of_other)) + (other.high - of_other);
        normal(high, rounded + (self.low + other.low))
    }
}

impl Mul for Double {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let rounded = self.high.mul_add(other.high, -high);
        normal(high, rounded + (self.high * other.low + self.low * other.high))
    }
}

fn normal(high: f64, low: f64) -> Double {
    let sum = high + low;
    Double { high: sum, low: low - (sum - high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_has_as_many_poles_as_it_says() {
        for (index, poles) in POLES.iter().enumerate() {
            let order = index + 1;
            let count: usize = poles.iter().map(|pole| if pole.1 == 0.0 { 1 } else { 2 }).sum();
            assert_eq!(count, order);
            assert!(poles.iter().all(|&(real, imaginary)| real > 0.0 && imaginary >= 0.0), "order {order}: {poles:?}");
            let resonance: Vec<f64> = poles.iter().map(|pole| pole.0 / pole.1.hypot(pole.0)).collect();
            assert!(resonance.is_sorted(), "order {order}: {resonance:?}");
        }
    }

    /// `theta_2 = s^2 + 3 s + 3` in closed form: -3 dB where `w^2 = 3 (sqrt 5 - 1) / 2`.
    #[test]
    fn second_order_is_as_in_closed_form() {
        let cutoff = (1.5 * (5f64.sqrt() - 1.0)).sqrt();
        let (real, imaginary) = POLES[1][0];
        assert!((real - 1.5 / cutoff).abs() < 4e-15 && (imaginary - 0.75f64.sqrt() / cutoff).abs() < 4e-15);
    }
}
