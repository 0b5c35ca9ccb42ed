//! Rows of numbers on a device, such as power spectra window after window: what kernels hand on to each other.

use std::ops::Range;

use super::stft::Samples;
use crate::gpu::{MAX_BINDING_BYTES, Recording, View};

/// Rows of numbers on the device, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    /// Where they are, as f32.
    pub view: View,
    /// Numbers of a row.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}

impl Plane {
    /// Room for so many rows, holding anything.
    pub fn new(recording: &mut Recording<'_>, columns: usize, rows: usize) -> Self {
        Self { view: recording.buffer((columns * rows * 4) as u64), columns, rows }
    }

    /// Rows that will be brought to the device. They are borrowed until the recording has run.
    pub fn upload<'a>(recording: &mut Recording<'a>, columns: usize, rows: &'a [f32]) -> Self {
        let plane = Self::new(recording, columns, rows.len().checked_div(columns).unwrap_or(0));
        let bytes: &'a [u8] = bytemuck::cast_slice(rows);
        recording.upload(plane.view, bytes);
        plane
    }

    /// The bytes of one row.
    pub fn row(&self, row: usize) -> View {
        self.view.part((row * self.columns * 4) as u64, (self.columns * 4) as u64)
    }

    /// The most rows that one has on any device.
    pub fn most_rows(columns: usize) -> usize {
        MAX_BINDING_BYTES as usize / (4 * columns.max(1))
    }
}

/// Frames of a signal on the device, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Where they are, as f32.
    pub view: View,
    /// The signal's frame that the first one is.
    pub first_frame: i64,
    /// How many there are.
    pub frames: usize,
}

impl Stretch {
    /// Those frames of a signal, silence being beyond its ends.
    pub fn upload(recording: &mut Recording<'_>, samples: Samples<'_>, frames: Range<i64>) -> Self {
        let first_frame = frames.start;
        let mut taken = Vec::with_capacity((frames.end - frames.start).max(0) as usize);
        samples.extract(frames, &mut taken);
        let view = recording.buffer(taken.len() as u64 * 4);
        recording.upload(view, bytemuck::cast_slice(&taken).to_vec());
        Self { view, first_frame, frames: taken.len() }
    }
}
