//! Logarithms and powers of two in f32, as plain arithmetic that the compiler can vectorise for any instruction set.
//!
//! Every instruction set runs the same operations in the same order, each rounded separately. The bits are therefore
//! the same everywhere, and do not depend on where a block is cut.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

/// The dB in a factor of two in amplitude.
pub(super) const DB_PER_OCTAVE: f64 = 6.020_599_913_279_624;

/// Returns the base-2 logarithm of a positive, normal number. The error is at most 2e-7 plus half a unit in the last
/// place of the result, about 0.000 01 dB over the whole range of f32.
///
/// The mantissa is scaled to between `1/sqrt(2)` and `sqrt(2)`, then `log2 m = 2 / ln 2 (z + z^3/3 + z^5/5 + z^7/7)`
/// with `z = (m - 1) / (m + 1)`. The truncated terms are below `2 / ln 2 z^9 / 9 = 4e-8`.
#[inline(always)]
pub(super) fn log2(x: f32) -> f32 {
    const ROOT_HALF: u32 = 0x3f35_04f3;
    const TERMS: [f32; 4] = [2.885_39, 0.961_796_7, 0.577_078, 0.412_198_57];
    let shifted = x.to_bits().wrapping_sub(ROOT_HALF);
    let exponent = (shifted as i32) >> 23;
    let mantissa = f32::from_bits((shifted & 0x007f_ffff) + ROOT_HALF);
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let zz = z * z;
    exponent as f32 + z * (TERMS[0] + zz * (TERMS[1] + zz * (TERMS[2] + zz * TERMS[3])))
}

/// Returns two to the power of a number between -126 and 126, with a relative error of 3e-7. Returns 1 for 0 and for
/// values too close to 0 for f32 to distinguish.
#[inline(always)]
pub(super) fn exp2(x: f32) -> f32 {
    const TERMS: [f32; 6] = [0.693_147_2, 0.240_226_5, 0.055_504_11, 0.009_618_129, 0.001_333_356, 0.000_154_035];
    // Adding this constant leaves the nearest integer in the low bits.
    const ROUND: f32 = 12_582_912.0;
    let shifted = x + ROUND;
    let rest = x - (shifted - ROUND);
    let whole = (shifted.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
    let scale = f32::from_bits(((whole + 127) as u32) << 23);
    let [a, b, c, d, e, f] = TERMS;
    scale * (1.0 + rest * (a + rest * (b + rest * (c + rest * (d + rest * (e + rest * f))))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right_to_a_hundred_thousandth_of_a_decibel() {
        let mut worst = 0f64;
        let mut x = f32::MIN_POSITIVE;
        while x < f32::MAX / 1.01 {
            let exact = f64::from(x).log2();
            worst = worst.max((f64::from(log2(x)) - exact).abs() - exact.abs() * 6e-8);
            x *= 1.000_9;
        }
        assert!(worst <= 2e-7, "{worst:e}");
        for power in -126..127 {
            assert_eq!(log2(2f32.powi(power)), power as f32);
        }
    }

    #[test]
    fn powers_are_right_to_a_few_units_in_the_last_place() {
        let mut worst = 0f64;
        for n in -1_260_000..1_260_000 {
            let x = n as f32 * 1e-4;
            worst = worst.max((f64::from(exp2(x)) / f64::from(x).exp2() - 1.0).abs());
        }
        assert!(worst <= 3e-7, "{worst:e}");
        assert_eq!((exp2(0.0), exp2(-1e-20), exp2(1.0), exp2(-3.0)), (1.0, 1.0, 2.0, 0.125));
    }
}
