//! Delay lines of a whole number of frames.

use super::clocked::Values;

/// A delay of a fixed number of frames. Output and input share a slot, so that up to [`Line::run`] frames can be read
/// and written at once, in order and vectorised.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    ring: Vec<f32>,
    at: usize,
}

impl Line {
    /// Creates a silent line of at least one frame.
    pub fn new(frames: usize) -> Self {
        Self { ring: vec![0.0; frames.max(1)], at: 0 }
    }

    /// Returns its delay in frames.
    pub fn frames(&self) -> usize {
        self.ring.len()
    }

    /// Returns how many frames are contiguous in the ring buffer.
    pub fn run(&self) -> usize {
        self.ring.len() - self.at
    }

    /// Returns the next `count` output frames, to be replaced by input. `count` must not exceed [`Line::run`].
    pub fn slots(&mut self, count: usize) -> &mut [f32] {
        &mut self.ring[self.at..self.at + count]
    }

    /// Advances past `count` replaced frames.
    pub fn pass(&mut self, count: usize) {
        self.at += count;
        if self.at >= self.ring.len() {
            self.at -= self.ring.len();
        }
    }

    /// Copies the next output frames, at most as many as the line holds.
    pub fn peek(&self, out: &mut [f32]) {
        let first = out.len().min(self.run());
        out[..first].copy_from_slice(&self.ring[self.at..self.at + first]);
        let rest = out.len() - first;
        out[first..].copy_from_slice(&self.ring[..rest]);
    }

    /// Replaces the next output frames by `samples`, at most as many as the line holds, and advances.
    pub fn push(&mut self, samples: &[f32]) {
        let first = samples.len().min(self.run());
        let at = self.at;
        self.ring[at..at + first].copy_from_slice(&samples[..first]);
        self.ring[..samples.len() - first].copy_from_slice(&samples[first..]);
        self.pass(samples.len());
    }

    pub fn clear(&mut self) {
        self.ring.fill(0.0);
    }

    /// Appends its length and its contents, oldest first.
    pub fn give(&self, to: &mut Vec<f64>) {
        to.push(self.ring.len() as f64);
        let (newer, older) = self.ring.split_at(self.at);
        to.extend(older.iter().chain(newer).map(|sample| f64::from(*sample)));
    }

    /// Restores the contents of a line of any length, as far back as this one reaches.
    pub fn take(&mut self, from: &mut Values<'_>) -> Option<()> {
        let held = from.one()?;
        let held = from.some(held as usize)?;
        self.at = 0;
        let count = held.len().min(self.ring.len());
        let silent = self.ring.len() - count;
        self.ring[..silent].fill(0.0);
        let latest = &held[held.len() - count..];
        self.ring[silent..].iter_mut().zip(latest).for_each(|(to, sample)| *to = *sample as f32);
        Some(())
    }
}
