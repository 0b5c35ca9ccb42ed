//! Normalisations by mean and variance, and to unit length.

pub mod cpu;
pub mod gpu;

use crate::kernels::Kernel;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "norm",
    title: "Normalisation",
    shaders: &["norm.wgsl"],
    tolerance_db: -105.0,
    bytes_per_sample: 12.0,
};

/// The values over which a normalisation takes mean and variance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The channels of each place.
    Channels,
    /// The channels of each place, by the mean square alone.
    ChannelsRms,
    /// This many groups of channels, over all their places.
    Groups(usize),
    /// Like `Groups`, but for every row separately.
    GroupsOfRow(usize),
    /// The channels of each place, over their length; `max(length, 1e-12)`.
    Length,
}

/// The step after a normalisation, in the same pass: multiplies the first half of its channels by the logistic function
/// of the second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gate<'a> {
    /// Multiplied after that, one number per channel of the result.
    pub gains: Option<&'a [f32]>,
    /// Added at the end, of the result's size.
    pub residual: Option<&'a [f32]>,
}

/// A normalisation with its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Norm<'a> {
    /// The values that are normalised together.
    pub over: Over,
    /// One number per channel.
    pub gain: Option<&'a [f32]>,
    /// One number per channel.
    pub bias: Option<&'a [f32]>,
    /// Added to the variance.
    pub epsilon: f32,
}
