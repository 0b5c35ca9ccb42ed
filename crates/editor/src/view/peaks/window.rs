//! Samples for high zoom: blocks of a recording, with the most recently used ones cached.

use std::collections::VecDeque;

use audio::{AudioBuffer, AudioReader};
use base::error::Result;

/// Frames per block.
const BLOCK: u64 = 1 << 15;
/// The number of samples kept in total: 16 MiB.
pub const KEPT_SAMPLES: usize = 4 << 20;
/// The same for a recording that has to be prepared, whose samples are kept in addition to the original's: 4 MiB.
pub const PREPARED_SAMPLES: usize = 1 << 20;

/// Reads short ranges of a recording, mostly from memory.
pub struct SampleWindow {
    reader: Box<dyn AudioReader>,
    /// Blocks by number, the most recently used last.
    blocks: VecDeque<(u64, AudioBuffer)>,
    kept: usize,
}

impl SampleWindow {
    /// Creates a window on a reader that keeps about `kept_samples` samples.
    pub fn new(reader: Box<dyn AudioReader>, kept_samples: usize) -> Self {
        let kept = (kept_samples / (BLOCK as usize * reader.format().channels.max(1))).max(2);
        Self { reader, blocks: VecDeque::new(), kept }
    }

    /// Returns frames `start..end`, fewer if the recording ends before.
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
            // Adjacent blocks need no seek.
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
