//! Blocks of numbers in the memory of a GPU, as kernels of networks read and write them.

use crate::gpu::{MAX_BINDING_BYTES, Recording, View};
use base::error::{Error, Result};

/// Numbers from `first` on of a view that can be bound.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// The view.
    pub view: View,
    /// The first number.
    pub first: usize,
}

impl Block {
    /// Adds memory for a block.
    pub fn new(recording: &mut Recording<'_>, count: usize) -> Result<Self> {
        let bytes = 4 * count as u64;
        if bytes > MAX_BINDING_BYTES {
            return Err(too_large(bytes));
        }
        Ok(Self { view: recording.buffer(bytes), first: 0 })
    }

    /// Adds memory for numbers, and uploads them.
    pub fn upload<'a>(recording: &mut Recording<'a>, numbers: &'a [f32]) -> Result<Self> {
        let block = Self::new(recording, numbers.len())?;
        recording.upload(block.view, bytemuck::cast_slice(numbers));
        Ok(block)
    }

    /// The numbers `first..first + count` as bytes, for copies.
    pub fn part(self, first: usize, count: usize) -> View {
        self.view.part(4 * (self.first + first) as u64, 4 * count as u64)
    }

    /// The block from `first` numbers further on.
    #[must_use]
    pub fn from(self, first: usize) -> Self {
        Self { first: self.first + first, ..self }
    }
}

/// The refusal of a block that is larger than what a GPU binds.
pub(in crate::kernels) fn too_large(bytes: u64) -> Error {
    Error::Limit {
        what: "a block of numbers of a network on a GPU".into(),
        got: format!("{} MiB", bytes.div_ceil(1 << 20)),
        limit: format!("{} MiB", MAX_BINDING_BYTES >> 20),
    }
}
