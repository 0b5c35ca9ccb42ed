//! MPEG audio (MP3, and layers 1 and 2). Counts the frames; reads delay and padding from the Xing or LAME header.

use std::ops::Range;
use std::sync::Arc;

use super::scan::{HEADER_BYTES, Header, Run, first_frame, scan};
use crate::codec::{Codec, CodecKind};
use crate::decode::Trim;
use crate::mpeg::{FrameHeader, frame_header, is_likely};
use crate::packets::{Starts, Table};
use crate::parts::{RecordingPart, Stream};
use crate::probed::ProbedFile;
use crate::source::{FileWindow, SourceFile, audio_format};
use crate::unread::{skip_padding, unread};
use base::error::Result;

/// The delay of every MP3 decoder in frames (polyphase and hybrid filter bank). The LAME header does not include it.
const DECODER_DELAY_FRAMES: u64 = 529;
/// The maximum number of bytes before the first frame.
const MAX_JUNK_BYTES: u64 = 1 << 20;
/// The largest frame of free format that the decoder takes: 640 kbit/s at 40 kHz.
const MAX_FREE_BYTES: usize = 2303;
/// How many places are tried as the first frame of a stream of free format.
const MAX_FREE_TRIES: usize = 64;

/// The maximum number of warnings about one file.
const MAX_WARNINGS: usize = 12;

/// Returns the codec of a frame.
pub(super) fn kind(header: FrameHeader) -> CodecKind {
    match header.layer {
        1 => CodecKind::Mp1,
        2 => CodecKind::Mp2,
        _ => CodecKind::Mp3,
    }
}

/// Parses the header of a stream of free format, whose frames have `free_bytes` bytes, or of another stream if that is 0.
fn header(bytes: &[u8], free_bytes: u32) -> Option<Header> {
    let frame = frame_header(bytes, free_bytes).filter(|frame| (frame.kbps == 0) == (free_bytes > 0))?;
    // The decoder follows a change of the channels.
    let key = frame.rate_hz << 6 | u32::from(frame.layer) << 4 | u32::from(frame.lsf) << 2;
    let opens = stream_tag(&bytes[..bytes.len().min(frame.bytes as usize)], frame).is_some();
    let FrameHeader { rate_hz, channels, frames, bytes, .. } = frame;
    Some(Header { bytes, key, frames, rate_hz, channels, opens })
}

/// The kinds of headers of a stream, with their offset in the frame.
enum StreamTag {
    Vbri,
    Xing(usize),
}

/// Finds the header of a stream in a frame that holds one instead of audio.
fn stream_tag(frame: &[u8], header: FrameHeader) -> Option<StreamTag> {
    if header.layer != 3 {
        return None;
    }
    if frame.get(36..40) == Some(b"VBRI") {
        return Some(StreamTag::Vbri);
    }
    let side = match (header.lsf, header.channels) {
        (false, 2) => 32,
        (false, _) | (true, 2) => 17,
        (true, _) => 9,
    };
    // An optional checksum is between the header and the side information.
    let is_tag = |tag: &usize| matches!(frame.get(*tag..tag + 4), Some(b"Xing" | b"Info"));
    [4 + side, 6 + side].into_iter().find(is_tag).map(StreamTag::Xing)
}

/// The contents of a first frame that holds a Xing, Info or VBRI header instead of audio.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct StreamHeader {
    packets: Option<u32>,
    /// Encoder delay and padding in frames, in the format of LAME.
    gapless: Option<(u64, u64)>,
}

fn stream_header(frame: &[u8], header: FrameHeader) -> Option<StreamHeader> {
    let be32 = |at: usize| frame.get(at..at + 4).and_then(|bytes| bytes.first_chunk().copied()).map(u32::from_be_bytes);
    let tag = match stream_tag(frame, header)? {
        StreamTag::Vbri => return Some(StreamHeader { packets: be32(50), gapless: None }),
        StreamTag::Xing(tag) => tag,
    };
    let flags = be32(tag + 4)?;
    let mut at = tag + 8;
    let mut take = |flag: u32, bytes: usize| {
        let here = at;
        let present = flags & flag != 0;
        at += if present { bytes } else { 0 };
        present.then_some(here)
    };
    let packets = take(1, 4).and_then(be32).filter(|packets| *packets > 0);
    take(2, 4);
    take(4, 100);
    take(8, 4);
    let encoder = frame.get(at..at + 9).unwrap_or_default();
    let gapless = frame
        .get(at + 21..at + 24)
        .map(|field| u32::from_be_bytes([0, field[0], field[1], field[2]]))
        .map(|field| (u64::from(field >> 12), u64::from(field & 0xfff)))
        .filter(|gapless| *gapless != (0, 0) && encoder.iter().any(u8::is_ascii_alphabetic));
    Some(StreamHeader { packets, gapless })
}

