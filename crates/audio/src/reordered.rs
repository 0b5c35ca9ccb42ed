//! Channels in another order than the file's.

use super::{AudioBuffer, AudioFormat, AudioReader, Damage};
use base::error::Result;

/// A reader of the channels of another in a different order.
pub(super) struct Reordered {
    inner: Box<dyn AudioReader>,
    /// For each channel, that of the inner reader. Each is there once.
    order: Vec<usize>,
    spare: Vec<Vec<f32>>,
}

impl Reordered {
    /// Creates a reader whose channels are those of `inner` at these indices.
    pub fn new(inner: Box<dyn AudioReader>, order: Vec<usize>) -> Self {
        Self { inner, order, spare: Vec::new() }
    }
}

impl AudioReader for Reordered {
    fn format(&self) -> AudioFormat {
        self.inner.format()
    }

    fn frames(&self) -> u64 {
        self.inner.frames()
    }

    fn position(&self) -> u64 {
        self.inner.position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.inner.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        self.inner.read(out, frames)?;
        self.spare.clear();
        self.spare.extend(out.as_mut_vecs().iter_mut().map(std::mem::take));
        for (channel, &from) in out.as_mut_vecs().iter_mut().zip(&self.order) {
            *channel = std::mem::take(&mut self.spare[from]);
        }
        Ok(())
    }

    fn damage(&self) -> Damage {
        self.inner.damage()
    }
}
