//! The delay lines of a channel or a pair, in series, each followed by its filter.
//!
//! A run is never longer than a line, so that the output of the lines is known before any input enters. Without a
//! filter, the loops have no dependency between frames.

use super::super::clocked::{ChannelProcess, Values, quiet};
use super::super::line::Line;
use super::super::one_pole::LoopFilter;

/// The maximum length of a run in frames.
const RUN: usize = 512;

#[derive(Debug)]
pub(super) struct Echoes {
    /// Line `k` gives echo `k`. In a loop it also gives every later echo whose number differs by a multiple of the
    /// number of lines.
    stages: Vec<(Line, LoopFilter)>,
    looped: bool,
    feedback: f32,
    mix: f32,
    /// The input of the current line, then its output.
    carry: Vec<f32>,
}

impl Echoes {
    /// Creates the lines for one channel, or for a pair between which the echoes alternate. `taps` of 0 makes a loop.
    pub fn new(channels: usize, frames: usize, taps: usize, feedback: f64, mix: f64, filter: LoopFilter) -> Self {
        let stages = if taps == 0 { channels } else { taps };
        Self {
            stages: vec![(Line::new(frames), filter); stages],
            looped: taps == 0,
            feedback: feedback as f32,
            mix: mix as f32,
            carry: Vec::with_capacity(RUN),
        }
    }

    /// Filters and attenuates the output of a line before it enters the next.
    fn softer(&self, filter: &mut LoopFilter, samples: &mut [f32]) {
        filter.run(samples);
        for sample in samples {
            *sample *= self.feedback;
        }
    }

    fn advance(&mut self, channels: &mut [Vec<f32>], at: usize, count: usize) {
        let mut carry = std::mem::take(&mut self.carry);
        let mut stages = std::mem::take(&mut self.stages);
        carry.clear();
        carry.resize(count, 0.0);
        let last = stages.len() - 1;
        if self.looped {
            let (line, filter) = &mut stages[last];
            carry.copy_from_slice(line.slots(count));
            self.softer(filter, &mut carry);
        }
        let share = 1.0 / channels.len() as f32;
        for channel in channels.iter() {
            for (carry, sample) in carry.iter_mut().zip(&channel[at..at + count]) {
                *carry += share * sample;
            }
        }
        for channel in channels.iter_mut() {
            for sample in &mut channel[at..at + count] {
                *sample *= 1.0 - self.mix;
            }
        }
        let sides = channels.len();
        for (index, (line, filter)) in stages.iter_mut().enumerate() {
            let out = &mut channels[index % sides][at..at + count];
            for ((carry, slot), out) in carry.iter_mut().zip(line.slots(count)).zip(out) {
                let wet = *slot;
                *slot = quiet(*carry);
                *carry = wet;
                *out += self.mix * wet;
            }
            line.pass(count);
            if index < last {
                self.softer(filter, &mut carry);
            }
        }
        (self.carry, self.stages) = (carry, stages);
    }
}

impl ChannelProcess for Echoes {
    fn run(&mut self, channels: &mut [Vec<f32>], _frame: i64) {
        let frames = channels.first().map_or(0, Vec::len);
        let mut at = 0;
        while at < frames {
            let count = RUN.min(frames - at).min(self.stages[0].0.run());
            self.advance(channels, at, count);
            at += count;
        }
    }

    fn clear(&mut self) {
        for (line, filter) in &mut self.stages {
            line.clear();
            filter.clear();
        }
    }

    fn give(&self, to: &mut Vec<f64>) {
        to.push(self.stages.len() as f64);
        for (line, filter) in &self.stages {
            line.give(to);
            filter.give(to);
        }
    }

    fn take(&mut self, from: &mut Values<'_>) -> Option<()> {
        if from.one()? != self.stages.len() as f64 {
            return None;
        }
        self.stages.iter_mut().try_for_each(|(line, filter)| {
            line.take(from)?;
            filter.take(from)
        })
    }
}
