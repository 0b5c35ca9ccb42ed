//! Edits the comments of a FLAC file.

use super::{Edit, Stop, UNUSUAL, comments, splice};
use crate::container::flac;
use crate::source::SourceFile;

/// The maximum number of metadata blocks.
const MAX_BLOCKS: usize = 1024;
/// The largest size of all metadata blocks in bytes.
const MAX_BYTES: u64 = 256 << 20;
/// The largest contents of a block in bytes.
pub(super) const MAX_BLOCK_BYTES: usize = (1 << 24) - 1;
/// Padding in bytes where the former is too small.
const NEW_PADDING: usize = 8192;
const STREAM_INFO: u8 = 0;
const PADDING: u8 = 1;
pub(super) const COMMENTS: u8 = 4;
/// A list without comments: an empty name of the program, and their number.
const EMPTY: [u8; 8] = [0; 8];

/// A metadata block.
struct Block {
    kind: u8,
    contents: Contents,
}

/// The contents of a block.
enum Contents {
    /// Those in the file, from a byte on.
    Old {
        at: u64,
        bytes: usize,
    },
    New(Vec<u8>),
}

impl Block {
    /// Returns the size of its contents in bytes.
    fn bytes(&self) -> usize {
        match &self.contents {
            Contents::Old { bytes, .. } => *bytes,
            Contents::New(new) => new.len(),
        }
    }

    /// Reads its contents behind `out`; `None` if they are cut off.
    fn read(&self, source: &SourceFile, out: &mut Vec<u8>) -> Result<Option<()>, Stop> {
        match &self.contents {
            Contents::Old { at, bytes } => {
                let start = out.len();
                out.resize(start + bytes, 0);
                Ok((source.read_at(*at, &mut out[start..])? == *bytes).then_some(()))
            }
            Contents::New(new) => {
                out.extend_from_slice(new);
                Ok(Some(()))
            }
        }
    }
}

pub(super) fn edit(edit: Edit<'_>) -> Result<(), Stop> {
    let Edit { file, mut window, fields } = edit;
    let unusual = || Stop::Unusual(UNUSUAL);
    let start = flac::find(&mut window)?.ok_or_else(unusual)? + 4;
    let (mut at, mut blocks, mut is_last) = (start, Vec::new(), false);
    while !is_last {
        let head = window.be32(at)?.ok_or_else(unusual)?;
        let (kind, bytes) = ((head >> 24 & 0x7f) as u8, (head & 0xff_ffff) as usize);
        if blocks.len() == MAX_BLOCKS {
            return Err(unusual());
        }
        blocks.push(Block { kind, contents: Contents::Old { at: at + 4, bytes } });
        at += 4 + bytes as u64;
        is_last = head >> 31 == 1;
        if at - start > MAX_BYTES || at > window.source().bytes() {
            return Err(unusual());
        }
    }
    let place = if let Some(place) = blocks.iter().position(|block| block.kind == COMMENTS) {
        place
    } else {
        let place = usize::from(blocks.first().is_some_and(|block| block.kind == STREAM_INFO));
        blocks.insert(place, Block { kind: COMMENTS, contents: Contents::New(EMPTY.to_vec()) });
        place
    };
    let mut old = Vec::new();
    blocks[place].read(window.source(), &mut old)?.ok_or_else(unusual)?;
    let new = comments::replaced(&old, 0, fields).ok_or_else(unusual)?;
    drop(old);
    if new.len() > MAX_BLOCK_BYTES {
        return Err(unusual());
    }
    blocks[place].contents = Contents::New(new);
    // The padding takes up the difference, so that the audio stays where it is.
    let bytes = |blocks: &[Block]| blocks.iter().map(|block| 4 + block.bytes()).sum::<usize>();
    let now = bytes(&blocks);
    match blocks.iter_mut().find(|block| block.kind == PADDING) {
        Some(padding) => {
            let fitting = (padding.bytes() as u64 + (at - start)).checked_sub(now as u64);
            let fitting = fitting.map(|bytes| bytes as usize).filter(|bytes| *bytes <= MAX_BLOCK_BYTES);
            padding.contents = Contents::New(vec![0; fitting.unwrap_or(NEW_PADDING)]);
        }
        None => blocks.push(Block { kind: PADDING, contents: Contents::New(vec![0; NEW_PADDING]) }),
    }
    // The blocks may be large. There is one copy of them, which is written as a whole.
    let last = blocks.len() - 1;
    let mut out = Vec::with_capacity(bytes(&blocks));
    for (index, block) in blocks.into_iter().enumerate() {
        let head = u32::from(block.kind | u8::from(index == last) << 7) << 24 | block.bytes() as u32;
        out.extend_from_slice(&head.to_be_bytes());
        block.read(window.source(), &mut out)?.ok_or_else(unusual)?;
    }
    Ok(splice::replace(file, start..at, &out)?)
}
