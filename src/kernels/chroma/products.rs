//! Products of a window's spectrum with the basis, vectorised over eight values.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use super::basis::Row;
use crate::simd::{LANES, Lanes, Simd, Singles, Task};

/// The basis in blocks of eight values. Rows are zero-padded to whole blocks.
#[derive(Clone, Debug)]
pub(super) struct Products {
    /// In groups of eight; the last group is padded with empty rows.
    rows: Vec<RowBlocks>,
    /// Real and imaginary parts.
    values: Vec<[[f32; LANES]; 2]>,
}

/// The start of a row in the spectrum, and its range of blocks.
#[derive(Clone, Copy, Debug)]
struct RowBlocks {
    first: usize,
    from: usize,
    to: usize,
}

impl Products {
    pub fn new(rows: &[Row]) -> Self {
        let mut products = Self { rows: Vec::new(), values: Vec::new() };
        for row in rows {
            let from = products.values.len();
            for (re, im) in row.re.chunks(LANES).zip(row.im.chunks(LANES)) {
                let mut block = [[0.0; LANES]; 2];
                block[0][..re.len()].copy_from_slice(re);
                block[1][..im.len()].copy_from_slice(im);
                products.values.push(block);
            }
            products.rows.push(RowBlocks { first: row.first, from, to: products.values.len() });
        }
        let nothing = RowBlocks { first: 0, from: 0, to: 0 };
        products.rows.resize(rows.len().next_multiple_of(LANES), nothing);
        products
    }

    /// Returns the start of a row in the spectrum, and its values including the zero padding.
    pub fn row(&self, row: usize) -> (usize, impl Iterator<Item = [f32; 2]> + '_) {
        let RowBlocks { first, from, to } = self.rows[row];
        let pairs = self.values[from..to].iter().flat_map(|[re, im]| (0..LANES).map(move |lane| [re[lane], im[lane]]));
        (first, pairs)
    }

    /// Returns the required length of a spectrum. Padded blocks reach beyond its own bins, where it must be zero.
    pub fn bins(&self) -> usize {
        self.rows.iter().map(|row| row.first + (row.to - row.from) * LANES).max().unwrap_or(0)
    }

    /// Computes the magnitude of each row's product with the spectrum `re + i im`, multiplied by the row's weight.
    pub fn magnitudes(&self, simd: Simd, re: &[f32], im: &[f32], weights: &[f32], to: &mut [f32]) {
        simd.dispatch(Magnitudes { products: self, re, im, weights, to });
    }
}

struct Magnitudes<'a> {
    products: &'a Products,
    re: &'a [f32],
    im: &'a [f32],
    weights: &'a [f32],
    to: &'a mut [f32],
}

impl Task for Magnitudes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let groups = self.products.rows.as_chunks::<LANES>().0.iter();
        for ((rows, to), weights) in groups.zip(self.to.chunks_mut(LANES)).zip(self.weights.chunks(LANES)) {
            let zero = L::Singles::splat(0.0);
            let (mut re, mut im) = ([zero; LANES], [zero; LANES]);
            for (index, row) in rows.iter().enumerate() {
                let (mut re_sum, mut im_sum) = (zero, zero);
                let blocks = &self.products.values[row.from..row.to];
                let (xs, ys) = (&self.re[row.first..], &self.im[row.first..]);
                for ((block, x), y) in blocks.iter().zip(xs.as_chunks().0).zip(ys.as_chunks().0) {
                    let [a, b] = [L::Singles::load(&block[0]), L::Singles::load(&block[1])];
                    let [x, y] = [L::Singles::load(x), L::Singles::load(y)];
                    re_sum = re_sum.add(a.mul(x).sub(b.mul(y)));
                    im_sum = im_sum.add(a.mul(y).add(b.mul(x)));
                }
                (re[index], im[index]) = (re_sum, im_sum);
            }
            let (re, im) = (L::Singles::sums(re), L::Singles::sums(im));
            let mut magnitudes = [0.0; LANES];
            re.mul(re).add(im.mul(im)).sqrt().store(&mut magnitudes);
            for ((to, weight), x) in to.iter_mut().zip(weights).zip(magnitudes) {
                *to = weight * x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use realfft::num_complex::Complex64;

    use super::*;

    fn values(seed: usize, count: usize) -> Vec<f32> {
        (0..count).map(|n| ((n * n * 7 + n * 3 + seed * 31) % 101) as f32 / 50.0 - 1.0).collect()
    }

    #[test]
    fn products_are_their_definition_on_every_instruction_set_to_the_same_bits() {
        let widths = [0, 1, 7, 8, 9, 16, 23, 40, 5, 3];
        let rows: Vec<Row> = (widths.iter().enumerate())
            .map(|(n, &width)| Row { first: 3 * n, re: values(n, width), im: values(n + 50, width) })
            .collect();
        let products = Products::new(&rows);
        assert_eq!(products.bins(), 7 * 3 + 40);
        let (re, im) = (values(7, products.bins()), values(8, products.bins()));
        let weights = values(9, rows.len());
        let run = |simd| {
            let mut to = vec![f32::NAN; rows.len()];
            products.magnitudes(simd, &re, &im, &weights, &mut to);
            to
        };
        let expected = run(Simd::Portable);
        for ((row, got), weight) in rows.iter().zip(&expected).zip(&weights) {
            let x = |n: usize| Complex64::new(f64::from(re[row.first + n]), f64::from(im[row.first + n]));
            let basis = |n: usize| Complex64::new(f64::from(row.re[n]), f64::from(row.im[n]));
            let sum: Complex64 = (0..row.re.len()).map(|n| x(n) * basis(n)).sum();
            let wanted = f64::from(*weight) * sum.norm();
            assert!((f64::from(*got) - wanted).abs() < 1e-5, "{got}, expected {wanted}");
        }
        for simd in Simd::available() {
            assert_eq!(run(simd), expected, "{simd:?}");
        }
    }
}
