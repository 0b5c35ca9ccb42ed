//! The size of each layer, of a configuration.

use std::cmp::Ordering;

use super::Configuration;

/// The direction in which a branch is shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// Rows of frequency.
    Rows,
    /// Frames, of the sound or of windows.
    Frames,
}

/// The size of a layer of an encoder, and of the decoder's layer that mirrors it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerSize {
    /// Its direction.
    pub along: Along,
    /// Taps of the convolution with a stride.
    pub taps: usize,
    /// The stride.
    pub stride: usize,
    /// Places beyond each end that the convolution sees.
    pub padding: usize,
    /// Groups of its norms; `None` for a layer without.
    pub groups: Option<usize>,
    /// Whether its residual branches remember.
    pub has_lstm: bool,
    /// Whether its residual branches attend.
    pub has_attention: bool,
    /// Whether it is the convolution alone.
    pub is_bare: bool,
}

impl Configuration {
    /// Returns the layer `n` of the branch of the spectrum. Once no more rows are left than a convolution has taps, one
    /// brings them to a single row, to which the branch of the sound is added; layers after it go along frames.
    pub fn of_spectrum(&self, n: usize) -> LayerSize {
        match n.cmp(&self.merging.unwrap_or(self.depth)) {
            Ordering::Less => self.layer(n, Along::Rows, [self.kernel, self.stride]),
            Ordering::Equal => {
                LayerSize { padding: 0, ..self.layer(n, Along::Rows, [self.rows_before(n), self.stride]) }
            }
            Ordering::Greater => {
                self.layer(n, Along::Frames, [2 * self.stride_after_merging, self.stride_after_merging])
            }
        }
    }

    /// Returns the layer `n` of the branch of the sound; `None` once it has been merged with the other.
    pub fn of_sound(&self, n: usize) -> Option<LayerSize> {
        let layer = self.layer(n, Along::Frames, [self.kernel, self.stride]);
        let layer = LayerSize { is_bare: self.merging == Some(n), ..layer };
        self.merging.is_none_or(|merging| n <= merging).then_some(layer)
    }

    /// Rows of frequency before layer `n`, not beyond the one that merges.
    pub fn rows_before(&self, n: usize) -> usize {
        self.rows() / self.stride.pow(n as u32)
    }

    fn layer(&self, n: usize, along: Along, [taps, stride]: [usize; 2]) -> LayerSize {
        LayerSize {
            along,
            taps,
            stride,
            padding: taps / 4,
            groups: (n >= self.norms_from).then_some(self.norm_groups),
            has_lstm: n >= self.lstm_from,
            has_attention: n >= self.attention_from,
            is_bare: false,
        }
    }
}
