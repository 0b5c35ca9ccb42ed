//! WAV: RIFF, RIFX, RF64 and BW64 (EBU Tech 3306, ITU-R BS.2088), with PCM, float and G.711 samples.

use std::sync::Arc;

use super::chunks::{MAX_CHUNKS, are_chunks, chain_end, unwrapped};
use super::wide::WideSamples;
use super::{mpeg, rate_warning};
use crate::Layout;
use crate::codec::{Codec, CodecKind};
use crate::codec_names::no_wave_codec;
use crate::decode::Trim;
use crate::packets::{Chunk, MAX_PACKETS, Sizes, Starts, Table, too_many_packets};
use crate::parts::Stream;
use crate::pcm::{PcmLayout, SampleKind};
use crate::probed::ProbedFile;
use crate::source::{FileWindow, SourceFile, audio_format};
use crate::unread::skip_tags;
use base::error::{Error, Result};

const FORMAT_PCM: u16 = 1;
const FORMAT_FLOAT: u16 = 3;
const FORMAT_ALAW: u16 = 6;
const FORMAT_MULAW: u16 = 7;
const FORMAT_ADPCM_MS: u16 = 2;
const FORMAT_ADPCM_IMA: u16 = 0x11;
const FORMAT_MPEG: u16 = 0x50;
const FORMAT_MP3: u16 = 0x55;
const FORMAT_EXTENSIBLE: u16 = 0xfffe;

/// Returns whether the first bytes are those of a WAV file.
pub(crate) fn is_wav(head: &[u8]) -> bool {
    head.len() >= 12 && matches!(&head[..4], b"RIFF" | b"RIFX" | b"RF64" | b"BW64") && &head[8..12] == b"WAVE"
}

/// The `fmt ` chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    pub tag: u16,
    pub channels: usize,
    pub rate_hz: u32,
    pub block_bytes: usize,
    pub bits: u32,
    pub valid_bits: Option<u32>,
    /// The layout that an extensible chunk states.
    pub layout: Option<Layout>,
    /// The start and size of the bytes after the 16 standard bytes.
    pub extra: (u64, u64),
}

/// The chunks that the reader needs.
pub(super) struct Chunks {
    pub big_endian: bool,
    pub format: Format,
    pub data_start: u64,
    pub data_bytes: u64,
    /// The size of the data that the file states; `None` if the data extends to the end of the file.
    pub declared_bytes: Option<u64>,
    /// Whether the 32 bits of the size held only its lowest bits.
    pub wrapped: bool,
    pub fact_frames: Option<u64>,
    /// The byte after the last chunk.
    pub end: u64,
}

/// Opens a WAV file.
pub(crate) fn open(source: &Arc<SourceFile>) -> Result<ProbedFile> {
    let mut window = FileWindow::new(source);
    let magic = window.array::<4>(0)?.unwrap_or_default();
    let chunks = read_chunks(&mut window, magic)?;
    let name = match &magic {
        b"RF64" => "RF64",
        b"BW64" => "BW64",
        b"RIFX" => "RIFX",
        _ => "WAV",
    };
    open_chunks(source, name, &chunks)
}

/// Opens the sound that the chunks of a WAV file, or of one like it, state.
pub(super) fn open_chunks(source: &Arc<SourceFile>, name: &str, chunks: &Chunks) -> Result<ProbedFile> {
    let Format { tag, channels, rate_hz, block_bytes, bits, valid_bits, layout, .. } = chunks.format;
    let audio = audio_format(source, rate_hz, channels)?.with_layout(layout);
    let container_bytes = block_bytes / channels;
    let mut warnings = Vec::new();
    let kind = match tag {
        // Usual files state 32 bits here, of which 24 are valid.
        FORMAT_PCM if bits == 24 && block_bytes == 4 * channels => {
            let wide = WideSamples::find(source, chunks.data_start, chunks.data_bytes, chunks.big_endian)?;
            warnings.push(wide.told());
            Some(wide.kind(chunks.big_endian))
        }
        FORMAT_PCM if bits.div_ceil(8) as usize == container_bytes => {
            SampleKind::integer(container_bytes, chunks.big_endian)
                // One-byte samples in RIFX are unsigned, as in RIFF.
                .map(|kind| if kind == SampleKind::S8 { SampleKind::U8 } else { kind })
        }
        FORMAT_FLOAT if bits as usize == container_bytes * 8 => SampleKind::float(container_bytes, chunks.big_endian),
        FORMAT_ALAW if container_bytes == 1 => Some(SampleKind::ALaw),
        FORMAT_MULAW if container_bytes == 1 => Some(SampleKind::MuLaw),
        FORMAT_PCM | FORMAT_FLOAT | FORMAT_ALAW | FORMAT_MULAW => None,
        _ => return open_coded(source, name, chunks),
    };
    let Some(kind) = kind.filter(|kind| kind.bytes() * channels == block_bytes) else {
        return Err(Error::unsupported(
            format!("{name} with {bits}-bit samples and a block size of {block_bytes} for {channels} channels"),
            "Integers of 8, 16, 24 and 32 bits and floats of 32 and 64 bits are. Convert it to FLAC or WAV with ffmpeg and open that",
        ));
    };
    let frames = PcmLayout::frames_in(chunks.data_bytes, block_bytes);
    if let Some(declared) = chunks.declared_bytes.filter(|declared| *declared > chunks.data_bytes) {
        let declared_frames = declared / block_bytes as u64;
        warnings.push(format!("The file is cut off. {frames} of {declared_frames} samples can be used."));
    }
    let bits = match kind {
        SampleKind::ALaw | SampleKind::MuLaw => None,
        SampleKind::F24Le | SampleKind::F24Be => Some(32),
        _ => Some(valid_bits.unwrap_or(bits)),
    };
    if chunks.wrapped {
        warnings.push(format!(
            "The file is larger than a {name} file can say. Its sound is read to its end: {frames} samples."
        ));
    }
    let layout = PcmLayout { start: chunks.data_start, frames, stride: block_bytes, kind, audio };
    Ok(ProbedFile::pcm(name, layout, bits, warnings).read_to(chunks.end))
}

