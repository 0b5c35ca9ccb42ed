//! AIFF and AIFF-C with PCM, float, G.711 and IMA ADPCM samples.

use std::ops::Range;
use std::sync::Arc;

use super::chunks::{MAX_CHUNKS, are_chunks, chain_end, unwrapped};
use super::core_audio::{self, MAX_LAYOUT_BYTES};
use crate::AudioFormat;
use crate::codec::{Codec, CodecKind};
use crate::codec_names::{no_codec, no_four_codec};
use crate::decode::Trim;
use crate::ima4;
use crate::packets::{Chunk, MAX_PACKETS, Sizes, Starts, Table, too_many_packets};
use crate::parts::Stream;
use crate::pcm::{PcmLayout, SampleKind};
use crate::probed::ProbedFile;
use crate::source::{FileWindow, SourceFile, audio_format};
use base::error::Result;

/// Returns whether the first bytes are those of an AIFF or AIFF-C file.
pub(crate) fn is_aiff(head: &[u8]) -> bool {
    head.len() >= 12 && &head[..4] == b"FORM" && matches!(&head[8..12], b"AIFF" | b"AIFC")
}

/// The `COMM` chunk.
#[derive(Clone, Copy, Debug)]
struct Common {
    channels: usize,
    frames: u64,
    bits: u32,
    rate_hz: u32,
    codec: [u8; 4],
}

/// Opens an AIFF file.
pub(crate) fn open(source: &Arc<SourceFile>) -> Result<ProbedFile> {
    let mut window = FileWindow::new(source);
    let compressed = window.array::<4>(8)? == Some(*b"AIFC");
    let (mut common, mut data): (Option<Common>, Option<Data>) = (None, None);
    let mut layout = Vec::new();
    let word = u32::from_be_bytes;
    let whole = window.be32(4)?.unwrap_or(0);
    let mut at = 12u64;
    for _ in 0..MAX_CHUNKS {
        let (Some(id), Some(size)) = (window.array::<4>(at)?, window.be32(at + 4)?) else { break };
        let (mut size, body) = (u64::from(size), at + 8);
        match &id {
            b"COMM" => common = Some(read_common(&mut window, body, size, compressed)?),
            b"SSND" => {
                let start = body.saturating_add(8).saturating_add(u64::from(window.be32(body)?.unwrap_or(0)));
                let long_size = unwrapped(&mut window, body, size, word)?;
                // A program that could not seek back leaves a size of 0, here and for the whole file, or says only
                // how many frames there are.
                let is_streamed = matches!(whole, 0 | u32::MAX)
                    || u64::from(whole) + 8 <= body
                    || common.is_some_and(|common| common.frames > 0);
                let is_open = size == 0 && is_streamed && !are_chunks(&mut window, body, word)?;
                size = long_size.unwrap_or(size);
                let end = if is_open { source.bytes() } else { body.saturating_add(size) };
                data = Some(Data { start, end, wrapped: long_size.is_some() });
            }
            b"CHAN" => layout = window.bytes(body, size.min(MAX_LAYOUT_BYTES) as usize)?.to_vec(),
            _ => {}
        }
        if common.is_some() && data.is_some() {
            break;
        }
        at = body.saturating_add(size).saturating_add(size & 1);
    }
    let Some(common) = common else {
        return Err(source.malformed("the AIFF has no COMM chunk: it cannot be told what is in it"));
    };
    let Some(Data { start, end, wrapped }) = data else {
        return Err(source.malformed("the AIFF ends before any SSND chunk: there is no audio in it"));
    };
    let audio = audio_format(source, common.rate_hz, common.channels)?;
    let name = if compressed { "AIFF-C" } else { "AIFF" };
    // Chunks begin at even bytes.
    let is_odd = end % 2 == 1;
    let read_to = match source.bytes() {
        all if end >= all => all,
        _ => chain_end(&mut window, end + u64::from(is_odd), is_odd, word)?,
    };
    if &common.codec == b"ima4" {
        return Ok(open_ima4(source, &common, audio, start..end)?.read_to(read_to));
    }
    let kind = match &common.codec {
        b"NONE" | b"twos" => SampleKind::integer(common.bits.div_ceil(8) as usize, true),
        b"sowt" => SampleKind::integer(common.bits.div_ceil(8) as usize, false)
            .map(|kind| if kind == SampleKind::U8 { SampleKind::S8 } else { kind }),
        b"in24" => Some(SampleKind::S24Be),
        b"in32" => Some(SampleKind::S32Be),
        b"fl32" | b"FL32" => Some(SampleKind::F32Be),
        b"fl64" | b"FL64" => Some(SampleKind::F64Be),
        b"alaw" | b"ALAW" => Some(SampleKind::ALaw),
        b"ulaw" | b"ULAW" => Some(SampleKind::MuLaw),
        b"raw " => Some(SampleKind::U8),
        _ => None,
    };
    let Some(kind) = kind else {
        return Err(match &common.codec {
            b"NONE" | b"twos" | b"sowt" => no_codec(format_args!("PCM of {} bits", common.bits), name),
            codec => no_four_codec(*codec, name),
        });
    };
    let stride = kind.bytes() * common.channels;
    let present = PcmLayout::frames_in(end.min(source.bytes()).saturating_sub(start), stride);
    let frames = present;
    let mut warnings = Vec::new();
    if frames < common.frames {
        warnings.push(format!("The file is cut off. {frames} of {} samples can be used.", common.frames));
    }
    // A frame count of 0 with audio present means that the header was never completed.
    if common.frames > 0 && frames > common.frames && !wrapped {
        warnings.push(format!("The header says {} samples. The {frames} that are there are read.", common.frames));
    }
    if wrapped {
        warnings.push(format!(
            "The file is larger than an {name} file can say. Its sound is read to its end: {frames} samples."
        ));
    }
    let bits = match kind {
        SampleKind::ALaw | SampleKind::MuLaw => None,
        SampleKind::F32Be => Some(32),
        SampleKind::F64Be => Some(64),
        _ => Some(common.bits),
    };
    let pcm = PcmLayout { start, frames, stride, kind, audio };
    let layout = core_audio::layout(&layout, audio.channels);
    Ok(ProbedFile::pcm(name, pcm, bits, warnings).arranged(layout).read_to(read_to))
}

