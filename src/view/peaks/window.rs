//! Samples for high zoom: blocks of a recording, the latest used ones kept.

use std::collections::VecDeque;

use crate::audio::{AudioBuffer, AudioReader};
use crate::error::Result;

/// Frames of a block.
const BLOCK: u64 = 1 << 15;
/// Samples that are kept in all: 16 MiB.
const KEPT_SAMPLES: usize = 4 << 20;

/// Reads any short range of a recording, mostly from memory.
pub struct SampleWindow {
    reader: Box<dyn AudioReader>,
    /// Blocks by number, the latest used last.
    blocks: VecDeque<(u64, AudioBuffer)>,
    kept: usize,
}

impl SampleWindow {
    /// A window on what `reader` reads.
    pub fn new(reader: Box<dyn AudioReader>) -> Self {
        let kept = (KEPT_SAMPLES / (BLOCK as usize * reader.format().channels.max(1))).max(2);
        Self { reader, blocks: VecDeque::new(), kept }
    }

    /// Frames `start..end`, fewer where the recording ends.
    ///
    /// # Errors
    /// What the reader fails with.
    pub fn read(&mut self, start: u64, end: u64) -> Result<AudioBuffer> {
        let end = end.min(self.reader.frames());
        let mut out = AudioBuffer::new(self.reader.format().channels, 0);
        let mut at = start;
        while at < end {
            let block = self.block(at / BLOCK)?;
            let from = (at % BLOCK) as usize;
            let to = (end - (at - from as u64)).min(BLOCK) as usize;
            let to = to.min(block.frames());
            if from >= to {
                break;
            }
            out.extend_from(block, from..to);
            at += (to - from) as u64;
        }
        Ok(out)
    }

    fn block(&mut self, number: u64) -> Result<&AudioBuffer> {
        let found = self.blocks.iter().position(|(kept, _)| *kept == number).and_then(|at| self.blocks.remove(at));
        let block = if let Some(block) = found {
            block
        } else {
            // Neighbours follow without a seek.
            if self.reader.position() != number * BLOCK {
                self.reader.seek(number * BLOCK)?;
            }
            let mut audio =
                if self.blocks.len() >= self.kept { self.blocks.pop_front().map(|(_, audio)| audio) } else { None }
                    .unwrap_or_default();
            self.reader.read(&mut audio, BLOCK as usize)?;
            (number, audio)
        };
        self.blocks.push_back(block);
        Ok(&self.blocks[self.blocks.len() - 1].1)
    }
}
