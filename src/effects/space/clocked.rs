//! Runs a process channel by channel, or pair by pair, and knows which frame of the stream it is at.
//!
//! A [`Strand`] is the state of one channel or of one pair; strands know nothing of each other, so that they run side
//! by side on several threads with the same bits. What is no number, or louder than 400 dB, is taken as silence:
//! nothing of it stays in a loop.

use std::fmt::Debug;

use rayon::prelude::*;

use crate::audio::AudioBuffer;
use crate::effects::Process;
use crate::error::{Error, Result};

/// The loudest sample that is taken for one.
const LOUDEST: f32 = 1e20;

/// What is smaller than this is silence: a loop that decays would else end in numbers that slow every processor down.
pub(in crate::effects) const SILENT: f32 = 1e-18;

/// Samples of a block, all channels together, from which on several threads pay.
const PARALLEL_SAMPLES: usize = 1 << 13;

/// What renders one channel or one pair, with its state.
pub(in crate::effects) trait Strand: Send + Debug {
    /// Renders channels of equal length in place; their first frame is the stream's `frame`.
    fn run(&mut self, channels: &mut [Vec<f32>], frame: i64);

    /// Forgets all that was heard.
    fn clear(&mut self);

    /// Appends the state.
    fn give(&self, to: &mut Vec<f64>);

    /// Takes up what [`Strand::give`] gave; none when it is of another shape.
    fn take(&mut self, from: &mut Values<'_>) -> Option<()>;
}

/// The numbers of a state that have not been read yet.
#[derive(Debug)]
pub(in crate::effects) struct Values<'a>(&'a [f64]);

impl<'a> Values<'a> {
    /// The next number.
    pub fn one(&mut self) -> Option<f64> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// The next `count` numbers.
    pub fn some(&mut self, count: usize) -> Option<&'a [f64]> {
        let (these, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(these)
    }
}

/// Strands at work on a stream.
#[derive(Debug)]
pub(in crate::effects) struct Clocked<S> {
    strands: Vec<S>,
    /// Channels of a strand; the last one may have fewer.
    width: usize,
    channels: usize,
    /// The stream's frame that comes in next.
    position: i64,
    /// Nothing was heard yet.
    fresh: bool,
}

impl<S: Strand> Clocked<S> {
    /// One strand for every `width` channels, made by `make` from its number and its channels.
    pub fn new(channels: usize, width: usize, make: impl Fn(usize, usize) -> S) -> Self {
        let strands = (0..channels.div_ceil(width)).map(|index| make(index, width.min(channels - index * width)));
        Self { strands: strands.collect(), width, channels, position: 0, fresh: true }
    }
}

/// A sample as a loop may hear it.
#[inline]
fn clean(sample: f32) -> f32 {
    if sample.abs() <= LOUDEST { sample } else { 0.0 }
}

/// The value, or 0 where it is below [`SILENT`], to the nearest 1e-25: sums that cost nothing in a loop on vectors.
#[inline(always)]
pub(in crate::effects) fn quiet(value: f32) -> f32 {
    (value + SILENT) - SILENT
}

/// A recursion's state, or 0 where it has died away.
#[inline]
pub(in crate::effects) fn decayed(state: f64) -> f64 {
    if state.abs() < 1e-30 { 0.0 } else { state }
}

impl<S: Strand> Process for Clocked<S> {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        if block.channels() != self.channels {
            let (got, planned) = (block.channels(), self.channels);
            return Err(Error::Internal(format!("a block of {got} channels came to an effect planned for {planned}")));
        }
        let frames = block.frames();
        let start = self.position;
        self.position += frames as i64;
        self.fresh &= frames == 0;
        let run = |strand: &mut S, channels: &mut [Vec<f32>]| {
            for sample in channels.iter_mut().flatten() {
                *sample = clean(*sample);
            }
            strand.run(channels, start);
        };
        let channels = block.as_mut_vecs();
        if self.strands.len() > 1 && frames * channels.len() >= PARALLEL_SAMPLES {
            let strands = self.strands.par_iter_mut();
            strands.zip(channels.par_chunks_mut(self.width)).for_each(|(strand, channels)| run(strand, channels));
        } else {
            let strands = self.strands.iter_mut();
            strands.zip(channels.chunks_mut(self.width)).for_each(|(strand, channels)| run(strand, channels));
        }
        Ok(())
    }

    fn seek(&mut self, frame: i64) -> bool {
        let goes_on = self.fresh || frame == self.position;
        if !goes_on {
            self.strands.iter_mut().for_each(Strand::clear);
            self.fresh = true;
        }
        self.position = frame;
        goes_on
    }

    /// Channels, position and whether nothing was heard, then strand by strand.
    fn state(&self) -> Vec<f64> {
        let mut state = vec![self.channels as f64, self.position as f64, f64::from(u8::from(self.fresh))];
        self.strands.iter().for_each(|strand| strand.give(&mut state));
        state
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let mut values = Values(state);
        let taken = self.take(&mut values).filter(|()| values.0.is_empty());
        taken.ok_or_else(|| {
            self.strands.iter_mut().for_each(Strand::clear);
            self.fresh = true;
            Error::Internal("an effect was given the state of another one".into())
        })
    }
}

impl<S: Strand> Clocked<S> {
    fn take(&mut self, values: &mut Values<'_>) -> Option<()> {
        let [channels, position, fresh] = values.some(3)?.try_into().ok()?;
        if channels != self.channels as f64 {
            return None;
        }
        self.position = position as i64;
        self.fresh = fresh != 0.0;
        self.strands.iter_mut().try_for_each(|strand| strand.take(values))
    }
}
