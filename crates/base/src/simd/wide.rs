//! One register of f32 values, as wide as the machine offers, with fused multiply-adds: the building block of matrix
//! products. Every lane has a separate chain of sums, so that the width does not change the bits.
#![allow(
    unsafe_code,
    reason = "vector intrinsics; a value of these types exists only where its instructions were found"
)]

/// A register of f32 values.
///
/// Values of an implementing type exist only within a [`super::Task`] that was dispatched to their instruction set.
pub trait Wide: Copy {
    /// The number of values.
    const WIDTH: usize;
    /// Whether there are 32 registers, else 16.
    const MANY_REGISTERS: bool;

    /// The same value in all lanes.
    fn splat(value: f32) -> Self;

    /// The first [`Wide::WIDTH`] values of a slice.
    fn load(from: &[f32]) -> Self;

    /// To the first [`Wide::WIDTH`] values of a slice.
    fn store(self, to: &mut [f32]);

    /// `self + other`.
    fn add(self, other: Self) -> Self;

    /// `self * factor + term`, rounded once (twice on a machine without fused multiply-adds).
    fn mul_add(self, factor: Self, term: Self) -> Self;
}

/// Four values in plain Rust.
#[derive(Clone, Copy)]
pub struct PlainWide([f32; 4]);

impl PlainWide {
    #[inline(always)]
    fn of(value: impl Fn(usize) -> f32) -> Self {
        Self([value(0), value(1), value(2), value(3)])
    }
}

impl Wide for PlainWide {
    const WIDTH: usize = 4;
    const MANY_REGISTERS: bool = false;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; 4])
    }

    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        let from = &from[..4];
        Self::of(|n| from[n])
    }

    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        to[..4].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::of(|n| self.0[n] + other.0[n])
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self::of(|n| self.0[n] * factor.0[n] + term.0[n])
    }
}

macro_rules! registers {
    ($name:ident, $of:ty, $width:literal, $many:literal, $splat:ident, $load:ident, $store:ident, $add:ident, $fma:expr) => {
        #[derive(Clone, Copy)]
        pub struct $name($of);

        // SAFETY, for every block below: values of this type are made only by tasks dispatched to a machine with these
        // instructions (see `Simd::dispatch`), and each pointer comes from a slice of at least as many values.
        impl Wide for $name {
            const WIDTH: usize = $width;
            const MANY_REGISTERS: bool = $many;

            #[inline(always)]
            fn splat(value: f32) -> Self {
                Self(unsafe { $splat(value) })
            }

            #[inline(always)]
            fn load(from: &[f32]) -> Self {
                let from = &from[..$width];
                Self(unsafe { $load(from.as_ptr()) })
            }

            #[inline(always)]
            fn store(self, to: &mut [f32]) {
                let to = &mut to[..$width];
                unsafe { $store(to.as_mut_ptr(), self.0) }
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(unsafe { $add(self.0, other.0) })
            }

            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                Self(unsafe { $fma(self.0, factor.0, term.0) })
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::Wide;

    registers!(
        Avx512Wide,
        __m512,
        16,
        true,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_add_ps,
        |a, b, c| _mm512_fmadd_ps(a, b, c)
    );
    registers!(
        Avx2Wide,
        __m256,
        8,
        false,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_add_ps,
        |a, b, c| _mm256_fmadd_ps(a, b, c)
    );
}
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2Wide, Avx512Wide};

#[cfg(target_arch = "aarch64")]
mod arm {
    use std::arch::aarch64::*;

    use super::Wide;

    registers!(NeonWide, float32x4_t, 4, true, vdupq_n_f32, vld1q_f32, vst1q_f32, vaddq_f32, |a, b, c| vfmaq_f32(
        c, a, b
    ));
}
#[cfg(target_arch = "aarch64")]
pub(super) use arm::NeonWide;
