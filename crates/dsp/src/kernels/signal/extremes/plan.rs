//! The runs whose extremes are averaged.

use base::error::{Error, Result};

/// A range of values in a row, and the number of extremes to average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The index of the first value.
    pub from: usize,
    /// The index after the last value.
    pub to: usize,
    /// The number of smallest values, which is also the number of largest values.
    pub count: usize,
}

/// The runs in rows of one length.
#[derive(Clone, Debug)]
pub struct Extremes {
    pub(super) values: usize,
    pub(super) runs: Vec<Run>,
}

impl Extremes {
    /// Plans runs in rows of `values` values.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a run that is empty, exceeds a row, has a count of 0, or has fewer values than its count.
    pub fn new(values: usize, runs: Vec<Run>) -> Result<Self> {
        let fits = |run: &Run| run.from < run.to && run.to <= values && (1..=run.to - run.from).contains(&run.count);
        if let Some(run) = runs.iter().find(|run| !fits(run)) {
            let got = format!("{} of {}..{}", run.count, run.from, run.to);
            return Err(Error::invalid("run", got, format!("one of its values or more, within 0..{values}")));
        }
        Ok(Self { values, runs })
    }

    /// Returns the number of values in a row.
    pub fn values(&self) -> usize {
        self.values
    }

    /// Returns the runs, in the order of their means.
    pub fn runs(&self) -> &[Run] {
        &self.runs
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
