//! Saturation curves, as plain loops over a block that vectorise.
//!
//! Corners produce many harmonics. For `hard` and `soft`, each output is therefore the mean of the curve over the
//! straight line between neighbouring samples, `(F(b) - F(a)) / (b - a)` with `F' = f` (antiderivative anti-aliasing).
//! Every two of these are averaged, so that the delay is one frame of the higher rate. The other curves are smooth and
//! only need oversampling.
//!
//! The exponential and the sine are polynomials, accurate to 1e-12.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use std::f64::consts::{FRAC_PI_2, LOG2_E};

use base::simd::{Lanes, Simd, Task};

/// A curve with slope 1 at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransferCurve {
    Tanh,
    Soft,
    Hard,
    Tube,
    Fold,
}

/// For samples closer than this, use the curve at their midpoint.
const NEAR: f64 = 1e-5;
/// The position of the maximum of the cubic.
const SOFT_END: f64 = 1.5;
/// The curvature of the tube shape: `1 / positive limit + 1 / negative limit`, with limits 1 and 2/3.
const TUBE_BEND: f64 = 2.5;
const TUBE_RATIO: f64 = 1.5;

impl TransferCurve {
    /// Returns whether it has corners, so that neighbouring samples are averaged.
    pub fn has_corners(self) -> bool {
        matches!(self, Self::Soft | Self::Hard)
    }

    /// Returns the value of the curve.
    #[inline(always)]
    pub fn at(self, x: f64) -> f64 {
        match self {
            Self::Tanh => 1.0 - 2.0 / (exp(2.0 * x) + 1.0),
            Self::Soft => soft(x),
            Self::Hard => x.clamp(-1.0, 1.0),
            Self::Tube => tube(x),
            Self::Fold => fold(x),
        }
    }

    /// Returns its integral from 0, for curves with corners.
    #[inline(always)]
    fn integral(self, x: f64) -> f64 {
        let x = x.abs();
        let (end, at_end) = match self {
            Self::Soft => (SOFT_END, 0.9375),
            _ => (1.0, 0.5),
        };
        if x > end {
            return at_end + (x - end);
        }
        let square = x * x;
        if self == Self::Soft { square * (0.5 - square / 27.0) } else { 0.5 * square }
    }

    /// Applies the curve in place.
    pub fn run(self, samples: &mut [f64]) {
        Simd::best().dispatch(Bend { shape: self, samples });
    }

    /// Returns the mean of the curve between two samples.
    #[inline(always)]
    fn between(self, a: f64, b: f64) -> f64 {
        let step = b - a;
        if step.abs() < NEAR {
            return self.at(f64::midpoint(a, b));
        }
        (self.integral(b) - self.integral(a)) / step
    }

    /// Applies the curve in place, by means between neighbours, with a delay of one frame. `before` holds the sample
    /// and the mean before the first.
    pub fn run_averaged(self, before: &mut [f64; 2], samples: &mut [f64]) {
        let [mut last, mut mean] = *before;
        for sample in samples {
            let here = self.between(last, *sample);
            last = *sample;
            *sample = 0.5 * (mean + here);
            mean = here;
        }
        *before = [last, mean];
    }
}

struct Bend<'a> {
    shape: TransferCurve,
    samples: &'a mut [f64],
}

impl Task for Bend<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        // One loop per shape, so that there is no branch inside.
        match self.shape {
            TransferCurve::Tanh => self.samples.iter_mut().for_each(|x| *x = TransferCurve::Tanh.at(*x)),
            TransferCurve::Soft => self.samples.iter_mut().for_each(|x| *x = TransferCurve::Soft.at(*x)),
            TransferCurve::Hard => self.samples.iter_mut().for_each(|x| *x = TransferCurve::Hard.at(*x)),
            TransferCurve::Tube => self.samples.iter_mut().for_each(|x| *x = TransferCurve::Tube.at(*x)),
            TransferCurve::Fold => self.samples.iter_mut().for_each(|x| *x = TransferCurve::Fold.at(*x)),
        }
    }
}

