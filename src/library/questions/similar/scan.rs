//! Squared distances from one track to all, 256 at a time.
//!
//! A block holds the scaled values of 256 tracks, one dimension after the other (25.6 kB, which stays in a core's first
//! cache), so that the inner loops run over neighbouring tracks and compile to whatever vectors the machine has.

use crate::library::questions::scale::Scale;
use crate::library::questions::table::{DIMENSION_COUNT, Row, Table};

/// Tracks of a block.
pub(super) const LANES: usize = 256;

/// All tracks' scaled values, by blocks and dimensions; the last block is filled up with NaN.
#[derive(Debug)]
pub(super) struct Blocks {
    values: Vec<[[f32; LANES]; DIMENSION_COUNT]>,
}

impl Blocks {
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

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// The squared distances of a block's tracks; those of lanes beyond the last track have no meaning.
    pub(super) fn squared(&self, block: usize, asked: &Asked) -> [f32; LANES] {
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

/// A track's dimensions that count, as the loops want them.
pub(super) struct Asked {
    /// Those it has a value of.
    known: Vec<Term>,
    /// Those it has none of.
    missing: Vec<Term>,
}

struct Term {
    dimension: usize,
    value: f32,
    weight: f32,
    spread: f32,
}

impl Asked {
    /// Of a scaled row and weights that sum to 1.
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
