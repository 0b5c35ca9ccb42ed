//! Attention, `softmax(q k / sqrt(width)) v` in each head, with a running softmax: no matrix of weights is kept. Also
//! the rotary embedding of the positions that it sees.

pub mod cpu;
pub mod gpu;
pub mod rotary;

use crate::kernels::Kernel;
use std::ops::Range;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "attention",
    title: "Attention",
    shaders: &["attention.wgsl"],
    tolerance_db: -100.0,
    bytes_per_sample: 8.0,
};

/// The sizes of an attention. All values are `channels x frames`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Heads of the query.
    pub heads: usize,
    /// Heads of keys and values; each serves `heads / key_heads` heads of the query.
    pub key_heads: usize,
    /// Components of a head of the query and the keys.
    pub width: usize,
    /// Components of a head of the values.
    pub value_width: usize,
    /// Frames of the query.
    pub frames: usize,
    /// Frames of keys and values.
    pub keys: usize,
    /// For causal attention, the number of frames to which a frame attends, including itself.
    pub window: Option<usize>,
    /// Whether scores fall with the distance, by an amount per frame of distance for each frame and head of the query;
    /// a frame's score of itself is then [`OWN_SCORE`].
    pub distances: bool,
}

/// The frames that each frame sees, once the place of a piece in its sequence is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// The number of frames by which the keys begin before the query.
    pub before: usize,
    /// The first key that is not before the beginning of the sequence.
    pub beginning: usize,
    /// The place of the first key in the sequence, modulo the length of a block. Blocks are aligned to the sequence, so
    /// that a piece sums like the whole.
    pub phase: usize,
}

/// A frame's score of itself if scores fall with the distance.
pub const OWN_SCORE: f32 = -100.0;

/// Keys that are worked on together.
pub(crate) const BLOCK: usize = 64;

impl Plan {
    /// Returns what is seen. `first` is the number of frames of the sequence before this query, if it has a state.
    pub fn sight(&self, first: Option<u64>) -> Sight {
        let before = if self.window.is_some() || first.is_some() { self.keys.saturating_sub(self.frames) } else { 0 };
        let known = first.map_or(before, |first| usize::try_from(first).unwrap_or(usize::MAX));
        let beginning = before.saturating_sub(known);
        let first_key = first.unwrap_or(before as u64) as i128 - before as i128;
        Sight { before, beginning, phase: first_key.rem_euclid(BLOCK as i128) as usize }
    }

    /// The keys that a frame sees.
    pub fn seen(&self, sight: Sight, frame: usize) -> Range<usize> {
        match self.window {
            Some(window) => {
                let end = sight.before + frame + 1;
                end.saturating_sub(window).max(sight.beginning)..end
            }
            None => sight.beginning..self.keys,
        }
    }

    /// Returns the number of multiplications of both products, each with an addition; masked ones count.
    pub fn products(&self) -> u64 {
        (self.heads * self.frames * self.keys * (self.width + self.value_width)) as u64
    }
}
