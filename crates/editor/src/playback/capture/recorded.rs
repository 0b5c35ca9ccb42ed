//! A finished recording.

use audio::{AudioBuffer, MemoryReader};
use base::units::SampleRate;

/// A finished recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The samples of each channel.
    pub channels: Vec<Vec<f32>>,
    /// The sample rate.
    pub rate: SampleRate,
    /// The name of the input.
    pub device_name: String,
    /// How often samples were lost; the recording is shorter by them.
    pub gaps: u64,
}

impl Recorded {
    /// Returns the largest magnitude over all channels as a linear gain. It is 0 for silence, which a muted input
    /// delivers, and on some systems an input to which access is denied.
    pub fn peak(&self) -> f64 {
        self.channels.iter().flatten().fold(0.0, |peak, sample| f64::max(peak, f64::from(sample.abs())))
    }

    /// Returns the length in seconds.
    pub fn duration_s(&self) -> f64 {
        self.rate.seconds_from_frames(self.channels.first().map_or(0, Vec::len) as u64)
    }

    /// Converts the recording into a stream, which can be analysed like a file.
    pub fn into_reader(self) -> MemoryReader {
        MemoryReader::new(self.rate, AudioBuffer::from_channels(self.channels))
    }
}
