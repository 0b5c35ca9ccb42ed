//! The last-level caches of devices, which a measurement of memory must exceed.

use crate::gpu::AdapterKind;

/// How many times a measurement must exceed the last-level cache.
const TIMES: u64 = 4;

/// The size of a device's last-level cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    /// The size in bytes.
    pub bytes: u64,
    /// Whether the size is assumed from the kind of device. No graphics API reports it.
    pub assumed: bool,
}

impl Cache {
    /// Returns the assumed cache of an adapter: the largest that adapters of its kind had in 2026. Discrete cards: 128
    /// MiB (Radeon RX 6900; H100 50, RTX 5090 96). Integrated ones: 96 MiB (Apple M Ultra; Strix Halo 32).
    pub(super) fn of_adapter(kind: AdapterKind) -> Self {
        let mebibytes = match kind {
            AdapterKind::Discrete | AdapterKind::Virtual => 128,
            AdapterKind::Integrated => 96,
            // Shaders run on the CPU.
            AdapterKind::Software => return Self::of_cpu(),
        };
        Self { bytes: mebibytes << 20, assumed: true }
    }

    /// Returns the cache of the CPU as Linux reports it; elsewhere 64 MiB are assumed.
    pub(super) fn of_cpu() -> Self {
        let told =
            (0..8).filter_map(|index| told(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size"))).max();
        told.map_or(Self { bytes: 64 << 20, assumed: true }, |bytes| Self { bytes, assumed: false })
    }

    /// Returns the number of bytes that a measurement must use, so that none is still in the cache when it is used
    /// again: four times the cache, at most 1 GiB.
    pub fn exceeded_bytes(self) -> u64 {
        (TIMES * self.bytes).min(1 << 30)
    }
}

fn told(path: &str) -> Option<u64> {
    size(std::fs::read_to_string(path).ok()?.trim())
}

/// Reads a size such as `33792K`.
fn size(text: &str) -> Option<u64> {
    let (digits, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len()));
    let shift = match unit {
        "" => 0,
        "K" => 10,
        "M" => 20,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_shl(shift).filter(|bytes| (1 << 10..=1 << 32).contains(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_linux_writes_them() {
        assert_eq!(size("33792K"), Some(33_792 << 10));
        assert_eq!(size("32M"), Some(32 << 20));
        for text in ["", "K", "-1K", "32G", "0K", "99999999999999999999K", "4"] {
            assert_eq!(size(text), None, "{text}");
        }
    }

    #[test]
    fn a_measurement_exceeds_the_cache_four_times() {
        let discrete = Cache::of_adapter(AdapterKind::Discrete);
        assert_eq!((discrete.exceeded_bytes(), discrete.assumed), (512 << 20, true));
        assert_eq!(Cache { bytes: 260 << 20, assumed: false }.exceeded_bytes(), 1 << 30, "bounded");
        assert!(Cache::of_cpu().bytes >= 1 << 10);
    }
}
