//! The sizes of a product, and where its numbers come from.

/// The size of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Channels.
    pub channels: usize,
    /// Rows of a channel.
    pub rows: usize,
    /// Frames of a row.
    pub frames: usize,
}

impl Size {
    /// Returns the number of elements.
    pub fn len(self) -> usize {
        self.channels * self.rows * self.frames
    }

    /// Returns whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A convolution of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A convolution with weights `outputs x inputs / groups x rows x frames`.
    Forward {
        /// Taps along rows and frames.
        taps: [usize; 2],
        /// Steps between results.
        stride: [usize; 2],
        /// Steps between taps.
        dilation: [usize; 2],
        /// Zeros before and after the rows, and the frames.
        padding: [usize; 2],
    },
    /// A transposed convolution along frames or rows, with weights `inputs x outputs / groups x taps`.
    Transposed {
        /// Taps.
        taps: usize,
        /// Results for each frame, or row.
        stride: usize,
        /// Whether it goes along the rows.
        along_rows: bool,
        /// Frames, or rows, that are left out of the result at its beginning and its end.
        cut: [usize; 2],
    },
}

/// A product of a known size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub(super) kind: Kind,
    /// Groups of channels that do not mix.
    pub(super) groups: usize,
    pub(super) x: Size,
    pub(super) y: Size,
    /// Rows of the weights' matrix, of a group.
    pub(super) height: usize,
    /// The length of each sum.
    pub(super) depth: usize,
    /// Columns: places of the result, of all its rows.
    pub(super) columns: usize,
    /// How `B` is gathered: channels of a group, taps, stride, dilation, zeros before.
    pub(super) inputs: usize,
    pub(super) taps: [usize; 2],
    pub(super) stride: [usize; 2],
    pub(super) dilation: [usize; 2],
    pub(super) padding: [usize; 2],
    /// Columns of a row of the result.
    pub(super) row_columns: usize,
    /// Frames, or rows, of the result that lie side by side in one column.
    pub(super) phases: usize,
    /// Whether they are rows.
    pub(super) along_rows: bool,
    /// The number of them left out before the first.
    pub(super) skipped: usize,
}

impl Plan {
    /// Plans a product of a block of size `x`. `outputs` is the number of channels of the result, of all groups.
    ///
    /// # Panics
    /// Panics if the sizes do not fit: channels that the groups do not divide, a stride of 0, taps beyond the block, or
    /// more left out than there is.
    pub fn new(kind: Kind, groups: usize, outputs: usize, x: Size) -> Self {
        assert!(groups > 0 && outputs.is_multiple_of(groups) && x.channels.is_multiple_of(groups), "groups");
        let inputs = x.channels / groups;
        match kind {
            Kind::Forward { taps, stride, dilation, padding } => {
                let along = |axis: usize, size: usize| {
                    let reach = (taps[axis] - 1) * dilation[axis] + 1;
                    (size + 2 * padding[axis] - reach) / stride[axis] + 1
                };
                let y = Size { channels: outputs, rows: along(0, x.rows), frames: along(1, x.frames) };
                Self {
                    kind,
                    groups,
                    x,
                    y,
                    height: outputs / groups,
                    depth: inputs * taps[0] * taps[1],
                    columns: y.rows * y.frames,
                    inputs,
                    taps,
                    stride,
                    dilation,
                    padding,
                    row_columns: y.frames,
                    phases: 1,
                    along_rows: false,
                    skipped: 0,
                }
            }
            Kind::Transposed { taps, stride, along_rows, cut } => {
                let of_phase = taps.div_ceil(stride);
                let left = |size: usize| (size - 1) * stride + taps - cut[0] - cut[1];
                let more = of_phase - 1;
                let (y, rows, row_columns) = if along_rows {
                    (Size { channels: outputs, rows: left(x.rows), frames: x.frames }, x.rows + more, x.frames)
                } else {
                    (Size { channels: outputs, rows: x.rows, frames: left(x.frames) }, x.rows, x.frames + more)
                };
                let along = |value: usize, across: usize| if along_rows { [value, across] } else { [across, value] };
                Self {
                    kind,
                    groups,
                    x,
                    y,
                    height: outputs / groups * stride,
                    depth: inputs * of_phase,
                    columns: rows * row_columns,
                    inputs,
                    taps: along(of_phase, 1),
                    stride: [1, 1],
                    dilation: [1, 1],
                    padding: along(more, 0),
                    row_columns,
                    phases: stride,
                    along_rows,
                    skipped: cut[0],
                }
            }
        }
    }

    /// Returns the kind of convolution.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the number of groups of channels that do not mix.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Returns the size of the input.
    pub fn input(&self) -> Size {
        self.x
    }

    /// Returns the size of the output.
    pub fn output(&self) -> Size {
        self.y
    }

    /// Returns the number of multiplications, each with an addition.
    pub fn products(&self) -> u64 {
        self.groups as u64 * self.height as u64 * self.depth as u64 * self.columns as u64
    }
}
