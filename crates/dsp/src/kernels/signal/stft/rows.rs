//! A bank in f32, in the form that both twins use.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::level::dbs_from_powers;
use crate::design::{Bank, RowKind};

/// One row: its bins and weights.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct Row {
    pub first_bin: u32,
    /// The index of its first weight in the list of all weights.
    pub first_weight: u32,
    pub weights: u32,
    /// One of the kinds below.
    pub kind: u32,
}

/// The weighted sum of the powers.
const POWER: u32 = 0;
/// The weighted sum of the levels.
const LEVEL: u32 = 1;
/// The highest power.
const PEAK: u32 = 2;

/// A bank, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    bins: usize,
    rows: Vec<Row>,
    weights: Vec<f32>,
    /// The range of bins whose levels are needed for interpolated rows.
    level_bins: Range<usize>,
}

impl Rows {
    /// Converts a bank to f32.
    pub fn new(bank: &Bank) -> Self {
        let mut weights = Vec::new();
        let mut rows = Vec::with_capacity(bank.rows().len());
        for row in bank.rows() {
            rows.push(Row {
                first_bin: row.first_bin as u32,
                first_weight: weights.len() as u32,
                weights: row.weights.len() as u32,
                kind: match row.kind {
                    RowKind::Power => POWER,
                    RowKind::Level => LEVEL,
                    RowKind::Peak => PEAK,
                },
            });
            weights.extend(row.weights.iter().map(|&weight| weight as f32));
        }
        let of_levels = || rows.iter().filter(|row| row.kind == LEVEL && row.weights > 0);
        let first = of_levels().map(|row| row.first_bin).min().unwrap_or(0);
        let end = of_levels().map(|row| row.first_bin + row.weights).max().unwrap_or(0);
        Self { bins: bank.bin_count(), rows, weights, level_bins: first as usize..end as usize }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the number of bins of the spectra that the rows read.
    pub fn bin_count(&self) -> usize {
        self.bins
    }

    pub(crate) fn places(&self) -> &[Row] {
        &self.rows
    }

    pub(crate) fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Computes the level of each row from powers relative to a full-scale sine. `memory` is scratch for the bins'
    /// levels.
    pub(crate) fn levels(&self, power: &[f32], memory: &mut Vec<f32>, to: &mut [f32]) {
        for (to, row) in to.iter_mut().zip(&self.rows) {
            let weights = &self.weights[row.first_weight as usize..][..row.weights as usize];
            let power = &power[row.first_bin as usize..][..weights.len()];
            *to = match row.kind {
                PEAK => highest(power),
                POWER => sum(power, weights),
                _ => 0.0,
            };
        }
        dbs_from_powers(to);
        if self.level_bins.is_empty() {
            return;
        }
        memory.clear();
        memory.extend_from_slice(&power[self.level_bins.clone()]);
        dbs_from_powers(memory);
        for (to, row) in to.iter_mut().zip(&self.rows).filter(|(_, row)| row.kind == LEVEL && row.weights > 0) {
            let weights = &self.weights[row.first_weight as usize..][..row.weights as usize];
            *to = level_between(&memory[row.first_bin as usize - self.level_bins.start..][..weights.len()], weights);
        }
    }
}

/// Uses eight partial sums, because in long rows each addition would wait for the previous one.
fn sum(power: &[f32], weights: &[f32]) -> f32 {
    let (power, last_power) = power.as_chunks::<8>();
    let (weights, last_weights) = weights.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (power, weights) in power.iter().zip(weights) {
        for ((sum, power), weight) in sums.iter_mut().zip(power).zip(weights) {
            *sum += power * weight;
        }
    }
    let last: f32 = last_power.iter().zip(last_weights).map(|(power, weight)| power * weight).sum();
    sums.iter().sum::<f32>() + last
}

/// Returns the highest power. Non-finite values rank highest. Powers are never negative, so their bits have the same
/// order.
fn highest(power: &[f32]) -> f32 {
    f32::from_bits(power.iter().map(|power| power.to_bits()).max().unwrap_or(0))
}

/// Returns the weighted sum of levels. A non-finite level makes the sum non-finite.
fn level_between(levels: &[f32], weights: &[f32]) -> f32 {
    let level = |(&level, weight): (&f32, &f32)| if level.is_finite() { weight * level } else { level };
    levels.iter().zip(weights).map(level).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Bins, FrequencyScale};

    const BINS: Bins = Bins { fft_length: 128, rate_hz: 128.0 };

    fn levels(bank: &Bank, power: &[f32]) -> Vec<f32> {
        let rows = Rows::new(bank);
        let mut levels = vec![0.0; rows.len()];
        rows.levels(power, &mut Vec::new(), &mut levels);
        levels
    }

    #[test]
    fn coarse_rows_show_their_highest_bin() {
        let power: Vec<f32> = (0..65).map(|bin| if bin == 10 { 1.0 } else { 0.0 }).collect();
        let bank = Bank::display(BINS, FrequencyScale::Linear, [0.5, 64.5], 16).unwrap();
        let levels = levels(&bank, &power);
        // Rows of four bins: 1 to 4, 5 to 8, 9 to 12.
        assert!(levels[2].abs() < 1e-3, "{levels:?}");
        assert!(levels.iter().enumerate().all(|(row, level)| row == 2 || (*level + 200.0).abs() < 1e-3));
    }

    #[test]
    fn fine_rows_are_straight_lines_in_db() {
        let power: Vec<f32> = (0..65).map(|bin| 10_f32.powi(-(bin % 7))).collect();
        let bank = Bank::display(BINS, FrequencyScale::Linear, [0.0, 6.0], 60).unwrap();
        for (row, level) in levels(&bank, &power).into_iter().enumerate() {
            let expected = -(row as f32 + 0.5);
            assert!((level - expected).abs() < 1e-3, "row {row}: {level}, expected {expected}");
        }
    }

    #[test]
    fn rows_without_bins_are_silent_and_broken_bins_are_heard() {
        let bank = Bank::display(BINS, FrequencyScale::Linear, [0.0, 128.0], 512).unwrap();
        let mut power = vec![1.0; 65];
        power[3] = f32::NAN;
        let levels = levels(&bank, &power);
        assert!((levels[511] + 200.0).abs() < 1e-3);
        assert!(levels[4 * 3].is_nan() && levels[4 * 5].abs() < 1e-6);
    }
}
