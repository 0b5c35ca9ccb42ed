//! The last seconds of a signal, indexed by output frames.

use std::ops::Range;

use audio::AudioBuffer;

/// Planar samples of the frames `start..end`.
#[derive(Debug, Default)]
pub(super) struct History {
    start: u64,
    channels: Vec<Vec<f32>>,
}

impl History {
    /// Clears the history; the next frame is `at`.
    pub fn begin_at(&mut self, at: u64, channels: usize) {
        self.start = at;
        self.channels.iter_mut().for_each(Vec::clear);
        self.channels.resize(channels, Vec::new());
    }

    /// The number of channels.
    pub fn channels(&self) -> usize {
        self.channels.len()
    }

    /// The first frame in the history.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The frame after the last.
    pub fn end(&self) -> u64 {
        self.start + self.channels.first().map_or(0, Vec::len) as u64
    }

    pub fn append_interleaved(&mut self, samples: &[f32], channels: usize) {
        for (channel, plane) in self.channels.iter_mut().enumerate() {
            plane.extend(samples.iter().skip(channel).step_by(channels.max(1)));
        }
    }

    /// Appends `frames` frames of a buffer; frames or channels that it lacks are silent.
    pub fn append_planar(&mut self, buffer: &AudioBuffer, frames: usize, channels: usize) {
        for channel in 0..channels.min(self.channels.len()) {
            let plane = &mut self.channels[channel];
            let end = plane.len() + frames;
            if channel < buffer.channels() {
                let samples = buffer.channel(channel);
                plane.extend_from_slice(&samples[..samples.len().min(frames)]);
            }
            plane.resize(end, 0.0);
        }
    }

    /// Drops all but the last `keep` frames, but only when there are twice as many, so that samples are moved rarely.
    pub fn trim(&mut self, keep: usize) {
        let frames = (self.end() - self.start) as usize;
        if frames > 2 * keep {
            self.channels.iter_mut().for_each(|plane| drop(plane.drain(..frames - keep)));
            self.start += (frames - keep) as u64;
        }
    }

    /// Returns the part of a range that is in the history, for one channel; empty for a channel that does not exist.
    pub fn range(&self, channel: usize, range: Range<u64>) -> &[f32] {
        let Some(plane) = self.channels.get(channel) else { return &[] };
        let place = |frame: u64| (frame.saturating_sub(self.start) as usize).min(plane.len());
        let (from, to) = (place(range.start), place(range.end));
        &plane[from..to.max(from)]
    }

    /// Fills a window that ends before `end`. Frames outside the history are silent.
    pub fn window(&self, channel: usize, end: u64, window: &mut [f32]) {
        let found = self.range(channel, end.saturating_sub(window.len() as u64)..end);
        let silent = window.len() - found.len();
        window[..silent].fill(0.0);
        window[silent..].copy_from_slice(found);
    }
}
