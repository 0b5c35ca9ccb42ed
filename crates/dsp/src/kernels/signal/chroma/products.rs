//! Products of the spectra of eight windows with the basis.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use std::ops::Range;

use super::basis::Row;
use crate::kernels::signal::stft::Point;
use base::simd::Singles;

/// The basis spectra, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Products {
    rows: Vec<Placed>,
    /// Real and imaginary parts.
    values: Vec<[f32; 2]>,
    bins: Range<usize>,
}

/// The start of a row in the spectrum, and the range of its values.
#[derive(Clone, Copy, Debug)]
struct Placed {
    first: usize,
    from: usize,
    to: usize,
}

impl Products {
    pub fn new(rows: &[Row]) -> Self {
        let (mut placed, mut values) = (Vec::with_capacity(rows.len()), Vec::new());
        for row in rows {
            let from = values.len();
            values.extend(row.re.iter().zip(&row.im).map(|(&re, &im)| [re, im]));
            placed.push(Placed { first: row.first, from, to: values.len() });
        }
        let used = rows.iter().filter(|row| !row.re.is_empty());
        let ends = used.map(|row| row.first..row.first + row.re.len());
        let bins = ends.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0);
        Self { rows: placed, values, bins }
    }

    /// Returns the start of a row in the spectrum, and its values.
    pub fn row(&self, row: usize) -> (usize, &[[f32; 2]]) {
        let Placed { first, from, to } = self.rows[row];
        (first, &self.values[from..to])
    }

    /// Returns the bins of the spectrum that the rows have values for.
    pub fn bins(&self) -> Range<usize> {
        self.bins.clone()
    }

    /// Returns the magnitudes of a row's products with eight spectra, of which `spectra` has the [`Products::bins`].
    #[inline(always)]
    pub fn magnitudes<S: Singles>(&self, row: usize, spectra: &[Point]) -> S {
        let (first, values) = self.row(row);
        let (mut re, mut im) = (S::splat(0.0), S::splat(0.0));
        for (&[a, b], x) in values.iter().zip(&spectra[first.saturating_sub(self.bins.start)..]) {
            let (a, b) = (S::splat(a), S::splat(b));
            let (x, y) = (S::load(&x[0]), S::load(&x[1]));
            re = re.add(a.mul(x).sub(b.mul(y)));
            im = im.add(a.mul(y).add(b.mul(x)));
        }
        re.mul(re).add(im.mul(im)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use transforms::num_complex::Complex64;

    use super::*;
    use base::simd::{LANES, Lanes, Simd, Task};

    struct Magnitudes<'a> {
        products: &'a Products,
        spectra: &'a [Point],
        to: &'a mut [[f32; LANES]],
    }

    impl Task for Magnitudes<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Lanes>(self) {
            for (row, to) in self.to.iter_mut().enumerate() {
                self.products.magnitudes::<L::Singles>(row, self.spectra).store(to);
            }
        }
    }

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
        assert_eq!(products.bins(), 3..7 * 3 + 40);
        let spectra: Vec<Point> =
            products.bins().map(|bin| [0, 1].map(|part| values(bin + 100 * part, LANES).try_into().unwrap())).collect();
        let run = |simd: Simd| {
            let mut to = vec![[f32::NAN; LANES]; rows.len()];
            simd.dispatch(Magnitudes { products: &products, spectra: &spectra, to: &mut to });
            to
        };
        let expected = run(Simd::Portable);
        for (row, got) in rows.iter().zip(&expected) {
            for (lane, &got) in got.iter().enumerate() {
                let x = |n: usize| {
                    let [re, im] = spectra[row.first + n - 3].map(|part| f64::from(part[lane]));
                    Complex64::new(re, im)
                };
                let basis = |n: usize| Complex64::new(f64::from(row.re[n]), f64::from(row.im[n]));
                let sum: Complex64 = (0..row.re.len()).map(|n| x(n) * basis(n)).sum();
                assert!((f64::from(got) - sum.norm()).abs() < 1e-5, "{got}, expected {}", sum.norm());
            }
        }
        for simd in Simd::available() {
            assert_eq!(run(simd), expected, "{simd:?}");
        }
    }
}
