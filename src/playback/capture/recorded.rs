//! A finished recording.

use crate::audio::{AudioBuffer, AudioFormat, AudioReader};
use crate::error::Result;
use crate::units::SampleRate;

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
    pub fn into_reader(self) -> RecordedReader {
        let format = AudioFormat { rate: self.rate, channels: self.channels.len() };
        RecordedReader { format, samples: AudioBuffer::from_channels(self.channels), position: 0 }
    }
}

/// Reads a finished recording.
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
