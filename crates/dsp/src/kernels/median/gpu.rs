//! The median on a GPU. Each thread computes eight neighbouring outputs, bit-identical to the CPU twin.

use std::ops::Range;

use super::REACH;
use crate::gpu::shaders::median as shader;
use crate::gpu::{Engine, Finished, MAX_BINDING_BYTES, Recording};
use crate::kernels::Plane;
use crate::kernels::stft::gpu::in_chunks;
use base::error::{Error, Result};
use base::progress::Progress;

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

/// Returns the medians of the rows `wanted` of a plane with `columns` values per row, bit-identical to the CPU twin.
pub fn medians(
    engine: &mut Engine,
    plane: &[f32],
    columns: usize,
    wanted: Range<usize>,
    axis: Axis,
    progress: Option<&Progress>,
) -> Result<(Vec<f32>, Finished)> {
    let all = plane.len().checked_div(columns).unwrap_or(0);
    if wanted.start > wanted.end || wanted.end > all {
        return Err(Error::invalid("rows", format!("{wanted:?}"), format!("0..{all}, which the plane has")));
    }
    let most = Plane::max_rows(columns).saturating_sub(2 * REACH);
    if most == 0 {
        return Err(Error::Limit {
            what: "medians of a row on a GPU".to_owned(),
            got: format!("{columns} values"),
            limit: format!("{} values", MAX_BINDING_BYTES / (4 * (2 * REACH as u64 + 1))),
        });
    }
    let mut values = Vec::with_capacity(wanted.len() * columns);
    let finished = in_chunks(wanted.len(), most, |chunk| {
        let chunk = wanted.start + chunk.start..wanted.start + chunk.end;
        let around = chunk.start.saturating_sub(REACH)..all.min(chunk.end + REACH);
        let mut recording = Recording::new();
        let from = Plane::upload(&mut recording, columns, &plane[around.start * columns..around.end * columns]);
        let own = chunk.start - around.start..chunk.end - around.start;
        let medians = record(&mut recording, from, own, axis);
        let ticket = recording.readback(medians.view);
        engine.execute(&recording, progress, &mut |got, bytes| {
            if got == ticket {
                values.extend(bytemuck::pod_collect_to_vec::<u8, f32>(bytes));
            }
        })
    })?;
    Ok((values, finished))
}
