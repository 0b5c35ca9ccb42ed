//! A pool of reusable buffers. Creating a buffer costs far more than filling it.

use std::time::Instant;

use super::context::{Context, fail_if_armed};
use super::unified::HostUse;
use base::error::{Error, Result};

/// The limit on unused buffers, in bytes. Beyond it, the least recently used ones are freed.
const CAP_BYTES: u64 = 512 << 20;

/// The use of a buffer. Buffers are reused only for the same role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Storage(HostUse),
    Params,
    Readback,
    Timestamps,
}

impl Role {
    fn usage(self) -> wgpu::BufferUsages {
        use wgpu::BufferUsages as Usage;
        match self {
            Self::Storage(host) => Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST | host.usage(),
            Self::Params => Usage::UNIFORM | Usage::COPY_DST,
            Self::Readback => Usage::MAP_READ | Usage::COPY_DST,
            Self::Timestamps => Usage::QUERY_RESOLVE | Usage::COPY_SRC,
        }
    }
}

/// A buffer of the pool. Its ID is never reused.
#[derive(Debug)]
pub(super) struct Pooled {
    pub id: u64,
    pub bytes: u64,
    pub buffer: wgpu::Buffer,
    role: Role,
}

/// How often the pool could reuse a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolCounts {
    /// The number of buffers that were reused.
    pub hits: u64,
    /// The number of buffers that were created.
    pub misses: u64,
    /// The total size of unused buffers, in bytes.
    pub free_bytes: u64,
}

#[derive(Debug, Default)]
pub(super) struct Pool {
    /// Unused buffers, the least recently used first.
    free: Vec<Pooled>,
    next_id: u64,
    counts: PoolCounts,
    let_go: Vec<u64>,
}

impl Pool {
    pub fn counts(&self) -> PoolCounts {
        self.counts
    }

    /// Takes or creates a buffer of at least this many bytes. If the device is out of memory, all unused buffers are
    /// freed before the creation is retried.
    pub fn take(&mut self, context: &Context, role: Role, bytes: u64) -> Result<Pooled> {
        let class = size_class(bytes);
        let found = self.free.iter().rposition(|free| free.role == role && free.bytes == class);
        if let Some(index) = found {
            let pooled = self.free.remove(index);
            self.counts.hits += 1;
            self.counts.free_bytes -= pooled.bytes;
            return Ok(pooled);
        }
        self.counts.misses += 1;
        fail_if_armed(class)?;
        let started = Instant::now();
        let buffer = match context.create_buffer(class, role.usage(), false) {
            Err(Error::GpuOutOfMemory(_)) if !self.free.is_empty() => {
                self.shrink_to(0);
                // The device releases the memory when it is next polled.
                context.poll()?;
                context.create_buffer(class, role.usage(), false)?
            }
            made => made?,
        };
        tracing::trace!("a buffer of {class} bytes for {role:?} was made in {:?}", started.elapsed());
        self.next_id += 1;
        Ok(Pooled { id: self.next_id, bytes: class, buffer, role })
    }

    pub fn give(&mut self, pooled: Pooled) {
        self.counts.free_bytes += pooled.bytes;
        self.free.push(pooled);
        self.shrink_to(CAP_BYTES);
    }

    /// Returns the IDs of the buffers freed since the last call. Nothing may refer to them any more.
    pub fn let_go(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.let_go)
    }

    fn shrink_to(&mut self, bytes: u64) {
        let mut gone = 0;
        while self.counts.free_bytes > bytes && gone < self.free.len() {
            self.counts.free_bytes -= self.free[gone].bytes;
            self.let_go.push(self.free[gone].id);
            gone += 1;
        }
        self.free.drain(..gone);
    }
}

/// Rounds a size up in steps of a quarter of a power of two, to at least 256 bytes. At most a fifth is wasted.
pub(super) fn size_class(bytes: u64) -> u64 {
    let bytes = bytes.max(256);
    let quarter = (bytes.next_power_of_two() / 8).max(64);
    bytes.next_multiple_of(quarter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_class_wastes_little_and_is_its_own_class() {
        for bytes in [0_u64, 1, 255, 256, 257, 1000, 4096, 4097, 1 << 20, (1 << 20) + 4, 50_000_000, 64 << 20] {
            let class = size_class(bytes);
            assert!(class >= bytes && class.is_multiple_of(64), "{bytes} -> {class}");
            assert!(bytes < 1024 || class as f64 <= bytes as f64 * 1.25, "{bytes} -> {class}");
            assert_eq!(size_class(class), class);
        }
        assert_eq!(size_class(64 << 20), 64 << 20, "the largest chunk fits the largest binding");
    }
}
