//! The sample description: the codec and its header.

use std::sync::Arc;

use super::boxes::{Mp4Box, children, find};
use super::{aac_codec, unsupported};
use crate::Layout;
use crate::codec::{Codec, CodecKind};
use crate::codec_names::{no_four_codec, no_object_codec};
use crate::container::flac;
use crate::durations::Durations;
use crate::flac::StreamInfo;
use crate::ima4;
use crate::pcm::SampleKind;
use crate::source::{FileWindow, audio_format};
use base::error::Result;

/// The maximum size of a codec header. A larger one is damaged.
const MAX_HEADER_BYTES: u64 = 64 << 10;
/// The flag of samples in the upper bits of their bytes.
const ALIGNED_HIGH: u32 = 16;

/// The contents of the first sample description.
pub(super) struct Entry {
    pub codec: Codec,
    pub durations: Durations,
    /// Frames to skip at the start, according to the codec's header.
    pub delay: u64,
    pub bits: Option<u32>,
    /// The unit of sound that chunks are split by, for codecs whose samples are not packets.
    pub block: Option<Block>,
}

/// The smallest unit of sound that can be decoded: a frame of uncompressed audio, or a block of ADPCM.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Its size in bytes, of all channels.
    pub bytes: u32,
    /// The frames in it.
    pub frames: u32,
    /// The bytes of a packet, a multiple of the block's.
    pub packet_bytes: u32,
}

impl Block {
    /// A block of one frame, which are read up to 64 KiB at once.
    fn of_frame(bytes: u32) -> Self {
        Self { bytes, frames: 1, packet_bytes: ((64 << 10) / bytes * bytes).max(bytes) }
    }
}

/// The fields of the description that precede its boxes.
struct Fixed {
    format: [u8; 4],
    channels: usize,
    bits: u32,
    rate_hz: u32,
    /// The format flags of a version 2 description of uncompressed audio.
    pcm_flags: u32,
    /// The bytes of a frame in such a description; 0 in others.
    frame_bytes: u32,
    boxes: Mp4Box,
}

