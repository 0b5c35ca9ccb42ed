//! The shape of a value.

use std::fmt;

/// The shape of a block of numbers: consecutive channels of rows of frames. Sound and sequences have one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The number of channels, or of components of the vectors of a sequence.
    pub channels: usize,
    /// The number of rows, such as frequencies.
    pub rows: usize,
    /// The number of frames, which are contiguous in memory.
    pub frames: usize,
}

impl Shape {
    /// Returns the shape of a sequence: `channels` components at each of `frames` frames.
    pub const fn sequence(channels: usize, frames: usize) -> Self {
        Self { channels, rows: 1, frames }
    }

    /// Returns the number of numbers.
    pub const fn len(self) -> usize {
        self.channels * self.rows * self.frames
    }

    /// Returns whether there is no number.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the shape with another number of channels.
    #[must_use]
    pub const fn with_channels(self, channels: usize) -> Self {
        Self { channels, ..self }
    }

    /// Returns the shape with another number of frames.
    #[must_use]
    pub const fn with_frames(self, frames: usize) -> Self {
        Self { frames, ..self }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rows {
            1 => write!(f, "{} x {}", self.channels, self.frames),
            rows => write!(f, "{} x {rows} x {}", self.channels, self.frames),
        }
    }
}
