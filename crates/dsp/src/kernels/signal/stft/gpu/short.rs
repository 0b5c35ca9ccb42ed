//! Transforms that fit into a workgroup, and codes of levels.

use super::super::{LevelCode, Rows};
use super::Windows;
use crate::gpu::shaders::stft as shader;
use crate::gpu::{Recording, View};

impl Windows<'_> {
    /// Records complex spectra, window after window, following the `first` spectra already in the buffer.
    pub(super) fn short_spectra(&self, recording: &mut Recording<'_>, places: View, (to, first): (View, usize)) {
        let params = shader::Params { first_spectrum: first as u32, ..self.params() };
        let kernel = shader::Spectra { samples: self.samples, tables: self.tables, places, complex_spectra: to };
        recording.dispatch(kernel.dispatch(&params, self.groups(), self.work()));
    }

    /// Records power spectra, window after window.
    pub(super) fn short_power(&mut self, recording: &mut Recording<'_>) -> View {
        let places = self.upload_places(recording);
        let power = recording.buffer((self.columns * self.transform.plan.bins() * 4) as u64);
        let params = shader::Params { scale: self.transform.plan.power_scale() as f32, ..self.params() };
        let kernel = shader::Powers { samples: self.samples, tables: self.tables, places, power };
        recording.dispatch(kernel.dispatch(&params, self.groups(), self.work()));
        power
    }

    /// Records levels, column after column.
    pub(super) fn short_levels(mut self, recording: &mut Recording<'_>, rows: &Rows) -> View {
        let first_row = self.places.len() as u32;
        let first_weight = self.place_rows(rows);
        let levels = recording.buffer((self.columns * rows.len() * 4) as u64);
        let places = self.upload_places(recording);
        let params = shader::Params {
            rows: rows.len() as u32,
            first_row,
            first_weight,
            scale: (self.transform.plan.power_scale() / self.windows as f64) as f32,
            ..self.params()
        };
        let kernel = shader::LevelsOf { samples: self.samples, tables: self.tables, places, levels };
        recording.dispatch(kernel.dispatch(&params, self.groups(), self.work()));
        levels
    }

    /// Appends rows and weights to `places` and returns the index of the first weight.
    pub(super) fn place_rows(&mut self, rows: &Rows) -> u32 {
        self.places.extend_from_slice(bytemuck::cast_slice(rows.places()));
        let first_weight = self.places.len() as u32;
        self.places.extend(rows.weights().iter().map(|weight| weight.to_bits()));
        first_weight
    }

    pub(super) fn upload_places(&mut self, recording: &mut Recording<'_>) -> View {
        let places = recording.buffer(self.places.len() as u64 * 4);
        recording.upload(places, bytemuck::cast_slice(&self.places).to_vec());
        places
    }

    fn params(&self) -> shader::Params {
        shader::Params {
            columns: self.columns as u32,
            windows: self.windows as u32,
            points: self.transform.points() as u32,
            size: self.transform.plan.spec().size as u32,
            ..bytemuck::Zeroable::zeroed()
        }
    }

    fn groups(&self) -> [u32; 3] {
        let slots = shader::POINTS as usize / self.transform.points();
        [self.columns.div_ceil(slots) as u32, 1, 1]
    }

    /// Returns the amount of work in points.
    pub(super) fn work(&self) -> u64 {
        (self.columns * self.windows * self.transform.points()) as u64
    }
}

/// Records codes of levels, row after row, with each row padded to whole words of `per_word` codes.
pub(crate) fn pack(
    recording: &mut Recording<'_>,
    levels: View,
    [rows, columns]: [usize; 2],
    (code, per_word): (LevelCode, usize),
) -> View {
    let words_per_row = columns.div_ceil(per_word);
    let words = words_per_row * rows;
    let codes = recording.buffer(words as u64 * 4);
    let params = shader::Params {
        columns: columns as u32,
        rows: rows as u32,
        low_db: code.low_db,
        per_db: code.per_db,
        largest: code.largest,
        codes_per_word: per_word as u32,
        words_per_row: words_per_row as u32,
        ..bytemuck::Zeroable::zeroed()
    };
    let blocks = rows.div_ceil(shader::ROWS_TURNED as usize) * words_per_row.div_ceil(shader::WORDS_TURNED as usize);
    let groups = [blocks as u32, 1, 1];
    recording.dispatch(shader::Pack { levels, codes }.dispatch(&params, groups, (rows * columns) as u64));
    codes
}

/// Copies the readback of some columns to their position in a tile. The readback is codes in the layout of [`pack`], or
/// levels column after column.
pub(crate) fn unpack<T: Copy>(
    got: &[T],
    per_word: Option<usize>,
    chunk: std::ops::Range<usize>,
    values: &mut [T],
    [rows, columns]: [usize; 2],
) {
    let row_length = per_word.map(|per_word| chunk.len().next_multiple_of(per_word));
    for row in 0..rows {
        let to = &mut values[row * columns + chunk.start..][..chunk.len()];
        if let Some(row_length) = row_length {
            to.copy_from_slice(&got[row * row_length..][..chunk.len()]);
        } else {
            to.iter_mut().enumerate().for_each(|(column, to)| *to = got[column * rows + row]);
        }
    }
}
