//! How fast the host reads results out of mapped memory.

use std::sync::atomic::{AtomicU64, Ordering};

/// The minimum number of bytes for a meaningful rate.
const ENOUGH_BYTES: u64 = 4 << 20;
/// The rate in bytes per second below which memory counts as uncached. With a cache, any machine of the last ten years
/// copies several GB/s; without one, some ten to some hundred MB/s.
const SLOW_BYTES_S: f64 = 5e8;

/// The number of bytes read and the time it took.
#[derive(Debug, Default)]
pub(super) struct ReadPace {
    bytes: AtomicU64,
    nanoseconds: AtomicU64,
}

impl ReadPace {
    pub fn add(&self, bytes: u64, seconds: f64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.nanoseconds.fetch_add((seconds * 1e9) as u64, Ordering::Relaxed);
    }

    /// Returns the rate in bytes per second if it is slow; `None` if it is not, or if too little was read.
    pub fn slow_bytes_s(&self) -> Option<f64> {
        let bytes = self.bytes.load(Ordering::Relaxed);
        let rate = bytes as f64 / (self.nanoseconds.load(Ordering::Relaxed).max(1) as f64 * 1e-9);
        (bytes >= ENOUGH_BYTES && rate < SLOW_BYTES_S).then_some(rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_much_that_was_read_slowly_counts() {
        let of = |bytes, seconds| {
            let pace = ReadPace::default();
            pace.add(bytes, seconds);
            pace.slow_bytes_s()
        };
        assert_eq!(of(8_000_000, 0.1), Some(8e7));
        assert_eq!(of(8_000_000, 0.001), None, "fast");
        assert_eq!(of(1000, 1.0), None, "little");
        assert_eq!(of(0, 0.0), None);
        assert_eq!(of(8_000_000, 0.0), None, "a clock that stands still");
    }
}
