//! Caches constant buffers on the device between recordings.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use super::pool::Pooled;
use super::recording::Constant;

/// The cache limit in bytes. Beyond it, the least recently used constants are evicted.
/// The weights of the largest codec model are 300 MB.
const CAP_BYTES: u64 = 1 << 30;

#[derive(Debug)]
struct CachedConstant {
    pooled: Pooled,
    /// Dead once no owner of the constant is left.
    alive: Weak<Vec<u8>>,
    used: u64,
}

/// The buffers of constants, by constant ID.
#[derive(Debug, Default)]
pub(super) struct ConstantCache {
    kept: HashMap<u64, CachedConstant>,
    uses: u64,
}

impl ConstantCache {
    /// Removes and returns the cached buffer of a constant, for use by one recording.
    pub fn take(&mut self, constant: &Constant) -> Option<Pooled> {
        self.kept.remove(&constant.id).map(|kept| kept.pooled)
    }

    /// Puts the buffer of a constant into the cache and returns the buffers that were evicted.
    pub fn keep(&mut self, constant: &Constant, pooled: Pooled) -> Vec<Pooled> {
        self.uses += 1;
        let kept = CachedConstant { pooled, alive: Arc::downgrade(&constant.bytes), used: self.uses };
        self.kept.insert(constant.id, kept);
        let mut gone: Vec<u64> =
            self.kept.iter().filter(|(_, kept)| kept.alive.strong_count() == 0).map(|(id, _)| *id).collect();
        let mut bytes: u64 = self.kept.values().map(|kept| kept.pooled.bytes).sum();
        let mut by_use: Vec<(u64, u64, u64)> =
            self.kept.iter().map(|(id, kept)| (kept.used, *id, kept.pooled.bytes)).collect();
        by_use.sort_unstable();
        for (_, id, size) in by_use {
            if bytes <= CAP_BYTES {
                break;
            }
            bytes -= size;
            gone.push(id);
        }
        gone.into_iter().filter_map(|id| self.kept.remove(&id)).map(|kept| kept.pooled).collect()
    }

    /// Empties the cache and returns its buffers.
    pub fn clear(&mut self) -> Vec<Pooled> {
        self.kept.drain().map(|(_, kept)| kept.pooled).collect()
    }
}
