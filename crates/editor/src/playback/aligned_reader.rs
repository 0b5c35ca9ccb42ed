//! A recording placed on a timeline shared with another one: converted to its rate, channels and length, and shifted.
//!
//! Frame `n` of the shared timeline is frame `n + shift` of the recording (at the shared rate); where the recording has
//! no such frame there is silence. The samples are not changed otherwise: without a conversion they are bit-identical
//! to the recording's, and a read returns the same samples wherever reading began.

use super::source::PreviewRender;
use audio::{AudioBuffer, AudioFormat, AudioReader, ChannelMix};
use base::error::Result;
use effects::chain::{Chain, MeasuredMap};

/// A recording on the shared timeline.
pub(super) struct AlignedReader {
    inner: Box<dyn AudioReader>,
    /// The mix to the shared channels; `None` if the recording already has them.
    mix: Option<ChannelMix>,
    channels: usize,
    /// The offset from a frame of the shared timeline to one of the recording.
    shift: i64,
    frames: u64,
    position: u64,
    block: AudioBuffer,
    mixed: AudioBuffer,
}

impl AlignedReader {
    /// Places `inner`, which already has the shared rate, on a timeline of `channels` channels and `frames` frames.
    pub fn new(inner: Box<dyn AudioReader>, channels: usize, shift: i64, frames: u64) -> Self {
        let format = inner.format();
        Self {
            mix: (format.channels != channels).then(|| ChannelMix::new(format, format.with_channels(channels))),
            channels,
            shift,
            frames,
            position: 0,
            block: AudioBuffer::default(),
            mixed: AudioBuffer::default(),
            inner,
        }
    }

    /// Appends up to `frames` frames of the recording from its frame `first` on. Returns the number appended.
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

impl AudioReader for AlignedReader {
    fn format(&self) -> AudioFormat {
        self.inner.format().with_channels(self.channels)
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
            // The recording is at its end, or ends before its stated length.
            if there == 0 || self.append(at as u64, there, out)? == 0 {
                break;
            }
        }
        out.resize(self.channels, count);
        self.position += count as u64;
        Ok(())
    }
}

impl PreviewRender for AlignedReader {
    // An audition has no chain.
    fn set_chain(&mut self, _: &Chain, _: &MeasuredMap) -> Result<()> {
        Ok(())
    }
}
