//! Squared distances from one track to all others, 256 at a time.
//!
//! A block holds the scaled values of 256 tracks, grouped by dimension (25.6 kB, which fits into the first-level cache
//! of a core). The inner loops run over adjacent tracks and vectorise on any machine.

use crate::questions::scale::Scale;
use crate::questions::table::{DIMENSION_COUNT, Row, Table};

/// Tracks per block.
pub(super) const LANES: usize = 256;

/// The scaled values of all tracks, by block and dimension. The last block is padded with `NaN`.
#[derive(Debug)]
pub(super) struct ValueBlocks {
    values: Vec<[[f32; LANES]; DIMENSION_COUNT]>,
}

impl ValueBlocks {
    pub(super) fn of(table: &Table, scale: &Scale) -> Self {
        let block = |rows: &[Row]| {
            let mut block = [[f32::NAN; LANES]; DIMENSION_COUNT];
            for (lane, row) in rows.iter().enumerate() {
                let scaled = scale.scaled(row);
                (0..DIMENSION_COUNT).for_each(|d| block[d][lane] = scaled[d]);
            }
            block
        };
        Self { values: table.rows().chunks(LANES).map(block).collect() }
    }

    /// Returns the number of blocks.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the squared distances of a block's tracks. Lanes beyond the last track have no meaning.
    pub(super) fn squared(&self, block: usize, asked: &PreparedTrack) -> [f32; LANES] {
        let block = &self.values[block];
        let mut sums = [0f32; LANES];
        for term in &asked.known {
            let values = &block[term.dimension];
            for (sum, &value) in sums.iter_mut().zip(values) {
                let difference = value - term.value;
                let squared = difference * difference;
                *sum += term.weight * if squared.is_nan() { term.spread } else { squared };
            }
        }
        if asked.missing.is_empty() {
            return sums;
        }
        let mut weights = [asked.known.iter().map(|term| term.weight).sum::<f32>(); LANES];
        for term in &asked.missing {
            let values = &block[term.dimension];
            for ((sum, weight), value) in sums.iter_mut().zip(&mut weights).zip(values) {
                let counts = if value.is_nan() { 0.0 } else { term.weight };
                *sum += counts * term.spread;
                *weight += counts;
            }
        }
        sums.iter_mut().zip(&weights).for_each(|(sum, weight)| *sum /= weight);
        sums
    }
}

/// The dimensions of the given track that count, prepared for the loops.
pub(super) struct PreparedTrack {
    /// Dimensions with a value.
    known: Vec<Term>,
    /// Dimensions without a value.
    missing: Vec<Term>,
}

struct Term {
    dimension: usize,
    value: f32,
    weight: f32,
    spread: f32,
}

impl PreparedTrack {
    /// Prepares a scaled row. The weights sum to 1.
    pub(super) fn new(row: &Row, weights: &[f64; DIMENSION_COUNT], spread: &[f64; DIMENSION_COUNT]) -> Self {
        let term = |dimension: usize| Term {
            dimension,
            value: row[dimension],
            weight: weights[dimension] as f32,
            spread: spread[dimension] as f32,
        };
        let (missing, known) =
            (0..DIMENSION_COUNT).filter(|&d| weights[d] > 0.0).map(term).partition(|term| term.value.is_nan());
        Self { known, missing }
    }
}
