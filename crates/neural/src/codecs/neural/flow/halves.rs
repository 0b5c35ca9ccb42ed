//! Encoder and decoder of a model, for all voices of a stream at once.

use super::super::Opened;
use super::super::runner::Direction;
use super::{Plan, Rows};
use crate::models::Piece;
use crate::network::{Item, State};
use base::error::{Error, Result};
use base::progress::Progress;

/// Both halves of a model, and the plans that were used.
#[derive(Debug)]
pub struct Halves {
    opened: Opened,
    books: usize,
    hop: usize,
    channels: usize,
    plans: Vec<((Direction, Piece), Plan)>,
}

impl Halves {
    /// Takes a model, the number of books, the frames of a code and the channels of a voice.
    pub fn new(opened: Opened, books: usize, hop: usize, channels: usize) -> Self {
        Self { opened, books, hop, channels, plans: Vec::new() }
    }

    /// The frames of a code.
    pub fn hop(&self) -> usize {
        self.hop
    }

    /// The channels of a voice.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The books that are used.
    pub fn books(&self) -> usize {
        self.books
    }

    /// Encodes frames `range` of all voices. Returns the codes of each voice, books x codes.
    pub fn encode(
        &mut self,
        sound: &[Vec<f32>],
        range: std::ops::Range<usize>,
        piece: Piece,
        states: &mut [State],
    ) -> Result<Rows> {
        let voice = |rows: &[Vec<f32>]| rows.iter().flat_map(|row| &row[range.clone()]).copied().collect();
        let inputs: Rows = sound.chunks(self.channels).map(voice).collect();
        self.run(Direction::Encode, piece, &inputs, states)
    }

    /// Decodes the codes of all voices, books x codes each. Returns the sound of each voice, channels x frames.
    pub fn decode(&mut self, codes: &[Vec<f32>], piece: Piece, states: &mut [State]) -> Result<Rows> {
        self.run(Direction::Decode, piece, codes, states)
    }

    fn run(&mut self, direction: Direction, piece: Piece, inputs: &[Vec<f32>], states: &mut [State]) -> Result<Rows> {
        let plan = self.plan(direction, piece)?;
        let mut items: Vec<Item<'_>> =
            inputs.iter().zip(states).map(|(input, state)| Item::new(vec![input], state)).collect();
        plan.run(&mut items, &Progress::new())?;
        let result = |item: Item<'_>| item.outputs.into_iter().next();
        let results: Option<Rows> = items.into_iter().map(result).collect();
        results.ok_or_else(|| Error::Internal("a network without a result".into()))
    }

    /// The model keeps plans for all who run it, the last ones only; these stay for the stream.
    fn plan(&mut self, direction: Direction, piece: Piece) -> Result<Plan> {
        if let Some((_, found)) = self.plans.iter().find(|(key, _)| *key == (direction, piece)) {
            return Ok(Plan::clone(found));
        }
        let plan = self.opened.session(direction, self.books, piece)?;
        self.plans.push(((direction, piece), Plan::clone(&plan)));
        Ok(plan)
    }
}

/// Appends the last frames of each row from `from` on: `voices` are channels x frames each, `out` a row for each channel.
pub fn append(voices: &[Vec<f32>], channels: usize, range: std::ops::Range<usize>, out: &mut [Vec<f32>]) {
    for (voice, out) in voices.iter().zip(out.chunks_mut(channels)) {
        let frames = voice.len() / channels;
        for (row, out) in voice.chunks(frames.max(1)).zip(out) {
            out.extend_from_slice(&row[range.start.min(row.len())..range.end.min(row.len())]);
        }
    }
}
