//! Causal models: each code is processed when its frames have come, with a state that carries over.
//!
//! Where edges are mirrored (EnCodec), the first codes of a sound depend on some later frames. The stream does not wait
//! for these: until they have come, the output is the codec's result for the sound so far. From then on the output is
//! bit-identical to the codec's result for the whole sound.

use super::halves::{Halves, append};
use super::{Rows, whole};
use crate::models::{CodecKind, Facts, Piece};
use crate::network::State;
use base::error::Result;

/// The codes of pieces, the longest first. Few lengths, so that few plans are made.
const PIECE_CODES: [usize; 4] = [64, 16, 4, 1];
/// The most frames of a piece, 4 s at 24 kHz: they bound the memory of the layers.
const MOST_FRAMES: usize = 96_000;

/// Returns the number of frames after which a model has forgotten most: 1 s for recurrent layers; 2 s for transformers,
/// which see 10 s.
pub fn memory_frames(facts: &Facts) -> u64 {
    let seconds = if facts.kind == CodecKind::Mimi { 2.0 } else { 1.0 };
    facts.rate.frames_from_seconds(seconds) + facts.hop as u64
}

/// The state of a stream.
#[derive(Debug)]
pub struct Causal {
    /// The codes of the first piece of a sound.
    first_codes: usize,
    /// Whether the first piece was run, or the stream began in the middle.
    has_begun: bool,
    /// The number of codes at the beginning whose sound was output while the first piece is incomplete.
    given: usize,
    encoders: Vec<State>,
    decoders: Vec<State>,
}

impl Causal {
    pub fn new(first_codes: usize, voices: usize) -> Self {
        let states = vec![State::new(); voices];
        Self { first_codes, has_begun: false, given: 0, encoders: states.clone(), decoders: states }
    }

    /// Forgets everything. In the middle of a stream silence was before; there is no edge.
    pub fn begin(&mut self, at_beginning: bool) {
        self.has_begun = !at_beginning;
        self.given = 0;
        self.encoders.iter_mut().chain(&mut self.decoders).for_each(|state| *state = State::new());
    }

    /// Runs all complete codes. Returns the number of frames that are done with.
    pub fn run(&mut self, halves: &mut Halves, waiting: &Rows, out: &mut [Vec<f32>]) -> Result<usize> {
        let (hop, mut at) = (halves.hop(), 0);
        while (waiting[0].len() - at) / hop > self.given {
            let left = (waiting[0].len() - at) / hop;
            if !self.has_begun {
                at += self.run_beginning(halves, waiting, out)?;
                continue;
            }
            let codes = PIECE_CODES.into_iter().find(|&codes| codes <= left && codes * hop <= MOST_FRAMES);
            let piece = Piece::of_more(codes.unwrap_or(1), false, false);
            let sound = self.piece(halves, waiting, at, piece)?;
            append(&sound, halves.channels(), 0..piece.length * hop, out);
            at += piece.length * hop;
        }
        Ok(at)
    }

    /// Runs the beginning of a sound up to its next code. Returns the number of frames that are done with.
    fn run_beginning(&mut self, halves: &mut Halves, waiting: &Rows, out: &mut [Vec<f32>]) -> Result<usize> {
        let (hop, codes) = (halves.hop(), self.given + 1);
        let is_complete = codes >= self.first_codes;
        let sound = if is_complete {
            self.piece(halves, waiting, 0, Piece::of_more(codes, true, false))?
        } else {
            let mut states = vec![State::new(); self.encoders.len()];
            let made = halves.encode(waiting, 0..codes * hop, Piece::whole(codes * hop), &mut states)?;
            halves.decode(&made, Piece::whole(codes), &mut states)?
        };
        append(&sound, halves.channels(), self.given * hop..codes * hop, out);
        (self.has_begun, self.given) = (is_complete, if is_complete { 0 } else { codes });
        Ok(if is_complete { codes * hop } else { 0 })
    }

    /// Runs a piece of the frames from `at` on. Its length is in codes.
    fn piece(&mut self, halves: &mut Halves, waiting: &Rows, at: usize, piece: Piece) -> Result<Rows> {
        let frames = piece.length * halves.hop();
        let codes = halves.encode(waiting, at..at + frames, Piece { length: frames, ..piece }, &mut self.encoders)?;
        halves.decode(&codes, piece, &mut self.decoders)
    }

    pub fn write(&self, to: &mut Vec<f64>) {
        to.extend([f64::from(u8::from(self.has_begun)), self.given as f64]);
        self.encoders.iter().chain(&self.decoders).for_each(|state| state.write(to));
    }

    pub fn read(&mut self, from: &mut &[f64]) -> Option<()> {
        let [has_begun, given] = whole(from)?;
        (self.has_begun, self.given) = (has_begun == 1, usize::try_from(given).ok()?);
        for state in self.encoders.iter_mut().chain(&mut self.decoders) {
            *state = State::read(from)?;
        }
        Some(())
    }
}
