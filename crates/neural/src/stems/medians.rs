//! Medians of columns: of each bin over some windows.
//!
//! A median is found bit by bit, from the highest: of two halves of the numbers that are left, it takes the one with the
//! wanted rank in it. The values have no sign, so that their bits are in the order of their values, and
//! 31 rounds of comparisons find it for many columns at once, without a branch.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use base::simd::{Lanes, Simd, Task};

/// The columns that are worked on together.
const COLUMNS: usize = 64;

/// Scratch memory for medians.
#[derive(Clone, Debug, Default)]
pub(super) struct ColumnMedians {
    taken: Vec<[u32; COLUMNS]>,
}

impl ColumnMedians {
    /// Writes to `to` the median of each column of the given rows of a plane, which are `to.len()` values each and have
    /// no sign. The median of an even number is the mean of the two in the middle. Of no rows it is 0.
    pub fn run(&mut self, plane: &[f32], rows: &[u32], to: &mut [f32]) {
        let columns = to.len();
        if rows.is_empty() {
            to.fill(0.0);
            return;
        }
        self.taken.resize(rows.len(), [0; COLUMNS]);
        for (group, to) in to.chunks_mut(COLUMNS).enumerate() {
            for (taken, &row) in self.taken.iter_mut().zip(rows) {
                let from = &plane[row as usize * columns + group * COLUMNS..][..to.len()];
                taken.iter_mut().zip(from).for_each(|(taken, x)| *taken = x.to_bits());
            }
            let medians = Simd::best().dispatch(Middle { taken: &self.taken });
            to.copy_from_slice(&medians[..to.len()]);
        }
    }
}

struct Middle<'a> {
    taken: &'a [[u32; COLUMNS]],
}

impl Task for Middle<'_> {
    type Output = [f32; COLUMNS];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let count = self.taken.len() as u32;
        let rank = (count - 1) / 2;
        let low = ranked(self.taken, rank);
        if !count.is_multiple_of(2) {
            return low.map(f32::from_bits);
        }
        let high = next(self.taken, &low, rank);
        std::array::from_fn(|n| {
            let (low, high) = (f32::from_bits(low[n]), f32::from_bits(high[n]));
            low + (high - low) * 0.5
        })
    }
}

/// Returns the value of each column that `rank` others are below.
#[inline(always)]
fn ranked(taken: &[[u32; COLUMNS]], rank: u32) -> [u32; COLUMNS] {
    let mut found = [0_u32; COLUMNS];
    for bit in (0..31).rev() {
        let trial = found.map(|found| found | 1 << bit);
        let mut below = [0_u32; COLUMNS];
        for row in taken {
            for n in 0..COLUMNS {
                below[n] += u32::from(row[n] < trial[n]);
            }
        }
        for n in 0..COLUMNS {
            found[n] = if below[n] <= rank { trial[n] } else { found[n] };
        }
    }
    found
}

/// Returns the value of rank `rank + 1` of each column, if `low` are those of rank `rank`.
#[inline(always)]
fn next(taken: &[[u32; COLUMNS]], low: &[u32; COLUMNS], rank: u32) -> [u32; COLUMNS] {
    let (mut up_to, mut above) = ([0_u32; COLUMNS], [u32::MAX; COLUMNS]);
    for row in taken {
        for n in 0..COLUMNS {
            let is_above = row[n] > low[n];
            up_to[n] += u32::from(!is_above);
            above[n] = above[n].min(if is_above { row[n] } else { u32::MAX });
        }
    }
    std::array::from_fn(|n| if up_to[n] > rank + 1 { low[n] } else { above[n] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_those_of_sorting() {
        let mut state = 1_u64;
        let mut value = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            match (state >> 33) % 10 {
                0 => 0.0,
                1..4 => ((state >> 40) % 3) as f32,
                _ => f32::from_bits((state >> 33) as u32 % 0x7f00_0000),
            }
        };
        for columns in [1, 63, 64, 65, 130] {
            let plane: Vec<f32> = (0..101 * columns).map(|_| value()).collect();
            let mut medians = ColumnMedians::default();
            for count in [1, 2, 3, 4, 99, 100] {
                let rows: Vec<u32> = (0..count).map(|n| (n * 37) % 101).collect();
                let mut to = vec![-1.0; columns];
                medians.run(&plane, &rows, &mut to);
                for (column, got) in to.into_iter().enumerate() {
                    let mut values: Vec<f32> = rows.iter().map(|row| plane[*row as usize * columns + column]).collect();
                    values.sort_unstable_by(f32::total_cmp);
                    let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
                    assert_eq!(got, low + (high - low) * 0.5, "column {column} of {columns}, {count} rows");
                }
            }
        }
    }

    #[test]
    fn of_no_rows_it_is_0() {
        let mut to = [1.0; 3];
        ColumnMedians::default().run(&[5.0; 9], &[], &mut to);
        assert_eq!(to, [0.0; 3]);
    }
}
