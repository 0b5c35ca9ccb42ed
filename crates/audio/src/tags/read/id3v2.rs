//! Reads `ID3v2.2`, `2.3` and `2.4` tags: finds them and their frames, undoes unsynchronisation and inflates within
//! limits.

mod frames;

use std::io::{self, BufReader, Read};

use flate2::read::ZlibDecoder;
use lofty::id3::v2::{upgrade_v2, upgrade_v3};

use self::frames::{Dates, FrameKind, read_frame, wanted};
use super::collect::{Collected, mebibytes};
use super::span::{Span, Synchronised, array, read_up_to, skip};
use crate::source::FileWindow;
use base::error::{Error, Result};

/// The maximum number of consecutive tags.
const MAX_TAGS: usize = 16;
/// Bytes of a frame that are read beyond its kept contents, for descriptions and the zero bytes of UTF-16.
const FRAME_HEAD_BYTES: usize = 64 << 10;

/// Reads the consecutive tags that begin at `at`. Returns the byte after them.
pub(super) fn read_all(window: &mut FileWindow, mut at: u64, collected: &mut Collected) -> Result<u64> {
    for _ in 0..MAX_TAGS {
        let Some(end) = read(window, at, collected)? else { break };
        at = end;
    }
    Ok(at)
}

/// Reads the tag at `at`. Returns the byte after it; `None` if there is no tag.
pub(super) fn read(window: &mut FileWindow, at: u64, collected: &mut Collected) -> Result<Option<u64>> {
    let Some(head) = window.array::<10>(at)? else { return Ok(None) };
    if !head.starts_with(b"ID3") || head[6..].iter().any(|byte| byte & 0x80 != 0) {
        return Ok(None);
    }
    let (version, flags) = (head[3], head[5]);
    let size = u64::from(synchsafe([head[6], head[7], head[8], head[9]]));
    let footer = if version == 4 && flags & 0x10 != 0 { 10 } else { 0 };
    collected.next_tag();
    let path = window.source().path().to_owned();
    let span = Span::new(window, at + 10, at + 10 + size);
    // The compression flag of version 2.2, whose scheme was never specified.
    let unknown = version == 2 && flags & 0x40 != 0;
    if (2..=4).contains(&version) && !unknown {
        let extended = version > 2 && flags & 0x40 != 0;
        let reader = BufReader::with_capacity(32 << 10, span);
        let read = if flags & 0x80 != 0 && version < 4 {
            read_frames(
                BufReader::with_capacity(32 << 10, Synchronised::new(reader)),
                version,
                extended,
                false,
                collected,
            )
        } else {
            read_frames(reader, version, extended, flags & 0x80 != 0, collected)
        };
        read.map_err(|error| Error::io("read the tags", &path, error))?;
    } else {
        collected.warn(format!("An ID3 tag of version 2.{version} is left out: only 2.2, 2.3 and 2.4 are read."));
    }
    Ok(Some(at + 10 + size + footer))
}

fn synchsafe(bytes: [u8; 4]) -> u32 {
    bytes.iter().fold(0, |size, byte| size << 7 | u32::from(byte & 0x7f))
}

/// The header of a frame.
struct Frame {
    /// The identifier, in the naming of version 2.4.
    id: String,
    bytes: u32,
    compressed: bool,
    encrypted: bool,
    unsynchronised: bool,
    /// The number of bytes before the content: group, encryption method and length.
    before: u32,
}

fn read_frames(
    mut reader: BufReader<impl Read>,
    version: u8,
    extended: bool,
    unsynchronised: bool,
    collected: &mut Collected,
) -> io::Result<()> {
    if extended {
        let Some(size) = array(&mut reader)? else { return Ok(()) };
        // In version 2.4 the size includes these four bytes.
        let rest = if version == 4 { synchsafe(size).saturating_sub(4) } else { u32::from_be_bytes(size) };
        skip(&mut reader, u64::from(rest))?;
    }
    let mut dates = Dates::default();
    while let Some(frame) = next_frame(&mut reader, version)? {
        if !collected.part() {
            break;
        }
        let mut content = (&mut reader).take(u64::from(frame.bytes));
        if let Some(wanted) = wanted(&frame.id)
            && !frame.encrypted
            && skip(&mut content, u64::from(frame.before))? == u64::from(frame.before)
        {
            let limit = frames::limit(wanted, collected);
            let bytes = if unsynchronised || frame.unsynchronised {
                read_content(Synchronised::new(&mut content), &frame, wanted, limit, collected)?
            } else {
                read_content(&mut content, &frame, wanted, limit, collected)?
            };
            if let Some(bytes) = bytes {
                read_frame(&frame.id, version, bytes, &mut dates, collected);
            }
        }
        let left = content.limit();
        if skip(&mut reader, left)? < left {
            collected.warn(format!("An ID3 tag is cut off in its frame {}.", frame.id));
            break;
        }
    }
    dates.add(collected);
    Ok(())
}

