//! The operations that a vector unit must support.

use super::singles::Singles;
use super::wide::Wide;

/// Number of lanes of every vector.
pub const LANES: usize = 8;

/// Eight f64 values worked on at once.
///
/// Values of an implementing type exist only within a [`super::Task`] that was dispatched to their instruction set.
pub trait Lanes: Copy {
    /// Eight f32 values on the same vector unit.
    type Singles: Singles;
    /// One register of f32 values.
    type Wide: Wide;

    /// The same value in all lanes.
    fn splat(value: f64) -> Self;

    /// Eight values in order.
    fn load(from: &[f64; LANES]) -> Self;

    /// The lanes in order.
    fn store(self, to: &mut [f64; LANES]);

    /// Eight samples in order.
    fn widen(from: &[f32; LANES]) -> Self;

    /// `self + other`.
    fn add(self, other: Self) -> Self;

    /// `self - other`.
    fn sub(self, other: Self) -> Self;

    /// `self * other`.
    fn mul(self, other: Self) -> Self;

    /// `self * factor + term`, rounded once.
    fn mul_add(self, factor: Self, term: Self) -> Self;

    /// `term - self * factor`, rounded once.
    fn neg_mul_add(self, factor: Self, term: Self) -> Self;

    /// `a * b + c` of single numbers, rounded as [`Lanes::mul_add`] rounds.
    fn mul_add_one(a: f64, b: f64, c: f64) -> f64;

    /// The sum of products of whole numbers, up to the shorter length. Sums wrap, so their order does not matter.
    #[inline(always)]
    fn dot(a: &[i16], b: &[i16]) -> i32 {
        let mut sum = 0_i32;
        for (&a, &b) in a.iter().zip(b) {
            sum = sum.wrapping_add(i32::from(a) * i32::from(b));
        }
        sum
    }

    /// 0 where the magnitude is below `limit`; NaN stays.
    fn flush(self, limit: f64) -> Self;

    /// Lane `i` of vector `n` is sample `n` of row `i`.
    #[inline(always)]
    fn load_columns(rows: [&[f32; LANES]; LANES]) -> [Self; LANES] {
        let mut columns = [Self::splat(0.0); LANES];
        for (n, column) in columns.iter_mut().enumerate() {
            let mut values = [0.0; LANES];
            for (value, row) in values.iter_mut().zip(rows) {
                *value = f64::from(row[n]);
            }
            *column = Self::load(&values);
        }
        columns
    }

    /// The way back from [`Lanes::load_columns`], rounding to f32.
    #[inline(always)]
    fn store_columns(columns: [Self; LANES], rows: [&mut [f32; LANES]; LANES]) {
        let mut values = [[0.0; LANES]; LANES];
        for (to, column) in values.iter_mut().zip(columns) {
            column.store(to);
        }
        for (i, row) in rows.into_iter().enumerate() {
            for (sample, column) in row.iter_mut().zip(&values) {
                *sample = column[i] as f32;
            }
        }
    }

    /// Lane `i` is the sum of the lanes of vector `i`, as `((l0+l4)+(l2+l6)) + ((l1+l5)+(l3+l7))`.
    #[inline(always)]
    fn sums(vectors: [Self; LANES]) -> Self {
        let mut totals = [0.0; LANES];
        for (total, vector) in totals.iter_mut().zip(vectors) {
            let mut l = [0.0; LANES];
            vector.store(&mut l);
            *total = ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
        }
        Self::load(&totals)
    }
}
