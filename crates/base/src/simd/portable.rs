//! Eight lanes in plain Rust, for machines with no vector unit that is known here.

use super::lanes::{LANES, Lanes};
use super::singles::PlainSingles;
use super::wide::PlainWide;

#[derive(Clone, Copy)]
pub(super) struct Portable([f64; LANES]);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let mut result = self.0;
        // By index, which is less code for the compiler than iterators, as each operation of each task has a copy.
        for lane in 0..LANES {
            result[lane] = f(result[lane], other.0[lane]);
        }
        Self(result)
    }
}

impl Lanes for Portable {
    type Singles = PlainSingles;
    type Wide = PlainWide;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    fn load(from: &[f64; LANES]) -> Self {
        Self(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        *to = self.0;
    }

    #[inline(always)]
    fn widen(from: &[f32; LANES]) -> Self {
        Self(from.map(f64::from))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        self.mul(factor).add(term)
    }

    #[inline(always)]
    fn neg_mul_add(self, factor: Self, term: Self) -> Self {
        term.sub(self.mul(factor))
    }

    #[inline(always)]
    fn mul_add_one(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }

    #[inline(always)]
    fn flush(self, limit: f64) -> Self {
        Self(self.0.map(|value| if value.abs() < limit { 0.0 } else { value }))
    }
}
