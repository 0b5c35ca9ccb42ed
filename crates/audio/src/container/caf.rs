//! Apple's Core Audio Format, with PCM, ALAC, AAC, Opus and IMA ADPCM.

use std::sync::Arc;

use super::core_audio::{self, MAX_LAYOUT_BYTES};
use super::mp4::{aac_codec, aac_configuration, alac_codec, refuse_hidden_sbr};
use super::{format_warning, timed};
use crate::codec::{Codec, CodecKind};
use crate::codec_names::no_four_codec;
use crate::decode::Trim;
use crate::durations::Durations;
use crate::ima4;
use crate::packets::{Chunk, MAX_PACKETS, Sizes, Starts, Table, too_many_packets};
use crate::parts::Stream;
use crate::pcm::{PcmLayout, SampleKind};
use crate::probed::ProbedFile;
use crate::source::{FileWindow, SourceFile, audio_format};
use base::error::Result;

/// The maximum number of chunks. No real file has more.
const MAX_CHUNKS: usize = 10_000;
const MAX_COOKIE_BYTES: u64 = 64 << 10;
/// The index records an offset every this many packets, so that a seek sums few sizes.
const CHECKPOINT_PACKETS: usize = 64;

/// Returns whether the first bytes are those of a CAF file.
pub(crate) fn is_caf(head: &[u8]) -> bool {
    head.starts_with(b"caff\0\x01")
}

/// The contents of the `desc` chunk.
#[derive(Clone, Copy, Debug)]
struct Description {
    rate_hz: u32,
    codec: [u8; 4],
    flags: u32,
    packet_bytes: u32,
    packet_frames: u32,
    channels: usize,
    bits: u32,
}

#[derive(Default)]
struct Chunks {
    description: Option<Description>,
    cookie: Vec<u8>,
    /// The contents of the `chan` chunk.
    layout: Vec<u8>,
    /// The byte range of the packet table's entries.
    table: Option<(u64, u64)>,
    packets: u64,
    valid_frames: u64,
    priming: u64,
    data: Option<(u64, u64)>,
    declared_bytes: Option<u64>,
    /// The byte after the last whole chunk, and after the data.
    read_to: u64,
}

/// Opens a CAF file.
pub(crate) fn open(source: &Arc<SourceFile>) -> Result<ProbedFile> {
    let mut window = FileWindow::new(source);
    let chunks = read_chunks(&mut window)?;
    let Some(description) = chunks.description else {
        return Err(source.malformed("the CAF has no `desc` chunk: it cannot be told what is in it"));
    };
    let Some((start, end)) = chunks.data else {
        return Err(source.malformed("the CAF ends before any `data` chunk: there is no audio in it"));
    };
    let audio = audio_format(source, description.rate_hz, description.channels)?;
    let mut warnings = Vec::new();
    if chunks.declared_bytes.is_some_and(|declared| declared > end - start) {
        warnings.push("The file is cut off. What is left can be used.".to_owned());
    }
    if let Some(kind) = pcm_kind(&description) {
        let stride = kind.bytes() * audio.channels;
        let frames = PcmLayout::frames_in(end - start, stride);
        let bits =
            (description.bits > 0 && !matches!(kind, SampleKind::ALaw | SampleKind::MuLaw)).then_some(description.bits);
        let pcm = PcmLayout { start, frames, stride, kind, audio };
        let layout = core_audio::layout(&chunks.layout, audio.channels);
        return Ok(ProbedFile::pcm("CAF", pcm, bits, warnings).arranged(layout).read_to(chunks.read_to));
    }
    let (mut codec, durations, bits) = codec(source, &description, &chunks, audio)?;
    let (chunk_list, sizes, starts, packets) = packets(&mut window, &description, &chunks, codec.kind, start, end)?;
    let mut table = Table { chunks: chunk_list, sizes, starts, packets, roll: codec.kind.roll() };
    let lost = table.drop_beyond(end);
    if lost > 0 && warnings.is_empty() {
        warnings.push(format!("The file is cut off. {lost} packets are missing, the rest can be used."));
    }
    if table.packets == 0 {
        return Err(source.malformed("the CAF holds no whole packet of audio"));
    }
    let stated = codec.audio;
    let (table, raw_frames) = timed(source, table, durations, &mut codec)?;
    warnings.extend(format_warning(stated, &codec));
    let left = raw_frames.saturating_sub(chunks.priming);
    let frames = if chunks.valid_frames > 0 { left.min(chunks.valid_frames) } else { left };
    let stream = Stream::table(codec, table, Trim { delay: chunks.priming, frames });
    refuse_hidden_sbr(&stream.codec, stream.packets(source))?;
    Ok(ProbedFile::packets("CAF", bits, stream, warnings).read_to(chunks.read_to))
}

