//! Eight lanes in two AVX registers.
#![allow(unsafe_code, reason = "vector intrinsics; a value of this type exists only where AVX2 and FMA were found")]

use std::arch::x86_64::*;

use super::Task;
use super::avx_singles::AvxSingles;
use super::lanes::{LANES, Lanes};
use super::wide::Avx2Wide;

/// Runs a task with AVX2 and FMA.
///
/// # Safety
/// The machine must have AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn run<T: Task>(task: T) -> T::Output {
    task.run::<Avx2>()
}

#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256d, __m256d);

// SAFETY, for every block below: `Lanes` of this type are used only by tasks dispatched to a machine with AVX2 and FMA
// (see `Simd::dispatch`), and each pointer comes from a reference to as many values as are read or written.
impl Lanes for Avx2 {
    type Singles = AvxSingles;
    type Wide = Avx2Wide;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        let value = unsafe { _mm256_set1_pd(value) };
        Self(value, value)
    }

    #[inline(always)]
    fn load(from: &[f64; LANES]) -> Self {
        unsafe { Self(_mm256_loadu_pd(from.as_ptr()), _mm256_loadu_pd(from.as_ptr().add(4))) }
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        unsafe {
            _mm256_storeu_pd(to.as_mut_ptr(), self.0);
            _mm256_storeu_pd(to.as_mut_ptr().add(4), self.1);
        }
    }

    #[inline(always)]
    fn widen(from: &[f32; LANES]) -> Self {
        unsafe {
            Self(_mm256_cvtps_pd(_mm_loadu_ps(from.as_ptr())), _mm256_cvtps_pd(_mm_loadu_ps(from.as_ptr().add(4))))
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        unsafe { Self(_mm256_add_pd(self.0, other.0), _mm256_add_pd(self.1, other.1)) }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        unsafe { Self(_mm256_sub_pd(self.0, other.0), _mm256_sub_pd(self.1, other.1)) }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        unsafe { Self(_mm256_mul_pd(self.0, other.0), _mm256_mul_pd(self.1, other.1)) }
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        unsafe { Self(_mm256_fmadd_pd(self.0, factor.0, term.0), _mm256_fmadd_pd(self.1, factor.1, term.1)) }
    }

    #[inline(always)]
    fn neg_mul_add(self, factor: Self, term: Self) -> Self {
        unsafe { Self(_mm256_fnmadd_pd(self.0, factor.0, term.0), _mm256_fnmadd_pd(self.1, factor.1, term.1)) }
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
            let limit = _mm256_set1_pd(limit);
            Self(flush_four(self.0, limit), flush_four(self.1, limit))
        }
    }

    #[inline(always)]
    fn load_columns(rows: [&[f32; LANES]; LANES]) -> [Self; LANES] {
        let mut columns = [Self::splat(0.0); LANES];
        unsafe {
            let transposed = load_transposed(rows);
            for (column, samples) in columns.iter_mut().zip(transposed) {
                *column = Self(
                    _mm256_cvtps_pd(_mm256_castps256_ps128(samples)),
                    _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(samples)),
                );
            }
        }
        columns
    }

    #[inline(always)]
    fn store_columns(columns: [Self; LANES], rows: [&mut [f32; LANES]; LANES]) {
        unsafe {
            let mut narrow = [_mm256_setzero_ps(); LANES];
            for (samples, column) in narrow.iter_mut().zip(columns) {
                *samples = _mm256_set_m128(_mm256_cvtpd_ps(column.1), _mm256_cvtpd_ps(column.0));
            }
            store_transposed(narrow, rows);
        }
    }

    #[inline(always)]
    fn sums(vectors: [Self; LANES]) -> Self {
        let [v0, v1, v2, v3, v4, v5, v6, v7] = vectors;
        unsafe { Self(four_sums(v0, v1, v2, v3), four_sums(v4, v5, v6, v7)) }
    }
}

// A closure is compiled separately, without the target features of its surroundings, unless it happens to be inlined: a
// call of each intrinsic then costs ten times the instruction. Code that is used twice is a function that is always
// inlined.

/// 0 where the magnitude is below `limit`; NaN stays.
///
/// # Safety
/// The machine must have AVX.
#[inline(always)]
unsafe fn flush_four(x: __m256d, limit: __m256d) -> __m256d {
    // SAFETY: the caller vouches for AVX.
    unsafe {
        // Not less than: true for NaN, which is kept.
        _mm256_and_pd(_mm256_cmp_pd::<_CMP_NLT_UQ>(_mm256_andnot_pd(_mm256_set1_pd(-0.0), x), limit), x)
    }
}

