//! Passes a region of a stream to an editor, piece by piece, and inserts the results.
//!
//! Pieces lie on a grid that starts with the region, and each depends only on input samples, so that the result does
//! not depend on the block size. Frames outside the region are delayed equally and pass unchanged, or are silenced.

use std::collections::VecDeque;
use std::ops::Range;

use super::super::Process;
use super::{Editor, Reach};
use audio::AudioBuffer;
use base::error::{Error, Result};

/// The treatment of frames outside the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    Unchanged,
    Silent,
}

/// An editor running on a stream.
#[derive(Debug)]
pub(crate) struct Segments {
    region: Range<i64>,
    outside: Outside,
    editor: Box<dyn Editor>,
    reach: Reach,
    /// The next input frame.
    position: i64,
    /// The last input frames, channel by channel.
    held: Vec<VecDeque<f32>>,
    /// The last edited piece and its index.
    piece: Option<(i64, Vec<Vec<f32>>)>,
}

impl Segments {
    pub fn new(region: Range<i64>, outside: Outside, editor: Box<dyn Editor>, channels: usize) -> Self {
        let reach = editor.reach();
        Self { region, outside, editor, reach, position: 0, held: vec![VecDeque::new(); channels], piece: None }
    }

    /// Returns the latency in frames.
    pub fn latency(reach: Reach) -> u64 {
        (reach.piece + reach.after) as u64
    }

    /// Returns the number of earlier frames that a frame depends on.
    pub fn memory(reach: Reach) -> u64 {
        (reach.piece + reach.before) as u64
    }

    fn first_held(&self) -> i64 {
        self.position - self.held.first().map_or(0, VecDeque::len) as i64
    }

    /// Returns the input frames `range`, with silence where none are held.
    fn seen(&self, channel: usize, range: Range<i64>) -> Vec<f32> {
        let first = self.first_held();
        let held = &self.held[channel];
        let mut out = vec![0.0; (range.end - range.start) as usize];
        let start = range.start.max(first);
        let end = range.end.min(self.position);
        if start < end {
            let from = (start - range.start) as usize;
            let waiting = held.range((start - first) as usize..(end - first) as usize);
            out[from..].iter_mut().zip(waiting).for_each(|(to, sample)| *to = *sample);
        }
        out
    }

    /// Edits the piece with this index, unless it is the last edited one.
    fn make_piece(&mut self, number: i64) -> Result<()> {
        if self.piece.as_ref().is_some_and(|(made, _)| *made == number) {
            return Ok(());
        }
        let Reach { piece, before, after } = self.reach;
        let start = self.region.start + number * piece as i64;
        let made = (0..self.held.len())
            .map(|channel| {
                let seen = self.seen(channel, start - before as i64..start + (piece + after) as i64);
                self.editor.edit(&seen, before..before + piece, start)
            })
            .collect::<Result<_>>()?;
        self.piece = Some((number, made));
        Ok(())
    }

    /// Copies the edited part of the region into `block`, whose first frame is `start`.
    fn edit(&mut self, block: &mut AudioBuffer, start: i64) -> Result<()> {
        let end = start + block.frames() as i64;
        let length = self.reach.piece as i64;
        let mut at = start.max(self.region.start);
        while at < end.min(self.region.end) {
            let number = (at - self.region.start) / length;
            self.make_piece(number)?;
            let piece_start = self.region.start + number * length;
            let stop = end.min(self.region.end).min(piece_start + length);
            let from = (at - piece_start) as usize..(stop - piece_start) as usize;
            if let Some((_, made)) = &self.piece {
                for (samples, made) in block.iter_mut().zip(made) {
                    samples[(at - start) as usize..(stop - start) as usize].copy_from_slice(&made[from.clone()]);
                }
            }
            at = stop;
        }
        Ok(())
    }
}

fn shape(reach: Reach) -> [f64; 3] {
    [reach.piece as f64, reach.before as f64, reach.after as f64]
}

impl Process for Segments {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        let frames = block.frames();
        for (held, samples) in self.held.iter_mut().zip(block.iter()) {
            held.extend(samples);
        }
        self.position += frames as i64;
        let end = self.position - Self::latency(self.reach) as i64;
        let start = end - frames as i64;
        match self.outside {
            Outside::Unchanged => {
                for channel in 0..self.held.len() {
                    let samples = self.seen(channel, start..end);
                    block.channel_mut(channel).copy_from_slice(&samples);
                }
            }
            Outside::Silent => block.iter_mut().for_each(|samples| samples.fill(0.0)),
        }
        self.edit(block, start)?;
        let keep = (Self::latency(self.reach) + Self::memory(self.reach)) as usize;
        for held in &mut self.held {
            held.drain(..held.len().saturating_sub(keep));
        }
        Ok(())
    }

    fn seek(&mut self, frame: i64) -> bool {
        let silent = self.held.iter().all(VecDeque::is_empty);
        let goes_on = silent || frame == self.position;
        if !goes_on {
            self.held.iter_mut().for_each(VecDeque::clear);
        }
        self.position = frame;
        self.piece = None;
        goes_on
    }

    /// Reach and position, then the held input, channel by channel.
    fn state(&self) -> Vec<f64> {
        let samples = self.held.iter().flatten().map(|sample| f64::from(*sample));
        shape(self.reach).into_iter().chain([self.position as f64]).chain(samples).collect()
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let channels = self.held.len().max(1);
        let body = state.strip_prefix(shape(self.reach).as_slice()).and_then(<[f64]>::split_first);
        let Some((position, samples)) = body.filter(|(_, samples)| samples.len().is_multiple_of(channels)) else {
            return Err(Error::Internal("a spectral edit was given the state of another one".into()));
        };
        self.position = *position as i64;
        self.piece = None;
        let frames = samples.len() / channels;
        for (index, held) in self.held.iter_mut().enumerate() {
            held.clear();
            held.extend(samples[index * frames..(index + 1) * frames].iter().map(|sample| *sample as f32));
        }
        Ok(())
    }
}
