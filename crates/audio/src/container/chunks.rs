//! The chunks of RIFF and AIFF files after their sound.

use crate::source::FileWindow;
use base::error::Result;

/// The maximum number of chunks in a file. No real file has more.
pub(super) const MAX_CHUNKS: usize = 10_000;

/// Returns the byte after the last whole chunk of those that begin at `at`; `at` if there are none. A writer may have
/// left out the byte that pads a chunk of odd length.
pub(super) fn chain_end(
    window: &mut FileWindow,
    mut at: u64,
    is_padded: bool,
    word: fn([u8; 4]) -> u32,
) -> Result<u64> {
    let mut padded = is_padded;
    for _ in 0..MAX_CHUNKS {
        let found = match chunk(window, at, word)? {
            None if padded => chunk(window, at - 1, word)?,
            found => found,
        };
        let Some(end) = found else { break };
        padded = end % 2 == 1;
        at = end + u64::from(padded);
    }
    // The last chunk's padding may be missing too.
    Ok(at.min(window.source().bytes()))
}

/// Returns the byte after the chunk that begins at `at`, without padding; `None` if there is no whole chunk.
fn chunk(window: &mut FileWindow, at: u64, word: fn([u8; 4]) -> u32) -> Result<Option<u64>> {
    let (Some(id), Some(size)) = (window.array::<4>(at)?, window.array::<4>(at + 4)?) else { return Ok(None) };
    let end = at + 8 + u64::from(word(size));
    let is_name = id.iter().all(|byte| (0x20..0x7f).contains(byte));
    // Another file begins here.
    let is_file = matches!(&id, b"RIFF" | b"RIFX" | b"RF64" | b"BW64" | b"FORM");
    Ok((is_name && !is_file && end <= window.source().bytes()).then_some(end))
}

/// Returns the true size of a chunk whose 32 bits held only its lowest bits, if the file is large enough for that and
/// the bytes after the size as it is stated are no chunk. The chunk then ends where others begin that lead to the end of
/// the file, or with the file.
pub(super) fn unwrapped(
    window: &mut FileWindow,
    body: u64,
    size: u64,
    word: fn([u8; 4]) -> u32,
) -> Result<Option<u64>> {
    const TURN: u64 = 1 << 32;
    let file_end = window.source().bytes();
    let present = file_end.saturating_sub(body);
    if present < size.saturating_add(TURN) || is_chain(window, body + size, word)? {
        return Ok(None);
    }
    let most = (present - size) / TURN;
    for turns in (1..=most).rev().take(64) {
        if is_chain(window, body + size + turns * TURN, word)? {
            return Ok(Some(size + turns * TURN));
        }
    }
    Ok(Some(present))
}

/// Returns whether chunks lead from `at`, which ends a chunk, to the end of the file.
fn is_chain(window: &mut FileWindow, at: u64, word: fn([u8; 4]) -> u32) -> Result<bool> {
    let padded = at % 2 == 1;
    let file_end = window.source().bytes();
    Ok(at == file_end || chain_end(window, at + u64::from(padded), padded, word)? == file_end)
}

/// Returns whether chunks lead from `at` to the end of the file, and there is one.
pub(super) fn are_chunks(window: &mut FileWindow, at: u64, word: fn([u8; 4]) -> u32) -> Result<bool> {
    let file_end = window.source().bytes();
    Ok(at < file_end && chain_end(window, at, false, word)? == file_end)
}
