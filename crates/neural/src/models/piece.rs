//! The part of a sound that a graph is made for.

/// A piece of a sound. A model with memory continues from the [`crate::network::State`] of the previous piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The length: frames for an encoder, codes for a decoder.
    pub length: usize,
    /// Whether nothing came before.
    pub is_first: bool,
    /// Whether nothing follows.
    pub is_last: bool,
    /// Whether there are no zeros beyond its ends, so that each layer gives only what the piece itself determines. Only
    /// DAC has such pieces.
    pub is_bare: bool,
}

impl Piece {
    /// Returns the piece that is a whole sound.
    pub const fn whole(length: usize) -> Self {
        Self { length, is_first: true, is_last: true, is_bare: false }
    }

    /// Returns a piece of a longer sound.
    pub const fn of_more(length: usize, is_first: bool, is_last: bool) -> Self {
        Self { length, is_first, is_last, is_bare: false }
    }

    /// Returns a piece without zeros beyond its ends.
    pub const fn bare(length: usize) -> Self {
        Self { length, is_first: true, is_last: true, is_bare: true }
    }

    /// Returns whether the piece is a whole sound, which needs no memory.
    pub const fn is_whole(self) -> bool {
        self.is_first && self.is_last
    }
}