/// Reads the header of the next frame; `None` at padding or at bytes that are not a frame.
fn next_frame(reader: &mut BufReader<impl Read>, version: u8) -> io::Result<Option<Frame>> {
    if version == 2 {
        let Some(head) = array::<6>(reader)? else { return Ok(None) };
        let Some(id) = identifier(&head[..3]) else { return Ok(None) };
        let id = upgrade_v2(id).unwrap_or(id).to_owned();
        let bytes = u32::from_be_bytes([0, head[3], head[4], head[5]]);
        return Ok(Some(Frame { id, bytes, compressed: false, encrypted: false, unsynchronised: false, before: 0 }));
    }
    let Some(head) = array::<10>(reader)? else { return Ok(None) };
    let Some(id) = identifier(&head[..4]) else { return Ok(None) };
    let (size, flags) = ([head[4], head[5], head[6], head[7]], head[9]);
    Ok(Some(if version == 3 {
        let (compressed, encrypted, group) = (flags & 0x80 != 0, flags & 0x40 != 0, flags & 0x20 != 0);
        Frame {
            id: upgrade_v3(id).unwrap_or(id).to_owned(),
            bytes: u32::from_be_bytes(size),
            compressed,
            encrypted,
            unsynchronised: false,
            before: u32::from(compressed) * 4 + u32::from(encrypted) + u32::from(group),
        }
    } else {
        let (compressed, encrypted) = (flags & 8 != 0, flags & 4 != 0);
        // Compressed content is preceded by its length even if the flag for it is missing.
        let length = compressed || flags & 1 != 0;
        Frame {
            id: id.to_owned(),
            bytes: plain_or_synchsafe(reader, size),
            compressed,
            encrypted,
            unsynchronised: flags & 2 != 0,
            before: u32::from(flags & 0x40 != 0) + u32::from(encrypted) + u32::from(length) * 4,
        }
    }))
}

fn identifier(bytes: &[u8]) -> Option<&str> {
    let allowed = bytes.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    std::str::from_utf8(bytes).ok().filter(|_| allowed)
}

/// Returns the size of a version 2.4 frame. Old versions of iTunes did not write it synchsafe, which shows in the
/// position of the next frame.
fn plain_or_synchsafe(reader: &BufReader<impl Read>, size: [u8; 4]) -> u32 {
    let (plain, safe) = (u32::from_be_bytes(size), synchsafe(size));
    if size.iter().any(|byte| byte & 0x80 != 0) {
        return plain;
    }
    let ahead = reader.buffer();
    let frame_at =
        |at: u32| ahead.get(at as usize..).and_then(|rest| rest.get(..4)).is_some_and(|id| identifier(id).is_some());
    if plain != safe && frame_at(plain) && !frame_at(safe) { plain } else { safe }
}

/// Reads the contents of a frame; `None` if it is left out.
fn read_content(
    mut content: impl Read,
    frame: &Frame,
    wanted: FrameKind,
    limit: usize,
    collected: &mut Collected,
) -> io::Result<Option<Vec<u8>>> {
    if wanted == FrameKind::Picture && limit == 0 {
        collected.leave_out_picture(u64::from(frame.bytes));
        return Ok(None);
    }
    let limit = limit + FRAME_HEAD_BYTES;
    if !frame.compressed {
        if wanted == FrameKind::Picture && frame.bytes as usize > limit {
            collected.leave_out_picture(u64::from(frame.bytes));
            return Ok(None);
        }
        return read_up_to(&mut content, limit).map(|(bytes, _)| Some(bytes));
    }
    let room = limit.min(collected.inflation_room());
    let mut inflated = ZlibDecoder::new(content);
    let Ok((bytes, more)) = read_up_to(&mut inflated, room) else {
        // The number of inflated bytes is unknown, and failing late costs as much as succeeding. The whole allowance is
        // counted.
        collected.inflated(room);
        collected.warn(format!("The compressed frame {} of an ID3 tag is left out: it is damaged.", frame.id));
        return Ok(None);
    };
    collected.inflated(bytes.len());
    if !more {
        return Ok(Some(bytes));
    }
    collected.warn(format!(
        "the compressed frame {} of an ID3 tag is left out: its {} bytes inflate to more than {}, the most that is read",
        frame.id,
        frame.bytes,
        mebibytes(room)
    ));
    Ok(None)
}
