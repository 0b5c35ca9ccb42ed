//! A recording laid on a common time with another one: brought to its rate, channels and length, and moved along it.
//!
//! Frame `n` of the common time is frame `n + shift` of the recording (at the common rate); where the recording has no
//! such frame there is silence. Nothing but that is done to the samples: without a conversion every bit is the
//! recording's, and every read is the same wherever reading began.

use super::mix::Mix;
use super::source::PreviewRender;
use crate::audio::{AudioBuffer, AudioFormat, AudioReader};
use crate::chain::{Chain, MeasuredMap};
use crate::error::Result;

/// A recording on the common time.
pub(super) struct Laid {
    inner: Box<dyn AudioReader>,
    /// To the common channels; none where they are the recording's own.
    mix: Option<Mix>,
    channels: usize,
    /// What must be added to a frame of the common time to give the recording's.
    shift: i64,
    frames: u64,
    position: u64,
    block: AudioBuffer,
    mixed: AudioBuffer,
}

impl Laid {
    /// `inner`, which has the common rate already, with so many channels, for so many frames of the common time.
    pub fn new(inner: Box<dyn AudioReader>, channels: usize, shift: i64, frames: u64) -> Self {
        let own = inner.format().channels;
        Self {
            mix: (own != channels).then(|| Mix::new(own, channels)),
            channels,
            shift,
            frames,
            position: 0,
            block: AudioBuffer::default(),
            mixed: AudioBuffer::default(),
            inner,
        }
    }

    /// Appends up to `frames` frames of the recording from its frame `first` on; how many there were.
    fn append(&mut self, first: u64, frames: usize, out: &mut AudioBuffer) -> Result<usize> {
        if self.inner.position() != first {
            self.inner.seek(first)?;
        }
        self.inner.read(&mut self.block, frames)?;
        if self.block.is_empty() {
            return Ok(0);
        }
        let given = match &self.mix {
            Some(mix) => {
                mix.apply(&self.block, 1.0, &mut self.mixed);
                &self.mixed
            }
            None => &self.block,
        };
        let count = given.frames().min(frames);
        out.extend_from(given, 0..count);
        Ok(count)
    }
}

impl AudioReader for Laid {
    fn format(&self) -> AudioFormat {
        AudioFormat { channels: self.channels, ..self.inner.format() }
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.frames);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let count = (frames as u64).min(self.frames - self.position) as usize;
        let first = self.position as i64 + self.shift;
        let own_frames = self.inner.frames() as i64;
        out.resize(self.channels, 0);
        out.clear();
        out.resize(self.channels, usize::try_from(-first).unwrap_or(0).min(count));
        while out.frames() < count {
            let at = first + out.frames() as i64;
            let there = (count - out.frames()).min(usize::try_from(own_frames - at).unwrap_or(0));
            // At its end, and where it ends before its stated length.
            if there == 0 || self.append(at as u64, there, out)? == 0 {
                break;
            }
        }
        out.resize(self.channels, count);
        self.position += count as u64;
        Ok(())
    }
}

impl PreviewRender for Laid {
    // What is auditioned is heard as it is.
    fn set_chain(&mut self, _: &Chain, _: &MeasuredMap) -> Result<()> {
        Ok(())
    }
}
