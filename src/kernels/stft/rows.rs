//! Rows of a spectrum as they are run: a bank in f32, as both twins read it.

use bytemuck::{Pod, Zeroable};

use super::level::{FLOOR_POWER, db_from_power};
use crate::design::{Bank, RowKind};

/// One row: which bins, which weights.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct Row {
    pub first_bin: u32,
    /// Its first weight in the list of all.
    pub first_weight: u32,
    pub weights: u32,
    /// One of the kinds below.
    pub kind: u32,
}

/// Powers are weighted and summed.
const POWER: u32 = 0;
/// Levels are.
const LEVEL: u32 = 1;
/// The highest power counts.
const PEAK: u32 = 2;

/// A bank, ready to be run.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    bins: usize,
    rows: Vec<Row>,
    weights: Vec<f32>,
}

impl Rows {
    /// Brings a bank to f32.
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
        Self { bins: bank.bin_count(), rows, weights }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of bins that they read.
    pub fn bin_count(&self) -> usize {
        self.bins
    }

    pub(crate) fn places(&self) -> &[Row] {
        &self.rows
    }

    pub(crate) fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The level of each row, of powers re a full-scale sine.
    pub(crate) fn levels(&self, power: &[f32], to: &mut [f32]) {
        for (to, row) in to.iter_mut().zip(&self.rows) {
            let weights = &self.weights[row.first_weight as usize..][..row.weights as usize];
            let power = &power[row.first_bin as usize..][..weights.len()];
            *to = match row.kind {
                LEVEL => level_between(power, weights),
                PEAK => db_from_power(highest(power)),
                _ => db_from_power(sum(power, weights)),
            };
        }
    }
}

fn sum(power: &[f32], weights: &[f32]) -> f32 {
    power.iter().zip(weights).map(|(power, weight)| power * weight).sum()
}

/// The highest power, or the first that is not finite.
fn highest(power: &[f32]) -> f32 {
    let broken = power.iter().find(|power| !power.is_finite());
    broken.copied().unwrap_or_else(|| power.iter().fold(0.0, |most, &power| most.max(power)))
}

/// Weighed levels; a power that is not finite makes the sum what it is.
fn level_between(power: &[f32], weights: &[f32]) -> f32 {
    if weights.is_empty() {
        return db_from_power(0.0);
    }
    let level = |(&power, weight): (&f32, &f32)| {
        if power.is_finite() { weight * db_from_power(power.max(FLOOR_POWER)) } else { power }
    };
    power.iter().zip(weights).map(level).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Bins, FrequencyScale};

    const BINS: Bins = Bins { fft_length: 128, rate_hz: 128.0 };

    fn levels(bank: &Bank, power: &[f32]) -> Vec<f32> {
        let rows = Rows::new(bank);
        let mut levels = vec![0.0; rows.len()];
        rows.levels(power, &mut levels);
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
