//! The bands and weights of a bank.

use base::error::{Error, Result};
use base::simd::LANES;

/// The bands of rows of one length, each with the index of its first value and its weights.
#[derive(Clone, Debug)]
pub struct BandSums {
    /// The bands, padded with empty bands to a multiple of eight.
    pub(super) bands: Vec<Band>,
    /// The weights in blocks of eight, padded with zeros.
    pub(super) weights: Vec<[f32; LANES]>,
    pub(super) count: usize,
    pub(super) values: usize,
}

/// A band: the index of its first value, and the range of its blocks of weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    pub(super) first: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl BandSums {
    /// Plans bands of rows of `values` values. Each band is given as the index of its first value and its weights.
    pub fn new<'a>(values: usize, bands: impl Iterator<Item = (usize, &'a [f32])>) -> Self {
        let mut sums = Self { bands: Vec::new(), weights: Vec::new(), count: 0, values };
        for (first, weights) in bands {
            let (from, blocks) = (sums.weights.len(), weights.len().div_ceil(LANES));
            // Whole blocks must lie within the row, so a band near its end begins earlier, with zeros in front.
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

    /// Returns the number of bands.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the number of values in a row.
    pub fn values(&self) -> usize {
        self.values
    }

    /// Returns the number of rows of `plane`, or [`Error::Invalid`] if they are not whole.
    pub(crate) fn rows(&self, plane: &[f32]) -> Result<usize> {
        if self.values == 0 || !plane.len().is_multiple_of(self.values) {
            let allowed = format!("whole rows of {} values", self.values);
            return Err(Error::invalid("rows", format!("{} values", plane.len()), allowed));
        }
        Ok(plane.len() / self.values)
    }
}