/// Opens ADPCM or MP3 in a WAV file.
fn open_coded(source: &Arc<SourceFile>, name: &str, chunks: &Chunks) -> Result<ProbedFile> {
    let Format { tag, channels, rate_hz, block_bytes, .. } = chunks.format;
    let kind = match tag {
        FORMAT_ADPCM_MS => CodecKind::AdpcmMs,
        FORMAT_ADPCM_IMA => CodecKind::AdpcmImaWav,
        FORMAT_MP3 | FORMAT_MPEG => {
            let data = chunks.data_start..chunks.data_start + chunks.data_bytes;
            return match mpeg::open_in(source, data, name)? {
                Some(mut opened) => {
                    opened.warnings.extend(rate_warning(rate_hz, opened.audio.rate.hz()));
                    Ok(opened.read_to(chunks.end))
                }
                None => Err(source.malformed(format!("the {name} has no frame of MPEG audio in its `data` chunk"))),
            };
        }
        _ => return Err(no_wave_codec(tag, name)),
    };
    // Each block begins with the predictor state of every channel: 7 bytes and two frames, or 4 bytes and one frame.
    let (head, held) = if kind == CodecKind::AdpcmMs { (7, 2) } else { (4, 1) };
    let coded = block_bytes.saturating_sub(head * channels) * 2 / channels + held;
    let mut window = FileWindow::new(source);
    let declared = window.array::<2>(chunks.format.extra.0 + 2)?.map_or(0, u16::from_le_bytes);
    let frames = if chunks.format.extra.1 >= 4 && declared > 0 { usize::from(declared) } else { coded };
    if block_bytes <= head * channels || frames > coded || channels > 2 {
        return Err(source.malformed(format!(
            "the WAV's `fmt ` chunk says ADPCM with {frames} frames in blocks of {block_bytes} bytes for {channels} channels"
        )));
    }
    let audio = audio_format(source, rate_hz, channels)?;
    let packets = chunks.data_bytes / block_bytes as u64;
    if packets > MAX_PACKETS as u64 {
        return Err(too_many_packets());
    }
    let table = Table {
        chunks: vec![Chunk { offset: chunks.data_start, first: 0 }],
        sizes: Sizes::Constant(block_bytes as u32),
        starts: Starts::Constant(frames as u32),
        packets: packets as u32,
        roll: kind.roll(),
    };
    let there = table.raw_frames();
    let mut warnings = Vec::new();
    if chunks.declared_bytes.is_some_and(|declared| declared > chunks.data_bytes) {
        warnings.push(format!("The file is cut off. {there} samples can be used."));
    }
    // The number of frames shortens the last block. Some programs write another number, such as that of one channel.
    let shortened = |fact: &u64| *fact <= there && there - fact < frames as u64;
    let heard = chunks.fact_frames.filter(shortened).unwrap_or(there);
    let codec = Codec { kind, audio, extra: Vec::new(), packet_frames: frames as u32, gain: 1.0 };
    let stream = Stream::table(codec, table, Trim { delay: 0, frames: heard });
    Ok(ProbedFile::packets(name, None, stream, warnings).read_to(chunks.end))
}