/// The sums of the lanes of four vectors.
///
/// # Safety
/// The machine must have AVX.
#[inline(always)]
unsafe fn four_sums(a: Avx2, b: Avx2, c: Avx2, d: Avx2) -> __m256d {
    // SAFETY: the caller vouches for AVX.
    unsafe {
        let even = quarters(_mm256_add_pd(a.0, a.1), _mm256_add_pd(c.0, c.1));
        let odd = quarters(_mm256_add_pd(b.0, b.1), _mm256_add_pd(d.0, d.1));
        _mm256_add_pd(_mm256_unpacklo_pd(even, odd), _mm256_unpackhi_pd(even, odd))
    }
}

/// The sums of the lower and upper half, of `a` in the lower half, of `b` in the upper one.
///
/// # Safety
/// The machine must have AVX.
#[inline(always)]
unsafe fn quarters(a: __m256d, b: __m256d) -> __m256d {
    // SAFETY: the caller vouches for AVX.
    unsafe { _mm256_add_pd(_mm256_permute2f128_pd::<0x20>(a, b), _mm256_permute2f128_pd::<0x31>(a, b)) }
}

/// Four samples of one row from `at` on, and four of another.
///
/// # Safety
/// The machine must have AVX.
#[inline(always)]
unsafe fn joined(low: &[f32; LANES], high: &[f32; LANES], at: usize) -> __m256 {
    // SAFETY: the caller vouches for AVX, and every row has eight samples.
    unsafe {
        let low = _mm256_castps128_ps256(_mm_loadu_ps(low.as_ptr().add(at)));
        _mm256_insertf128_ps::<1>(low, _mm_loadu_ps(high.as_ptr().add(at)))
    }
}

/// Eight rows of eight samples, as columns.
///
/// # Safety
/// The machine must have AVX.
#[inline(always)]
pub(super) unsafe fn load_transposed(rows: [&[f32; LANES]; LANES]) -> [__m256; LANES] {
    // Rows i and i + 4 are joined while loading, half a row at a time, which costs no shuffle; what remains is to
    // transpose 4 x 4 in each half of the registers.
    // SAFETY: the caller vouches for AVX, and every row has eight samples.
    unsafe {
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
        let [a, b, c, d] =
            transpose_quarters([joined(r0, r4, 0), joined(r1, r5, 0), joined(r2, r6, 0), joined(r3, r7, 0)]);
        let [e, f, g, h] =
            transpose_quarters([joined(r0, r4, 4), joined(r1, r5, 4), joined(r2, r6, 4), joined(r3, r7, 4)]);
        [a, b, c, d, e, f, g, h]
    }
}

/// The way back from [`load_transposed`].
///
/// # Safety
/// The machine must have AVX.
#[inline(always)]
pub(super) unsafe fn store_transposed(columns: [__m256; LANES], rows: [&mut [f32; LANES]; LANES]) {
    // SAFETY: the caller vouches for AVX, and every row has eight samples.
    unsafe {
        let [a, b, c, d, e, f, g, h] = columns;
        let left = transpose_quarters([a, b, c, d]);
        let right = transpose_quarters([e, f, g, h]);
        for (i, row) in rows.into_iter().enumerate() {
            let (left, right) = if i < 4 {
                (_mm256_castps256_ps128(left[i]), _mm256_castps256_ps128(right[i]))
            } else {
                (_mm256_extractf128_ps::<1>(left[i - 4]), _mm256_extractf128_ps::<1>(right[i - 4]))
            };
            _mm_storeu_ps(row.as_mut_ptr(), left);
            _mm_storeu_ps(row.as_mut_ptr().add(4), right);
        }
    }
}

/// Transposes the 4 x 4 samples in the lower halves of four registers, and those in the upper halves.
///
/// # Safety
/// The machine must have AVX.
#[inline(always)]
pub(super) unsafe fn transpose_quarters([a, b, c, d]: [__m256; 4]) -> [__m256; 4] {
    // SAFETY: the caller vouches for AVX.
    unsafe {
        let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0x44>(ab_low, cd_low),
            _mm256_shuffle_ps::<0xee>(ab_low, cd_low),
            _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
            _mm256_shuffle_ps::<0xee>(ab_high, cd_high),
        ]
    }
}

/// The sum of products of whole numbers, wrapping.
///
/// # Safety
/// The machine must have AVX2.
#[inline(always)]
pub(super) unsafe fn dot(a: &[i16], b: &[i16]) -> i32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    // SAFETY: the caller vouches for AVX2, and every block has sixteen values.
    let sum = unsafe {
        let mut sums = _mm256_setzero_si256();
        for (a, b) in a.iter().zip(b) {
            let (a, b) = (_mm256_loadu_si256(a.as_ptr().cast()), _mm256_loadu_si256(b.as_ptr().cast()));
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(a, b));
        }
        let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<1>(two)))
    };
    let product = |(&a, &b): (&i16, &i16)| i32::from(a) * i32::from(b);
    a_rest.iter().zip(b_rest).map(product).fold(sum, i32::wrapping_add)
}
