//! The method of DAC's container: a sound is cut into windows of a second, which are coded separately without zeros
//! beyond them. The decoded windows are concatenated.
//!
//! Source: `CodecMixin.compress` and `decompress` of descript-audio-codec 1.0.0.

use super::Voice;
use super::runner::{Direction, Run, append, codes, input_of};
use crate::models::{Chunks, Piece};
use crate::network::State;
use base::error::{Error, Result};
use base::progress::Progress;

/// Encodes a voice in windows.
pub fn encode(
    run: &mut Run<'_>,
    books: usize,
    chunks: Chunks,
    sound: &[f32],
    progress: &Progress,
) -> Result<Vec<Vec<i32>>> {
    let mut all = vec![Vec::new(); books];
    for start in (0..sound.len()).step_by(chunks.stride) {
        let at = |n: usize| (start + n).checked_sub(chunks.delay).and_then(|frame| sound.get(frame));
        let window: Vec<f32> = (0..chunks.frames).map(|n| at(n).copied().unwrap_or(0.0)).collect();
        let piece = Piece::bare(chunks.frames);
        append(&mut all, codes(run.piece(Direction::Encode, books, piece, &window, &mut State::new(), progress)?));
        progress.advance(chunks.stride.min(sound.len() - start) as u64)?;
    }
    Ok(all)
}

/// Decodes a voice in chunks of `length` codes.
pub fn decode(run: &mut Run<'_>, length: usize, voice: &Voice, progress: &Progress) -> Result<Vec<f32>> {
    let all = voice.books.first().map_or(0, Vec::len);
    let mut sound = Vec::new();
    for start in (0..all).step_by(length.max(1)) {
        let end = start.saturating_add(length).min(all);
        if run.model().bare_frames(end - start).is_none() {
            let got = format!("{} codes", end - start);
            return Err(Error::invalid(
                "chunk of a .dac file",
                got,
                "enough codes for a frame without zeros beyond them",
            ));
        }
        let input = input_of(&voice.books, start..end);
        let piece = Piece::bare(end - start);
        let made = run.piece(Direction::Decode, voice.books.len(), piece, &input, &mut State::new(), progress)?;
        sound.extend(made.into_iter().next().unwrap_or_default());
        progress.advance(((end - start) * run.model().facts().hop) as u64)?;
    }
    Ok(sound)
}
