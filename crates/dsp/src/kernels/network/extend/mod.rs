//! Adds frames before and after the rows of a block, extracts frames, and exchanges rows and frames.

pub mod cpu;
pub mod gpu;

use super::convolution::Size;
use super::pointwise::Activation;
use crate::kernels::Kernel;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "extend",
    title: "Frames beyond the edges",
    shaders: &["extend.wgsl"],
    tolerance_db: f64::NEG_INFINITY,
    bytes_per_sample: 8.0,
};

/// How frames beyond an edge are derived from a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Zeros.
    Zero,
    /// The row mirrored at its first or last frame, which is not repeated. A row with too few frames counts as extended
    /// by zeros at its end.
    Reflect,
    /// The first or last frame, repeated.
    Replicate,
}

/// A row with frames before and after it.
#[derive(Clone, Copy, Debug)]
pub struct Extend<'a> {
    /// The size of the input.
    pub size: Size,
    /// Frames that come before: `channels x rows x kept_frames`.
    pub kept: &'a [f32],
    /// The number of those frames.
    pub kept_frames: usize,
    /// How frames before the row are made, and how many.
    pub left: (Edge, usize),
    /// How frames after the row are made, and how many.
    pub right: (Edge, usize),
    /// Applied to all but what was kept. It gives 0 for 0.
    pub activation: Option<Activation<'a>>,
}

impl Extend<'_> {
    /// Frames of a row of the result.
    pub fn frames(&self) -> usize {
        self.kept_frames + self.left.1 + self.size.frames + self.right.1
    }
}
