//! Models whose layers look to both sides (DAC): pieces with the codes on both sides that influence them.

use std::ops::Range;

use super::halves::{Halves, append};
use super::{Rows, whole};
use crate::models::Piece;
use crate::network::State;
use base::error::Result;

/// The codes of a piece: 0.7 s of DAC's at 44.1 kHz. The context is a third of the work.
const PIECE_CODES: usize = 64;

/// Returns the codes of a piece for a decoder with `decoder` codes of context.
pub fn piece_codes(decoder: usize) -> usize {
    PIECE_CODES.max(decoder + 1)
}

/// The state of a stream. Codes are counted from the beginning of the whole.
#[derive(Debug)]
pub struct Context {
    /// The codes before and after a piece on which it depends, for the encoder and the decoder.
    reach: [usize; 2],
    /// The code with which the stream began: nothing is before it.
    origin: usize,
    /// The next code that is encoded, and the next that is decoded.
    next: [usize; 2],
    /// The codes from [`Context::first`] to the next one, a row for each voice and book. Empty if they have to be made
    /// again of the sound: a state does not contain them, since the number of books may be another after it.
    codes: Rows,
}

impl Context {
    pub fn new(reach: [usize; 2]) -> Self {
        Self { reach, origin: 0, next: [0; 2], codes: Rows::new() }
    }

    pub fn begin(&mut self, origin: usize) {
        (self.origin, self.next) = (origin, [origin; 2]);
        self.codes.clear();
    }

    /// The first code that the decoder needs still.
    fn first(&self) -> usize {
        self.next[1].saturating_sub(self.reach[1]).max(self.origin)
    }

    /// Runs all complete pieces of the waiting frames, the first of which is `first`. Returns the number of frames no
    /// longer needed.
    pub fn run(&mut self, halves: &mut Halves, waiting: &Rows, first: i64, out: &mut [Vec<f32>]) -> Result<usize> {
        let (hop, reach) = (halves.hop(), self.reach[0]);
        let (begin, piece) = (first as usize / hop, piece_codes(self.reach[1]));
        if self.codes.is_empty() && self.next[0] > self.first() {
            self.codes = self.encode(halves, waiting, begin, self.first()..self.next[0])?;
        }
        while waiting[0].len() / hop + begin >= self.next[0] + piece + reach {
            let made = self.encode(halves, waiting, begin, self.next[0]..self.next[0] + piece)?;
            self.codes.resize(made.len(), Vec::new());
            self.codes.iter_mut().zip(made).for_each(|(codes, made)| codes.extend(made));
            self.next[0] += piece;
            self.decode(halves, out)?;
        }
        let needed = self.first().saturating_sub(reach).max(self.origin);
        Ok((needed - begin) * hop)
    }

    /// Encodes `codes` from the waiting frames, which begin with code `begin`. Returns a row for each voice and book.
    fn encode(&self, halves: &mut Halves, waiting: &Rows, begin: usize, codes: Range<usize>) -> Result<Rows> {
        let (hop, reach) = (halves.hop(), self.reach[0]);
        let from = codes.start.saturating_sub(reach).max(self.origin);
        let all = codes.end + reach - from;
        let range = (from - begin) * hop..(from - begin + all) * hop;
        let mut states = vec![State::new(); waiting.len() / halves.channels()];
        let made = halves.encode(waiting, range, Piece::whole(all * hop), &mut states)?;
        let kept = codes.start - from..codes.end - from;
        Ok(made.iter().flat_map(|voice| voice.chunks(all).map(|row| row[kept.clone()].to_vec())).collect())
    }

    /// Decodes all codes whose context is complete.
    fn decode(&mut self, halves: &mut Halves, out: &mut [Vec<f32>]) -> Result<()> {
        let (hop, first, next) = (halves.hop(), self.first(), self.next[1]);
        let end = self.next[0] - self.reach[1];
        let codes: Rows = self.codes.chunks(halves.books()).map(<[Vec<f32>]>::concat).collect();
        let mut states = vec![State::new(); codes.len()];
        let sound = halves.decode(&codes, Piece::whole(self.next[0] - first), &mut states)?;
        append(&sound, halves.channels(), (next - first) * hop..(end - first) * hop, out);
        self.next[1] = end;
        let done = self.first() - first;
        self.codes.iter_mut().for_each(|row| drop(row.drain(..done)));
        Ok(())
    }

    pub fn write(&self, to: &mut Vec<f64>) {
        to.extend([self.origin, self.next[0], self.next[1]].map(|code| code as f64));
    }

    pub fn read(&mut self, from: &mut &[f64]) -> Option<()> {
        let codes: [i64; 3] = whole(from)?;
        let [origin, encoded, decoded] = codes.map(|code| usize::try_from(code).ok());
        (self.origin, self.next) = (origin?, [encoded?, decoded?]);
        self.codes.clear();
        Some(())
    }
}
