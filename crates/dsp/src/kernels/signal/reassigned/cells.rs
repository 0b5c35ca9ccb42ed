//! The division of time into cells, and the windows whose energy moves into them.

use std::ops::Range;

use crate::kernels::signal::stft::{ColumnGrid, Spacing};

/// The cells along time that columns need, and the windows whose energy can reach them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cells {
    /// The first frame of each cell, and the frame after the last cell.
    pub edges: Vec<i64>,
    /// The cell that each column shows.
    pub of_column: Vec<u32>,
    /// The centres of all windows whose energy can reach a cell, in ascending order.
    pub centres: Vec<i64>,
    /// The number of windows per cell.
    pub windows: usize,
}

impl Cells {
    /// Returns the cells of some columns of a grid, for windows of `size` frames.
    pub fn new(size: usize, grid: &ColumnGrid, columns: Range<usize>) -> Self {
        if columns.is_empty() {
            return Self { edges: vec![0], of_column: Vec::new(), centres: Vec::new(), windows: 1 };
        }
        let least = (size / 256).max(2) as i64;
        if grid.frames_each >= least as f64 {
            Self::as_columns(size, grid, columns)
        } else {
            Self::wider(size, least, grid, columns)
        }
    }

    fn as_columns(size: usize, grid: &ColumnGrid, columns: Range<usize>) -> Self {
        let ColumnGrid { first_centre, frames_each, spacing, .. } = *grid;
        // A frame belongs to the column that contains its middle, half a frame after its beginning.
        let edge = |column: usize| (first_centre + (column as f64 - 0.5) * frames_each - 0.5).ceil() as i64;
        let edges: Vec<i64> = (columns.start..=columns.end).map(edge).collect();
        let windows = match spacing {
            Spacing::One => 1,
            // Half the spacing of a plain spectrogram, because energy moves in from either side.
            Spacing::Within(share) => Spacing::Within(share / 2.0).windows(frames_each, size as f64),
        };
        let centre = |index: i64| {
            let place = (index as f64 + 0.5) / windows as f64 - 0.5;
            (first_centre + place * frames_each).round() as i64
        };
        // Takes all windows around the columns, then keeps those within reach.
        let around = ((size as f64 / frames_each).ceil() as i64 + 1) * windows as i64;
        let indices = columns.start as i64 * windows as i64..columns.end as i64 * windows as i64;
        let near = reach(size, &edges);
        let centres = (indices.start - around..indices.end + around).map(centre).filter(|centre| near.contains(centre));
        Self { of_column: (0..columns.len() as u32).collect(), centres: centres.collect(), edges, windows }
    }

    fn wider(size: usize, width: i64, grid: &ColumnGrid, columns: Range<usize>) -> Self {
        let cell =
            |column: usize| ((grid.first_centre + column as f64 * grid.frames_each).floor() as i64).div_euclid(width);
        let first = cell(columns.start);
        let end = cell(columns.end - 1) + 1;
        let edges: Vec<i64> = (first..=end).map(|cell| cell * width).collect();
        let near = reach(size, &edges);
        let around = size as i64 / width + 1;
        let middle = |cell: i64| cell * width + width / 2;
        Self {
            of_column: columns.map(|column| (cell(column) - first) as u32).collect(),
            centres: (first - around..end + around).map(middle).filter(|centre| near.contains(centre)).collect(),
            edges,
            windows: 1,
        }
    }

    /// Returns the number of cells.
    pub fn count(&self) -> usize {
        self.edges.len() - 1
    }

    /// Returns the cell that contains a frame, or `None` if the frame is outside all cells.
    pub fn of_frame(&self, frame: i64) -> Option<usize> {
        let behind = self.edges.partition_point(|&edge| edge <= frame);
        (1..self.edges.len()).contains(&behind).then(|| behind - 1)
    }
}

/// Returns the range of the centres of windows whose energy can reach the cells. Energy moves by at most half a window.
fn reach(size: usize, edges: &[i64]) -> Range<i64> {
    let half = (size / 2) as i64 + 1;
    edges[0] - half..edges[edges.len() - 1] + half
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(first_centre: f64, frames_each: f64, spacing: Spacing) -> ColumnGrid {
        ColumnGrid { count: 1000, first_centre, frames_each, spacing }
    }

    #[test]
    fn wide_columns_have_windows_a_quarter_apart_and_all_that_reach_them() {
        let cells = Cells::new(64, &grid(16.0, 32.0, Spacing::Within(0.5)), 2..4);
        assert_eq!((cells.edges.clone(), cells.windows), (vec![64, 96, 128], 2));
        assert_eq!(cells.centres, [40, 56, 72, 88, 104, 120, 136, 152]);
        assert_eq!(
            [63, 64, 95, 96, 127, 128].map(|frame| cells.of_frame(frame)),
            [None, Some(0), Some(0), Some(1), Some(1), None]
        );
        // One window per column: the neighbours' windows do not reach a wide column.
        let cells = Cells::new(64, &grid(500.0, 1000.0, Spacing::One), 0..1);
        assert_eq!((cells.edges, cells.centres), (vec![0, 1000], vec![500]));
    }

    #[test]
    fn narrow_columns_share_cells_on_multiples_of_their_width() {
        let cells = Cells::new(1024, &grid(0.5, 1.0, Spacing::Within(0.5)), 6..11);
        assert_eq!((cells.edges.clone(), cells.of_column.clone()), (vec![4, 8, 12], vec![0, 0, 1, 1, 1]));
        assert!(cells.centres.iter().all(|centre| centre.rem_euclid(4) == 2) && cells.centres.contains(&-506));
        assert_eq!(cells.count(), 2);
    }

    #[test]
    fn parts_are_cut_as_the_whole() {
        for (each, first) in [(1.0, 0.5), (3.7, 1.2), (100.3, -20.0), (5000.0, 2500.0)] {
            let grid = grid(first, each, Spacing::Within(0.5));
            let whole = Cells::new(512, &grid, 0..100);
            let part = Cells::new(512, &grid, 40..60);
            let frames = part.edges[0]..part.edges[part.edges.len() - 1];
            assert!(part.edges.iter().all(|edge| whole.edges.contains(edge)));
            let near = |centre: &&i64| (frames.start - 257..frames.end + 257).contains(*centre);
            assert!(whole.centres.iter().filter(near).eq(part.centres.iter()), "{each}");
        }
        assert!(Cells::new(512, &grid(0.0, 1.0, Spacing::One), 5..5).centres.is_empty());
    }
}
