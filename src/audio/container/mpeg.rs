//! MPEG audio (MP3, and layers 1 and 2). Counts the frames; reads delay and padding from the Xing or LAME header.

use std::sync::Arc;

use super::scan::{Header, first_frame, scan, skip_id3v2};
use crate::audio::codec::{Codec, CodecKind};
use crate::audio::decode::Trim;
use crate::audio::packets::{PacketPrefix, Starts, Table};
use crate::audio::probed::{ProbedFile, Stream, audio_format};
use crate::audio::source::{FileWindow, SourceFile};
use crate::error::Result;

/// The delay of every MP3 decoder in frames (polyphase and hybrid filter bank). The LAME header does not include it.
const DECODER_DELAY_FRAMES: u64 = 529;
/// The maximum number of bytes before the first frame.
const MAX_JUNK_BYTES: u64 = 64 << 10;

/// A parsed MPEG audio frame header.
#[derive(Clone, Copy, Debug)]
struct FrameHeader {
    layer: u8,
    lsf: bool,
    rate_hz: u32,
    channels: usize,
    frames: u32,
    bytes: u32,
}

fn frame_header(bytes: &[u8]) -> Option<FrameHeader> {
    const KBPS: [[u16; 15]; 5] = [
        [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ];
    let word = u32::from_be_bytes(*bytes.first_chunk()?);
    if word >> 21 != 0x7ff {
        return None;
    }
    let (version, layer) = ((word >> 19) & 3, 4 - ((word >> 17) & 3));
    let (bitrate, rate) = ((word >> 12) & 15, (word >> 10) & 3);
    if version == 1 || layer == 4 || bitrate == 0 || bitrate == 15 || rate == 3 || word & 3 == 2 {
        return None;
    }
    let lsf = version != 3;
    let rate_hz = [44_100, 48_000, 32_000][rate as usize] >> [2, 0, 1, 0][version as usize];
    let row = match (lsf, layer) {
        (false, layer) => layer as usize - 1,
        (true, 1) => 3,
        (true, _) => 4,
    };
    let bits_s = u32::from(KBPS[row][bitrate as usize]) * 1000;
    let padding = (word >> 9) & 1;
    let (frames, bytes) = match layer {
        1 => (384, (12 * bits_s / rate_hz + padding) * 4),
        3 if lsf => (576, 72 * bits_s / rate_hz + padding),
        _ => (1152, 144 * bits_s / rate_hz + padding),
    };
    let channels = if (word >> 6) & 3 == 3 { 1 } else { 2 };
    Some(FrameHeader { layer: layer as u8, lsf, rate_hz, channels, frames, bytes })
}

fn header(bytes: &[u8]) -> Option<Header> {
    let frame = frame_header(bytes)?;
    let key = frame.rate_hz << 6 | u32::from(frame.layer) << 4 | u32::from(frame.lsf) << 2 | frame.channels as u32;
    Some(Header { bytes: frame.bytes, key })
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
    if header.layer != 3 {
        return None;
    }
    if frame.get(36..40) == Some(b"VBRI") {
        return Some(StreamHeader { packets: be32(50), gapless: None });
    }
    let side = match (header.lsf, header.channels) {
        (false, 2) => 32,
        (false, _) | (true, 2) => 17,
        (true, _) => 9,
    };
    // An optional checksum is between the header and the side information.
    let tag =
        [4 + side, 6 + side].into_iter().find(|tag| matches!(frame.get(*tag..tag + 4), Some(b"Xing" | b"Info")))?;
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

/// Opens an MPEG audio file; `None` if it is not one.
pub(crate) fn open(source: &Arc<SourceFile>) -> Result<Option<ProbedFile>> {
    let mut window = FileWindow::new(source);
    let start = skip_id3v2(&mut window, 0)?;
    let Some((start, _)) = first_frame(&mut window, start, MAX_JUNK_BYTES, header)? else { return Ok(None) };
    open_at(source, start, "MP3").map(Some)
}

/// Opens the MPEG audio stream whose first frame is at byte `start`.
pub(crate) fn open_at(source: &Arc<SourceFile>, start: u64, container: &str) -> Result<ProbedFile> {
    let mut window = FileWindow::new(source);
    let bytes = window.bytes(start, 2048)?;
    let (Some(first), Some(common)) = (frame_header(bytes), header(bytes)) else {
        return Err(source.malformed(format!("there is no MPEG audio frame at byte {start}")));
    };
    let stream = stream_header(&bytes[..bytes.len().min(first.bytes as usize)], first);
    let skip = if stream.is_some() { u64::from(first.bytes) } else { 0 };
    let scanned = scan(&mut window, start + skip, common.key, header)?;
    let mut warnings = Vec::new();
    if scanned.gaps > 0 {
        warnings.push(format!("{} damaged parts of the file are silent.", scanned.gaps));
    }
    let kind = match first.layer {
        1 => CodecKind::Mp1,
        2 => CodecKind::Mp2,
        _ => CodecKind::Mp3,
    };
    let (chunks, sizes, packets) = scanned.into_sizes();
    if packets == 0 {
        return Err(source.malformed("the MP3 has a header, but no audio"));
    }
    let table = Table {
        chunks,
        sizes,
        starts: Starts::Constant(first.frames),
        packets,
        roll: kind.roll(),
        lead: PacketPrefix::None,
    };
    let audio = audio_format(source, first.rate_hz, first.channels)?;
    let declared = stream.and_then(|stream| stream.packets);
    let raw_frames = table.raw_frames();
    let (delay, padding) = stream.and_then(|stream| stream.gapless).map_or((0, 0), |(delay, padding)| {
        // The padding is at the end of the original stream, so it does not apply to truncated or joined files.
        let whole = declared.is_none_or(|declared| declared == packets);
        (delay + DECODER_DELAY_FRAMES, if whole { padding.saturating_sub(DECODER_DELAY_FRAMES) } else { 0 })
    });
    match declared {
        Some(declared) if declared > packets => {
            warnings.push(format!("The file is cut off. {packets} of {declared} packets can be used."))
        }
        Some(declared) if declared < packets => warnings
            .push(format!("The file has {packets} packets instead of {declared}. Several files may have been joined.")),
        _ => {}
    }
    let frames = raw_frames.saturating_sub(delay + padding);
    let codec = Codec { kind, audio, extra: Vec::new(), packet_frames: 0, gain: 1.0 };
    let format = if container == "MP3" { kind.name() } else { container };
    Ok(ProbedFile::packets(format, None, Stream::table(codec, table, Trim { delay, frames }), warnings))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_all_layers_and_versions() {
        let parse = |bytes: [u8; 4]| {
            frame_header(&bytes).map(|frame| (frame.layer, frame.rate_hz, frame.channels, frame.frames, frame.bytes))
        };
        assert_eq!(parse([0xff, 0xfb, 0x90, 0x00]), Some((3, 44_100, 2, 1152, 417)));
        assert_eq!(parse([0xff, 0xfb, 0x92, 0xc0]), Some((3, 44_100, 1, 1152, 418)));
        assert_eq!(parse([0xff, 0xf3, 0x40, 0x00]), Some((3, 22_050, 2, 576, 104)));
        assert_eq!(parse([0xff, 0xe3, 0x18, 0xc0]), Some((3, 8_000, 1, 576, 72)));
        assert_eq!(parse([0xff, 0xfd, 0x94, 0x00]), Some((2, 48_000, 2, 1152, 480)));
        assert_eq!(parse([0xff, 0xff, 0x10, 0x00]), Some((1, 44_100, 2, 384, 32)));
        for refused in [[0xff, 0xfb, 0xf0, 0], [0xff, 0xfb, 0x00, 0], [0xff, 0xfb, 0x9c, 0], [0xff, 0xeb, 0x90, 0]] {
            assert_eq!(parse(refused), None, "{refused:x?}");
        }
    }
}
