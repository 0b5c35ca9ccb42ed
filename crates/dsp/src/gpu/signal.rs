//! Audio signals in GPU buffers.

use std::borrow::Cow;
use std::ops::Range;

use super::engine::MAX_BINDING_BYTES;
use super::recording::{ReadbackId, Recording, View};
use base::error::{Error, Result};
use base::sound::AudioBuffer;

/// Channels begin at multiples of this many frames, so that each can be bound separately.
const STRIDE_FRAMES: usize = 64;

/// Planar f32 audio in a buffer of a recording: one channel after the other, `stride` frames apart. The padding after a
/// channel's last frame is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The buffer range.
    pub view: View,
    /// The number of channels.
    pub channels: usize,
    /// The number of frames per channel.
    pub frames: usize,
    /// The distance from one channel to the next in frames, a multiple of 64.
    pub stride: usize,
}

impl Signal {
    /// Adds an uninitialised buffer for a signal of this shape.
    ///
    /// # Errors
    /// [`Error::Limit`] if the signal is larger than [`Signal::max_frames`] allows for one binding.
    pub fn new(recording: &mut Recording<'_>, channels: usize, frames: usize) -> Result<Self> {
        let most = Self::max_frames(channels);
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

    /// Adds a signal and uploads `audio` to it. The audio is borrowed until the recording has run.
    pub fn upload<'a>(recording: &mut Recording<'a>, audio: &'a AudioBuffer) -> Result<Self> {
        Self::upload_frames(recording, audio, 0..audio.frames())
    }

    /// Adds a signal and uploads the frames `range` of `audio` to it, as [`Signal::upload`] does.
    pub fn upload_frames<'a>(
        recording: &mut Recording<'a>,
        audio: &'a AudioBuffer,
        range: Range<usize>,
    ) -> Result<Self> {
        let signal = Self::new(recording, audio.channels(), range.len())?;
        for (channel, samples) in audio.iter().enumerate() {
            let bytes: &'a [u8] = bytemuck::cast_slice(&samples[range.clone()]);
            recording.upload(signal.channel(channel), Cow::Borrowed(bytes));
        }
        Ok(signal)
    }

    /// Returns the view of one channel's frames.
    pub fn channel(&self, channel: usize) -> View {
        self.view.part((channel * self.stride * 4) as u64, (self.frames * 4) as u64)
    }

    /// Records the readback of the last `count` frames of a channel of a signal in `pieces`, or of all if there are fewer.
    /// The readbacks are in the order of the frames.
    pub fn read_last(pieces: &[Self], recording: &mut Recording<'_>, channel: usize, count: usize) -> Vec<ReadbackId> {
        let mut missing = count;
        let mut asked = Vec::new();
        for piece in pieces.iter().rev() {
            let taken = missing.min(piece.frames);
            if taken == 0 {
                break;
            }
            let first = (piece.frames - taken) as u64 * 4;
            asked.push(recording.readback(piece.channel(channel).part(first, taken as u64 * 4)));
            missing -= taken;
        }
        asked.reverse();
        asked
    }

    /// Returns the most frames that this many channels can have in one chunk: 64 MiB in total.
    pub fn max_frames(channels: usize) -> usize {
        let samples = (MAX_BINDING_BYTES / 4) as usize / channels.max(1);
        samples / STRIDE_FRAMES * STRIDE_FRAMES
    }
}
