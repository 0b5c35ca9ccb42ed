//! The GPU buffers that a recording uses while it runs.

use super::pool::Pooled;
use super::recording::Buffer;
use super::unified::Direct;

/// The GPU buffers of a running recording.
#[derive(Default)]
pub(super) struct Taken {
    /// The index in `storage` of each buffer of the recording; `None` if no step uses it.
    pub slots: Vec<Option<usize>>,
    pub storage: Vec<Pooled>,
    /// The steps that need no staging copy.
    pub direct: Direct,
    /// For each constant, whether it was already on the device.
    pub known: Vec<bool>,
    pub readback: Vec<Pooled>,
    pub params: Option<Pooled>,
    pub clock: Option<Pooled>,
    pub clock_readback: Option<Pooled>,
}

impl Taken {
    /// Returns the memory of a buffer that a step uses.
    pub fn buffer(&self, buffer: Buffer) -> Option<&Pooled> {
        self.slots.get(buffer.0 as usize).copied().flatten().and_then(|slot| self.storage.get(slot))
    }

    pub fn all(self) -> impl Iterator<Item = Pooled> {
        self.storage.into_iter().chain(self.readback).chain(self.params).chain(self.clock).chain(self.clock_readback)
    }
}
