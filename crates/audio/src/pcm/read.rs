//! Reads uncompressed files.

use std::sync::Arc;

use super::PcmLayout;
use super::convert::deinterleave;
use crate::source::SourceFile;
use crate::{AudioBuffer, AudioFormat, AudioReader, Damage};
use base::error::Result;

/// Bytes per read: large enough to amortise the system call, small enough for the second-level cache.
const BLOCK_BYTES: usize = 256 << 10;

/// Reads the frames of a [`PcmLayout`] by position. Any number of readers share one file.
#[derive(Debug)]
pub(crate) struct PcmReader {
    source: Arc<SourceFile>,
    layout: PcmLayout,
    position: u64,
    block: Vec<u8>,
    damage: Damage,
}

impl PcmReader {
    /// Creates a reader at frame 0.
    pub(crate) fn new(source: &Arc<SourceFile>, layout: PcmLayout) -> Self {
        Self { source: Arc::clone(source), layout, position: 0, block: Vec::new(), damage: Damage::default() }
    }
}

impl AudioReader for PcmReader {
    fn format(&self) -> AudioFormat {
        self.layout.audio
    }

    fn frames(&self) -> u64 {
        self.layout.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.layout.frames);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let frames = (self.layout.frames - self.position).min(frames as u64) as usize;
        out.resize(self.layout.audio.channels, frames);
        let stride = self.layout.stride;
        let block_frames = (BLOCK_BYTES / stride).max(1);
        self.block.resize(block_frames.min(frames) * stride, 0);
        let mut done = 0;
        while done < frames {
            let count = block_frames.min(frames - done);
            let block = &mut self.block[..count * stride];
            let got = self.source.read_at(self.layout.start + self.position * stride as u64, block)?;
            // If the file was truncated after it was opened, the missing frames are silent and keep their duration.
            block[got..].fill(self.layout.kind.silence());
            self.damage.add(self.position + (got / stride) as u64..self.position + count as u64);
            deinterleave(self.layout.kind, block, stride, out, done);
            done += count;
            self.position += count as u64;
        }
        Ok(())
    }

    fn damage(&self) -> Damage {
        self.damage.clone()
    }
}
