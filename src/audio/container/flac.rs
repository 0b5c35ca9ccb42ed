//! FLAC (RFC 9639): every frame says where it belongs, so that damage and cut-off ends are seen and any frame is found
//! by halving the file.

mod checksum;
mod header;
mod walk;

use std::sync::Arc;

pub(crate) use header::{FrameHeader, StreamInfo};
pub(crate) use walk::{FlacIndex, FlacPackets};

use self::checksum::crc16;
use super::scan::skip_id3v2;
use crate::audio::decode::Trim;
use crate::audio::opened::{Index, Opened, Stream};
use crate::audio::source::{Source, Window};
use crate::error::Result;

/// Metadata blocks before the audio, at most.
const MAX_BLOCKS: usize = 1024;
/// The end of the file is searched for its last whole frame this far back.
const MAX_TAIL_BYTES: u64 = 16 << 20;

/// The byte at which a FLAC stream begins, behind `ID3v2` tags that do not belong there; none for other files.
pub(crate) fn find(window: &mut Window) -> Result<Option<u64>> {
    let start = skip_id3v2(window, 0)?;
    Ok((window.bytes(start, 4)? == b"fLaC").then_some(start))
}

/// Looks at the FLAC stream that begins at `start`.
pub(crate) fn open(source: &Arc<Source>, start: u64) -> Result<Opened> {
    let mut window = Window::new(source);
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
    // Metadata of a wrong length does not hide the audio.
    let Some((first, _)) = walk::find_frame(&mut window, at.min(source.bytes()), source.bytes(), &info)? else {
        return Err(source.malformed("the FLAC has headers, but no whole frame of audio"));
    };
    let mut end = source.bytes();
    if window.bytes(end.saturating_sub(128), 3)? == b"TAG" {
        end = end.saturating_sub(128).max(first);
    }
    let mut warnings = Vec::new();
    let declared = info.frames;
    let found = last_frame(source, first, end, &info)?;
    let frames = match (found, declared) {
        (Some(found), 0) => found,
        (Some(found), declared) => {
            if found < declared {
                warnings.push(format!(
                    "the file is cut off: its header says {declared} frames, {found} are there and can be used"
                ));
            }
            found.min(declared)
        }
        (None, declared) if declared > 0 && end - first > MAX_TAIL_BYTES => {
            warnings.push("the end of the file is damaged; what cannot be read there is silent".to_owned());
            declared
        }
        (None, _) => return Err(source.malformed("the FLAC holds no whole frame of audio")),
    };
    let index = FlacIndex { info, first, end };
    let bits = Some(index.info.bits);
    let stream =
        Stream { codec: Arc::new(codec), trim: Trim { delay: 0, frames }, index: Index::Flac(Arc::new(index)) };
    Ok(Opened::packets("FLAC", bits, stream, warnings))
}

/// The frame after the last one that is whole, searched from the end of the file.
fn last_frame(source: &Source, first: u64, end: u64, info: &StreamInfo) -> Result<Option<u64>> {
    let mut tail_bytes = (2 * info.most_frame_bytes()).max(64 << 10);
    loop {
        let start = end.saturating_sub(tail_bytes).max(first);
        let mut tail = vec![0; (end - start) as usize];
        let got = source.read_at(start, &mut tail)?;
        tail.truncate(got);
        let frames: Vec<(usize, FrameHeader)> = (0..tail.len())
            .filter(|at| tail[*at] == 0xff)
            .filter_map(|at| FrameHeader::parse(&tail[at..], info).map(|header| (at, header)))
            .collect();
        for (number, (at, header)) in frames.iter().enumerate().rev() {
            let after = header.start + u64::from(header.frames);
            // Only the last may have something behind it that belongs to no frame.
            let complete = number + 1 == frames.len() && after == info.frames;
            let ends = frames[number + 1..].iter().map(|(next, _)| *next).chain([tail.len()]).take(16);
            if complete || ends.into_iter().any(|end| is_whole(&tail[*at..end])) {
                return Ok(Some(after));
            }
        }
        if start == first || tail_bytes >= MAX_TAIL_BYTES {
            return Ok(None);
        }
        tail_bytes = (tail_bytes * 8).min(MAX_TAIL_BYTES);
    }
}

/// Whether these bytes are one frame with its right checksum at the end.
fn is_whole(frame: &[u8]) -> bool {
    frame.len() > 8 && crc16(0, frame) == 0
}