/// Reads the first entry of an `stsd` box.
pub(super) fn read(window: &mut FileWindow, description: Mp4Box) -> Result<Entry> {
    let source = Arc::clone(window.source());
    let Some(fixed) = read_fixed(window, description)? else {
        return Err(source.malformed("the MP4's sample description is cut off"));
    };
    let kind = |kind: [u8; 4], window: &mut FileWindow| payload(window, fixed.boxes, kind);
    let pcm = |kind: Option<SampleKind>| {
        let kind = kind.ok_or_else(|| unsupported(&format!("PCM of {} bits", fixed.bits)))?;
        let audio = audio_format(&source, fixed.rate_hz, fixed.channels)?;
        let block = Block::of_frame((kind.bytes() * fixed.channels) as u32);
        Ok(Entry {
            codec: Codec { kind: CodecKind::Pcm(kind), audio, extra: Vec::new(), packet_frames: 0, gain: 1.0 },
            durations: Durations::Bytes(block.bytes),
            delay: 0,
            bits: match kind {
                SampleKind::ALaw | SampleKind::MuLaw => None,
                SampleKind::S24In32Le | SampleKind::S24In32Be => Some(24),
                kind => Some(kind.bytes() as u32 * 8),
            },
            block: Some(block),
        })
    };
    let bytes = fixed.bits.div_ceil(8) as usize;
    match &fixed.format {
        b"mp4a" => {
            let Some(esds) = kind(*b"esds", window)? else {
                return Err(source.malformed("the MP4's AAC track has no `esds` box"));
            };
            match descriptor(esds.get(4..).unwrap_or_default()) {
                Some((0x40, configuration)) => {
                    let codec = aac_codec(&source, configuration)?;
                    Ok(Entry { codec, durations: Durations::Constant(1024), delay: 0, bits: None, block: None })
                }
                Some((0x69 | 0x6b, _)) => mpeg(window, &fixed),
                Some((other, _)) => Err(no_object_codec(other, "MP4")),
                None => Err(source.malformed("the MP4's `esds` box is damaged")),
            }
        }
        b".mp3" | b".mp2" | b".mp1" | b"ms\0\x55" | b"ms\0\x50" => mpeg(window, &fixed),
        b"alac" => {
            let Some(cookie) = kind(*b"alac", window)? else {
                return Err(source.malformed("the MP4's ALAC track has no `alac` box"));
            };
            let (codec, bits) = alac_codec(&source, cookie.get(4..).unwrap_or_default())?;
            let frames = codec.packet_frames;
            Ok(Entry { codec, durations: Durations::Alac(frames), delay: 0, bits: Some(bits), block: None })
        }
        b"fLaC" => {
            let header = kind(*b"dfLa", window)?.unwrap_or_default();
            let Some(info) = header.get(8..42).and_then(StreamInfo::read) else {
                return Err(source.malformed("the MP4's FLAC track has no usable `dfLa` box"));
            };
            let (codec, bits) = (flac::codec(&info, &source)?, Some(info.bits));
            Ok(Entry { codec, durations: Durations::Flac(info), delay: 0, bits, block: None })
        }
        b"Opus" => {
            let header = kind(*b"dOps", window)?.unwrap_or_default();
            let (codec, delay) = super::super::ogg::opus_codec(&source, &opus_head(&header))?;
            Ok(Entry { codec, durations: Durations::Opus, delay, bits: None, block: None })
        }
        b"sowt" => pcm(match SampleKind::integer(bytes, false) {
            Some(SampleKind::U8) => Some(SampleKind::S8),
            kind => kind,
        }),
        b"twos" => pcm(SampleKind::integer(bytes, true)),
        b"raw " => pcm(Some(SampleKind::U8)),
        b"in24" => pcm(Some(if little_endian(window, &fixed)? { SampleKind::S24Le } else { SampleKind::S24Be })),
        b"in32" => pcm(Some(if little_endian(window, &fixed)? { SampleKind::S32Le } else { SampleKind::S32Be })),
        b"fl32" => pcm(Some(if little_endian(window, &fixed)? { SampleKind::F32Le } else { SampleKind::F32Be })),
        b"fl64" => pcm(Some(if little_endian(window, &fixed)? { SampleKind::F64Le } else { SampleKind::F64Be })),
        b"ima4" => {
            let audio = audio_format(&source, fixed.rate_hz, fixed.channels)?;
            let (bytes, frames) = (ima4::BLOCK_BYTES * fixed.channels as u32, ima4::BLOCK_FRAMES);
            let kind = CodecKind::AdpcmImaQt;
            Ok(Entry {
                codec: Codec { kind, audio, extra: Vec::new(), packet_frames: frames, gain: 1.0 },
                durations: Durations::Constant(frames),
                delay: 0,
                bits: None,
                block: Some(Block { bytes, frames, packet_bytes: bytes }),
            })
        }
        b"alaw" => pcm(Some(SampleKind::ALaw)),
        b"ulaw" => pcm(Some(SampleKind::MuLaw)),
        b"lpcm" => {
            let big = fixed.pcm_flags & 2 != 0;
            let is_wide = fixed.bits == 24 && fixed.frame_bytes as usize == 4 * fixed.channels;
            pcm(match (fixed.pcm_flags & 1 != 0, is_wide, fixed.pcm_flags & ALIGNED_HIGH != 0) {
                (true, ..) => SampleKind::float(bytes, big),
                (_, true, true) => SampleKind::integer(4, big),
                (_, true, false) => Some(if big { SampleKind::S24In32Be } else { SampleKind::S24In32Le }),
                (_, false, _) => SampleKind::integer(bytes, big),
            })
        }
        b"ipcm" | b"fpcm" => {
            let header = kind(*b"pcmC", window)?.unwrap_or_default();
            let (little, bits) = (header.get(4) == Some(&1), header.get(5).map_or(fixed.bits, |bits| u32::from(*bits)));
            let bytes = bits.div_ceil(8) as usize;
            pcm(if &fixed.format == b"fpcm" {
                SampleKind::float(bytes, !little)
            } else {
                SampleKind::integer(bytes, !little)
            })
        }
        other => Err(no_four_codec(*other, "MP4")),
    }
}

/// Returns the contents of the `chan` box of the first entry, without version and flags; empty if there is none.
pub(super) fn layout(window: &mut FileWindow, description: Mp4Box) -> Result<Vec<u8>> {
    let Some(fixed) = read_fixed(window, description)? else { return Ok(Vec::new()) };
    let found = payload(window, fixed.boxes, *b"chan")?.unwrap_or_default();
    Ok(found.get(4..).unwrap_or_default().to_vec())
}

fn read_fixed(window: &mut FileWindow, description: Mp4Box) -> Result<Option<Fixed>> {
    let start = description.start + 8;
    let Some(entry_bytes) = window.be32(start)? else { return Ok(None) };
    let end = start.saturating_add(u64::from(entry_bytes)).min(description.end);
    let bytes = window.bytes(start, 72)?;
    if bytes.len() < 36 || entry_bytes < 36 {
        return Ok(None);
    }
    let be16 = |at: usize| bytes.get(at..at + 2).map_or(0, |two| u32::from(two[0]) << 8 | u32::from(two[1]));
    let be32 = |at: usize| be16(at) << 16 | be16(at + 2);
    let format = [bytes[4], bytes[5], bytes[6], bytes[7]];
    let (version, boxes) = match be16(16) {
        1 => (1, start + 52),
        2 => (2, start + 72),
        _ => (0, start + 36),
    };
    let (channels, bits, rate_hz, pcm_flags, frame_bytes) = if version == 2 {
        let rate = f64::from_bits(u64::from(be32(40)) << 32 | u64::from(be32(44)));
        (be32(48) as usize, be32(56), if (1.0..1e6).contains(&rate) { rate as u32 } else { 0 }, be32(60), be32(64))
    } else {
        (be16(24) as usize, be16(26), be32(32) >> 16, 0, 0)
    };
    let boxes = Mp4Box { kind: format, start: boxes, end };
    Ok(Some(Fixed { format, channels, bits, rate_hz, pcm_flags, frame_bytes, boxes }))
}

