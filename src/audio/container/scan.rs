//! Elementary streams: consecutive frames with a header each, without an index.

use crate::audio::packets::{Chunk, MAX_PACKETS, Sizes, too_many_packets};
use crate::audio::source::FileWindow;
use crate::error::Result;

/// The number of header bytes that the parsers need.
pub(super) const HEADER_BYTES: usize = 10;
/// The index records an offset every this many packets, so that a seek sums few sizes.
const CHECKPOINT_PACKETS: usize = 64;

/// A frame header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The size of the whole frame in bytes.
    pub bytes: u32,
    /// The header fields that are equal in all frames of a stream.
    pub key: u32,
}

/// The frames found by a scan.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub chunks: Vec<Chunk>,
    pub sizes: Vec<u32>,
    /// The number of byte ranges that are not frames.
    pub gaps: u32,
}

impl Scan {
    pub(super) fn into_sizes(self) -> (Vec<Chunk>, Sizes, u32) {
        let packets = self.sizes.len() as u32;
        (self.chunks, Sizes::Each(self.sizes), packets)
    }
}

/// Finds the first frame from `start` on, within `limit` bytes, that is followed by more frames of its kind.
pub(super) fn first_frame(
    window: &mut FileWindow,
    start: u64,
    limit: u64,
    parse: fn(&[u8]) -> Option<Header>,
) -> Result<Option<(u64, Header)>> {
    for offset in start..start.saturating_add(limit) {
        let bytes = window.bytes(offset, HEADER_BYTES)?;
        if bytes.len() < 4 {
            break;
        }
        let Some(header) = parse(bytes) else { continue };
        if is_followed(window, offset, header, None, 3, parse)? {
            return Ok(Some((offset, header)));
        }
    }
    Ok(None)
}

/// Returns whether `count` more frames of the same kind follow the one at `offset`, or the file ends first.
fn is_followed(
    window: &mut FileWindow,
    offset: u64,
    header: Header,
    key: Option<u32>,
    count: u32,
    parse: fn(&[u8]) -> Option<Header>,
) -> Result<bool> {
    if key.is_some_and(|key| key != header.key) {
        return Ok(false);
    }
    let end = window.source().bytes();
    let mut at = offset + u64::from(header.bytes);
    for _ in 0..count {
        if at == end {
            return Ok(true);
        }
        match parse(window.bytes(at, HEADER_BYTES)?) {
            Some(next) if next.key == header.key => at += u64::from(next.bytes),
            _ => return is_tail(window, at),
        }
    }
    Ok(true)
}

/// Returns whether a tag that belongs at the end of a file begins here.
fn is_tail(window: &mut FileWindow, at: u64) -> Result<bool> {
    let bytes = window.bytes(at, 11)?;
    Ok(bytes.starts_with(b"TAG") || bytes.starts_with(b"APETAGEX") || bytes.starts_with(b"LYRICSBEGIN"))
}

/// Scans all frames from `start` to the end of the file. Bytes that are not frames are counted as the number of damaged
/// frames that would fit, so that later frames keep their time.
pub(super) fn scan(window: &mut FileWindow, start: u64, key: u32, parse: fn(&[u8]) -> Option<Header>) -> Result<Scan> {
    let end = window.source().bytes();
    let mut found = Scan::default();
    let mut at = start;
    let mut checkpoint = true;
    let mut last_bytes = 0;
    while at < end {
        if found.sizes.len() >= MAX_PACKETS {
            return Err(too_many_packets());
        }
        if checkpoint || found.sizes.len() % CHECKPOINT_PACKETS == 0 {
            found.chunks.push(Chunk { offset: at, first: found.sizes.len() as u32 });
            checkpoint = false;
        }
        match parse(window.bytes(at, HEADER_BYTES)?) {
            Some(header) if header.key == key && at + u64::from(header.bytes) <= end => {
                found.sizes.push(header.bytes);
                last_bytes = header.bytes;
                at += u64::from(header.bytes);
            }
            _ => {
                if is_tail(window, at)? {
                    break;
                }
                let Some(next) = resync(window, at + 1, key, parse)? else { break };
                found.gaps += 1;
                let lost = (next - at).checked_div(u64::from(last_bytes)).map_or(0, |whole| {
                    whole + u64::from((next - at) % u64::from(last_bytes) > u64::from(last_bytes) / 2)
                });
                let room = (MAX_PACKETS - found.sizes.len()) as u64;
                found.sizes.extend(std::iter::repeat_n(0, lost.min(room) as usize));
                at = next;
                checkpoint = true;
            }
        }
    }
    // Checkpoints that no frame follows are removed.
    let packets = found.sizes.len() as u32;
    found.chunks.retain(|chunk| chunk.first < packets);
    Ok(found)
}

/// Finds the next frame of the stream from `at` on.
fn resync(window: &mut FileWindow, at: u64, key: u32, parse: fn(&[u8]) -> Option<Header>) -> Result<Option<u64>> {
    for offset in at..window.source().bytes() {
        let bytes = window.bytes(offset, HEADER_BYTES)?;
        if bytes.len() < 4 {
            break;
        }
        let Some(header) = (bytes[0] == 0xff).then(|| parse(bytes)).flatten() else { continue };
        if is_followed(window, offset, header, Some(key), 1, parse)? {
            return Ok(Some(offset));
        }
    }
    Ok(None)
}

/// Returns the byte after the `ID3v2` tags that begin at `at`.
pub(super) fn skip_id3v2(window: &mut FileWindow, mut at: u64) -> Result<u64> {
    for _ in 0..16 {
        let Some(head) = window.array::<10>(at)? else { break };
        if &head[..3] != b"ID3" || head[6..].iter().any(|byte| byte & 0x80 != 0) {
            break;
        }
        let size = head[6..].iter().fold(0u64, |size, byte| size << 7 | u64::from(*byte));
        let footer = if head[5] & 0x10 == 0 { 0 } else { 10 };
        at = at.saturating_add(10 + size + footer);
    }
    Ok(at)
}
