//! Causal models: pieces one after the other, with a state that goes on.

use super::Voice;
use super::runner::{Direction, Runner, append, codes, input_of};
use crate::error::Result;
use crate::models::Piece;
use crate::network::State;
use crate::progress::Progress;

/// The frames of a piece, 4 s at 24 kHz: long enough that the work of each is large against what surrounds it, and
/// short enough that a layer of 64 channels needs 25 MB.
const PIECE_FRAMES: usize = 96_000;

/// Returns the codes of a piece.
fn piece_codes(runner: &Runner, first_codes: usize) -> usize {
    (PIECE_FRAMES / runner.model().facts().hop).max(first_codes).max(1)
}

/// Returns the lengths of the pieces of so many units: all the same, but the last, which has what is left and at least
/// as many.
fn lengths(total: usize, usual: usize) -> Vec<usize> {
    if total == 0 {
        return Vec::new();
    }
    let pieces = (total / usual).max(1);
    let mut lengths = vec![usual; pieces];
    lengths[pieces - 1] = total - usual * (pieces - 1);
    lengths
}

fn pieces(total: usize, usual: usize) -> impl Iterator<Item = (usize, Piece)> {
    let lengths = lengths(total, usual);
    let count = lengths.len();
    lengths
        .into_iter()
        .enumerate()
        .map(move |(n, length)| (n * usual, Piece { length, is_first: n == 0, is_last: n + 1 == count }))
}

/// Encodes a voice.
pub fn encode(
    runner: &Runner,
    books: usize,
    first_codes: usize,
    channels: &[Vec<f32>],
    progress: &Progress,
) -> Result<Voice> {
    let (hop, total) = (runner.model().facts().hop, channels[0].len());
    let mut voice = Voice { books: vec![Vec::new(); books], scales: Vec::new() };
    let mut state = State::new();
    for (start, piece) in pieces(total, piece_codes(runner, first_codes) * hop) {
        let input: Vec<f32> =
            channels.iter().flat_map(|channel| &channel[start..start + piece.length]).copied().collect();
        let made = runner.run(Direction::Encode, books, piece, &input, &mut state, progress)?;
        append(&mut voice.books, codes(made));
        progress.advance(piece.length as u64)?;
    }
    Ok(voice)
}

/// Decodes a voice: rows of whole hops.
pub fn decode(runner: &Runner, first_codes: usize, voice: &Voice, progress: &Progress) -> Result<Vec<Vec<f32>>> {
    let total = voice.books.first().map_or(0, Vec::len);
    let mut sound = vec![Vec::new(); runner.model().facts().channels];
    let mut state = State::new();
    for (start, piece) in pieces(total, piece_codes(runner, first_codes)) {
        let input = input_of(&voice.books, start..start + piece.length);
        let made = runner.run(Direction::Decode, voice.books.len(), piece, &input, &mut state, progress)?;
        append(&mut sound, made);
        progress.advance((piece.length * runner.model().facts().hop) as u64)?;
    }
    Ok(sound)
}

#[cfg(test)]
mod tests {
    use super::lengths;

    #[test]
    fn the_last_piece_has_what_is_left() {
        assert_eq!(lengths(0, 10), [0; 0]);
        assert_eq!(lengths(1, 10), [1]);
        assert_eq!(lengths(19, 10), [19]);
        assert_eq!(lengths(20, 10), [10, 10]);
        assert_eq!(lengths(39, 10), [10, 10, 19]);
    }
}
