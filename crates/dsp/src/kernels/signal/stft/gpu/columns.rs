//! Tiles whose levels are recorded a few columns at a time, for any analysis method.

use std::ops::Range;

use super::{in_chunks, pack, unpack};
use crate::gpu::{Engine, Finished, Recording, View};
use crate::kernels::signal::stft::{ColumnGrid, LevelCode, Samples, Tile};
use base::error::Result;
use base::progress::Progress;

/// An analysis method that computes the columns of a tile on a GPU.
pub trait GpuColumns: std::fmt::Debug + Send {
    /// Returns the number of rows of the picture.
    fn rows(&self) -> usize;

    /// Returns the maximum number of columns per recording.
    ///
    /// # Errors
    /// [`base::Error::Limit`] if not even one column fits on a device.
    fn max_columns(&self, grid: &ColumnGrid) -> Result<usize>;

    /// Records the levels of some columns, column after column.
    fn record<'r>(
        &'r self,
        recording: &mut Recording<'r>,
        grid: &ColumnGrid,
        samples: Samples<'_>,
        chunk: Range<usize>,
    ) -> View;

    /// Returns the levels of the columns in dB re a full-scale sine, equivalent to the CPU twin.
    fn levels(
        &self,
        engine: &mut Engine,
        grid: &ColumnGrid,
        samples: Samples<'_>,
        progress: Option<&Progress>,
    ) -> Result<(Tile<f32>, Finished)> {
        grid.check(self.rows())?;
        let shape = TileLayout { rows: self.rows(), columns: grid.count, most: self.max_columns(grid)?, code: None };
        tile(engine, shape, progress, |recording, chunk| self.record(recording, grid, samples, chunk))
    }

    /// Returns the levels of the columns in steps of 0.005 dB, coded as [`LevelCode::FINE`].
    fn fine(
        &self,
        engine: &mut Engine,
        grid: &ColumnGrid,
        samples: Samples<'_>,
        progress: Option<&Progress>,
    ) -> Result<(Tile<u16>, Finished)> {
        grid.check(self.rows())?;
        let code = Some((LevelCode::FINE, 2));
        let shape = TileLayout { rows: self.rows(), columns: grid.count, most: self.max_columns(grid)?, code };
        tile(engine, shape, progress, |recording, chunk| self.record(recording, grid, samples, chunk))
    }
}

/// The division of a tile into recordings, and the format of its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct TileLayout {
    pub rows: usize,
    pub columns: usize,
    /// The maximum number of columns per recording.
    pub most: usize,
    /// The code of the levels and the number of codes per word, or `None` for plain levels.
    pub code: Option<(LevelCode, usize)>,
}

/// Returns the tile whose levels `record` records, column after column.
pub(super) fn tile<'r, T: bytemuck::Pod>(
    engine: &mut Engine,
    shape: TileLayout,
    progress: Option<&Progress>,
    mut record: impl FnMut(&mut Recording<'r>, Range<usize>) -> View,
) -> Result<(Tile<T>, Finished)> {
    let TileLayout { rows, columns, most, code } = shape;
    let mut values = vec![T::zeroed(); rows * columns];
    let finished = in_chunks(columns, most, |chunk| {
        let mut recording = Recording::new();
        let levels = record(&mut recording, chunk.clone());
        // Levels arrive column after column; codes arrive row after row, padded to whole words.
        let result = code.map_or(levels, |code| pack(&mut recording, levels, [rows, chunk.len()], code));
        let ticket = recording.readback(result);
        engine.execute(&recording, progress, &mut |got, bytes| {
            if got == ticket {
                let got: Vec<T> = bytemuck::pod_collect_to_vec(bytes);
                unpack(&got, code.map(|(_, per_word)| per_word), chunk.clone(), &mut values, [rows, columns]);
            }
        })
    })?;
    Ok((Tile { rows, columns, values }, finished))
}
