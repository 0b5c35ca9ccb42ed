//! Means of the roots of the smallest and of the largest values of runs of neighbours, such as the magnitudes of the valleys
//! and peaks in a band of a power spectrum.
//!
//! Of a run of `n` values, none negative, and a count `c`, `1 <= c <= n`:
//!
//! ```text
//! low = sum over the c smallest of sqrt(x) / c,   high = sum over the c largest of sqrt(x) / c
//! ```
//!
//! The twin selects and sums in order, in f64; a GPU ([`gpu`]) finds where the smallest end by their bits, which takes four
//! counts of eight bits, and sums in a tree: the same values, summed with another rounding. A value that is no number counts
//! as larger than all others.

pub mod gpu;
mod trial;

use crate::error::{Error, Result};
use crate::kernels::Kernel;
pub use trial::exact;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "extremes",
    title: "Means of extremes of spectra",
    shaders: &["extremes.wgsl"],
    // A relative error of 2e-6 per mean.
    tolerance_db: -114.0,
    // Reads power spectra of four windows per frame, two bins per sample, five times for each extreme.
    bytes_per_sample: 80.0,
    trial: trial::trial,
};

/// Neighbours of a row, and how many of them are small and large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first.
    pub from: usize,
    /// The one behind the last.
    pub to: usize,
    /// How many are the smallest, and how many the largest.
    pub count: usize,
}

/// The runs of rows of one length, planned.
#[derive(Clone, Debug)]
pub struct Extremes {
    values: usize,
    runs: Vec<Run>,
}

/// What [`Extremes`] makes of a run: the mean root of its smallest values, and of its largest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Means {
    /// Of the smallest.
    pub low: f32,
    /// Of the largest.
    pub high: f32,
}

impl Extremes {
    /// For rows of `values` values.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a run that is empty, not within a row, or of fewer values than are to be taken.
    pub fn new(values: usize, runs: Vec<Run>) -> Result<Self> {
        let fits = |run: &Run| run.from < run.to && run.to <= values && (1..=run.to - run.from).contains(&run.count);
        if let Some(run) = runs.iter().find(|run| !fits(run)) {
            let got = format!("{} of {}..{}", run.count, run.from, run.to);
            return Err(Error::invalid("run", got, format!("one of its values or more, within 0..{values}")));
        }
        Ok(Self { values, runs })
    }

    /// The runs, in the order of their means.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Appends the means of a row, run after run. `memory` holds anything.
    ///
    /// # Panics
    /// When the row is of another length: a fault of the caller's.
    pub fn add(&self, row: &[f32], memory: &mut Vec<f32>, to: &mut Vec<Means>) {
        assert_eq!(row.len(), self.values, "a row of another length");
        for run in &self.runs {
            memory.clear();
            memory.extend_from_slice(&row[run.from..run.to]);
            let (low, high) = split(memory, run.count);
            to.push(Means { low: mean(low), high: mean(high) });
        }
    }

    /// The means of all rows of `plane`, run after run and row after row.
    ///
    /// # Errors
    /// [`Error::Invalid`] for rows of another length.
    pub fn means(&self, plane: &[f32]) -> Result<Vec<Means>> {
        let rows = self.rows(plane)?;
        let (mut memory, mut to) = (Vec::new(), Vec::with_capacity(rows * self.runs.len()));
        plane.chunks_exact(self.values).for_each(|row| self.add(row, &mut memory, &mut to));
        Ok(to)
    }

    fn rows(&self, plane: &[f32]) -> Result<usize> {
        if self.values == 0 || !plane.len().is_multiple_of(self.values) {
            let allowed = format!("whole rows of {} values", self.values);
            return Err(Error::invalid("rows", format!("{} values", plane.len()), allowed));
        }
        Ok(plane.len() / self.values)
    }
}

fn mean(part: &[f32]) -> f32 {
    let sum: f64 = part.iter().map(|x| f64::from(x.sqrt())).sum();
    (sum / part.len() as f64) as f32
}

/// The `count` smallest and largest, each in order, so that their sums do not depend on how they were found.
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
