//! Tags of AIFF files: an `ID3v2` chunk and text chunks; and their markers.

use super::collect::Collected;
use super::id3v2;
use super::limits::MAX_FIELD_BYTES;
use crate::markers::aiff::{INST_BYTES, MAX_MARK_BYTES};
use crate::source::FileWindow;
use crate::tags::chunks;
use crate::tags::fields::TagKind;
use crate::text::utf8_or_latin1;
use base::error::Result;

/// The maximum number of chunks in a file.
const MAX_CHUNKS: usize = 10_000;

/// Reads the tags of an AIFF file.
pub(super) fn read(window: &mut FileWindow, collected: &mut Collected) -> Result<()> {
    let file_end = window.source().bytes();
    let (mut at, mut texts) = (12u64, Vec::new());
    for _ in 0..MAX_CHUNKS {
        let (Some(id), Some(size)) = (window.array::<4>(at)?, window.be32(at + 4)?) else { break };
        let (start, size) = (at + 8, u64::from(size));
        let end = start.saturating_add(size);
        match &id {
            b"ID3 " | b"id3 " => drop(id3v2::read(window, start, collected)?),
            b"MARK" => {
                let bytes = size.min(MAX_MARK_BYTES as u64) as usize;
                collected.markers.aiff.add_points(window.bytes(start, bytes)?);
            }
            b"INST" => {
                let bytes = size.min(INST_BYTES as u64) as usize;
                collected.markers.aiff.add_loops(window.bytes(start, bytes)?);
            }
            b"NAME" | b"AUTH" | b"(c) " | b"ANNO" | b"COMT" => texts.push((id, start, end.min(file_end))),
            b"COMM" | b"SSND" | b"FVER" | b"CHAN" => {}
            _ if chunks::is_of_the_file(id) => {}
            _ => collected.not_kept("chunk", &id),
        }
        at = end.saturating_add(size & 1);
    }
    collected.next_tag();
    for (id, start, end) in texts {
        if &id == b"COMT" {
            read_comments(window, start, end, collected)?;
        } else {
            add(window, id, start, end.saturating_sub(start), collected)?;
        }
    }
    Ok(())
}

fn add(window: &mut FileWindow, id: [u8; 4], start: u64, bytes: u64, collected: &mut Collected) -> Result<()> {
    if collected.part() {
        let value = utf8_or_latin1(window.bytes(start, bytes.min(MAX_FIELD_BYTES as u64 + 4) as usize)?);
        collected.add_native(TagKind::Aiff, &String::from_utf8_lossy(&id), &value);
    }
    Ok(())
}

/// Reads comments. Each has a time stamp, a marker, a length and a text padded to even length.
fn read_comments(window: &mut FileWindow, start: u64, end: u64, collected: &mut Collected) -> Result<()> {
    let count = window.array::<2>(start)?.map_or(0, u16::from_be_bytes);
    let mut at = start + 2;
    for _ in 0..count {
        let Some(size) = window.array::<2>(at + 6)?.map(u16::from_be_bytes).filter(|_| at + 8 <= end) else { break };
        let bytes = u64::from(size).min(end - (at + 8));
        add(window, *b"COMT", at + 8, bytes, collected)?;
        at += 8 + u64::from(size) + u64::from(size & 1);
    }
    Ok(())
}
