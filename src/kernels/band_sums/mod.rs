//! Weighted sums over runs of neighbouring values, such as the bands of a mel bank: `sum over n of w_b(n) x(first_b + n)`.
//!
//! Eight values of a band are taken at a time, eight bands are summed up together, and all in one order: every
//! instruction set gives the same bits. On a GPU ([`gpu`]) eight threads take a band. A value that is no number spoils the
//! bands that it is in.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

pub mod gpu;
mod trial;

use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::simd::{LANES, Lanes, Simd, Singles, Task};

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "band_sums",
    title: "Sums over bands of spectra",
    shaders: &["band_sums.wgsl"],
    tolerance_db: -120.0,
    // Reads power spectra of four windows per frame, two bins per sample.
    bytes_per_sample: 8.0,
    trial: trial::trial,
};

/// A bank of bands, planned.
#[derive(Clone, Debug)]
pub struct BandSums {
    /// In groups of eight, the last of which is filled up with bands of nothing.
    bands: Vec<Band>,
    /// In blocks that are filled up with zeros.
    weights: Vec<[f32; LANES]>,
    count: usize,
    values: usize,
}

#[derive(Clone, Copy, Debug)]
struct Band {
    first: usize,
    from: usize,
    to: usize,
}

impl BandSums {
    /// For bands of rows of `values` values: each the place of its first value, and the weights from there on.
    pub fn new<'a>(values: usize, bands: impl Iterator<Item = (usize, &'a [f32])>) -> Self {
        let mut sums = Self { bands: Vec::new(), weights: Vec::new(), count: 0, values };
        for (first, weights) in bands {
            let (from, blocks) = (sums.weights.len(), weights.len().div_ceil(LANES));
            // Whole blocks must lie within the values: the last ones begin earlier, with zeros before.
            let begin = first.min(values.saturating_sub(blocks * LANES));
            let mut row = vec![0.0; blocks * LANES];
            let row_first = first - begin;
            row.resize(row.len().max(row_first + weights.len()).next_multiple_of(LANES), 0.0);
            row[row_first..row_first + weights.len()].copy_from_slice(weights);
            sums.weights.extend_from_slice(row.as_chunks().0);
            sums.bands.push(Band { first: begin, from, to: sums.weights.len() });
            sums.count += 1;
        }
        sums.bands.resize(sums.count.next_multiple_of(LANES), Band { first: 0, from: 0, to: 0 });
        sums
    }

    /// How many bands there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The sums of all rows of `plane`, a band's after the other, row after row.
    ///
    /// # Errors
    /// [`Error::Invalid`] for rows of another length.
    pub fn sums(&self, plane: &[f32]) -> Result<Vec<f32>> {
        let mut sums = vec![0.0; self.rows(plane)? * self.count];
        Simd::best().dispatch(Rows { bands: self, plane, to: &mut sums });
        Ok(sums)
    }

    fn rows(&self, plane: &[f32]) -> Result<usize> {
        if self.values == 0 || !plane.len().is_multiple_of(self.values) {
            let allowed = format!("whole rows of {} values", self.values);
            return Err(Error::invalid("rows", format!("{} values", plane.len()), allowed));
        }
        Ok(plane.len() / self.values)
    }

    /// Values of a row.
    pub fn values(&self) -> usize {
        self.values
    }

    /// The sums of a row, a band's after the other, within a task.
    #[inline(always)]
    pub(crate) fn sums_in<L: Lanes>(&self, row: &[f32], to: &mut [f32]) {
        for (bands, to) in self.bands.as_chunks::<LANES>().0.iter().zip(to.chunks_mut(LANES)) {
            let zero = L::Singles::splat(0.0);
            let mut sums = [zero; LANES];
            for (sum, band) in sums.iter_mut().zip(bands) {
                let (blocks, rest) = row[band.first..].as_chunks::<LANES>();
                let weights = &self.weights[band.from..band.to];
                let mut total = zero;
                for (weights, x) in weights.iter().zip(blocks) {
                    total = total.add(L::Singles::load(weights).mul(L::Singles::load(x)));
                }
                // Only of a band that takes in nearly all of a short row.
                if let Some(weights) = weights.get(blocks.len()) {
                    let mut last = [0.0; LANES];
                    last[..rest.len()].copy_from_slice(rest);
                    total = total.add(L::Singles::load(weights).mul(L::Singles::load(&last)));
                }
                *sum = total;
            }
            let mut values = [0.0; LANES];
            L::Singles::sums(sums).store(&mut values);
            for (to, value) in to.iter_mut().zip(values) {
                *to = value;
            }
        }
    }
}

struct Rows<'a> {
    bands: &'a BandSums,
    plane: &'a [f32],
    to: &'a mut [f32],
}

impl Task for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let rows = self.plane.chunks_exact(self.bands.values);
        for (row, to) in rows.zip(self.to.chunks_exact_mut(self.bands.count.max(1))) {
            self.bands.sums_in::<L>(row, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sums<'a> {
        bands: &'a BandSums,
        row: &'a [f32],
        to: &'a mut [f32],
    }

    impl Task for Sums<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Lanes>(self) {
            self.bands.sums_in::<L>(self.row, self.to);
        }
    }

    #[test]
    fn sums_are_their_definition_on_every_instruction_set_to_the_same_bits() {
        for values in [1, 7, 8, 33, 100] {
            let row: Vec<f32> = (0..values).map(|n| ((n * n * 7 + n) % 101) as f32 / 50.0 - 1.0).collect();
            // Every run of the row, from nothing to all of it.
            let mut bands: Vec<(usize, Vec<f32>)> = Vec::new();
            for first in 0..values {
                for width in 0..=values - first {
                    bands.push((first, (0..width).map(|n| ((n * 5 + first) % 17) as f32 / 16.0).collect()));
                }
            }
            let plan = BandSums::new(values, bands.iter().map(|(first, weights)| (*first, weights.as_slice())));
            assert_eq!((plan.count, plan.values()), (bands.len(), values));
            let run = |simd: Simd| {
                let mut to = vec![f32::NAN; bands.len()];
                simd.dispatch(Sums { bands: &plan, row: &row, to: &mut to });
                to
            };
            let expected = run(Simd::Portable);
            for ((first, weights), got) in bands.iter().zip(&expected) {
                let each = weights.iter().zip(&row[*first..]).map(|(w, x)| f64::from(*w) * f64::from(*x));
                let sum: f64 = each.sum();
                assert!((f64::from(*got) - sum).abs() < 1e-4, "{values}, {first}: {got}, expected {sum}");
            }
            for simd in Simd::available() {
                assert_eq!(run(simd), expected, "{simd:?}");
            }
        }
    }
}