/// Returns whether the frame that begins with these bytes can be one by what follows its header. `free_bytes` is the size of
/// one of free format, 1 if that is not known.
fn may_be_frame(bytes: &[u8], free_bytes: u32) -> bool {
    frame_header(bytes, free_bytes).is_some_and(|frame| is_likely(bytes, frame))
}

/// Returns the size without padding of the frame of free format at `start`, by the distance to the next frames; 0 if
/// there is none.
fn free_bytes(window: &mut FileWindow, start: u64) -> Result<u32> {
    let bytes = window.bytes(start, MAX_FREE_BYTES + 4)?.to_vec();
    let Some(first) = header(&bytes, 1) else { return Ok(0) };
    for distance in 4..bytes.len().saturating_sub(3) {
        if header(&bytes[distance..], 1).is_none_or(|next| next.key != first.key) {
            continue;
        }
        let size = (distance as u32 + 1).saturating_sub(first.bytes);
        let parse = |bytes: &[u8]| header(bytes, size);
        if first_frame(window, start, 1, parse, |_| true)?.is_some() {
            // Where headers have regular distances, frames of several such distances would look likely too.
            let likely = |bytes: &[u8]| parse(bytes).filter(|_| may_be_frame(bytes, size));
            let is_likely = first_frame(window, start, 1, likely, |_| true)?.is_some();
            return Ok(if is_likely { size } else { 0 });
        }
    }
    Ok(0)
}

/// Finds the first frame of a stream of free format in a range of bytes.
fn first_free_frame(window: &mut FileWindow, range: Range<u64>) -> Result<Option<u64>> {
    let mut tries = 0;
    for offset in range {
        let bytes = window.bytes(offset, HEADER_BYTES)?;
        if bytes.len() < 4 || tries == MAX_FREE_TRIES {
            break;
        }
        if header(bytes, 1).is_some() && may_be_frame(bytes, 1) {
            tries += 1;
            if free_bytes(window, offset)? > 0 {
                return Ok(Some(offset));
            }
        }
    }
    Ok(None)
}

/// Opens an MPEG audio file; `None` if it is not one.
pub(crate) fn open(source: &Arc<SourceFile>) -> Result<Option<ProbedFile>> {
    open_in(source, 0..source.bytes(), "MP3")
}

/// Opens the MPEG audio in a range of bytes of a file; `None` if there is none.
pub(crate) fn open_in(source: &Arc<SourceFile>, range: Range<u64>, container: &str) -> Result<Option<ProbedFile>> {
    let mut window = FileWindow::new(source);
    let start = skip_padding(&mut window, range.start, range.end)?;
    let limit = MAX_JUNK_BYTES.min(range.end.saturating_sub(start));
    let likely = |bytes: &[u8]| may_be_frame(bytes, 0);
    let stated = first_frame(&mut window, start, limit, |bytes| header(bytes, 0), likely)?;
    let mut stated = stated.map(|(first, _)| first);
    // A container says that there is MPEG audio, however little of it.
    if range.start > 0 && stated.is_none() && header(window.bytes(start, HEADER_BYTES)?, 0).is_some() {
        stated = Some(start);
    }
    // Whichever comes first is played; a warning reports what follows of the other.
    let free = first_free_frame(&mut window, start..stated.unwrap_or(start.saturating_add(limit)))?;
    let Some(first) = free.or(stated) else { return Ok(None) };
    let mut opened = open_at(source, first, range.end, container)?;
    opened.warnings.extend(unread(&mut window, start..first)?);
    Ok(Some(opened))
}

