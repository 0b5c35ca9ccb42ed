//! Audio on the device.

use std::borrow::Cow;

use super::engine::MAX_BINDING_BYTES;
use super::recording::{Recording, View};
use crate::audio::AudioBuffer;
use crate::error::{Error, Result};

/// Channels begin at multiples of this many frames, so that each can be bound on its own.
const STRIDE_FRAMES: usize = 64;

/// Planar f32 audio in a buffer of a recording: channel after channel, `stride` frames apart. Behind a channel's last
/// frame stands anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Where it is.
    pub view: View,
    /// Number of channels.
    pub channels: usize,
    /// Frames of each channel.
    pub frames: usize,
    /// Frames from one channel to the next: a multiple of 64.
    pub stride: usize,
}

impl Signal {
    /// Room for a signal of this shape, holding anything.
    ///
    /// # Errors
    /// [`Error::Limit`] when it is more than one binding can hold: [`Signal::most_frames`] says what fits.
    pub fn new(recording: &mut Recording<'_>, channels: usize, frames: usize) -> Result<Self> {
        let most = Self::most_frames(channels);
        if frames > most {
            return Err(Error::Limit {
                what: format!("a chunk of {channels} channels on a GPU"),
                got: format!("{frames} frames"),
                limit: format!("{most} frames"),
            });
        }
        let stride = frames.next_multiple_of(STRIDE_FRAMES);
        let view = recording.buffer((channels * stride * 4) as u64);
        Ok(Self { view, channels, frames, stride })
    }

    /// Audio that will be brought to the device. It is borrowed until the recording has run.
    ///
    /// # Errors
    /// [`Error::Limit`] as [`Signal::new`].
    pub fn upload<'a>(recording: &mut Recording<'a>, audio: &'a AudioBuffer) -> Result<Self> {
        let signal = Self::new(recording, audio.channels(), audio.frames())?;
        for (channel, samples) in audio.iter().enumerate() {
            let bytes: &'a [u8] = bytemuck::cast_slice(samples);
            recording.upload(signal.channel(channel), Cow::Borrowed(bytes));
        }
        Ok(signal)
    }

    /// The bytes of one channel's frames.
    pub fn channel(&self, channel: usize) -> View {
        self.view.part((channel * self.stride * 4) as u64, (self.frames * 4) as u64)
    }

    /// The most frames that so many channels may have in one chunk: 64 MiB in all.
    pub fn most_frames(channels: usize) -> usize {
        let samples = (MAX_BINDING_BYTES / 4) as usize / channels.max(1);
        samples / STRIDE_FRAMES * STRIDE_FRAMES
    }
}
