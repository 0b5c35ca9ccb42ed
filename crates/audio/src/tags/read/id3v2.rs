//! Reads `ID3v2.2`, `2.3` and `2.4` tags: finds them and their frames, undoes unsynchronisation and inflates within
//! limits.

mod frames;
mod upgrade;

use std::io::{self, BufRead, BufReader, Read};

use flate2::read::ZlibDecoder;

use self::frames::{FrameKind, JoinedFrames, is_of_the_file, read_frame, wanted};
use super::collect::{Collected, mebibytes};
use super::span::{Span, Synchronised, array, read_up_to, skip};
use crate::source::FileWindow;
use base::error::{Error, Result};

/// The maximum number of consecutive tags.
const MAX_TAGS: usize = 16;
/// The bytes at the end of the frames that are compared with zero.
const PADDING_BYTES: u64 = 4096;
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
            let reader = BufReader::with_capacity(32 << 10, Synchronised::new(reader));
            read_frames(reader, version, extended, false, &|_, _| Ok(None), collected)
        } else {
            read_frames(reader, version, extended, flags & 0x80 != 0, &plain_size, collected)
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
    /// The version whose layout the contents have.
    version: u8,
    bytes: u32,
    compressed: bool,
    encrypted: bool,
    unsynchronised: bool,
    /// The number of bytes before the content: group, encryption method and length.
    before: u32,
}

/// Returns the size of a frame of version 2.4 if it is a plain number, not a synchsafe one.
type PlainSize<'a, R> = &'a dyn Fn(&BufReader<R>, [u8; 4]) -> io::Result<Option<u32>>;

fn read_frames<R: Read>(
    mut reader: BufReader<R>,
    version: u8,
    extended: bool,
    unsynchronised: bool,
    plain_size: PlainSize<'_, R>,
    collected: &mut Collected,
) -> io::Result<()> {
    // The size of an extended header has no letters, and an old identifier has three.
    if extended && reader.fill_buf()?.get(..3).is_some_and(|id| identifier(id).is_some()) {
        collected.warn("An ID3 tag states an extended header, but has none. Its frames are read.".to_owned());
    } else if extended {
        let Some(size) = array(&mut reader)? else { return Ok(()) };
        // In version 2.4 the size includes these four bytes.
        let rest = if version == 4 { synchsafe(size).saturating_sub(4) } else { u32::from_be_bytes(size) };
        skip(&mut reader, u64::from(rest))?;
    }
    let mut joined = JoinedFrames::default();
    while let Some(frame) = next_frame(&mut reader, version, plain_size)? {
        if !collected.part() {
            break;
        }
        let mut content = (&mut reader).take(u64::from(frame.bytes));
        let wanted = wanted(&frame.id).filter(|_| !frame.encrypted);
        if wanted.is_none() && !is_of_the_file(&frame.id) {
            collected.not_kept("ID3 frame", frame.id.as_bytes());
        }
        if let Some(wanted) = wanted
            && skip(&mut content, u64::from(frame.before))? == u64::from(frame.before)
        {
            let limit = frames::limit(wanted, collected);
            let bytes = if unsynchronised || frame.unsynchronised {
                read_content(Synchronised::new(&mut content), &frame, wanted, limit, collected)?
            } else {
                read_content(&mut content, &frame, wanted, limit, collected)?
            };
            if let Some(bytes) = bytes {
                read_frame(&frame.id, frame.version, bytes, &mut joined, collected);
            }
        }
        let left = content.limit();
        if skip(&mut reader, left)? < left {
            collected.warn(format!("An ID3 tag is cut off in its frame {}.", frame.id));
            break;
        }
    }
    joined.finish(collected);
    Ok(())
}

/// Reads the header of the next frame; `None` at padding or at bytes that are not a frame.
fn next_frame<R: Read>(
    reader: &mut BufReader<R>,
    version: u8,
    plain_size: PlainSize<'_, R>,
) -> io::Result<Option<Frame>> {
    if version == 2 {
        let Some(head) = array::<6>(reader)? else { return Ok(None) };
        let Some(id) = identifier(&head[..3]) else { return Ok(None) };
        let bytes = u32::from_be_bytes([0, head[3], head[4], head[5]]);
        return Ok(Some(Frame::plain(upgrade::of_2(id).unwrap_or(id), 2, bytes)));
    }
    let Some(head) = array::<10>(reader)? else { return Ok(None) };
    let (size, flags) = ([head[4], head[5], head[6], head[7]], head[9]);
    let Some(id) = identifier(&head[..4]) else {
        // iTunes turned tags of version 2.2 into ones of 2.3 with the old identifiers and a fourth byte.
        let old = identifier(&head[..3]).filter(|_| version == 3 && matches!(head[3], 0 | b' '));
        let known = old.and_then(upgrade::of_2);
        return Ok(known.map(|id| Frame::plain(id, 2, u32::from_be_bytes(size))));
    };
    let id = upgrade::of_3(id).to_owned();
    Ok(Some(if version == 3 {
        let (compressed, encrypted, group) = (flags & 0x80 != 0, flags & 0x40 != 0, flags & 0x20 != 0);
        Frame {
            id,
            version,
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
            id,
            version,
            bytes: plain_size(reader, size)?.unwrap_or_else(|| synchsafe(size)),
            compressed,
            encrypted,
            unsynchronised: flags & 2 != 0,
            before: u32::from(flags & 0x40 != 0) + u32::from(encrypted) + u32::from(length) * 4,
        }
    }))
}

impl Frame {
    fn plain(id: &str, version: u8, bytes: u32) -> Self {
        let id = id.to_owned();
        Self { id, version, bytes, compressed: false, encrypted: false, unsynchronised: false, before: 0 }
    }
}

/// Returns the identifier of a frame, if these bytes are one.
pub(in crate::tags) fn identifier(bytes: &[u8]) -> Option<&str> {
    let allowed = bytes.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    std::str::from_utf8(bytes).ok().filter(|_| allowed)
}

/// Returns the size of a version 2.4 frame if it is plain, as iTunes writes it, which shows in what follows the frame:
/// another one, or the end or the padding of the tag.
fn plain_size(reader: &BufReader<Span<'_>>, size: [u8; 4]) -> io::Result<Option<u32>> {
    let (plain, safe) = (u32::from_be_bytes(size), synchsafe(size));
    if size.iter().any(|byte| byte & 0x80 != 0) {
        return Ok(Some(plain));
    }
    if plain == safe {
        return Ok(None);
    }
    let begin = reader.get_ref().at - reader.buffer().len() as u64;
    let after = |size: u32| -> io::Result<After> {
        let (span, at) = (reader.get_ref(), begin + u64::from(size));
        let id = span.peek(at, 4)?;
        if id.len() == 4 && identifier(&id).is_some() {
            return Ok(After::Frame);
        }
        let is_zero = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
        // A picture has some zeros too.
        let is_end = at <= span.end && is_zero(&id) && is_zero(&span.peek(at, PADDING_BYTES)?);
        Ok(if is_end { After::End } else { After::Other })
    };
    Ok((after(plain)? > after(safe)?).then_some(plain))
}

/// What follows a frame, by how much it says that the frame ends there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum After {
    Other,
    End,
    Frame,
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
