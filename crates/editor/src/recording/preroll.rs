//! The sound before the start of a recording.

use audio::AudioBuffer;

/// Keeps the last frames of a stream.
#[derive(Debug)]
pub(super) struct Preroll {
    frames: usize,
    kept: AudioBuffer,
}

impl Preroll {
    pub fn new(channels: usize, frames: usize) -> Self {
        Self { frames, kept: AudioBuffer::new(channels, 0) }
    }

    pub fn push(&mut self, block: &AudioBuffer) {
        self.kept.extend_from(block, 0..block.frames());
        // Not with every block, because the rest is moved.
        if self.kept.frames() > 2 * self.frames + block.frames() {
            self.kept.drop_front(self.kept.frames() - self.frames);
        }
    }

    /// Returns the last frames, at most `frames` and as many as are kept, followed by `after`.
    pub fn take(&mut self, frames: usize, after: &AudioBuffer) -> AudioBuffer {
        let mut all = std::mem::replace(&mut self.kept, AudioBuffer::new(after.channels(), 0));
        all.drop_front(all.frames() - frames.min(self.frames).min(all.frames()));
        all.extend_from(after, 0..after.frames());
        all
    }
}
