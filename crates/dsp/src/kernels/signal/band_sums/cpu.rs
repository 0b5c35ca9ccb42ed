//! Sums bands on the CPU, eight values of eight bands at a time.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use super::BandSums;
use base::error::Result;
use base::simd::{LANES, Lanes, Simd, Singles, Task};

impl BandSums {
    /// Returns the sums of all rows of `plane`: for each row, one sum per band.
    pub fn sums(&self, plane: &[f32]) -> Result<Vec<f32>> {
        let mut sums = vec![0.0; self.rows(plane)? * self.count];
        Simd::best().dispatch(Rows { bands: self, plane, to: &mut sums });
        Ok(sums)
    }

    /// Writes the sums of a row to `to`, one per band. Must be called from a [`Task`].
    #[inline(always)]
    pub fn sums_in<L: Lanes>(&self, row: &[f32], to: &mut [f32]) {
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
                // The last block of weights reaches beyond a short row.
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
            // Every run of the row, from empty to complete.
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
