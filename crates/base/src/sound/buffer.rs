//! A block of planar samples.

/// A block of audio frames: one `Vec<f32>` per channel, all of the same length. Full scale is 1.0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AudioBuffer {
    channels: Vec<Vec<f32>>,
}

impl AudioBuffer {
    /// Creates `frames` frames of silence in `channels` channels.
    pub fn new(channels: usize, frames: usize) -> Self {
        Self { channels: vec![vec![0.0; frames]; channels] }
    }

    /// Creates a buffer from the samples of each channel.
    ///
    /// # Panics
    /// Panics if the channels have different lengths.
    pub fn from_channels(channels: Vec<Vec<f32>>) -> Self {
        assert!(channels.windows(2).all(|pair| pair[0].len() == pair[1].len()), "channels of different lengths");
        Self { channels }
    }

    /// Returns the number of channels.
    pub fn channels(&self) -> usize {
        self.channels.len()
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.channels.first().map_or(0, Vec::len)
    }

    /// Returns whether the buffer has no frames.
    pub fn is_empty(&self) -> bool {
        self.frames() == 0
    }

    /// Returns the samples of one channel.
    pub fn channel(&self, channel: usize) -> &[f32] {
        &self.channels[channel]
    }

    /// Returns the samples of one channel, mutably.
    pub fn channel_mut(&mut self, channel: usize) -> &mut [f32] {
        &mut self.channels[channel]
    }

    /// Iterates over all channels in order.
    pub fn iter(&self) -> impl Iterator<Item = &[f32]> {
        self.channels.iter().map(Vec::as_slice)
    }

    /// Iterates over all channels in order, mutably.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        self.channels.iter_mut().map(Vec::as_mut_slice)
    }

    /// Returns all channels as vectors, for parallel work over them. The caller must keep their lengths equal.
    pub fn as_mut_vecs(&mut self) -> &mut [Vec<f32>] {
        &mut self.channels
    }

    /// Resizes to `channels` by `frames` and reuses allocations where possible. Existing samples are kept up to the
    /// shorter length; new samples are silent.
    pub fn resize(&mut self, channels: usize, frames: usize) {
        self.channels.resize_with(channels, Vec::new);
        for channel in &mut self.channels {
            channel.resize(frames, 0.0);
        }
    }

    /// Removes all frames, but keeps the channels and their allocations.
    pub fn clear(&mut self) {
        for channel in &mut self.channels {
            channel.clear();
        }
    }

    /// Appends the frames `range` of `other`, which must have the same number of channels.
    ///
    /// # Panics
    /// Panics if the channel counts differ or the range is out of bounds for `other`.
    pub fn extend_from(&mut self, other: &Self, range: std::ops::Range<usize>) {
        assert_eq!(self.channels(), other.channels(), "channel counts differ");
        for (to, from) in self.channels.iter_mut().zip(&other.channels) {
            to.extend_from_slice(&from[range.clone()]);
        }
    }

    /// Makes room for `frames` more frames, so that appending them does not copy the existing ones.
    pub fn reserve(&mut self, frames: usize) {
        for channel in &mut self.channels {
            channel.reserve(frames);
        }
    }

    /// Removes the first `frames` frames, or all frames if there are fewer.
    pub fn drop_front(&mut self, frames: usize) {
        for channel in &mut self.channels {
            channel.drain(..frames.min(channel.len()));
        }
    }

    /// Keeps the first `frames` frames and removes the rest.
    pub fn truncate(&mut self, frames: usize) {
        for channel in &mut self.channels {
            channel.truncate(frames);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_follows_resize_and_keeps_what_was_there() {
        let mut buffer = AudioBuffer::from_channels(vec![vec![1.0, 2.0], vec![3.0, 4.0]]);
        buffer.resize(2, 3);
        assert_eq!(buffer.channel(1), &[3.0, 4.0, 0.0]);
        buffer.resize(1, 1);
        assert_eq!((buffer.channels(), buffer.frames()), (1, 1));
    }

    #[test]
    fn blocks_join_and_part() {
        let mut joined = AudioBuffer::new(1, 0);
        let block = AudioBuffer::from_channels(vec![vec![0.0, 1.0, 2.0, 3.0]]);
        joined.extend_from(&block, 1..3);
        joined.extend_from(&block, 0..1);
        assert_eq!(joined.channel(0), &[1.0, 2.0, 0.0]);
        joined.drop_front(2);
        assert_eq!(joined.channel(0), &[0.0]);
        joined.drop_front(9);
        assert!(joined.is_empty());
    }
}
