//! Runs a model over a stream at the model's rate, in blocks of any size.
//!
//! ```text
//! blocks of sound -> waiting frames -> pieces -> encoder, decoder -> blocks of sound, by a fixed latency later
//! ```
//!
//! The result equals that of [`super::NeuralCodec`] for the whole sound, in pieces that do not depend on the blocks. A
//! stream does not know where a sound ends: silence follows instead, so the last codes may differ.

mod causal;
mod context;
mod halves;
mod segments;

use std::sync::Arc;

use super::{Described, Opened};
use crate::models::Cutting;
use base::error::{Error, Result};
use causal::Causal;
use context::Context;
use halves::Halves;
use segments::Segments;

/// Rows of samples of equal length: the channels of each voice in turn.
pub type Rows = Vec<Vec<f32>>;

/// How pieces are made.
#[derive(Debug)]
enum Cut {
    Causal(Causal),
    Context(Context),
    Segments(Segments),
}

/// A model at work on the voices of a stream.
#[derive(Debug)]
pub struct Flow {
    halves: Halves,
    cut: Cut,
    /// Frames that came and are needed still.
    waiting: Rows,
    /// The frame of the stream with which they begin.
    first: i64,
}

impl Flow {
    /// Begins at frame 0 with `voices` voices, each with the model's channels.
    pub fn new(opened: Opened, books: usize, voices: usize) -> Self {
        let (facts, cutting) = (opened.model().facts(), opened.model().cutting());
        let (hop, channels) = (facts.hop, facts.channels);
        let cut = match cutting {
            Cutting::Stream { first_codes } => Cut::Causal(Causal::new(first_codes, voices)),
            Cutting::Context { encoder, decoder } => Cut::Context(Context::new([encoder, decoder])),
            Cutting::Segments { frames, stride, is_scaled } => {
                Cut::Segments(Segments::new([frames, stride], is_scaled))
            }
        };
        let halves = Halves::new(opened, books, hop, channels);
        let mut flow = Self { halves, cut, waiting: vec![Vec::new(); voices * channels], first: 0 };
        flow.begin(0);
        flow
    }

    /// Returns the most frames by which the output lags behind the input.
    pub fn latency_frames(model: &Described) -> u64 {
        let hop = model.facts.hop;
        let frames = match model.cutting {
            Cutting::Stream { .. } => hop,
            Cutting::Context { encoder, decoder } => (context::piece_codes(decoder) + encoder + decoder) * hop,
            Cutting::Segments { frames, .. } => frames,
        };
        frames as u64 - 1
    }

    /// Returns the number of past frames on which a frame depends: for a causal model, which never forgets altogether,
    /// those that still have an audible effect.
    pub fn memory_frames(model: &Described) -> u64 {
        match model.cutting {
            Cutting::Stream { .. } => causal::memory_frames(&model.facts),
            Cutting::Context { encoder, decoder } => ((encoder + decoder + 1) * model.facts.hop) as u64,
            Cutting::Segments { frames, .. } => frames as u64,
        }
    }

    /// Begins anew at a frame of the stream, 0 or later, with silence before it. Returns the frame with which the output
    /// begins: where a piece of the whole stream begins.
    pub fn begin(&mut self, frame: i64) -> i64 {
        let grid = match &self.cut {
            Cut::Causal(_) | Cut::Context(_) => self.halves.hop() as i64,
            Cut::Segments(segments) => segments.stride() as i64,
        };
        self.first = frame / grid * grid;
        let silent = (frame - self.first) as usize;
        self.waiting.iter_mut().for_each(|row| {
            row.clear();
            row.resize(silent, 0.0);
        });
        let first_code = (self.first / self.halves.hop() as i64) as usize;
        match &mut self.cut {
            Cut::Causal(causal) => causal.begin(self.first == 0),
            Cut::Context(context) => context.begin(first_code),
            Cut::Segments(segments) => segments.begin(),
        }
        self.first
    }

    /// Takes the next frames and appends to `out` all that is determined.
    pub fn push(&mut self, sound: &[Vec<f32>], out: &mut [Vec<f32>]) -> Result<()> {
        if sound.len() != self.waiting.len() || out.len() != self.waiting.len() {
            return Err(Error::Internal(format!("{} rows came to a codec of {}", sound.len(), self.waiting.len())));
        }
        self.waiting.iter_mut().zip(sound).for_each(|(waiting, sound)| waiting.extend_from_slice(sound));
        let taken = match &mut self.cut {
            Cut::Causal(causal) => causal.run(&mut self.halves, &self.waiting, out)?,
            Cut::Context(context) => context.run(&mut self.halves, &self.waiting, self.first, out)?,
            Cut::Segments(segments) => segments.run(&mut self.halves, &self.waiting, out)?,
        };
        if taken > 0 {
            self.waiting.iter_mut().for_each(|row| drop(row.drain(..taken)));
            self.first += taken as i64;
        }
        Ok(())
    }

    /// Appends all that is remembered as numbers.
    pub fn write(&self, to: &mut Vec<f64>) {
        to.extend([self.waiting.len(), self.halves.hop(), self.waiting[0].len()].map(|count| count as f64));
        to.push(self.first as f64);
        self.waiting.iter().flatten().for_each(|&x| to.push(f64::from(x)));
        match &self.cut {
            Cut::Causal(causal) => causal.write(to),
            Cut::Context(context) => context.write(to),
            Cut::Segments(segments) => segments.write(to),
        }
    }

    /// Takes what [`Flow::write`] appended from the beginning of `from`. `None` if it is from another model or has
    /// another number of voices; the flow must then begin anew. The number of books may differ.
    pub fn read(&mut self, from: &mut &[f64]) -> Option<()> {
        let [rows, hop, count, first] = whole(from)?;
        if rows != self.waiting.len() as i64 || hop != self.halves.hop() as i64 {
            return None;
        }
        self.first = first;
        for row in &mut self.waiting {
            *row = samples(from, usize::try_from(count).ok()?)?;
        }
        match &mut self.cut {
            Cut::Causal(causal) => causal.read(from),
            Cut::Context(context) => context.read(from),
            Cut::Segments(segments) => segments.read(from),
        }
    }
}

/// Takes whole numbers from the beginning.
fn whole<const N: usize>(from: &mut &[f64]) -> Option<[i64; N]> {
    let numbers: [f64; N] = from.split_off(..N)?.try_into().ok()?;
    numbers.iter().all(|x| x.abs() < 9e15 && x.fract() == 0.0).then(|| numbers.map(|x| x as i64))
}

/// Takes samples from the beginning.
fn samples(from: &mut &[f64], count: usize) -> Option<Vec<f32>> {
    Some(from.split_off(..count)?.iter().map(|&x| x as f32).collect())
}

/// A shared plan.
type Plan = Arc<crate::network::Session>;
