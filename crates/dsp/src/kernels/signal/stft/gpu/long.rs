//! Transforms in two steps through device memory.

use super::super::Rows;
use super::{GpuStft, Windows};
use crate::gpu::shaders::stft_long as shader;
use crate::gpu::{Recording, View};

impl GpuStft {
    /// Allocates the memory for the two steps of `windows` transforms.
    pub(super) fn scratch(&self, recording: &mut Recording<'_>, windows: usize) -> [View; 2] {
        let bytes = (windows * self.points() * 8) as u64;
        [recording.buffer(bytes), recording.buffer(bytes)]
    }
}

impl Windows<'_> {
    /// Records complex spectra, window after window, following the `first` spectra already in the buffer.
    pub(super) fn long_spectra(
        &self,
        recording: &mut Recording<'_>,
        places: View,
        scratch: [View; 2],
        (to, first): (View, usize),
    ) {
        let bins = self.transform.plan.bins();
        let transformed = self.transform(recording, places, scratch);
        let (params, groups) = self.spread(self.columns, bins.div_ceil(shader::WORKGROUP as usize));
        let params = shader::Params { first_spectrum: first as u32, ..params };
        let unpack = shader::Unpack { tables: self.tables, transformed, complex_spectra: to };
        recording.dispatch(unpack.dispatch(&params, groups, self.work()));
    }

    /// Records levels, column after column.
    pub(super) fn long_levels(mut self, recording: &mut Recording<'_>, rows: &Rows) -> View {
        let bins = self.transform.plan.bins();
        let first_row = self.places.len() as u32;
        let first_weight = self.place_rows(rows);
        let places = self.upload_places(recording);
        let power = self.long_power(recording, places);
        let levels = recording.buffer((self.columns * rows.len() * 4) as u64);
        let (params, groups) = self.spread(self.columns, rows.len().div_ceil(shader::WORKGROUP as usize));
        let params = shader::Params { rows: rows.len() as u32, first_row, first_weight, ..params };
        let kernel = shader::LevelsOf { places, power, levels };
        recording.dispatch(kernel.dispatch(&params, groups, (self.columns * bins) as u64));
        levels
    }

    /// Records the mean power spectrum of each column's windows, column after column.
    pub(super) fn long_power(&self, recording: &mut Recording<'_>, places: View) -> View {
        let bins = self.transform.plan.bins();
        let scratch = self.transform.scratch(recording, self.columns * self.windows);
        let transformed = self.transform(recording, places, scratch);
        let power = recording.buffer((self.columns * bins * 4) as u64);
        let (params, groups) = self.spread(self.columns, bins.div_ceil(shader::WORKGROUP as usize));
        let scale = (self.transform.plan.power_scale() / self.windows as f64) as f32;
        let powers = shader::Powers { tables: self.tables, transformed, power };
        recording.dispatch(powers.dispatch(&shader::Params { scale, ..params }, groups, self.work()));
        power
    }

    /// Records the packed transforms of all windows.
    fn transform(&self, recording: &mut Recording<'_>, places: View, [half_done, transformed]: [View; 2]) -> View {
        let windows = self.columns * self.windows;
        let [first, second] = self.transform.steps();
        let slots = |points: usize| shader::POINTS as usize / points;

        let (params, groups) = self.spread(windows, second / slots(first));
        let params = shader::Params { step_points: first as u32, ..params };
        let kernel = shader::ColumnsFirst { samples: self.samples, tables: self.tables, places, half_done };
        recording.dispatch(kernel.dispatch(&params, groups, self.work()));

        let (params, groups) = self.spread(windows, first / slots(second));
        let params = shader::Params { step_points: second as u32, ..params };
        let kernel = shader::RowsSecond { tables: self.tables, half_done, transformed };
        recording.dispatch(kernel.dispatch(&params, groups, self.work()));
        transformed
    }

    /// Returns the parameters and the grid of `count * groups_each` workgroups.
    fn spread(&self, count: usize, groups_each: usize) -> (shader::Params, [u32; 3]) {
        let [first, second] = self.transform.steps();
        let params = shader::Params {
            columns: self.columns as u32,
            windows: self.windows as u32,
            points: self.transform.points() as u32,
            first: first as u32,
            second: second as u32,
            groups_each: groups_each as u32,
            size: self.transform.plan.spec().size as u32,
            ..bytemuck::Zeroable::zeroed()
        };
        (params, [(count * groups_each) as u32, 1, 1])
    }
}