#[inline(always)]
fn soft(x: f64) -> f64 {
    let x = x.clamp(-SOFT_END, SOFT_END);
    x * (1.0 - x * x * (4.0 / 27.0))
}

#[inline(always)]
fn tube(x: f64) -> f64 {
    let e = exp(-TUBE_BEND * x);
    (1.0 - e) / (1.0 + TUBE_RATIO * e)
}

/// `2 / pi sin(pi / 2 x)`, whose slope at 0 is 1 too.
#[inline(always)]
fn fold(x: f64) -> f64 {
    // The sine has period 4 and is symmetric about 1.
    let turn = x - 4.0 * (0.25 * x).round_ties_even();
    let near = if turn.abs() > 1.0 { 2f64.copysign(turn) - turn } else { turn };
    let angle = FRAC_PI_2 * near;
    let square = angle * angle;
    let mut sum = 1.0;
    for pair in [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0] {
        sum = 1.0 - square * sum / (2.0 * pair * (2.0 * pair + 1.0));
    }
    angle * sum / FRAC_PI_2
}

/// Returns `e^x`, with the exponent clamped to the range that the curves need.
#[inline(always)]
fn exp(x: f64) -> f64 {
    /// Adding and subtracting this rounds to the nearest integer, which is then in the low bits of the sum.
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    let power = (x * LOG2_E).clamp(-400.0, 400.0);
    let shifted = power + MAGIC;
    let whole = shifted - MAGIC;
    let rest = (power - whole) * std::f64::consts::LN_2;
    let mut sum = 1.0;
    for step in [11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0] {
        sum = 1.0 + rest * sum * (1.0 / step);
    }
    let scale = f64::from_bits(shifted.to_bits().wrapping_sub(MAGIC.to_bits()).wrapping_add(1023) << 52);
    sum * scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_what_their_formulas_say() {
        for step in -4000..=4000 {
            let x = f64::from(step) * 0.01;
            let e = (-2.5 * x).exp();
            for (shape, expected) in [
                (TransferCurve::Tanh, x.tanh()),
                (TransferCurve::Tube, if e.is_finite() { (1.0 - e) / (1.0 + 1.5 * e) } else { -2.0 / 3.0 }),
                (TransferCurve::Fold, (FRAC_PI_2 * x).sin() / FRAC_PI_2),
                (TransferCurve::Soft, if x.abs() < 1.5 { x - 4.0 / 27.0 * x.powi(3) } else { x.signum() }),
                (TransferCurve::Hard, x.clamp(-1.0, 1.0)),
            ] {
                assert!((shape.at(x) - expected).abs() < 1e-11, "{shape:?} {x}: {} for {expected}", shape.at(x));
            }
        }
        for shape in
            [TransferCurve::Tanh, TransferCurve::Soft, TransferCurve::Hard, TransferCurve::Tube, TransferCurve::Fold]
        {
            assert_eq!(shape.at(0.0), 0.0);
            assert!((shape.at(1e-6) / 1e-6 - 1.0).abs() < 2e-6, "{shape:?}");
            assert!(shape.at(1e30).is_finite() && shape.at(-1e30).is_finite());
        }
    }

    #[test]
    fn integrals_belong_to_their_curves() {
        for shape in [TransferCurve::Soft, TransferCurve::Hard] {
            for step in -300..300 {
                let x = f64::from(step) * 0.01 + 0.005;
                let slope = (shape.integral(x + 1e-5) - shape.integral(x - 1e-5)) / 2e-5;
                assert!((slope - shape.at(x)).abs() < 1e-5, "{shape:?} {x}");
                assert!((shape.between(x, x + 0.9e-5) - shape.between(x, x + 1.1e-5)).abs() < 1e-5);
            }
        }
    }
}