/// Opens the blocks of IMA ADPCM in a range of bytes.
fn open_ima4(source: &Arc<SourceFile>, common: &Common, audio: AudioFormat, range: Range<u64>) -> Result<ProbedFile> {
    let block_bytes = ima4::BLOCK_BYTES * audio.channels as u32;
    let blocks = range.end.min(source.bytes()).saturating_sub(range.start) / u64::from(block_bytes);
    if blocks > MAX_PACKETS as u64 {
        return Err(too_many_packets());
    }
    let kind = CodecKind::AdpcmImaQt;
    let table = Table {
        chunks: vec![Chunk { offset: range.start, first: 0 }],
        sizes: Sizes::Constant(block_bytes),
        starts: Starts::Constant(ima4::BLOCK_FRAMES),
        packets: blocks as u32,
        roll: kind.roll(),
    };
    let (there, stated) = (table.raw_frames(), common.frames);
    // Writers state blocks, as Apple says, or frames, or a share of them.
    let shortens = stated != blocks && stated <= there && there - stated < u64::from(ima4::BLOCK_FRAMES);
    let mut warnings = Vec::new();
    if range.end > source.bytes() {
        warnings.push(format!("The file is cut off. {there} samples can be used."));
    } else if stated > 0 && stated != blocks && !shortens {
        warnings.push(format!("The header says {stated} blocks of samples. The {blocks} that are there are read."));
    }
    let frames = if shortens { stated } else { there };
    let codec = Codec { kind, audio, extra: Vec::new(), packet_frames: ima4::BLOCK_FRAMES, gain: 1.0 };
    let stream = Stream::table(codec, table, Trim { delay: 0, frames });
    Ok(ProbedFile::packets("AIFF-C", None, stream, warnings))
}

/// The `SSND` chunk: the byte range of its sound.
struct Data {
    start: u64,
    end: u64,
    /// Whether the 32 bits of the size held only its lowest bits.
    wrapped: bool,
}

fn read_common(window: &mut FileWindow, body: u64, size: u64, compressed: bool) -> Result<Common> {
    let source = Arc::clone(window.source());
    let bytes = window.bytes(body, size.min(22) as usize)?;
    let needed = if compressed { 22 } else { 18 };
    if bytes.len() < needed {
        return Err(
            source.malformed(format!("the AIFF's COMM chunk at byte {body} is cut off at {} bytes", bytes.len()))
        );
    }
    let half = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    let bits = u32::from(half(6));
    let mut extended = [0; 10];
    extended.copy_from_slice(&bytes[8..18]);
    let rate = f64_from_extended(extended);
    if !(rate.is_finite() && (0.5..=f64::from(u32::MAX)).contains(&rate)) {
        return Err(source.malformed(format!("the AIFF's COMM chunk at byte {body} has no sensible sample rate")));
    }
    Ok(Common {
        channels: usize::from(half(0)),
        frames: u64::from(u32::from_be_bytes([bytes[2], bytes[3], bytes[4], bytes[5]])),
        bits,
        rate_hz: rate.round() as u32,
        codec: if compressed { [bytes[18], bytes[19], bytes[20], bytes[21]] } else { *b"NONE" },
    })
}

/// Converts an 80-bit IEEE extended float, the format of AIFF's sample rate.
fn f64_from_extended(bytes: [u8; 10]) -> f64 {
    let exponent = i32::from(u16::from_be_bytes([bytes[0], bytes[1]]) & 0x7fff);
    let mut mantissa = [0; 8];
    mantissa.copy_from_slice(&bytes[2..]);
    let magnitude = u64::from_be_bytes(mantissa) as f64 * 2f64.powi(exponent - 16_383 - 63);
    if bytes[0] & 0x80 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extended_float_of_common_rates() {
        assert_eq!(f64_from_extended([0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0]), 44_100.0);
        assert_eq!(f64_from_extended([0x40, 0x0e, 0xbb, 0x80, 0, 0, 0, 0, 0, 0]), 48_000.0);
        assert_eq!(f64_from_extended([0; 10]), 0.0);
    }
}
