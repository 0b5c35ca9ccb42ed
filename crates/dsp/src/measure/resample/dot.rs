//! The inner product in eight lanes of f64, on any vector unit.

use base::simd::{LANES, Lanes};

/// Rows are padded to a multiple of this.
pub(super) const ROW_STEP: usize = LANES;
/// The number of independent sums, so that additions do not depend on each other.
const SUMS: usize = 4;

/// Returns the inner products of a row of coefficients with the samples of two channels. All three have the same
/// length, a multiple of [`ROW_STEP`]. Computing two at once shares the loads of the row.
#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the lanes' instruction set")]
pub(super) fn dot_pair<L: Lanes>(row: &[f64], left: &[f64], right: &[f64]) -> [f64; 2] {
    let mut sums = [[L::splat(0.0); SUMS]; 2];
    let (rows, _) = row.as_chunks::<LANES>();
    let (lefts, _) = left.as_chunks::<LANES>();
    let (rights, _) = right.as_chunks::<LANES>();
    let (rows4, rows) = rows.as_chunks::<SUMS>();
    let (lefts4, lefts) = lefts.as_chunks::<SUMS>();
    let (rights4, rights) = rights.as_chunks::<SUMS>();
    for ((rows, lefts), rights) in rows4.iter().zip(lefts4).zip(rights4) {
        for sum in 0..SUMS {
            let row = L::load(&rows[sum]);
            sums[0][sum] = row.mul_add(L::load(&lefts[sum]), sums[0][sum]);
            sums[1][sum] = row.mul_add(L::load(&rights[sum]), sums[1][sum]);
        }
    }
    for ((row, left), right) in rows.iter().zip(lefts).zip(rights) {
        let row = L::load(row);
        sums[0][0] = row.mul_add(L::load(left), sums[0][0]);
        sums[1][0] = row.mul_add(L::load(right), sums[1][0]);
    }
    sums.map(|[a, b, c, d]| {
        let mut lanes = [0.0; LANES];
        a.add(b).add(c.add(d)).store(&mut lanes);
        let [a, b, c, d, e, f, g, h] = lanes;
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::simd::{Simd, Task};

    struct Pair<'a>([&'a [f64]; 3]);

    impl Task for Pair<'_> {
        type Output = [f64; 2];

        #[inline(always)]
        fn run<L: Lanes>(self) -> [f64; 2] {
            let Self([row, left, right]) = self;
            dot_pair::<L>(row, left, right)
        }
    }

    #[test]
    fn every_instruction_set_gives_the_inner_product() {
        let wave = |scale: f64| (0..488).map(move |i| (f64::from(i) * scale).sin()).collect::<Vec<_>>();
        let (row, left, right) = (wave(0.7), wave(1.9), wave(0.3));
        let exact = |samples: &[f64]| -> f64 { row.iter().zip(samples).map(|(a, b)| a * b).sum() };
        for simd in Simd::available() {
            let [l, r] = simd.dispatch(Pair([&row, &left, &right]));
            assert!((l - exact(&left)).abs() < 1e-12 && (r - exact(&right)).abs() < 1e-12, "{simd:?}");
            let swapped = simd.dispatch(Pair([&row, &right, &left]));
            assert_eq!(swapped, [r, l], "a channel's bits do not depend on its partner");
        }
    }
}
