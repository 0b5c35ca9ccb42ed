//! Logarithms of ratios of magnitudes, in vectors.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use base::simd::{Lanes, Simd, Task};

/// Sums over the logarithms (base 10) of the ratios of two spectra, bin by bin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    /// Of the absolute logarithms, with magnitudes of `clamp` at least.
    pub absolute: f64,
    /// Of their squares, with magnitudes of `floor` at least.
    pub squares: f64,
    /// Of the absolute differences of the magnitudes.
    pub differences: f64,
}

/// Returns the sums over two spectra of equal length. Values below `clamp` and `floor`, which are positive and normal,
/// count as these.
pub(super) fn sums(reference: &[f64], other: &[f64], clamp: f64, floor: f64) -> Sums {
    Simd::best().dispatch(Over { reference, other, clamp, floor })
}

struct Over<'a> {
    reference: &'a [f64],
    other: &'a [f64],
    clamp: f64,
    floor: f64,
}

/// Partial sums, so that the compiler may add in vectors.
const PARTS: usize = 16;

impl Task for Over<'_> {
    type Output = Sums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Sums {
        let Self { reference, other, clamp, floor } = self;
        let (mut absolute, mut squares, mut differences) = ([0.0; PARTS], [0.0; PARTS], [0.0; PARTS]);
        for (r, o) in reference.chunks(PARTS).zip(other.chunks(PARTS)) {
            // Equal magnitudes add nothing.
            let (mut rs, mut os) = ([1.0; PARTS], [1.0; PARTS]);
            rs[..r.len()].copy_from_slice(r);
            os[..o.len()].copy_from_slice(o);
            for n in 0..PARTS {
                let (r, o) = (rs[n], os[n]);
                absolute[n] += log10(at_least(r, clamp) / at_least(o, clamp)).abs();
                let level = log10(at_least(r, floor) / at_least(o, floor));
                squares[n] += level * level;
                differences[n] += (r - o).abs();
            }
        }
        Sums { absolute: absolute.iter().sum(), squares: squares.iter().sum(), differences: differences.iter().sum() }
    }
}

#[inline(always)]
fn at_least(x: f64, least: f64) -> f64 {
    if x > least { x } else { least }
}

/// Returns the logarithm of a positive, normal number to an error of 1e-15 and of its last bits: from
/// `ln m = 2 artanh((m - 1) / (m + 1))` of the mantissa `m`, taken from `sqrt(1/2)` to `sqrt(2)`.
#[inline(always)]
fn log10(x: f64) -> f64 {
    /// The bits of 2^52: whole numbers in the last bits of this are a float that is larger by 2^52.
    const WHOLE: u64 = 0x4330_0000_0000_0000;
    /// The bits of `sqrt(1/2)`.
    const LEAST: u64 = 0x3fe6_a09e_667f_3bcd;
    // The exponent changes at powers of two times `sqrt(1/2)` here.
    let moved = x.to_bits().wrapping_add(1.0_f64.to_bits() - LEAST);
    let exponent = f64::from_bits((moved >> 52) | WHOLE) - (f64::from_bits(WHOLE) + 1023.0);
    let mantissa = f64::from_bits((moved & 0x000f_ffff_ffff_ffff) + LEAST);
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let t = s * s;
    // 2 (s + s^3 / 3 + s^5 / 5 + ...), until a term is below 2^-53 of the sum at the ends.
    let series = 1.0 / 21.0;
    let series = series * t + 1.0 / 19.0;
    let series = series * t + 1.0 / 17.0;
    let series = series * t + 1.0 / 15.0;
    let series = series * t + 1.0 / 13.0;
    let series = series * t + 1.0 / 11.0;
    let series = series * t + 1.0 / 9.0;
    let series = series * t + 1.0 / 7.0;
    let series = series * t + 1.0 / 5.0;
    let series = series * t + 1.0 / 3.0;
    let natural = 2.0 * (s + s * t * series);
    exponent * std::f64::consts::LOG10_2 + natural * std::f64::consts::LOG10_E
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_the_library() {
        for n in -300_000..300_000 {
            let x = 10_f64.powf(f64::from(n) * 1e-3);
            let (got, expected) = (log10(x), x.log10());
            assert!((got - expected).abs() <= 1e-15 + 4e-16 * expected.abs(), "{x:e}: {got} is not {expected}");
        }
        assert_eq!(log10(1.0), 0.0);
    }

    #[test]
    fn sums_are_those_of_single_values() {
        for length in [0, 1, 15, 16, 17, 257] {
            let reference: Vec<f64> = (0..length).map(|n| 1e-8 * 1.1_f64.powi(n)).collect();
            let other: Vec<f64> = (0..length).map(|n| 2e-6 * (1.0 + f64::from(n).sin().abs())).collect();
            let got = sums(&reference, &other, 1e-5, 1e-7);
            let ratio = |floor: f64| move |(r, o): (&f64, &f64)| (r.max(floor) / o.max(floor)).log10();
            let pairs = || reference.iter().zip(&other);
            let absolute: f64 = pairs().map(ratio(1e-5)).map(f64::abs).sum();
            let squares: f64 = pairs().map(ratio(1e-7)).map(|level| level * level).sum();
            let differences: f64 = pairs().map(|(r, o)| (r - o).abs()).sum();
            assert!((got.absolute - absolute).abs() <= 1e-12 * (1.0 + absolute));
            assert!((got.squares - squares).abs() <= 1e-12 * (1.0 + squares));
            assert!((got.differences - differences).abs() <= 1e-12 * (1.0 + differences));
        }
    }
}
