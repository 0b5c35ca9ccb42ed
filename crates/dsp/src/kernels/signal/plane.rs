//! Values on a device that kernels pass to each other: rows, such as consecutive power spectra, and frames.

use std::ops::Range;

use super::stft::Samples;
use crate::gpu::{MAX_BINDING_BYTES, Recording, View};

/// Contiguous rows of values on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    /// The buffer view that holds the values, as f32.
    pub view: View,
    /// Values per row.
    pub columns: usize,
    /// The number of rows.
    pub rows: usize,
}

impl Plane {
    /// Allocates room for `rows` rows with undefined contents.
    pub fn new(recording: &mut Recording<'_>, columns: usize, rows: usize) -> Self {
        Self { view: recording.buffer((columns * rows * 4) as u64), columns, rows }
    }

    /// Records an upload of rows, which are borrowed until the recording has run.
    pub fn upload<'a>(recording: &mut Recording<'a>, columns: usize, rows: &'a [f32]) -> Self {
        let plane = Self::new(recording, columns, rows.len().checked_div(columns).unwrap_or(0));
        let bytes: &'a [u8] = bytemuck::cast_slice(rows);
        recording.upload(plane.view, bytes);
        plane
    }

    /// Returns the view of one row.
    pub fn row(&self, row: usize) -> View {
        self.view.part((row * self.columns * 4) as u64, (self.columns * 4) as u64)
    }

    /// Returns the number of rows that fit into one buffer on any device.
    pub fn max_rows(columns: usize) -> usize {
        MAX_BINDING_BYTES as usize / (4 * columns.max(1))
    }
}

/// Consecutive frames of a signal on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameSpan {
    /// The buffer view that holds the frames, as f32.
    pub view: View,
    /// The position of the first frame in the signal.
    pub first_frame: i64,
    /// The number of frames.
    pub frames: usize,
}

impl FrameSpan {
    /// Records an upload of the given frames of a signal. Frames beyond the ends of the signal are silent.
    pub fn upload(recording: &mut Recording<'_>, samples: Samples<'_>, frames: Range<i64>) -> Self {
        let first_frame = frames.start;
        let mut taken = Vec::with_capacity((frames.end - frames.start).max(0) as usize);
        samples.extract(frames, &mut taken);
        let view = recording.buffer(taken.len() as u64 * 4);
        recording.upload(view, bytemuck::cast_slice(&taken).to_vec());
        Self { view, first_frame, frames: taken.len() }
    }
}
