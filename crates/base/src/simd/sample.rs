//! The two kinds of sample that lanes are loaded from.

use super::lanes::{LANES, Lanes};

/// A sample in memory; lanes are always f64.
pub trait Sample: bytemuck::Pod + Send + Sync {
    /// In f64.
    fn wide(self) -> f64;

    /// Rounded from f64.
    fn narrow(value: f64) -> Self;

    /// Eight samples in order.
    fn load<L: Lanes>(from: &[Self; LANES]) -> L;

    /// Lane `i` of vector `n` is sample `n` of row `i`.
    fn load_columns<L: Lanes>(rows: [&[Self; LANES]; LANES]) -> [L; LANES];

    /// The way back from [`Sample::load_columns`].
    fn store_columns<L: Lanes>(columns: [L; LANES], rows: [&mut [Self; LANES]; LANES]);
}

impl Sample for f32 {
    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn narrow(value: f64) -> Self {
        value as f32
    }

    #[inline(always)]
    fn load<L: Lanes>(from: &[Self; LANES]) -> L {
        L::widen(from)
    }

    #[inline(always)]
    fn load_columns<L: Lanes>(rows: [&[Self; LANES]; LANES]) -> [L; LANES] {
        L::load_columns(rows)
    }

    #[inline(always)]
    fn store_columns<L: Lanes>(columns: [L; LANES], rows: [&mut [Self; LANES]; LANES]) {
        L::store_columns(columns, rows);
    }
}

impl Sample for f64 {
    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }

    #[inline(always)]
    fn narrow(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn load<L: Lanes>(from: &[Self; LANES]) -> L {
        L::load(from)
    }

    #[inline(always)]
    fn load_columns<L: Lanes>(rows: [&[Self; LANES]; LANES]) -> [L; LANES] {
        let mut columns = [L::splat(0.0); LANES];
        for (n, column) in columns.iter_mut().enumerate() {
            let mut values = [0.0; LANES];
            for (value, row) in values.iter_mut().zip(rows) {
                *value = row[n];
            }
            *column = L::load(&values);
        }
        columns
    }

    #[inline(always)]
    fn store_columns<L: Lanes>(columns: [L; LANES], rows: [&mut [Self; LANES]; LANES]) {
        let mut values = [[0.0; LANES]; LANES];
        for (to, column) in values.iter_mut().zip(columns) {
            column.store(to);
        }
        for (i, row) in rows.into_iter().enumerate() {
            for (sample, column) in row.iter_mut().zip(&values) {
                *sample = column[i];
            }
        }
    }
}
