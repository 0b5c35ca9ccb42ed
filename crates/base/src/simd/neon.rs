//! Eight lanes in four NEON registers, which every AArch64 processor has.
#![allow(unsafe_code, reason = "vector intrinsics")]

use std::arch::aarch64::*;

use super::lanes::{LANES, Lanes};
use super::singles::PlainSingles;
use super::wide::NeonWide;

#[derive(Clone, Copy)]
pub(super) struct Neon([float64x2_t; 4]);

macro_rules! each {
    ($f:expr) => {
        Self([$f(0), $f(1), $f(2), $f(3)])
    };
}

// SAFETY, for every block below: NEON is part of AArch64, and each pointer comes from a reference to as many values as
// are read or written.
impl Lanes for Neon {
    type Singles = PlainSingles;
    type Wide = NeonWide;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self([unsafe { vdupq_n_f64(value) }; 4])
    }

    #[inline(always)]
    fn load(from: &[f64; LANES]) -> Self {
        each!(|i: usize| unsafe { vld1q_f64(from.as_ptr().add(2 * i)) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        for (i, pair) in self.0.into_iter().enumerate() {
            unsafe { vst1q_f64(to.as_mut_ptr().add(2 * i), pair) }
        }
    }

    #[inline(always)]
    fn widen(from: &[f32; LANES]) -> Self {
        each!(|i: usize| unsafe { vcvt_f64_f32(vld1_f32(from.as_ptr().add(2 * i))) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        each!(|i: usize| unsafe { vaddq_f64(self.0[i], other.0[i]) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        each!(|i: usize| unsafe { vsubq_f64(self.0[i], other.0[i]) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        each!(|i: usize| unsafe { vmulq_f64(self.0[i], other.0[i]) })
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        each!(|i: usize| unsafe { vfmaq_f64(term.0[i], self.0[i], factor.0[i]) })
    }

    #[inline(always)]
    fn neg_mul_add(self, factor: Self, term: Self) -> Self {
        each!(|i: usize| unsafe { vfmsq_f64(term.0[i], self.0[i], factor.0[i]) })
    }

    #[inline(always)]
    fn mul_add_one(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn flush(self, limit: f64) -> Self {
        each!(|i: usize| unsafe {
            let small = vcltq_f64(vabsq_f64(self.0[i]), vdupq_n_f64(limit));
            vreinterpretq_f64_u64(vbicq_u64(vreinterpretq_u64_f64(self.0[i]), small))
        })
    }
}
