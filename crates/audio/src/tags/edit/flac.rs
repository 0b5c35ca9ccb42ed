//! Edits the comments of a FLAC file.

use super::{Edit, Stop, UNUSUAL, comments, splice};
use crate::container::flac;

/// The maximum number of metadata blocks.
const MAX_BLOCKS: usize = 1024;
/// The largest size of all metadata blocks in bytes.
const MAX_BYTES: u64 = 256 << 20;
/// The largest contents of a block in bytes.
const MAX_BLOCK_BYTES: usize = (1 << 24) - 1;
/// Padding in bytes where the former is too small.
const NEW_PADDING: usize = 8192;
const STREAM_INFO: u8 = 0;
const PADDING: u8 = 1;
const COMMENTS: u8 = 4;
/// A list without comments: an empty name of the program, and their number.
const EMPTY: [u8; 8] = [0; 8];

pub(super) fn edit(edit: Edit<'_>) -> Result<(), Stop> {
    let Edit { file, mut window, fields } = edit;
    let unusual = || Stop::Unusual(UNUSUAL);
    let start = flac::find(&mut window)?.ok_or_else(unusual)? + 4;
    let (mut at, mut blocks, mut is_last) = (start, Vec::new(), false);
    while !is_last {
        let head = window.be32(at)?.ok_or_else(unusual)?;
        let (kind, bytes) = ((head >> 24 & 0x7f) as u8, (head & 0xff_ffff) as usize);
        let mut content = vec![0; bytes];
        if window.source().read_at(at + 4, &mut content)? < bytes || blocks.len() == MAX_BLOCKS {
            return Err(unusual());
        }
        blocks.push((kind, content));
        at += 4 + bytes as u64;
        is_last = head >> 31 == 1;
        if at - start > MAX_BYTES {
            return Err(unusual());
        }
    }
    let old_bytes = (at - start) as usize;
    let place = if let Some(place) = blocks.iter().position(|(kind, _)| *kind == COMMENTS) {
        place
    } else {
        let place = usize::from(blocks.first().is_some_and(|(kind, _)| *kind == STREAM_INFO));
        blocks.insert(place, (COMMENTS, EMPTY.to_vec()));
        place
    };
    let (new, used) = comments::replaced(&blocks[place].1, fields).ok_or_else(unusual)?;
    // Some programs leave bytes behind the last comment.
    let rest = blocks[place].1.split_off(used);
    blocks[place].1 = [new, rest].concat();
    if blocks[place].1.len() > MAX_BLOCK_BYTES {
        return Err(unusual());
    }
    // The padding takes up the difference, so that the audio stays where it is.
    let bytes = |blocks: &[(u8, Vec<u8>)]| blocks.iter().map(|(_, content)| 4 + content.len()).sum::<usize>();
    let now = bytes(&blocks);
    match blocks.iter_mut().find(|(kind, _)| *kind == PADDING) {
        Some((_, padding)) => {
            let fitting = (padding.len() + old_bytes).checked_sub(now).filter(|bytes| *bytes <= MAX_BLOCK_BYTES);
            padding.resize(fitting.unwrap_or(NEW_PADDING), 0);
        }
        None => blocks.push((PADDING, vec![0; NEW_PADDING])),
    }
    let last = blocks.len() - 1;
    let mut out = Vec::with_capacity(bytes(&blocks));
    for (index, (kind, content)) in blocks.iter().enumerate() {
        let head = u32::from(kind | u8::from(index == last) << 7) << 24 | content.len() as u32;
        out.extend_from_slice(&head.to_be_bytes());
        out.extend_from_slice(content);
    }
    Ok(splice::replace(file, start..at, &out)?)
}