fn read_chunks(window: &mut FileWindow, magic: [u8; 4]) -> Result<Chunks> {
    let source = Arc::clone(window.source());
    let big_endian = &magic == b"RIFX";
    let long = matches!(&magic, b"RF64" | b"BW64");
    let word = if big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
    let mut format = None;
    let mut fact_frames = None;
    let mut long_data_bytes = None;
    let mut at = 12u64;
    for _ in 0..MAX_CHUNKS {
        let (Some(id), Some(size)) = (window.array::<4>(at)?, window.array::<4>(at + 4)?) else { break };
        let (size, body) = (u64::from(word(size)), at + 8);
        match &id {
            b"ds64" if long => {
                long_data_bytes = window.array::<8>(body + 8)?.map(u64::from_le_bytes);
                fact_frames = window.array::<8>(body + 16)?.map(u64::from_le_bytes).filter(|frames| *frames > 0);
            }
            b"fmt " => format = Some(read_format(window, body, size, big_endian)?),
            b"fact" if !long => fact_frames = window.array::<4>(body)?.map(|frames| u64::from(word(frames))),
            b"data" => {
                let Some(format) = format else {
                    return Err(source.malformed(format!("the WAV has its data at byte {at} before any `fmt ` chunk")));
                };
                let data = data_size(window, body, size as u32, long, long_data_bytes, word)?;
                let is_odd = data.bytes % 2 == 1;
                return Ok(Chunks {
                    big_endian,
                    format,
                    data_start: body,
                    data_bytes: data.bytes,
                    declared_bytes: data.declared,
                    wrapped: data.is_wrapped,
                    fact_frames,
                    end: chain_end(window, body + data.bytes + u64::from(is_odd), is_odd, word)?,
                });
            }
            _ => {}
        }
        at = body.saturating_add(size).saturating_add(size & 1);
    }
    Err(source.malformed(if format.is_some() {
        "the WAV ends before any `data` chunk: there is no audio in it"
    } else {
        "the WAV has no `fmt ` chunk: it cannot be told what is in it"
    }))
}

/// The size of a `data` chunk.
pub(crate) struct DataSize {
    /// The size that the file states; `None` if the data extends to the end of the file.
    pub declared: Option<u64>,
    /// The size of what is there.
    pub bytes: u64,
    /// Whether the 32 bits of the size held only its lowest bits.
    pub is_wrapped: bool,
}

/// Returns the size of the `data` chunk whose contents begin at `body`. `size` is what its header says. A format
/// that `is_long` has the size in 64 bits elsewhere, if it states it.
pub(crate) fn data_size(
    window: &mut FileWindow,
    body: u64,
    size: u32,
    is_long: bool,
    long: Option<u64>,
    word: fn([u8; 4]) -> u32,
) -> Result<DataSize> {
    let present = window.source().bytes().saturating_sub(body);
    let stated = if is_long && size == u32::MAX { long.unwrap_or(0) } else { u64::from(size) };
    // A program that could not seek back leaves the size of the whole file at 0, all ones or that of the header.
    let whole = window.array::<4>(4)?.map_or(0, word);
    let is_streamed = matches!(whole, 0 | u32::MAX) || u64::from(whole) + 8 <= body;
    let file_end = window.source().bytes();
    let has_sound = skip_tags(window, body, file_end)? < file_end;
    let is_open = !is_long && size == u32::MAX;
    let true_size = if is_long || is_open { None } else { unwrapped(window, body, stated, word)? };
    let declared = if true_size.is_some() {
        true_size
    } else if is_open || (stated == 0 && is_streamed && has_sound && !are_chunks(window, body, word)?) {
        None
    } else {
        Some(stated)
    };
    let bytes = declared.map_or(present, |declared| declared.min(present));
    Ok(DataSize { declared, bytes, is_wrapped: true_size.is_some() })
}

pub(super) fn read_format(window: &mut FileWindow, body: u64, size: u64, big_endian: bool) -> Result<Format> {
    let source = Arc::clone(window.source());
    let bytes = window.bytes(body, size.clamp(16, 40) as usize)?;
    if size < 16 || bytes.len() < 16 {
        let there = size.min(bytes.len() as u64);
        return Err(source.malformed(format!("the WAV's `fmt ` chunk at byte {body} is cut off at {there} bytes")));
    }
    let half = |at: usize| {
        let pair = [bytes[at], bytes[at + 1]];
        if big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    };
    let mut tag = half(0);
    let (channels, block_bytes, bits) = (usize::from(half(2)), usize::from(half(12)), u32::from(half(14)));
    let quad = [bytes[4], bytes[5], bytes[6], bytes[7]];
    let rate_hz = if big_endian { u32::from_be_bytes(quad) } else { u32::from_le_bytes(quad) };
    let (mut valid_bits, mut layout) = (None, None);
    if tag == FORMAT_EXTENSIBLE {
        if bytes.len() < 26 {
            return Err(source.malformed(format!("the WAV's extensible `fmt ` chunk at byte {body} is cut off")));
        }
        valid_bits = Some(u32::from(half(18))).filter(|valid| (1..=bits).contains(valid));
        let mask = [bytes[20], bytes[21], bytes[22], bytes[23]];
        layout = Layout::from_mask(if big_endian { u32::from_be_bytes(mask) } else { u32::from_le_bytes(mask) });
        tag = half(24);
    }
    if channels == 0 || block_bytes == 0 {
        return Err(source.malformed(format!(
            "the WAV's `fmt ` chunk says {channels} channels, and {block_bytes} bytes for each frame of them"
        )));
    }
    let extra = (body + 16, size.saturating_sub(16));
    Ok(Format { tag, channels, rate_hz, block_bytes, bits, valid_bits, layout, extra })
}
