//! What was recorded.

use crate::audio::{AudioBuffer, AudioFormat, AudioReader};
use crate::error::Result;
use crate::units::SampleRate;

/// What was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The samples of each channel.
    pub channels: Vec<Vec<f32>>,
    /// Frames a second.
    pub rate: SampleRate,
    /// The input's name.
    pub device_name: String,
    /// How often samples were lost on the way: the recording is that much shorter there.
    pub gaps: u64,
}

impl Recorded {
    /// The largest sample of all channels, as a gain; 0 for silence, which an input gives that is muted, and on some
    /// systems one that may not be listened to.
    pub fn peak(&self) -> f64 {
        self.channels.iter().flatten().fold(0.0, |peak, sample| f64::max(peak, f64::from(sample.abs())))
    }

    /// Its length in seconds.
    pub fn duration_s(&self) -> f64 {
        self.rate.seconds_from_frames(self.channels.first().map_or(0, Vec::len) as u64)
    }

    /// The samples as a stream, to be analysed as a file is.
    pub fn into_reader(self) -> RecordedReader {
        let format = AudioFormat { rate: self.rate, channels: self.channels.len() };
        RecordedReader { format, samples: AudioBuffer::from_channels(self.channels), position: 0 }
    }
}

/// Reads what was recorded.
#[derive(Debug)]
pub struct RecordedReader {
    format: AudioFormat,
    samples: AudioBuffer,
    position: usize,
}

impl AudioReader for RecordedReader {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.samples.frames() as u64
    }

    fn position(&self) -> u64 {
        self.position as u64
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = usize::try_from(frame).unwrap_or(usize::MAX).min(self.samples.frames());
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let end = self.position.saturating_add(frames).min(self.samples.frames());
        out.resize(self.format.channels, 0);
        out.clear();
        out.extend_from(&self.samples, self.position..end);
        self.position = end;
        Ok(())
    }
}
