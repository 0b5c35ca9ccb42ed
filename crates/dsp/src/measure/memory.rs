//! Signals in memory, for tests.

use base::sound::{AudioBuffer, MemoryReader};
use base::units::SampleRate;

/// Creates a reader of these channels.
pub(super) fn memory(rate: u32, channels: Vec<Vec<f32>>) -> MemoryReader {
    MemoryReader::new(SampleRate::new(rate).unwrap(), AudioBuffer::from_channels(channels))
}
