//! Copies FLAC files: all metadata blocks but the cue sheet, a new one, with new chapters among the comments; then the
//! audio.

use super::Copy;
use crate::FileInfo;
use crate::container::flac;
use crate::markers::{MarkerList, chapters, flac_cuesheet};
use crate::source::FileWindow;
use base::error::{Error, Result};

/// The maximum number of metadata blocks.
const MAX_BLOCKS: usize = 1024;
/// The largest size of a block in bytes, less one.
const MAX_BLOCK_BYTES: usize = 1 << 24;
/// Padding in bytes, for tags that are later added in place.
const PADDING: usize = 8192;
const PADDING_TYPE: u8 = 1;
const COMMENT_TYPE: u8 = 4;

/// Copies the file.
pub(super) fn copy(copy: &mut Copy, markers: &MarkerList, info: &FileInfo) -> Result<()> {
    let source = copy.source;
    let mut window = FileWindow::new(source);
    let damaged = || source.malformed("the metadata blocks of the FLAC are damaged; export it instead");
    let Some(start) = flac::find(&mut window)? else { return Err(damaged()) };
    copy.range(0, start + 4)?;
    let (mut at, mut has_comments, mut is_last) = (start + 4, false, false);
    let mut cuesheet = flac_cuesheet::block(markers, info.frames);
    for _ in 0..MAX_BLOCKS {
        let Some(head) = window.be32(at)? else { return Err(damaged()) };
        let (kind, bytes) = ((head >> 24 & 0x7f) as u8, u64::from(head & 0xff_ffff));
        let body = at + 4;
        match kind {
            flac_cuesheet::BLOCK_TYPE | PADDING_TYPE => {}
            COMMENT_TYPE if !has_comments => {
                has_comments = true;
                let old = window.bytes(body, bytes as usize)?;
                let replaced = chapters::replaced(old, markers, info.audio.rate);
                let Some((new, _)) = replaced else { return Err(damaged()) };
                block(copy, COMMENT_TYPE, &new, false)?;
            }
            _ => {
                copy.put(&(head & 0x7fff_ffff).to_be_bytes())?;
                copy.range(body, body + bytes)?;
                // The first block, STREAMINFO, is followed by the new cue sheet.
                copy.put(&cuesheet.take().unwrap_or_default())?;
            }
        }
        at = body + bytes;
        is_last = head >> 31 == 1;
        if is_last {
            break;
        }
    }
    let sync = window.array::<2>(at)?.unwrap_or_default();
    if !is_last || sync[0] != 0xff || sync[1] & 0xfe != 0xf8 {
        return Err(damaged());
    }
    if !has_comments && !markers.is_empty() {
        let empty = [0; 8];
        if let Some((new, _)) = chapters::replaced(&empty, markers, info.audio.rate) {
            block(copy, COMMENT_TYPE, &new, false)?;
        }
    }
    block(copy, PADDING_TYPE, &[0; PADDING], true)?;
    copy.range(at, source.bytes())
}

fn block(copy: &mut Copy, kind: u8, content: &[u8], is_last: bool) -> Result<()> {
    if content.len() >= MAX_BLOCK_BYTES {
        return Err(Error::impossible("With these markers, the comments would exceed the 16 MiB of a FLAC block."));
    }
    let head = u32::from(kind | u8::from(is_last) << 7) << 24 | content.len() as u32;
    copy.put(&head.to_be_bytes())?;
    copy.put(content)
}
