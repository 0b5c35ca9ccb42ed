//! Eight lanes in one AVX-512 register.
#![allow(unsafe_code, reason = "vector intrinsics; a value of this type exists only where AVX-512F was found")]

use std::arch::x86_64::*;

use super::Task;
use super::avx_singles::AvxSingles;
use super::avx2::{dot, load_transposed, store_transposed};
use super::lanes::{LANES, Lanes};
use super::wide::Avx512Wide;

/// Runs a task with AVX-512F.
///
/// # Safety
/// The machine must have AVX-512F.
#[target_feature(enable = "avx512f,avx2,fma")]
pub(super) unsafe fn run<T: Task>(task: T) -> T::Output {
    task.run::<Avx512>()
}

#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512d);

// SAFETY, for every block below: `Lanes` of this type are used only by tasks dispatched to a machine with AVX-512F (see
// `Simd::dispatch`), and each pointer comes from a reference to as many values as are read or written.
impl Lanes for Avx512 {
    type Singles = AvxSingles;
    type Wide = Avx512Wide;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self(unsafe { _mm512_set1_pd(value) })
    }

    #[inline(always)]
    fn load(from: &[f64; LANES]) -> Self {
        Self(unsafe { _mm512_loadu_pd(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn widen(from: &[f32; LANES]) -> Self {
        Self(unsafe { _mm512_cvtps_pd(_mm256_loadu_ps(from.as_ptr())) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(unsafe { _mm512_add_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(unsafe { _mm512_sub_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(unsafe { _mm512_mul_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self(unsafe { _mm512_fmadd_pd(self.0, factor.0, term.0) })
    }

    #[inline(always)]
    fn neg_mul_add(self, factor: Self, term: Self) -> Self {
        Self(unsafe { _mm512_fnmadd_pd(self.0, factor.0, term.0) })
    }

    #[inline(always)]
    fn mul_add_one(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn dot(a: &[i16], b: &[i16]) -> i32 {
        // SAFETY: a value of this type exists only where AVX2 was found, as AVX-512F is asked for together with it.
        unsafe { dot(a, b) }
    }

    #[inline(always)]
    fn flush(self, limit: f64) -> Self {
        unsafe {
            // Not less than: true for NaN, which is kept.
            let kept = _mm512_cmp_pd_mask::<_CMP_NLT_UQ>(_mm512_abs_pd(self.0), _mm512_set1_pd(limit));
            Self(_mm512_maskz_mov_pd(kept, self.0))
        }
    }

    #[inline(always)]
    fn load_columns(rows: [&[f32; LANES]; LANES]) -> [Self; LANES] {
        let mut columns = [Self::splat(0.0); LANES];
        unsafe {
            let transposed = load_transposed(rows);
            for (column, samples) in columns.iter_mut().zip(transposed) {
                *column = Self(_mm512_cvtps_pd(samples));
            }
        }
        columns
    }

    #[inline(always)]
    fn store_columns(columns: [Self; LANES], rows: [&mut [f32; LANES]; LANES]) {
        unsafe {
            let mut narrow = [_mm256_setzero_ps(); LANES];
            for (samples, column) in narrow.iter_mut().zip(columns) {
                *samples = _mm512_cvtpd_ps(column.0);
            }
            store_transposed(narrow, rows);
        }
    }

    #[inline(always)]
    fn sums(vectors: [Self; LANES]) -> Self {
        unsafe {
            let [v0, v1, v2, v3, v4, v5, v6, v7] = vectors;
            let first = quarters(halves(v0, v1), halves(v2, v3));
            let second = quarters(halves(v4, v5), halves(v6, v7));
            let mixed = _mm512_add_pd(_mm512_unpacklo_pd(first, second), _mm512_unpackhi_pd(first, second));
            Self(_mm512_permutexvar_pd(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), mixed))
        }
    }
}

/// The sums of the lower and upper half: of `a` in the lower half, of `b` in the upper one.
///
/// # Safety
/// The machine must have AVX-512F.
#[inline(always)]
unsafe fn halves(Avx512(a): Avx512, Avx512(b): Avx512) -> __m512d {
    // SAFETY: the caller vouches for AVX-512F.
    unsafe { _mm512_add_pd(_mm512_shuffle_f64x2::<0x44>(a, b), _mm512_shuffle_f64x2::<0xee>(a, b)) }
}

/// The sums of the lower and upper half of each half, of `a` and of `b`.
///
/// # Safety
/// The machine must have AVX-512F.
#[inline(always)]
unsafe fn quarters(a: __m512d, b: __m512d) -> __m512d {
    // SAFETY: the caller vouches for AVX-512F.
    unsafe { _mm512_add_pd(_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0xdd>(a, b)) }
}
