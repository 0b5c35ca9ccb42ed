//! A range of a stream, read as a separate stream.

use super::{AudioBuffer, AudioFormat, AudioReader, Damage};
use crate::error::{Error, Result};

/// The frames `start..end` of another reader, numbered from 0.
pub struct RangeReader<R> {
    inner: R,
    start: u64,
    frames: u64,
    position: u64,
}

impl<R: AudioReader> RangeReader<R> {
    /// Creates a reader of the frames `start..end` of `inner`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the range is not within `inner`.
    pub fn new(mut inner: R, start: u64, end: u64) -> Result<Self> {
        if start > end || end > inner.frames() {
            return Err(Error::invalid(
                "the range of frames",
                format!("{start} to {end}"),
                format!("within 0 to {}", inner.frames()),
            ));
        }
        inner.seek(start)?;
        Ok(Self { inner, start, frames: end - start, position: 0 })
    }
}

impl<R: AudioReader> AudioReader for RangeReader<R> {
    fn format(&self) -> AudioFormat {
        self.inner.format()
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.frames);
        self.inner.seek(self.start + self.position)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let frames = (frames as u64).min(self.frames - self.position) as usize;
        self.inner.read(out, frames)?;
        self.position += out.frames() as u64;
        Ok(())
    }

    fn damage(&self) -> Damage {
        let (mut damage, inner) = (Damage::default(), self.inner.damage());
        damage.add_of(&inner, inner.within(&(self.start..self.start + self.frames), 0));
        damage
    }
}

impl AudioReader for Box<dyn AudioReader> {
    fn format(&self) -> AudioFormat {
        self.as_ref().format()
    }

    fn frames(&self) -> u64 {
        self.as_ref().frames()
    }

    fn position(&self) -> u64 {
        self.as_ref().position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.as_mut().seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        self.as_mut().read(out, frames)
    }

    fn damage(&self) -> Damage {
        self.as_ref().damage()
    }
}
