//! Runs a process channel by channel, or pair by pair, and tracks the frame of the stream.
//!
//! A [`ChannelProcess`] is the state of one channel or of one pair. Strands are independent, so that they run in
//! parallel on several threads with identical bits. Samples that are `NaN`, infinite or louder than 400 dB are replaced
//! by silence, so that they do not stay in a loop.

use std::fmt::Debug;

use rayon::prelude::*;

use crate::Process;
use audio::AudioBuffer;
use base::error::{Error, Result};

/// The largest magnitude accepted as a sample.
const LOUDEST: f32 = 1e20;

/// Added and subtracted by [`quiet`]. Without that, a decaying loop would end in denormals, which slow down every
/// processor.
pub(crate) const SILENT: f32 = 1e-18;

/// The minimum number of samples in a block, over all channels, for which several threads pay off.
const PARALLEL_SAMPLES: usize = 1 << 13;

/// Renders one channel or one pair and holds its state.
pub(crate) trait ChannelProcess: Send + Debug {
    /// Renders channels of equal length in place. Their first frame is `frame` of the stream.
    fn run(&mut self, channels: &mut [Vec<f32>], frame: i64);

    /// Clears all past input.
    fn clear(&mut self);

    /// Appends the state.
    fn give(&self, to: &mut Vec<f64>);

    /// Restores what [`ChannelProcess::give`] appended; `None` if it has another shape.
    fn take(&mut self, from: &mut Values<'_>) -> Option<()>;
}

/// The values of a state not read yet.
#[derive(Debug)]
pub(crate) struct Values<'a>(&'a [f64]);

impl<'a> Values<'a> {
    /// Returns the next value.
    pub fn one(&mut self) -> Option<f64> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Returns the next `count` values.
    pub fn some(&mut self, count: usize) -> Option<&'a [f64]> {
        let (these, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(these)
    }
}

/// Strands that process a stream.
#[derive(Debug)]
pub(crate) struct PerChannel<S> {
    processes: Vec<S>,
    /// Channels per process; the last one may have fewer.
    width: usize,
    channels: usize,
    /// The next input frame of the stream.
    position: i64,
    /// Whether there was no input yet.
    fresh: bool,
}

impl<S: ChannelProcess> PerChannel<S> {
    /// Creates a process for every `width` channels. `make` receives the index of the process and its channel count.
    pub fn new(channels: usize, width: usize, make: impl Fn(usize, usize) -> S) -> Self {
        let processes = (0..channels.div_ceil(width)).map(|index| make(index, width.min(channels - index * width)));
        Self { processes: processes.collect(), width, channels, position: 0, fresh: true }
    }
}

/// Returns the sample, or 0 if it must not enter a loop.
#[inline]
fn clean(sample: f32) -> f32 {
    if sample.abs() <= LOUDEST { sample } else { 0.0 }
}

/// Rounds values near or below [`SILENT`] to multiples of about 1e-25, so that a decaying loop reaches 0. The two sums
/// cost nothing in a vectorised loop.
#[inline(always)]
pub(crate) fn quiet(value: f32) -> f32 {
    (value + SILENT) - SILENT
}

/// Returns the state of a recursion, or 0 once it has decayed.
#[inline]
pub(crate) fn decayed(state: f64) -> f64 {
    if state.abs() < 1e-30 { 0.0 } else { state }
}

impl<S: ChannelProcess> Process for PerChannel<S> {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        if block.channels() != self.channels {
            let (got, planned) = (block.channels(), self.channels);
            return Err(Error::Internal(format!("a block of {got} channels came to an effect planned for {planned}")));
        }
        let frames = block.frames();
        let start = self.position;
        self.position += frames as i64;
        self.fresh &= frames == 0;
        let run = |process: &mut S, channels: &mut [Vec<f32>]| {
            for sample in channels.iter_mut().flatten() {
                *sample = clean(*sample);
            }
            process.run(channels, start);
        };
        let channels = block.as_mut_vecs();
        if self.processes.len() > 1 && frames * channels.len() >= PARALLEL_SAMPLES {
            let processes = self.processes.par_iter_mut();
            processes.zip(channels.par_chunks_mut(self.width)).for_each(|(process, channels)| run(process, channels));
        } else {
            let processes = self.processes.iter_mut();
            processes.zip(channels.chunks_mut(self.width)).for_each(|(process, channels)| run(process, channels));
        }
        Ok(())
    }

    fn seek(&mut self, frame: i64) -> bool {
        let goes_on = self.fresh || frame == self.position;
        if !goes_on {
            self.processes.iter_mut().for_each(ChannelProcess::clear);
            self.fresh = true;
        }
        self.position = frame;
        goes_on
    }

    /// Channel count, position and whether there was no input, then the processes.
    fn state(&self) -> Vec<f64> {
        let mut state = vec![self.channels as f64, self.position as f64, f64::from(u8::from(self.fresh))];
        self.processes.iter().for_each(|process| process.give(&mut state));
        state
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let mut values = Values(state);
        let taken = self.take(&mut values).filter(|()| values.0.is_empty());
        taken.ok_or_else(|| {
            self.processes.iter_mut().for_each(ChannelProcess::clear);
            self.fresh = true;
            Error::Internal("an effect was given the state of another one".into())
        })
    }
}

impl<S: ChannelProcess> PerChannel<S> {
    fn take(&mut self, values: &mut Values<'_>) -> Option<()> {
        let [channels, position, fresh] = values.some(3)?.try_into().ok()?;
        if channels != self.channels as f64 {
            return None;
        }
        self.position = position as i64;
        self.fresh = fresh != 0.0;
        self.processes.iter_mut().try_for_each(|process| process.take(values))
    }
}
