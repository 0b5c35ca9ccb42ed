//! Spectrogram tiles and the requests for them.

use super::{Rows, Samples, StftPlan};
use base::error::{Error, Result};

/// The columns of a picture. Each column is the mean power of `windows` windows, which are spread evenly over the
/// column's frames. A single window is at the centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Columns {
    /// The number of columns.
    pub count: usize,
    /// The frame at the centre of the first column.
    pub first_centre: f64,
    /// Frames per column, above 0. May be fractional.
    pub frames_each: f64,
    /// Windows per column, 1 or more.
    pub windows: usize,
}

impl Columns {
    /// Returns the columns of a plain spectrogram: one window per column, for `count` windows starting at `first`.
    pub fn of_windows(plan: &StftPlan, first: u64, count: usize) -> Self {
        let hop = plan.spec().hop;
        Self { count, first_centre: first as f64 * hop as f64, frames_each: hop as f64, windows: 1 }
    }

    /// Returns the frame on which a window of a column is centred.
    pub fn centre(&self, column: usize, window: usize) -> i64 {
        let within = (window as f64 + 0.5) / self.windows as f64 - 0.5;
        (self.first_centre + (column as f64 + within) * self.frames_each).round() as i64
    }

    /// Returns the frames that the windows cover, which must be read to compute the tile.
    pub fn reach(&self, plan: &StftPlan) -> std::ops::Range<i64> {
        if self.count == 0 {
            return 0..0;
        }
        let last = self.centre(self.count - 1, self.windows.max(1) - 1);
        plan.start_of_centre(self.centre(0, 0))..plan.start_of_centre(last) + plan.spec().size as i64
    }
}

/// The spacing of the windows of a column, relative to their length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spacing {
    /// One window at the centre of each column, regardless of the column's width.
    One,
    /// At most this fraction of their length apart, above 0.
    Within(f64),
}

impl Spacing {
    /// Returns the number of windows of `size` frames in a column of `frames_each` frames.
    pub fn windows(self, frames_each: f64, size: f64) -> usize {
        match self {
            Self::One => 1,
            Self::Within(share) => (frames_each / (share * size)).ceil().max(1.0) as usize,
        }
    }
}

/// The columns of a picture that is computed from windows of several lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnGrid {
    /// The number of columns.
    pub count: usize,
    /// The frame at the centre of the first column.
    pub first_centre: f64,
    /// Frames per column, above 0. May be fractional.
    pub frames_each: f64,
    /// The spacing of the windows of each length.
    pub spacing: Spacing,
}

impl ColumnGrid {
    /// Returns the columns for windows of one length.
    pub fn columns(&self, size: f64) -> Columns {
        let Self { count, first_centre, frames_each, spacing } = *self;
        Columns { count, first_centre, frames_each, windows: spacing.windows(frames_each, size) }
    }
}

/// A request for a part of a spectrogram.
#[derive(Clone, Copy, Debug)]
pub struct TileRequest<'a> {
    /// The transform. Its hop is ignored.
    pub plan: &'a StftPlan,
    /// The mapping from bins to rows.
    pub rows: &'a Rows,
    /// The columns.
    pub columns: Columns,
    /// The signal, covering [`Columns::reach`] as far as the signal goes.
    pub samples: Samples<'a>,
}

/// The maximum number of values of a tile.
const MAX_VALUES: usize = 1 << 26;
/// Centres at or beyond this many frames are rejected; below it, frame arithmetic is exact.
const MAX_FRAMES: f64 = (1_u64 << 52) as f64;

impl TileRequest<'_> {
    /// Checks the request.
    ///
    /// # Errors
    /// [`Error::Limit`] for a tile of more than 2^26 values.
    pub(super) fn check(&self) -> Result<()> {
        if self.rows.bin_count() != self.plan.bins() {
            let (got, allowed) = (self.rows.bin_count(), self.plan.bins());
            return Err(Error::invalid(
                "rows of a tile",
                format!("{got} bins"),
                format!("{allowed}, as the transform"),
            ));
        }
        if self.columns.windows == 0 {
            return Err(Error::invalid("windows of a column", "0", "1 or more"));
        }
        let Columns { count, first_centre, frames_each, .. } = self.columns;
        ColumnGrid { count, first_centre, frames_each, spacing: Spacing::One }.check(self.rows.len())
    }
}

impl ColumnGrid {
    /// Checks the columns, for a picture of `rows` rows.
    ///
    /// # Errors
    /// [`Error::Limit`] if `rows` rows would have more than 2^26 values.
    pub(crate) fn check(&self, rows: usize) -> Result<()> {
        let Self { count, first_centre, frames_each, spacing } = *self;
        let last = first_centre + count as f64 * frames_each;
        if !(frames_each > 0.0 && first_centre.abs() < MAX_FRAMES && last < MAX_FRAMES) {
            let got = format!("{count} columns of {frames_each} frames from {first_centre}");
            return Err(Error::invalid("columns of a tile", got, "frames above 0 for each, within 2^52 frames"));
        }
        if let Spacing::Within(share) = spacing
            && !(share > 0.0 && share.is_finite())
        {
            return Err(Error::invalid("distance of windows", share.to_string(), "a share of their length above 0"));
        }
        if rows.saturating_mul(count) > MAX_VALUES {
            return Err(Error::Limit {
                what: "the size of a spectrogram tile".to_owned(),
                got: format!("{rows} rows of {count} columns"),
                limit: format!("{MAX_VALUES} values"),
            });
        }
        Ok(())
    }
}

/// Rows and columns of levels, or of their codes.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile<T> {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Row after row from the lowest frequency up, each from left to right.
    pub values: Vec<T>,
}

impl<T> Tile<T> {
    /// Returns one row; row 0 has the lowest frequency.
    pub fn row(&self, row: usize) -> &[T] {
        &self.values[row * self.columns..][..self.columns]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Window;
    use crate::kernels::signal::stft::StftSpec;

    #[test]
    fn windows_are_spread_over_their_column() {
        let columns = Columns { count: 3, first_centre: 50.0, frames_each: 100.0, windows: 4 };
        assert_eq!([0, 1, 2, 3].map(|window| columns.centre(0, window)), [13, 38, 63, 88]);
        assert_eq!(columns.centre(2, 0), 213);
        let one = Columns { windows: 1, ..columns };
        assert_eq!([0, 1, 2].map(|column| one.centre(column, 0)), [50, 150, 250]);
        let plan = StftPlan::new(StftSpec { window: Window::Hann, size: 64, padding: 1, hop: 16 }).unwrap();
        assert_eq!(one.reach(&plan), 18..282);
        assert_eq!(Columns::of_windows(&plan, 2, 5).reach(&plan), 0..128);
        assert_eq!(Columns { count: 0, ..one }.reach(&plan), 0..0);
    }
}