fn read_chunks(window: &mut FileWindow) -> Result<Chunks> {
    let mut found = Chunks { read_to: 8, ..Chunks::default() };
    let file_end = window.source().bytes();
    let mut at = 8u64;
    for _ in 0..MAX_CHUNKS {
        let (Some(id), Some(size)) = (window.array::<4>(at)?, window.be64(at.saturating_add(4))?) else { break };
        let body = at + 12;
        let end = body.saturating_add(size).min(file_end);
        match &id {
            b"desc" => found.description = read_description(window.bytes(body, 32)?),
            b"chan" => found.layout = window.bytes(body, size.min(MAX_LAYOUT_BYTES) as usize)?.to_vec(),
            b"kuki" if size <= MAX_COOKIE_BYTES => found.cookie = window.bytes(body, size as usize)?.to_vec(),
            b"pakt" => {
                found.packets = window.be64(body)?.unwrap_or(0);
                found.valid_frames = window.be64(body + 8)?.unwrap_or(0).min(1 << 48);
                found.priming = u64::from(window.be32(body + 16)?.unwrap_or(0).min(1 << 20));
                found.table = Some((body + 24, end));
            }
            b"data" => {
                // The audio is preceded by a 4-byte edit count. A size of -1 means up to the end of the file.
                let unknown = size == u64::MAX;
                found.data = Some(((body + 4).min(file_end), if unknown { file_end } else { end }));
                found.declared_bytes = (!unknown).then(|| size.saturating_sub(4));
                if unknown {
                    found.read_to = file_end;
                    break;
                }
            }
            _ => {}
        }
        let after = body.saturating_add(size);
        let is_chunk = id.iter().all(|byte| (0x20..0x7f).contains(byte)) && (after <= file_end || &id == b"data");
        if found.read_to == at && is_chunk {
            found.read_to = after.min(file_end);
        }
        at = after;
    }
    if let Some((start, end)) = found.data {
        found.data = Some((start, end.max(start)));
    }
    Ok(found)
}

fn read_description(bytes: &[u8]) -> Option<Description> {
    let rate = f64::from_be_bytes(*bytes.first_chunk()?);
    let be32 = |at: usize| bytes.get(at..at + 4).and_then(|four| four.first_chunk().copied()).map(u32::from_be_bytes);
    Some(Description {
        rate_hz: if (0.5..1e9).contains(&rate) { rate.round() as u32 } else { 0 },
        codec: *bytes.get(8..12)?.first_chunk()?,
        flags: be32(12)?,
        packet_bytes: be32(16)?,
        packet_frames: be32(20)?,
        channels: be32(24)? as usize,
        bits: be32(28)?,
    })
}

fn pcm_kind(description: &Description) -> Option<SampleKind> {
    match &description.codec {
        b"lpcm" => {
            let (float, little) = (description.flags & 1 != 0, description.flags & 2 != 0);
            let bytes = (description.packet_bytes as usize).checked_div(description.channels)?;
            let kind = if float { SampleKind::float(bytes, !little) } else { SampleKind::integer(bytes, !little) }?;
            // One-byte samples are signed in CAF, whatever the byte order.
            Some(if kind == SampleKind::U8 { SampleKind::S8 } else { kind })
        }
        b"alaw" => Some(SampleKind::ALaw),
        b"ulaw" => Some(SampleKind::MuLaw),
        _ => None,
    }
}

