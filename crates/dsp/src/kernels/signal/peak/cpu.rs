//! Finds the sample peak on the CPU.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use base::simd::{Lanes, Simd, Task};

/// Returns the largest `|x|`, or 0 for an empty block. `NaN` ranks above every number, so that a broken signal does not
/// pass for a quiet one. An infinity is an ordinary peak.
pub fn peak(x: &[f32]) -> f32 {
    Simd::best().dispatch(Peak(x))
}

struct Peak<'a>(&'a [f32]);

impl Task for Peak<'_> {
    type Output = f32;

    // A plain loop: the compiler vectorises it for each instruction set.
    #[inline(always)]
    fn run<L: Lanes>(self) -> f32 {
        // Magnitudes of floats have the same order as their bits, and `NaN` ranks above infinity.
        let mut most = 0;
        for x in self.0 {
            most = most.max(x.to_bits() & 0x7fff_ffff);
        }
        f32::from_bits(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_magnitude_wins_and_nan_over_all() {
        assert_eq!(peak(&[]), 0.0);
        assert_eq!(peak(&[0.25, -0.5, 0.0]), 0.5);
        assert_eq!(peak(&[1e-42, -1e-44]), 1e-42);
        assert_eq!(peak(&[1.0, f32::NEG_INFINITY]), f32::INFINITY);
        assert!(peak(&[f32::INFINITY, -f32::NAN, 1.0]).is_nan());
    }

    #[test]
    fn the_peak_is_found_wherever_it_is() {
        for length in [1, 7, 8, 9, 63, 64, 65, 300] {
            for at in 0..length {
                let mut x = vec![0.25; length];
                x[at] = -0.75;
                assert_eq!(peak(&x), 0.75, "{at} of {length}");
            }
        }
    }
}
