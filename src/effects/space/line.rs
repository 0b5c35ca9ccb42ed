//! Delay lines of whole frames.

use super::clocked::Values;

/// A delay of so many frames. What leaves and what comes in share a place, so that up to [`Line::run`] frames are read
/// and written at once, in order, on vectors.
#[derive(Clone, Debug)]
pub(in crate::effects) struct Line {
    ring: Vec<f32>,
    at: usize,
}

impl Line {
    /// A silent line; one frame at the least.
    pub fn new(frames: usize) -> Self {
        Self { ring: vec![0.0; frames.max(1)], at: 0 }
    }

    /// Its delay in frames.
    pub fn frames(&self) -> usize {
        self.ring.len()
    }

    /// How many frames can be had at once.
    pub fn run(&self) -> usize {
        self.ring.len() - self.at
    }

    /// The next `count` frames that leave, to be replaced by those that come in; no more than [`Line::run`].
    pub fn slots(&mut self, count: usize) -> &mut [f32] {
        &mut self.ring[self.at..self.at + count]
    }

    /// Moves on behind `count` frames that were replaced.
    pub fn pass(&mut self, count: usize) {
        self.at += count;
        if self.at >= self.ring.len() {
            self.at -= self.ring.len();
        }
    }

    /// Copies the next frames that leave, no more than the line is long.
    pub fn peek(&self, out: &mut [f32]) {
        let first = out.len().min(self.run());
        out[..first].copy_from_slice(&self.ring[self.at..self.at + first]);
        let rest = out.len() - first;
        out[first..].copy_from_slice(&self.ring[..rest]);
    }

    /// Replaces the next frames that leave, no more than the line is long, and moves on.
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

    /// Its length, then what it holds, the oldest first.
    pub fn give(&self, to: &mut Vec<f64>) {
        to.push(self.ring.len() as f64);
        let (newer, older) = self.ring.split_at(self.at);
        to.extend(older.iter().chain(newer).map(|sample| f64::from(*sample)));
    }

    /// Takes up what a line of any length held, as far back as this one reaches.
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