fn codec(
    source: &SourceFile,
    description: &Description,
    chunks: &Chunks,
    audio: crate::AudioFormat,
) -> Result<(Codec, Durations, Option<u32>)> {
    let plain = |kind, packet_frames| Codec { kind, audio, extra: Vec::new(), packet_frames, gain: 1.0 };
    match &description.codec {
        b"alac" => {
            let (codec, bits) = alac_codec(source, &chunks.cookie)?;
            let frames = codec.packet_frames;
            Ok((codec, Durations::Alac(frames), Some(bits)))
        }
        b"aac " => {
            let Some(configuration) = aac_configuration(&chunks.cookie) else {
                return Err(source.malformed("the CAF's AAC has no usable `kuki` chunk"));
            };
            Ok((aac_codec(source, configuration)?, Durations::Constant(1024), None))
        }
        // Apple does not store an Opus header here. Its streams are mono or stereo, without a mapping table.
        b"opus" => {
            let audio = audio_format(source, 48_000, audio.channels)?;
            let codec = Codec { kind: CodecKind::Opus, audio, extra: Vec::new(), packet_frames: 0, gain: 1.0 };
            Ok((codec, Durations::Opus, None))
        }
        b"ima4" => {
            Ok((plain(CodecKind::AdpcmImaQt, ima4::BLOCK_FRAMES), Durations::Constant(ima4::BLOCK_FRAMES), None))
        }
        b".mp1" | b".mp2" | b".mp3" => Ok((plain(CodecKind::Mp3, 0), Durations::Constant(1152), None)),
        other => Err(no_four_codec(*other, "CAF")),
    }
}

type PacketTable = (Vec<Chunk>, Sizes, Starts, u32);

/// Returns the packets of the packet table, or packets of constant size if the description states one.
fn packets(
    window: &mut FileWindow,
    description: &Description,
    chunks: &Chunks,
    kind: CodecKind,
    start: u64,
    end: u64,
) -> Result<PacketTable> {
    let source = Arc::clone(window.source());
    if description.packet_bytes > 0 {
        let packets = (end - start) / u64::from(description.packet_bytes);
        if packets > MAX_PACKETS as u64 {
            return Err(too_many_packets());
        }
        let list = vec![Chunk { offset: start, first: 0 }];
        let starts = Starts::Constant(description.packet_frames);
        return Ok((list, Sizes::Constant(description.packet_bytes), starts, packets as u32));
    }
    let Some((mut at, table_end)) = chunks.table else {
        return Err(source.malformed("the CAF has packets of varying size, but no `pakt` chunk that says which"));
    };
    let mut list = Vec::new();
    let (mut sizes, mut starts, mut offset) = (Vec::new(), vec![0u64], start);
    let mut number = || -> Result<Option<u32>> {
        let mut value = 0u32;
        for _ in 0..5 {
            let Some([byte]) = window.array::<1>(at)?.filter(|_| at < table_end) else { return Ok(None) };
            at += 1;
            value = value << 7 | u32::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Ok(Some(value));
            }
        }
        Ok(None)
    };
    let varying = description.packet_frames == 0;
    while (sizes.len() as u64) < chunks.packets {
        if sizes.len() >= MAX_PACKETS {
            return Err(too_many_packets());
        }
        let Some(size) = number()? else { break };
        if varying {
            let Some(frames) = number()? else { break };
            starts.push(starts[sizes.len()] + u64::from(frames).min(Durations::most(kind)));
        }
        if sizes.len() % CHECKPOINT_PACKETS == 0 {
            list.push(Chunk { offset, first: sizes.len() as u32 });
        }
        offset = offset.saturating_add(u64::from(size));
        sizes.push(size);
    }
    let packets = sizes.len() as u32;
    let starts = if varying { Starts::Each(starts) } else { Starts::Constant(description.packet_frames) };
    Ok((list, Sizes::Each(sizes), starts, packets))
}
