//! The sound that pictures are made of.

use std::sync::{Mutex, PoisonError};

use crate::audio::{AudioFormat, AudioReader};
use crate::error::Result;
use crate::view::peaks::OpenReader;

/// Readers that are kept for the next tile.
const KEPT_READERS: usize = 4;

/// A sound by the key of its content, with readers of it.
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
    /// What `open` opens; `key` stands for its content, so that equal keys mean equal pictures.
    ///
    /// # Errors
    /// What `open` fails with.
    pub fn new(key: String, open: OpenReader) -> Result<Self> {
        let reader = open()?;
        let (format, frames) = (reader.format(), reader.frames());
        Ok(Self { key, format, frames, open, idle: Mutex::new(vec![reader]) })
    }

    /// What stands for its content.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Rate and channels.
    pub fn format(&self) -> AudioFormat {
        self.format
    }

    /// Its length in frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// A reader of its own for who reads all of it.
    ///
    /// # Errors
    /// What opening fails with.
    pub fn open(&self) -> Result<Box<dyn AudioReader>> {
        (self.open)()
    }

    /// Lets `work` use a reader, one that was used before where there is one.
    ///
    /// # Errors
    /// What opening a reader or `work` fails with.
    pub fn read<T>(&self, work: impl FnOnce(&mut dyn AudioReader) -> Result<T>) -> Result<T> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
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
