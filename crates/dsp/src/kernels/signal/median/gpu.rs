//! The median on a GPU. Each thread computes eight neighbouring outputs, bit-identical to the CPU twin.

use std::ops::Range;

use crate::gpu::Recording;
use crate::gpu::shaders::median as shader;
use crate::kernels::signal::Plane;

/// The axis along which a median is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Along columns, like [`super::Median::along_columns`].
    Columns,
    /// Along rows, like [`super::Median::along_rows`].
    Rows,
}

/// Records the medians of the rows `wanted` of a plane and returns them as a new plane.
pub fn record(recording: &mut Recording<'_>, plane: Plane, wanted: Range<usize>, axis: Axis) -> Plane {
    let medians = Plane::new(recording, plane.columns, wanted.len());
    if plane.columns == 0 || wanted.is_empty() {
        return medians;
    }
    let spans = plane.columns.div_ceil(shader::SPAN as usize);
    let params = shader::Params {
        columns: plane.columns as u32,
        rows: plane.rows as u32,
        first_row: wanted.start as u32,
        wanted: wanted.len() as u32,
        spans: spans as u32,
        ..bytemuck::Zeroable::zeroed()
    };
    let work = (plane.columns * wanted.len()) as u64;
    let groups = |threads: usize, each: u32| [threads.div_ceil(each as usize) as u32, 1, 1];
    let (from, to) = (plane.view, medians.view);
    recording.dispatch(match axis {
        Axis::Columns => {
            let steps = wanted.len().div_ceil(shader::OUTPUTS as usize);
            let kernel = shader::AlongColumns { plane: from, medians: to };
            kernel.dispatch(&params, groups(plane.columns * steps, shader::WORKGROUP), work)
        }
        Axis::Rows => {
            let kernel = shader::AlongRows { plane: from, medians: to };
            kernel.dispatch(&params, groups(spans * wanted.len(), shader::SLOTS), work)
        }
    });
    medians
}