/// Returns the contents of a box in the description. `QuickTime` stores it one level deeper, in `wave`.
fn payload(window: &mut FileWindow, boxes: Mp4Box, kind: [u8; 4]) -> Result<Option<Vec<u8>>> {
    let found = match find(window, boxes, kind)? {
        Some(found) => Some(found),
        None => match find(window, boxes, *b"wave")? {
            // `wave` may also contain an empty box of the same type. The non-empty one is used.
            Some(wave) => children(window, wave)?.into_iter().find(|child| child.kind == kind && child.bytes() > 0),
            None => None,
        },
    };
    match found.filter(|found| found.bytes() <= MAX_HEADER_BYTES) {
        Some(found) => Ok(Some(window.bytes(found.start, found.bytes() as usize)?.to_vec())),
        None => Ok(None),
    }
}

fn little_endian(window: &mut FileWindow, fixed: &Fixed) -> Result<bool> {
    Ok(payload(window, fixed.boxes, *b"enda")?.is_some_and(|flag| flag.last() == Some(&1)))
}

fn mpeg(window: &FileWindow, fixed: &Fixed) -> Result<Entry> {
    let audio = audio_format(window.source(), fixed.rate_hz, fixed.channels)?;
    let codec = Codec { kind: CodecKind::Mp3, audio, extra: Vec::new(), packet_frames: 0, gain: 1.0 };
    // The frames tell which layer it is, and how long they are.
    Ok(Entry { codec, durations: Durations::Constant(1152), delay: 0, bits: None, block: None })
}

/// Returns the object type and configuration of an elementary stream descriptor (ISO/IEC 14496-1).
fn descriptor(mut bytes: &[u8]) -> Option<(u8, &[u8])> {
    let mut object_type = None;
    for _ in 0..8 {
        let (tag, mut rest) = (*bytes.first()?, &bytes[1..]);
        let mut size = 0usize;
        for _ in 0..4 {
            let byte = *rest.first()?;
            rest = &rest[1..];
            size = size << 7 | usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                break;
            }
        }
        match tag {
            3 => {
                let flags = *rest.get(2)?;
                let mut skip = 3;
                skip += if flags & 0x80 != 0 { 2 } else { 0 };
                skip += if flags & 0x40 != 0 { 1 + usize::from(*rest.get(skip)?) } else { 0 };
                skip += if flags & 0x20 != 0 { 2 } else { 0 };
                bytes = rest.get(skip..)?;
            }
            4 => {
                object_type = Some(*rest.first()?);
                bytes = rest.get(13..)?;
                if bytes.is_empty() || bytes[0] != 5 {
                    return Some((object_type?, &[]));
                }
            }
            5 => return Some((object_type?, rest.get(..size.min(rest.len()))?)),
            _ => bytes = rest.get(size..)?,
        }
    }
    None
}

/// Returns the AAC configuration of an `esds` body or a CAF cookie, which have the same format.
pub(crate) fn aac_configuration(bytes: &[u8]) -> Option<&[u8]> {
    match descriptor(bytes) {
        Some((0x40, configuration)) => Some(configuration),
        _ => None,
    }
}

/// Returns the codec of an ALAC cookie, and its bits per sample.
pub(crate) fn alac_codec(source: &crate::source::SourceFile, cookie: &[u8]) -> Result<(Codec, u32)> {
    // Older files wrap the cookie in additional boxes.
    let cookie = match cookie.get(4..8) {
        Some(b"frma") => cookie.get(24..).unwrap_or_default(),
        _ => cookie,
    };
    if cookie.len() < 24 {
        return Err(source.malformed("the ALAC header is cut off"));
    }
    let be32 = |at: usize| u32::from_be_bytes([cookie[at], cookie[at + 1], cookie[at + 2], cookie[at + 3]]);
    let (frames, bits, channels) = (be32(0), u32::from(cookie[5]), usize::from(cookie[9]));
    if frames == 0 || frames > 65_536 {
        return Err(source.malformed(format!("the ALAC header says {frames} frames a packet")));
    }
    // The layouts of ALAC by number of channels, in the order in which the decoder puts them.
    let mask = [0x4, 0x3, 0x7, 0x107, 0x37, 0x3f, 0x70f, 0x6cf].get(channels.wrapping_sub(1));
    let layout = mask.and_then(|mask| Layout::from_mask(*mask));
    let audio = audio_format(source, be32(20), channels)?.with_layout(layout);
    let codec = Codec { kind: CodecKind::Alac, audio, extra: cookie.to_vec(), packet_frames: frames, gain: 1.0 };
    Ok((codec, bits))
}

/// Builds an Ogg Opus header from the fields of a `dOps` box, which stores them in big-endian order.
fn opus_head(fields: &[u8]) -> Vec<u8> {
    let mut head = b"OpusHead\x01".to_vec();
    if let [_, channels, skip1, skip0, rate3, rate2, rate1, rate0, gain1, gain0, rest @ ..] = fields {
        head.extend([*channels, *skip0, *skip1, *rate0, *rate1, *rate2, *rate3, *gain0, *gain1]);
        head.extend(rest);
    }
    head
}
