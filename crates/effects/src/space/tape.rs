//! A ring buffer of past input, readable at any position, including between frames.

use super::clocked::Values;

/// The last frames of one channel.
#[derive(Clone, Debug)]
pub(crate) struct DelayLine {
    /// A power of two in length.
    ring: Vec<f32>,
    /// The next write index.
    at: usize,
    /// How many frames back it can be read.
    reach: usize,
}

impl DelayLine {
    /// Creates a silent tape of `reach` frames.
    pub fn new(reach: usize) -> Self {
        Self { ring: vec![0.0; reach.max(1).next_power_of_two()], at: 0, reach: reach.max(1) }
    }

    #[inline]
    fn place(&self, back: usize) -> usize {
        self.at.wrapping_sub(back) & (self.ring.len() - 1)
    }

    /// Writes one frame.
    #[inline]
    pub fn write(&mut self, sample: f32) {
        let at = self.at;
        self.ring[at] = sample;
        self.at = (at + 1) & (self.ring.len() - 1);
    }

    /// Writes several frames.
    pub fn push(&mut self, samples: &[f32]) {
        let first = samples.len().min(self.ring.len() - self.at);
        let at = self.at;
        self.ring[at..at + first].copy_from_slice(&samples[..first]);
        self.ring[..samples.len() - first].copy_from_slice(&samples[first..]);
        self.at = (at + samples.len()) & (self.ring.len() - 1);
    }

    /// Copies frames starting `back` frames before the next write position. `out` must not be longer than `back`.
    pub fn read(&self, back: usize, out: &mut [f32]) {
        debug_assert!(out.len() <= back && back <= self.ring.len());
        let from = self.place(back);
        let first = out.len().min(self.ring.len() - from);
        out[..first].copy_from_slice(&self.ring[from..from + first]);
        let rest = out.len() - first;
        out[first..].copy_from_slice(&self.ring[..rest]);
    }

    /// Returns the frame `back` frames before the next write position.
    #[inline]
    pub fn frame(&self, back: usize) -> f32 {
        self.ring[self.place(back)]
    }

    /// Returns the value between the frame `back` frames before the next write position and the one before it, at a
    /// distance of `way` (0..=1). Interpolates with the Lagrange cubic through the four surrounding frames. `back` is
    /// from 2 to the reach minus 2.
    #[inline]
    pub fn cubic(&self, back: usize, way: f32) -> f32 {
        let (newest, newer) = (self.frame(back - 1), self.frame(back));
        let (older, oldest) = (self.frame(back + 1), self.frame(back + 2));
        let (f, f1, f2, f3) = (way, way + 1.0, way - 1.0, way - 2.0);
        (f1 * f2 * f3 * 0.5) * newer - (f1 * f * f3 * 0.5) * older
            + ((f1 * f * f2) * oldest - (f * f2 * f3) * newest) * (1.0 / 6.0)
    }

    /// Like [`DelayLine::cubic`], with linear interpolation.
    #[inline]
    pub fn linear(&self, back: usize, way: f32) -> f32 {
        let newer = self.frame(back);
        newer + way * (self.frame(back + 1) - newer)
    }

    /// Like [`DelayLine::cubic`], on the parabola through these two frames and the one before.
    #[inline]
    pub fn quadratic(&self, back: usize, way: f32) -> f32 {
        let newer = self.frame(back);
        let (one, two) = (self.frame(back + 1) - newer, self.frame(back + 2) - newer);
        newer + way * ((2.0 * one - 0.5 * two) + way * (0.5 * two - one))
    }

    pub fn clear(&mut self) {
        self.ring.fill(0.0);
    }

    /// Appends its reach and its contents, oldest first.
    pub fn give(&self, to: &mut Vec<f64>) {
        to.push(self.reach as f64);
        to.extend((1..=self.reach).rev().map(|back| f64::from(self.frame(back))));
    }

    /// Restores the contents of a tape of any reach, as far back as this one goes.
    pub fn take(&mut self, from: &mut Values<'_>) -> Option<()> {
        let held = from.one()?;
        let held = from.some(held as usize)?;
        self.clear();
        self.at = 0;
        for sample in &held[held.len().saturating_sub(self.ring.len())..] {
            self.write(*sample as f32);
        }
        Some(())
    }
}
