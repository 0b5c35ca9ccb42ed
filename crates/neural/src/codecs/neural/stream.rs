//! Causal models: consecutive pieces, with a state that carries over.

use super::Voice;
use super::runner::{Direction, Run, append, codes, input_of};
use crate::models::Piece;
use crate::network::State;
use base::error::Result;
use base::progress::Progress;

/// The frames of a piece, 4 s at 24 kHz: long enough that the work of each is large against what surrounds it, and
/// short enough that a layer of 64 channels needs 25 MB.
const PIECE_FRAMES: usize = 96_000;
/// The frames of a piece on a GPU, where the fixed cost of a piece is larger: the longest that allows binding a layer
/// of 64 channels.
const GPU_PIECE_FRAMES: usize = 240_000;

/// Returns the codes of a piece.
fn piece_codes(run: &mut Run<'_>, direction: Direction, books: usize, first_codes: usize) -> Result<usize> {
    let hop = run.model().facts().hop;
    let codes = |frames: usize| (frames / hop).max(first_codes).max(1);
    let usual = codes(PIECE_FRAMES);
    Ok(if run.is_on_gpu(direction, books, usual)? { codes(GPU_PIECE_FRAMES) } else { usual })
}

/// Returns the lengths of the pieces of `total` units: all are equal, except the last two, which share the rest. All
/// but the last are multiples of `step`, and each has at least `least` units if there are that many.
fn lengths(total: usize, usual: usize, step: usize, least: usize) -> Vec<usize> {
    let mut lengths = vec![usual; total / usual];
    let rest = total % usual;
    if rest == 0 {
        return lengths;
    }
    let both = lengths.pop().unwrap_or(0) + rest;
    let half = (both / 2).next_multiple_of(step);
    if both > usual && half >= least && both - half >= least {
        lengths.extend([half, both - half]);
    } else {
        lengths.push(both);
    }
    lengths
}

fn pieces(total: usize, usual: usize, step: usize, least: usize) -> impl Iterator<Item = (usize, Piece)> {
    let lengths = lengths(total, usual, step, least);
    let count = lengths.len();
    lengths.into_iter().enumerate().scan(0, move |next, (n, length)| {
        let start = *next;
        *next += length;
        Some((start, Piece::of_more(length, n == 0, n + 1 == count)))
    })
}

/// Encodes a voice.
pub fn encode(
    run: &mut Run<'_>,
    books: usize,
    first_codes: usize,
    channels: &[Vec<f32>],
    progress: &Progress,
) -> Result<Voice> {
    let (hop, total) = (run.model().facts().hop, channels[0].len());
    let mut voice = Voice { books: vec![Vec::new(); books], scales: Vec::new() };
    let mut state = State::new();
    if total == 0 {
        return Ok(voice);
    }
    let usual = piece_codes(run, Direction::Encode, books, first_codes)?;
    for (start, piece) in pieces(total, usual * hop, hop, first_codes * hop) {
        let input: Vec<f32> =
            channels.iter().flat_map(|channel| &channel[start..start + piece.length]).copied().collect();
        let made = run.piece(Direction::Encode, books, piece, &input, &mut state, progress)?;
        append(&mut voice.books, codes(made));
        progress.advance(piece.length as u64)?;
    }
    Ok(voice)
}

/// Decodes a voice: rows of whole hops.
pub fn decode(run: &mut Run<'_>, first_codes: usize, voice: &Voice, progress: &Progress) -> Result<Vec<Vec<f32>>> {
    let total = voice.books.first().map_or(0, Vec::len);
    let mut sound = vec![Vec::new(); run.model().facts().channels];
    let mut state = State::new();
    let books = voice.books.len();
    if total == 0 {
        return Ok(sound);
    }
    let usual = piece_codes(run, Direction::Decode, books, first_codes)?;
    for (start, piece) in pieces(total, usual, 1, first_codes) {
        let input = input_of(&voice.books, start..start + piece.length);
        let made = run.piece(Direction::Decode, books, piece, &input, &mut state, progress)?;
        append(&mut sound, made);
        progress.advance((piece.length * run.model().facts().hop) as u64)?;
    }
    Ok(sound)
}

#[cfg(test)]
mod tests {
    use super::lengths;

    #[test]
    fn the_last_two_pieces_share_what_is_left() {
        assert_eq!(lengths(0, 10, 1, 1), [0; 0]);
        assert_eq!(lengths(1, 10, 1, 1), [1]);
        assert_eq!(lengths(9, 10, 2, 4), [9]);
        assert_eq!(lengths(20, 10, 1, 1), [10, 10]);
        assert_eq!(lengths(19, 10, 1, 1), [9, 10]);
        assert_eq!(lengths(19, 10, 2, 2), [10, 9]);
        assert_eq!(lengths(31, 10, 5, 1), [10, 10, 5, 6]);
        assert_eq!(lengths(12, 10, 1, 8), [12], "halves would be too short");
        for total in 0..200 {
            let all = lengths(total, 20, 4, 8);
            assert_eq!(all.iter().sum::<usize>(), total);
            assert!(all.iter().rev().skip(1).all(|length| length.is_multiple_of(4)), "{all:?}");
            assert!(all.iter().all(|&length| length >= 8 || total < 8), "{all:?}");
            assert!(all.iter().all(|&length| length <= 24), "{all:?}");
        }
    }
}
