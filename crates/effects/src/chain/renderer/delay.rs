//! A plain delay line, for the branch with less latency.

use std::collections::VecDeque;

use audio::AudioBuffer;

/// A delay line that holds `frames` samples of each channel.
#[derive(Clone, Debug)]
pub(super) struct DelayLine {
    frames: usize,
    channels: Vec<VecDeque<f32>>,
}

impl DelayLine {
    /// Creates a delay of `frames` frames, filled with silence.
    pub(super) fn new(channels: usize, frames: usize) -> Self {
        Self { frames, channels: vec![VecDeque::from(vec![0.0; frames]); channels] }
    }

    /// Replaces the delayed samples by silence.
    pub(super) fn silence(&mut self) {
        self.channels.iter_mut().flatten().for_each(|sample| *sample = 0.0);
    }

    /// Delays a block in place.
    pub(super) fn run(&mut self, block: &mut AudioBuffer) {
        for (line, samples) in self.channels.iter_mut().zip(block.as_mut_vecs()) {
            line.extend(samples.iter());
            for (sample, waited) in samples.iter_mut().zip(line.drain(..line.len() - self.frames)) {
                *sample = waited;
            }
        }
    }

    /// Returns the delayed samples of each channel, oldest first.
    pub(super) fn waiting(&self) -> Vec<Vec<f32>> {
        self.channels.iter().map(|line| line.iter().copied().collect()).collect()
    }

    /// Advances the line after another device has processed more frames. `tail` holds the last of these for each
    /// channel: as many as the delay, or all if there were fewer.
    pub(super) fn take_up(&mut self, tail: &[Vec<f32>]) {
        for (line, tail) in self.channels.iter_mut().zip(tail) {
            line.extend(tail);
            line.drain(..line.len() - self.frames);
        }
    }

    /// Returns the delayed samples channel by channel, oldest first.
    pub(super) fn state(&self) -> Vec<f64> {
        self.channels.iter().flatten().map(|sample| f64::from(*sample)).collect()
    }

    /// Restores what [`DelayLine::state`] returned. A state of another length silences the line and returns `false`.
    pub(super) fn restore(&mut self, values: &[f64]) -> bool {
        let fits = values.len() == self.frames * self.channels.len();
        for (index, line) in self.channels.iter_mut().enumerate() {
            for (frame, sample) in line.iter_mut().enumerate() {
                *sample = if fits { values[index * self.frames + frame] as f32 } else { 0.0 };
            }
        }
        fits
    }
}
