//! Eight f32 lanes in one AVX register.
#![allow(unsafe_code, reason = "vector intrinsics; a value of this type exists only where AVX2 was found")]

use std::arch::x86_64::*;

use transforms::num_complex::Complex32;

use super::avx2::transpose_quarters;
use super::lanes::LANES;
use super::singles::Singles;

#[derive(Clone, Copy)]
pub(super) struct AvxSingles(__m256);

// SAFETY, for every block below: `Singles` of this type are used only by tasks dispatched to a machine with AVX2 or
// AVX-512F (see `Simd::dispatch`), and each pointer comes from a reference to as many values as are read or written; a
// `Complex32` is two f32 in a row (`repr(C)`).
impl Singles for AvxSingles {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    fn load(from: &[f32; LANES]) -> Self {
        Self(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(unsafe { _mm256_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(unsafe { _mm256_sub_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(unsafe { _mm256_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(unsafe { _mm256_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn mantissa_and_exponent(self) -> [Self; 2] {
        unsafe {
            let bits = _mm256_castps_si256(self.0);
            let of_one = _mm256_set1_epi32(0x3f80_0000);
            let mantissa = _mm256_or_si256(_mm256_and_si256(bits, _mm256_set1_epi32(0x007f_ffff)), of_one);
            let exponent = _mm256_sub_epi32(_mm256_srli_epi32::<23>(bits), _mm256_set1_epi32(127));
            [Self(_mm256_castsi256_ps(mantissa)), Self(_mm256_cvtepi32_ps(exponent))]
        }
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        unsafe {
            let halves = _mm256_permute_ps::<0b00_01_10_11>(self.0);
            Self(_mm256_permute2f128_ps::<1>(halves, halves))
        }
    }

    #[inline(always)]
    fn sums(vectors: [Self; LANES]) -> Self {
        let [v0, v1, v2, v3, v4, v5, v6, v7] = vectors;
        unsafe {
            // Lanes n and n + 4 of two vectors, side by side.
            let (a, b, c, d) = (halves(v0, v4), halves(v1, v5), halves(v2, v6), halves(v3, v7));
            // Then n and n + 2: of vectors 0 | 4 the sums of even and odd lanes, and those of 2 | 6, 1 | 5 and 3 | 7.
            let (ac, bd) = (quarters(a, c), quarters(b, d));
            let (even, odd) = (_mm256_shuffle_ps::<0x88>(ac, bd), _mm256_shuffle_ps::<0xdd>(ac, bd));
            // 0 2 1 3 | 4 6 5 7.
            let mixed = _mm256_add_ps(even, odd);
            Self(_mm256_permute_ps::<0b11_01_10_00>(mixed))
        }
    }

    #[inline(always)]
    fn turned(rows: [Self; LANES]) -> [Self; LANES] {
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
        unsafe {
            // Rows n and n + 4 share a register, half a row each; what remains is 4 x 4 in each half.
            let [a, b, c, d] = transpose_quarters([lower(r0, r4), lower(r1, r5), lower(r2, r6), lower(r3, r7)]);
            let [e, f, g, h] = transpose_quarters([upper(r0, r4), upper(r1, r5), upper(r2, r6), upper(r3, r7)]);
            [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
        }
    }

    #[inline(always)]
    fn load_complex(from: &[Complex32; LANES]) -> [Self; 2] {
        unsafe {
            let from = from.as_ptr().cast::<f32>();
            let (first, last) = (_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8)));
            let low = _mm256_permute2f128_ps::<0x20>(first, last);
            let high = _mm256_permute2f128_ps::<0x31>(first, last);
            [Self(_mm256_shuffle_ps::<0x88>(low, high)), Self(_mm256_shuffle_ps::<0xdd>(low, high))]
        }
    }

    #[inline(always)]
    fn store_complex([re, im]: [Self; 2], to: &mut [Complex32; LANES]) {
        unsafe {
            let (low, high) = (_mm256_unpacklo_ps(re.0, im.0), _mm256_unpackhi_ps(re.0, im.0));
            let to = to.as_mut_ptr().cast::<f32>();
            _mm256_storeu_ps(to, _mm256_permute2f128_ps::<0x20>(low, high));
            _mm256_storeu_ps(to.add(8), _mm256_permute2f128_ps::<0x31>(low, high));
        }
    }
}

/// The lower half of `a`, and that of `b` above it.
///
/// # Safety
/// The machine must have AVX.
#[inline(always)]
unsafe fn lower(a: AvxSingles, b: AvxSingles) -> __m256 {
    // SAFETY: the caller vouches for AVX.
    unsafe { _mm256_permute2f128_ps::<0x20>(a.0, b.0) }
}

/// The upper half of `a`, and that of `b` above it.
///
/// # Safety
/// The machine must have AVX.
#[inline(always)]
unsafe fn upper(a: AvxSingles, b: AvxSingles) -> __m256 {
    // SAFETY: the caller vouches for AVX.
    unsafe { _mm256_permute2f128_ps::<0x31>(a.0, b.0) }
}

/// `l0+l4 l1+l5 l2+l6 l3+l7` of `a`, and the same of `b` above it.
///
/// # Safety
/// The machine must have AVX.
#[inline(always)]
unsafe fn halves(a: AvxSingles, b: AvxSingles) -> __m256 {
    // SAFETY: the caller vouches for AVX.
    unsafe { _mm256_add_ps(_mm256_permute2f128_ps::<0x20>(a.0, b.0), _mm256_permute2f128_ps::<0x31>(a.0, b.0)) }
}

/// Of each half, `a0+a2 a1+a3 b0+b2 b1+b3`.
///
/// # Safety
/// The machine must have AVX.
#[inline(always)]
unsafe fn quarters(a: __m256, b: __m256) -> __m256 {
    // SAFETY: the caller vouches for AVX.
    unsafe { _mm256_add_ps(_mm256_shuffle_ps::<0x44>(a, b), _mm256_shuffle_ps::<0xee>(a, b)) }
}
