//! The GPU buffers that a recording uses while it runs.

use super::pool::Pooled;

/// The GPU buffers of a running recording.
#[derive(Default)]
pub(super) struct Taken {
    pub storage: Vec<Pooled>,
    /// For each constant, whether it was already on the device.
    pub known: Vec<bool>,
    pub readback: Vec<Pooled>,
    pub params: Option<Pooled>,
    pub clock: Option<Pooled>,
    pub clock_readback: Option<Pooled>,
}

impl Taken {
    pub fn all(self) -> impl Iterator<Item = Pooled> {
        self.storage.into_iter().chain(self.readback).chain(self.params).chain(self.clock).chain(self.clock_readback)
    }
}
