//! The audio that spectrograms are made from.

use std::sync::Mutex;

use crate::view::peaks::OpenReader;
use audio::{AudioFormat, AudioReader};
use base::error::Result;
use base::lock::lock;

/// The number of idle readers kept for later tiles.
const KEPT_READERS: usize = 4;

/// A sound identified by a key of its content, with a pool of readers.
pub struct SpectrogramSource {
    key: String,
    format: AudioFormat,
    frames: u64,
    open: OpenReader,
    idle: Mutex<Vec<Box<dyn AudioReader>>>,
}

impl std::fmt::Debug for SpectrogramSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpectrogramSource")
            .field("key", &self.key)
            .field("frames", &self.frames)
            .finish_non_exhaustive()
    }
}

impl SpectrogramSource {
    /// Creates a source from what `open` opens. `key` identifies the content: equal keys mean equal pictures.
    pub fn new(key: String, open: OpenReader) -> Result<Self> {
        let reader = open()?;
        let (format, frames) = (reader.format(), reader.frames());
        Ok(Self { key, format, frames, open, idle: Mutex::new(vec![reader]) })
    }

    /// The key of the content.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The sample rate and channel count.
    pub fn format(&self) -> AudioFormat {
        self.format
    }

    /// The length in frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Opens a separate reader, for a caller that reads everything.
    pub fn open(&self) -> Result<Box<dyn AudioReader>> {
        (self.open)()
    }

    /// Calls `work` with a reader, an idle one if available.
    pub fn read<T>(&self, work: impl FnOnce(&mut dyn AudioReader) -> Result<T>) -> Result<T> {
        let idle = || lock(&self.idle);
        let kept = idle().pop();
        let mut reader = match kept {
            Some(reader) => reader,
            None => (self.open)()?,
        };
        let result = work(reader.as_mut())?;
        let mut idle = idle();
        if idle.len() < KEPT_READERS {
            idle.push(reader);
        }
        Ok(result)
    }
}
