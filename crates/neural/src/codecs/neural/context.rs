//! Models whose layers look to both sides (DAC): pieces with context on both sides, which give the same result as the
//! whole sound. The last code is padded with zeros.

use super::Voice;
use super::runner::{Direction, Run, append, codes, input_of};
use crate::models::Piece;
use crate::network::State;
use base::error::Result;
use base::progress::Progress;

/// The codes of a piece without its context: 3 s of DAC's at 44.1 kHz.
const PIECE_CODES: usize = 256;

/// A piece: its codes `first..end`, and those with context, `from..to`.
struct CodePiece {
    first: usize,
    end: usize,
    from: usize,
    to: usize,
}

fn parts(codes: usize, context: usize) -> impl Iterator<Item = CodePiece> {
    (0..codes).step_by(PIECE_CODES).map(move |first| {
        let end = (first + PIECE_CODES).min(codes);
        CodePiece { first, end, from: first.saturating_sub(context), to: (end + context).min(codes) }
    })
}

/// Encodes a voice.
pub fn encode(
    run: &mut Run<'_>,
    books: usize,
    context: usize,
    channels: &[Vec<f32>],
    progress: &Progress,
) -> Result<Voice> {
    let (hop, frames) = (run.model().facts().hop, channels[0].len());
    let mut voice = Voice { books: vec![Vec::new(); books], scales: Vec::new() };
    for part in parts(frames.div_ceil(hop), context) {
        let length = (part.to - part.from) * hop;
        let given = part.from * hop..(part.to * hop).min(frames);
        let filling = std::iter::repeat_n(0.0, length - given.len());
        let input: Vec<f32> =
            channels.iter().flat_map(|channel| channel[given.clone()].iter().copied().chain(filling.clone())).collect();
        let made = run.piece(Direction::Encode, books, Piece::whole(length), &input, &mut State::new(), progress)?;
        let kept = part.first - part.from..part.end - part.from;
        append(&mut voice.books, codes(made.into_iter().map(|row| row[kept.clone()].to_vec()).collect()));
        progress.advance(((part.end * hop).min(frames) - part.first * hop) as u64)?;
    }
    Ok(voice)
}

/// Decodes a voice.
pub fn decode(run: &mut Run<'_>, context: usize, voice: &Voice, progress: &Progress) -> Result<Vec<Vec<f32>>> {
    let (hop, all) = (run.model().facts().hop, voice.books.first().map_or(0, Vec::len));
    let mut sound = vec![Vec::new(); run.model().facts().channels];
    for part in parts(all, context) {
        let input = input_of(&voice.books, part.from..part.to);
        let piece = Piece::whole(part.to - part.from);
        let made = run.piece(Direction::Decode, voice.books.len(), piece, &input, &mut State::new(), progress)?;
        let from = (part.first - part.from) * hop;
        let trimmed = |row: Vec<f32>| {
            // The last piece ends where the decoder's result ends; all others have context after them.
            let to = if part.end == all { row.len() } else { (part.end - part.from) * hop };
            row[from.min(to)..to].to_vec()
        };
        append(&mut sound, made.into_iter().map(trimmed).collect());
        progress.advance(((part.end - part.first) * hop) as u64)?;
    }
    Ok(sound)
}
