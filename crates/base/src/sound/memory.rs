//! An audio stream over samples in memory.

use std::sync::Arc;

use super::{AudioBuffer, AudioFormat, AudioReader, Layout};
use crate::error::Result;
use crate::units::SampleRate;

/// Reads samples that are held in memory. Readers of the same samples share them.
#[derive(Clone, Debug)]
pub struct MemoryReader {
    rate: SampleRate,
    samples: Arc<AudioBuffer>,
    layout: Option<Layout>,
    position: usize,
}

impl MemoryReader {
    /// Creates a reader at the first frame.
    pub fn new(rate: SampleRate, samples: impl Into<Arc<AudioBuffer>>) -> Self {
        Self { rate, samples: samples.into(), layout: None, position: 0 }
    }

    /// Sets the loudspeakers of the channels.
    #[must_use]
    pub fn with_layout(self, layout: Option<Layout>) -> Self {
        Self { layout, ..self }
    }
}

impl AudioReader for MemoryReader {
    fn format(&self) -> AudioFormat {
        AudioFormat::new(self.rate, self.samples.channels()).with_layout(self.layout)
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
        out.resize(self.samples.channels(), 0);
        out.clear();
        out.extend_from(&self.samples, self.position..end);
        self.position = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_to_the_end_and_from_any_frame_on() {
        let samples = AudioBuffer::from_channels(vec![vec![1.0, 2.0, 3.0], vec![-1.0, -2.0, -3.0]]);
        let mut reader = MemoryReader::new(SampleRate::new(48_000).unwrap(), samples);
        let mut block = AudioBuffer::new(1, 7);
        reader.read(&mut block, 2).unwrap();
        assert_eq!((block.channel(0), block.channel(1)), (&[1.0, 2.0][..], &[-1.0, -2.0][..]));
        reader.read(&mut block, usize::MAX).unwrap();
        assert_eq!((block.channel(0), reader.position()), (&[3.0][..], 3));
        reader.read(&mut block, 1).unwrap();
        assert_eq!((block.channels(), block.frames()), (2, 0));
        reader.seek(u64::MAX).unwrap();
        assert_eq!(reader.position(), 3);
        reader.seek(1).unwrap();
        reader.read(&mut block, 1).unwrap();
        assert_eq!(block.channel(1), [-2.0]);
    }
}
