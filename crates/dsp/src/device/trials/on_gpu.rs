//! Runs kernels on a GPU from values in the host's memory to results there, as many at a time as fit.

use std::ops::Range;

use crate::gpu::{Engine, Finished, Recording, View};
use crate::kernels::signal::Plane;
use crate::kernels::signal::stft::gpu::in_chunks;
use base::error::{Error, Result};
use base::progress::Progress;

/// Returns the results of `0..total`, for at most `most` at a time. `record` uploads and records a range of them; `read`
/// decodes the readback for a number of them.
pub(super) fn run<'a, T>(
    engine: &mut Engine,
    total: usize,
    most: usize,
    progress: Option<&Progress>,
    record: impl Fn(&mut Recording<'a>, Range<usize>) -> View,
    read: impl Fn(&[u8], usize) -> Vec<T>,
) -> Result<(Vec<T>, Finished)> {
    let mut found = Vec::with_capacity(total);
    let finished = in_chunks(total, most, |chunk| {
        let mut recording = Recording::new();
        let results = record(&mut recording, chunk.clone());
        let ticket = recording.readback(results);
        engine.execute(&recording, progress, &mut |got, bytes| {
            if got == ticket {
                found.extend(read(bytes, chunk.len()));
            }
        })
    })?;
    Ok((found, finished))
}

/// Rows, and those of them whose results are wanted.
pub(super) struct Rows<'a> {
    pub values: &'a [f32],
    pub columns: usize,
    pub wanted: Range<usize>,
    /// The number of rows before and after a row on which its results depend.
    pub margins: [usize; 2],
    /// The number of results of a row, as f32.
    pub results: usize,
}

impl<'a> Rows<'a> {
    /// Runs a kernel on the wanted rows. `record` gets a plane and the rows of it that are wanted.
    ///
    /// # Errors
    /// [`Error::Invalid`] if rows are not whole, or if one is wanted that does not exist. [`Error::Limit`] if a row is
    /// too long for a GPU.
    pub fn run<T>(
        self,
        engine: &mut Engine,
        progress: Option<&Progress>,
        record: impl Fn(&mut Recording<'a>, Plane, Range<usize>) -> View,
        read: impl Fn(&[u8], usize) -> Vec<T>,
    ) -> Result<(Vec<T>, Finished)> {
        let Self { values, columns, wanted, margins: [before, after], results } = self;
        let all = values.len().checked_div(columns).unwrap_or(0);
        if all * columns != values.len() || wanted.start > wanted.end || wanted.end > all {
            let allowed = format!("0..{all} of {columns} values each");
            return Err(Error::invalid("rows", format!("{wanted:?} of {} values", values.len()), allowed));
        }
        let most = Plane::max_rows(columns.max(results)).saturating_sub(before + after);
        if most == 0 {
            let limit = format!("{} values", Plane::max_rows(before + after + 1));
            return Err(Error::Limit { what: "rows on a GPU".to_owned(), got: format!("{columns} values"), limit });
        }
        let record = |recording: &mut Recording<'a>, chunk: Range<usize>| {
            let chunk = wanted.start + chunk.start..wanted.start + chunk.end;
            let around = chunk.start.saturating_sub(before)..all.min(chunk.end + after);
            let plane = Plane::upload(recording, columns, &values[around.start * columns..around.end * columns]);
            record(recording, plane, chunk.start - around.start..chunk.end - around.start)
        };
        run(engine, wanted.len(), most, progress, record, read)
    }
}
