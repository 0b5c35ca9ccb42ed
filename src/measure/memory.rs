//! A reader over samples in memory, for tests.

use crate::audio::{AudioBuffer, AudioFormat, AudioReader};
use crate::units::SampleRate;

/// A reader over samples in memory.
pub(super) struct Memory {
    format: AudioFormat,
    samples: AudioBuffer,
    position: usize,
}

impl Memory {
    pub fn new(rate: u32, channels: Vec<Vec<f32>>) -> Self {
        let format = AudioFormat { rate: SampleRate::new(rate).unwrap(), channels: channels.len() };
        Self { format, samples: AudioBuffer::from_channels(channels), position: 0 }
    }
}

impl AudioReader for Memory {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.samples.frames() as u64
    }

    fn position(&self) -> u64 {
        self.position as u64
    }

    fn seek(&mut self, frame: u64) -> crate::Result<()> {
        self.position = (frame as usize).min(self.samples.frames());
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> crate::Result<()> {
        let end = (self.position + frames).min(self.samples.frames());
        out.resize(self.format.channels, 0);
        out.clear();
        out.extend_from(&self.samples, self.position..end);
        self.position = end;
        Ok(())
    }
}