/// Opens the MPEG audio whose first frame is at byte `start`, up to byte `end`. Files that were joined, each with a
/// header, are played one after the other, without the delay and padding of each.
fn open_at(source: &Arc<SourceFile>, start: u64, end: u64, container: &str) -> Result<ProbedFile> {
    let mut window = FileWindow::new(source);
    let free_bytes = free_bytes(&mut window, start)?;
    let bytes = window.bytes(start, 2048)?;
    let (Some(first), Some(common)) = (frame_header(bytes, free_bytes), header(bytes, free_bytes)) else {
        return Err(source.malformed(format!("there is no MPEG audio frame at byte {start}")));
    };
    let scanned = scan(&mut window, start, end, common, |bytes| header(bytes, free_bytes))?;
    let mut warnings = scanned.warnings(common, |header| {
        let layer = ["MPEG layer 1", "MP2", "MP3"][(header.key >> 4 & 3).saturating_sub(1) as usize % 3];
        format!("{layer}, {} Hz", header.rate_hz)
    });
    let read_to = scanned.end;
    if scanned.runs.is_empty() {
        return Err(source.malformed("the MP3 has a header, but no audio"));
    }
    let kind = kind(first);
    let audio = audio_format(source, first.rate_hz, first.channels)?;
    let codec = Arc::new(Codec { kind, audio, extra: Vec::new(), packet_frames: 0, gain: 1.0 });
    let mut parts = Vec::with_capacity(scanned.runs.len());
    for run in scanned.runs {
        warnings.truncate(MAX_WARNINGS);
        parts.push(RecordingPart::Stream(stream(&mut window, run, (first.frames, free_bytes), &codec, &mut warnings)?));
    }
    let format = if container == "MP3" { kind.name() } else { container };
    Ok(ProbedFile::parts(format, None, &codec, parts, warnings).read_to(read_to))
}

/// Returns the stream of a run of frames, each of which has `frames` frames of sound, and `free_bytes` bytes in free
/// format.
fn stream(
    window: &mut FileWindow,
    run: Run,
    (frames, free_bytes): (u32, u32),
    codec: &Arc<Codec>,
    warnings: &mut Vec<String>,
) -> Result<Stream> {
    let opening = match run.header {
        Some(at) => {
            let bytes = window.bytes(at, 2048)?;
            frame_header(bytes, free_bytes)
                .and_then(|header| stream_header(&bytes[..bytes.len().min(header.bytes as usize)], header))
        }
        None => None,
    };
    let (chunks, sizes, packets) = run.into_sizes();
    let table = Table { chunks, sizes, starts: Starts::Constant(frames), packets, roll: codec.kind.roll() };
    let declared = opening.and_then(|opening| opening.packets);
    let raw_frames = table.raw_frames();
    let (delay, padding) = opening.and_then(|opening| opening.gapless).map_or((0, 0), |(delay, padding)| {
        // The padding is at the end of the original stream, so it does not apply to truncated or joined files.
        let whole = declared.is_none_or(|declared| declared == packets);
        (delay + DECODER_DELAY_FRAMES, if whole { padding.saturating_sub(DECODER_DELAY_FRAMES) } else { 0 })
    });
    match declared {
        Some(declared) if declared > packets => {
            warnings.push(format!("The file is cut off. {packets} of {declared} packets can be used."));
        }
        Some(declared) if declared < packets => warnings
            .push(format!("The file has {packets} packets instead of {declared}. Several files may have been joined.")),
        _ => {}
    }
    let trim = Trim { delay, frames: raw_frames.saturating_sub(delay + padding) };
    Ok(Stream { codec: Arc::clone(codec), trim, index: Arc::new(table), ogg_serial: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_all_layers_and_versions() {
        let parse = |bytes: [u8; 4]| {
            frame_header(&bytes, 0).map(|frame| (frame.layer, frame.rate_hz, frame.channels, frame.frames, frame.bytes))
        };
        assert_eq!(parse([0xff, 0xfb, 0x90, 0x00]), Some((3, 44_100, 2, 1152, 417)));
        assert_eq!(parse([0xff, 0xfb, 0x92, 0xc0]), Some((3, 44_100, 1, 1152, 418)));
        assert_eq!(parse([0xff, 0xf3, 0x40, 0x00]), Some((3, 22_050, 2, 576, 104)));
        assert_eq!(parse([0xff, 0xe3, 0x18, 0xc0]), Some((3, 8_000, 1, 576, 72)));
        assert_eq!(parse([0xff, 0xfd, 0x94, 0x00]), Some((2, 48_000, 2, 1152, 480)));
        assert_eq!(parse([0xff, 0xff, 0x10, 0x00]), Some((1, 44_100, 2, 384, 32)));
        // Reserved emphasis.
        assert_eq!(parse([0xff, 0xfb, 0x90, 0x02]), Some((3, 44_100, 2, 1152, 417)));
        let free = |bytes: [u8; 4]| frame_header(&bytes, 1000).map(|frame| (frame.bytes, frame.kbps));
        assert_eq!(free([0xff, 0xfb, 0x02, 0x00]), Some((1001, 0)));
        assert_eq!(free([0xff, 0xff, 0x02, 0x00]), Some((1004, 0)));
        for refused in [[0xff, 0xfb, 0xf0, 0], [0xff, 0xfb, 0x00, 0], [0xff, 0xfb, 0x9c, 0], [0xff, 0xeb, 0x90, 0]] {
            assert_eq!(parse(refused), None, "{refused:x?}");
        }
    }
}
