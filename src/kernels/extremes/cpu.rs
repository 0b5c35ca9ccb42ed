//! Selects and averages extremes on the CPU.

use super::{Extremes, Means};
use crate::error::Result;

impl Extremes {
    /// Appends the means of a row, one per run. `memory` is scratch memory.
    ///
    /// # Panics
    /// If the length of the row is not the planned one.
    pub fn add(&self, row: &[f32], memory: &mut Vec<f32>, to: &mut Vec<Means>) {
        assert_eq!(row.len(), self.values, "a row of another length");
        for run in &self.runs {
            memory.clear();
            memory.extend_from_slice(&row[run.from..run.to]);
            let (low, high) = split(memory, run.count);
            to.push(Means { low: mean(low), high: mean(high) });
        }
    }

    /// Returns the means of all rows of `plane`: for each row, one per run.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] if `plane` does not consist of whole rows.
    pub fn means(&self, plane: &[f32]) -> Result<Vec<Means>> {
        let rows = self.rows(plane)?;
        let (mut memory, mut to) = (Vec::new(), Vec::with_capacity(rows * self.runs.len()));
        plane.chunks_exact(self.values).for_each(|row| self.add(row, &mut memory, &mut to));
        Ok(to)
    }
}

fn mean(part: &[f32]) -> f32 {
    let sum: f64 = part.iter().map(|x| f64::from(x.sqrt())).sum();
    (sum / part.len() as f64) as f32
}

/// Returns the `count` smallest and the `count` largest values, each sorted, so that their sums do not depend on the
/// order in which the selection leaves them.
fn split(values: &mut [f32], count: usize) -> (&[f32], &[f32]) {
    let length = values.len();
    if 2 * count >= length {
        values.sort_unstable_by(f32::total_cmp);
    } else {
        values.select_nth_unstable_by(count - 1, f32::total_cmp);
        values[count..].select_nth_unstable_by(length - 2 * count, f32::total_cmp);
        values[..count].sort_unstable_by(f32::total_cmp);
        values[length - count..].sort_unstable_by(f32::total_cmp);
    }
    (&values[..count], &values[length - count..])
}
