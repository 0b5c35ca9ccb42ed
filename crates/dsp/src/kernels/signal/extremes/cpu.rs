//! Selects and averages extremes on the CPU.

use super::{Extremes, Means};
use base::error::Result;

impl Extremes {
    /// Appends the means of a row, one per run. `memory` is scratch memory.
    ///
    /// # Panics
    /// If the length of the row is not the planned one.
    pub fn add(&self, row: &[f32], memory: &mut Vec<i32>, to: &mut Vec<Means>) {
        assert_eq!(row.len(), self.values, "a row of another length");
        for run in &self.runs {
            memory.clear();
            memory.extend(row[run.from..run.to].iter().map(|x| key(x.to_bits() as i32)));
            let (low, high) = split(memory, run.count);
            to.push(Means { low: mean(low), high: mean(high) });
        }
    }

    /// Returns the means of all rows of `plane`: for each row, one per run.
    pub fn means(&self, plane: &[f32]) -> Result<Vec<Means>> {
        let rows = self.rows(plane)?;
        let (mut memory, mut to) = (Vec::new(), Vec::with_capacity(rows * self.runs.len()));
        plane.chunks_exact(self.values).for_each(|row| self.add(row, &mut memory, &mut to));
        Ok(to)
    }
}

/// Returns a whole number that is ordered as `f32::total_cmp` orders the value with these bits, and the bits of such a
/// number. Whole numbers are compared in one step.
fn key(bits: i32) -> i32 {
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

fn mean(part: &[i32]) -> f32 {
    let sum: f64 = part.iter().map(|&number| f64::from(f32::from_bits(key(number) as u32).sqrt())).sum();
    (sum / part.len() as f64) as f32
}

/// Returns the `count` smallest and the `count` largest values, each sorted, so that their sums do not depend on the
/// order in which the selection leaves them.
fn split(values: &mut [i32], count: usize) -> (&[i32], &[i32]) {
    let length = values.len();
    if 2 * count >= length {
        values.sort_unstable();
    } else {
        values.select_nth_unstable(count - 1);
        values[count..].select_nth_unstable(length - 2 * count);
        values[..count].sort_unstable();
        values[length - count..].sort_unstable();
    }
    (&values[..count], &values[length - count..])
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn keys_are_ordered_as_values_and_lead_back_to_them() {
        let values = [f32::NEG_INFINITY, -3.0, -1e-40, -0.0, 0.0, 1e-40, 0.5, 3.0, f32::INFINITY, f32::NAN];
        let keys: Vec<i32> = values.iter().map(|x| key(x.to_bits() as i32)).collect();
        assert!(keys.is_sorted() && keys.windows(2).all(|pair| pair[0] != pair[1]));
        for (value, number) in values.iter().zip(keys) {
            assert_eq!(key(number) as u32, value.to_bits());
        }
    }
}
