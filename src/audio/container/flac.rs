//! FLAC (RFC 9639). Every frame states its position, so that damage and truncation are detected and any frame is found
//! by bisection of the file.

mod header;
mod walk;

use std::sync::Arc;

pub(crate) use header::{FrameHeader, StreamInfo};
pub(crate) use walk::FlacIndex;

use crate::audio::checksums::crc16;
use crate::audio::decode::Trim;
use crate::audio::packets::MAX_PACKET_BYTES;
use crate::audio::probed::{ProbedFile, Stream};
use crate::audio::source::{FileWindow, SourceFile};
use crate::audio::unread::skip_tags;
use crate::error::Result;

/// The maximum number of metadata blocks before the audio.
const MAX_BLOCKS: usize = 1024;
/// The maximum number of bytes that the backward search for the last whole frame reads at once.
const MAX_SEARCHED_BYTES: u64 = 16 << 20;
/// The minimum size of a frame: a header of 6 bytes, one constant sample of 8 bits and the checksum.
const MIN_FRAME_BYTES: u64 = 10;

/// Returns the byte at which a FLAC stream begins, after any misplaced `ID3v2` tags; `None` for other files.
pub(crate) fn find(window: &mut FileWindow) -> Result<Option<u64>> {
    let end = window.source().bytes();
    let start = skip_tags(window, 0, end)?;
    Ok((window.bytes(start, 4)? == b"fLaC").then_some(start))
}

/// Opens the FLAC stream that begins at `start`.
pub(crate) fn open(source: &Arc<SourceFile>, start: u64) -> Result<ProbedFile> {
    let mut window = FileWindow::new(source);
    let (mut at, mut info) = (start + 4, None);
    for _ in 0..MAX_BLOCKS {
        let Some(head) = window.be32(at)? else { break };
        let (kind, bytes) = (head >> 24 & 0x7f, u64::from(head & 0xff_ffff));
        if kind == 0 && info.is_none() {
            info = StreamInfo::read(window.bytes(at + 4, 34)?);
        }
        at += 4 + bytes;
        if head >> 31 == 1 {
            break;
        }
    }
    let Some(info) = info else {
        return Err(source.malformed("the FLAC has no usable STREAMINFO block: it cannot be told what is in it"));
    };
    let codec = info.codec(source)?;
    // The audio is found even if a metadata block states a wrong length.
    let Some((first, _)) = walk::find_frame(&mut window, at.min(source.bytes()), source.bytes(), &info)? else {
        return Err(source.malformed("the FLAC has headers, but no whole frame of audio"));
    };
    let mut end = source.bytes();
    if window.bytes(end.saturating_sub(128), 3)? == b"TAG" {
        end = end.saturating_sub(128).max(first);
    }
    let mut warnings = Vec::new();
    let declared = info.frames;
    let Some(last) = last_frame(source, first, end, &info)? else {
        return Err(source.malformed("The FLAC file has no whole frame of audio"));
    };
    if last.after < declared {
        let there = last.after;
        warnings.push(format!("The file is cut off or its end is damaged. {there} of {declared} samples can be used."));
    }
    let frames = if declared > 0 { last.after.min(declared) } else { last.after };
    end = last.end;
    let index = FlacIndex { info, first, end };
    let bits = Some(index.info.bits);
    let stream =
        Stream { codec: Arc::new(codec), trim: Trim { delay: 0, frames }, index: Arc::new(index), ogg_serial: None };
    Ok(ProbedFile::packets("FLAC", bits, stream, warnings))
}

/// The end of a file's audio.
struct Last {
    /// The audio frame after the last whole FLAC frame.
    after: u64,
    /// The byte after the last whole FLAC frame.
    end: u64,
}

/// Searches the file backwards for its last whole FLAC frame.
fn last_frame(source: &SourceFile, first: u64, end: u64, info: &StreamInfo) -> Result<Option<Last>> {
    let most = info.max_frame_bytes().min(u64::from(MAX_PACKET_BYTES));
    let mut searched = (2 * most).clamp(64 << 10, MAX_SEARCHED_BYTES);
    let mut until = end;
    loop {
        let start = until.saturating_sub(searched).max(first);
        // A frame that begins before `until` may end after it.
        let mut bytes = vec![0; (until.saturating_add(most).min(end) - start) as usize];
        let got = source.read_at(start, &mut bytes)?;
        bytes.truncate(got);
        let headers: Vec<(usize, FrameHeader)> = (0..bytes.len())
            .filter(|at| bytes[*at] == 0xff)
            .filter_map(|at| FrameHeader::parse(&bytes[at..], info).map(|header| (at, header)))
            .collect();
        for (number, (at, header)) in headers.iter().enumerate().rev() {
            let after = header.start + u64::from(header.frames);
            let begin = start + *at as u64;
            // If the preceding bytes have no room for that many frames, the frame's number is damaged.
            let room = ((begin - first) / MIN_FRAME_BYTES + 1).saturating_mul(info.max_frames());
            if begin >= until || after > room {
                continue;
            }
            // Only the last frame may be followed by bytes that belong to no frame.
            if until == end && number + 1 == headers.len() && after == info.frames {
                return Ok(Some(Last { after, end }));
            }
            let ends = headers[number + 1..].iter().map(|(next, _)| *next).chain([bytes.len()]).take(16);
            let mut near = ends.take_while(|end| (end - at) as u64 <= most);
            if let Some(whole) = near.find(|end| is_whole(&bytes[*at..*end])) {
                return Ok(Some(Last { after, end: start + whole as u64 }));
            }
        }
        if start == first {
            return Ok(None);
        }
        until = start;
        searched = (searched * 8).min(MAX_SEARCHED_BYTES);
    }
}

/// Returns whether the bytes are one frame that ends with the correct checksum.
fn is_whole(frame: &[u8]) -> bool {
    frame.len() > 8 && crc16(0, frame) == 0
}
