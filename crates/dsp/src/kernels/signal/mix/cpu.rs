//! Mixes on the CPU.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use base::simd::{Lanes, Simd, Task};

/// Computes `y = a x + b y` for each sample.
///
/// # Panics
/// If the lengths differ.
pub fn mix(x: &[f32], a: f32, y: &mut [f32], b: f32) {
    assert_eq!(x.len(), y.len(), "signals of different lengths");
    Simd::best().dispatch(Mix { x, a, y, b });
}

/// Computes `y = gain y` for each sample. A gain of 1 leaves the bits unchanged.
pub fn gain(y: &mut [f32], gain: f32) {
    if gain != 1.0 {
        Simd::best().dispatch(Gain { y, gain });
    }
}

struct Mix<'a> {
    x: &'a [f32],
    a: f32,
    y: &'a mut [f32],
    b: f32,
}

impl Task for Mix<'_> {
    type Output = ();

    // A plain loop: the compiler vectorises it for each instruction set.
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { x, a, y, b } = self;
        for (y, &x) in y.iter_mut().zip(x) {
            *y = a * x + b * *y;
        }
    }
}

struct Gain<'a> {
    y: &'a mut [f32],
    gain: f32,
}

impl Task for Gain<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let gain = self.gain;
        for y in self.y {
            *y *= gain;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_mixed_to_its_last_sample() {
        for length in [0, 1, 7, 8, 9, 63, 64, 65, 1000] {
            let x: Vec<f32> = (0..length).map(|i| (i as f32 * 0.37).sin()).collect();
            let mut y: Vec<f32> = (0..length).map(|i| (i as f32 * 0.11).cos()).collect();
            let expected: Vec<f32> = x.iter().zip(&y).map(|(&x, &y)| 0.3 * x + -1.7 * y).collect();
            mix(&x, 0.3, &mut y, -1.7);
            assert_eq!(y, expected, "{length} samples");
            gain(&mut y, 0.1);
            assert_eq!(y, expected.iter().map(|y| y * 0.1).collect::<Vec<f32>>(), "{length} samples");
        }
    }

    #[test]
    fn a_broken_sample_stays_alone() {
        let mut y = vec![1.0; 40];
        let mut x = vec![1.0; 40];
        (x[3], y[20]) = (f32::NAN, f32::INFINITY);
        mix(&x, 0.5, &mut y, 0.5);
        assert!(y[3].is_nan() && y[20] == f32::INFINITY);
        assert_eq!(y.iter().filter(|y| **y == 1.0).count(), 38);
    }

    #[test]
    fn a_gain_of_one_keeps_the_bits() {
        let mut y = [1e-42, -0.0, f32::from_bits(0x7fa0_0001)];
        let before = y.map(f32::to_bits);
        gain(&mut y, 1.0);
        assert_eq!(y.map(f32::to_bits), before);
    }
}
