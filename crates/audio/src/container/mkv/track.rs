//! The tracks of a Matroska file.

use std::sync::Arc;

use super::super::flac;
use super::super::mp4::{aac_codec, alac_codec};
use super::super::ogg::opus_codec;
use crate::codec::{Codec, CodecKind};
use crate::codec_names::{no_codec, no_matroska_codec};
use crate::durations::Durations;
use crate::ebml::{self, Element, for_each};
use crate::flac::{StreamInfo, layout_in_comments};
use crate::pcm::SampleKind;
use crate::source::{FileWindow, SourceFile, audio_format};
use crate::vorbis;
use base::error::{Error, Result};

const NUMBER: u32 = 0xd7;
const UID: u32 = 0x73c5;
const TYPE: u32 = 0x83;
const CODEC: u32 = 0x86;
const PRIVATE: u32 = 0x63a2;
const DELAY: u32 = 0x56aa;
const ENCODINGS: u32 = 0x6d80;
const AUDIO: u32 = 0xe1;
const RATE: u32 = 0xb5;
const CHANNELS: u32 = 0x9f;
const BITS: u32 = 0x6264;
const TYPE_AUDIO: u64 = 2;
/// The limit is high because Vorbis stores its comments in the header, and they may contain pictures.
const MAX_PRIVATE_BYTES: u64 = 16 << 20;

/// An audio track that can be read.
pub(super) struct Track {
    pub number: u64,
    /// The identifier by which tags name the track.
    pub uid: u64,
    pub codec: Codec,
    pub durations: Durations,
    pub delay_ns: u64,
    /// The delay in frames, if the codec's header states it exactly.
    pub delay_frames: Option<u64>,
    pub bits: Option<u32>,
}

/// Reads a track entry; `None` if it is not an audio track.
pub(super) fn read(window: &mut FileWindow, entry: Element) -> Result<Option<Track>> {
    let source = Arc::clone(window.source());
    let (mut number, mut uid, mut kind, mut name, mut private, mut delay_ns) = (0, 0, 0, Vec::new(), Vec::new(), 0);
    let (mut rate, mut channels, mut bits, mut encoded) = (8000.0, 1, 0, false);
    for_each(window, entry, |window, element| {
        match element.id {
            NUMBER => number = ebml::unsigned(window, element)?,
            UID => uid = ebml::unsigned(window, element)?,
            TYPE => kind = ebml::unsigned(window, element)?,
            CODEC => name = ebml::bytes(window, element, 64)?,
            PRIVATE => private = ebml::bytes(window, element, MAX_PRIVATE_BYTES)?,
            DELAY => delay_ns = ebml::unsigned(window, element)?.min(10_000_000_000),
            ENCODINGS => encoded = true,
            AUDIO => drop(for_each(window, element, |window, element| {
                match element.id {
                    RATE => rate = ebml::float(window, element)?,
                    CHANNELS => channels = ebml::unsigned(window, element)?,
                    BITS => bits = ebml::unsigned(window, element)?.min(64) as u32,
                    _ => {}
                }
                Ok(true)
            })?),
            _ => {}
        }
        Ok(true)
    })?;
    if kind != TYPE_AUDIO {
        return Ok(None);
    }
    let name = String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned();
    if encoded {
        return Err(unsupported(&format!("{name} that is compressed again or encrypted")));
    }
    let rate_hz = if (1.0..1e6).contains(&rate) { rate.round() as u32 } else { 0 };
    let format = Format { rate_hz, channels: channels.min(1 << 16) as usize, bits };
    let mut track = Track {
        number,
        uid,
        delay_ns,
        delay_frames: None,
        bits: None,
        codec: Codec {
            kind: CodecKind::Mp3,
            audio: audio_format(&source, format.rate_hz, format.channels)?,
            extra: Vec::new(),
            packet_frames: 0,
            gain: 1.0,
        },
        durations: Durations::Constant(0),
    };
    fill(&source, &name, &private, format, &mut track)?;
    Ok(Some(track))
}

#[derive(Clone, Copy)]
struct Format {
    rate_hz: u32,
    channels: usize,
    bits: u32,
}

fn fill(source: &SourceFile, name: &str, private: &[u8], format: Format, track: &mut Track) -> Result<()> {
    match name {
        "A_VORBIS" => {
            let Some((identification, setup)) = xiph_headers(private) else {
                return Err(source.malformed("the Matroska file's Vorbis headers are damaged"));
            };
            let (codec, modes) = vorbis::read(source, identification, setup)?;
            track.codec = codec;
            track.durations = Durations::Vorbis { modes, previous: None };
        }
        "A_OPUS" => {
            let (codec, delay) = opus_codec(source, private)?;
            track.codec = codec;
            track.durations = Durations::Opus;
            track.delay_frames = Some(delay);
        }
        "A_FLAC" => {
            let info = private.windows(4).take(64).position(|four| four == b"fLaC");
            let Some(info) = info.and_then(|at| StreamInfo::read(private.get(at + 8..)?)) else {
                return Err(source.malformed("the Matroska file's FLAC header is damaged"));
            };
            track.codec = flac::codec(&info, source)?;
            let stated = layout_in_comments(private);
            track.codec.audio = track.codec.audio.with_layout(stated.or(track.codec.audio.layout()));
            track.bits = Some(info.bits);
            track.durations = Durations::Flac(info);
        }
        "A_ALAC" => {
            let (codec, bits) = alac_codec(source, private)?;
            track.durations = Durations::Alac(codec.packet_frames);
            track.bits = Some(bits);
            track.codec = codec;
        }
        // The frames tell which layer it is.
        "A_MPEG/L3" | "A_MPEG/L2" | "A_MPEG/L1" => track.durations = Durations::Constant(1152),
        _ if name.starts_with("A_AAC") => {
            if private.len() < 2 {
                return Err(unsupported("AAC without a configuration"));
            }
            track.codec = aac_codec(source, private)?;
            track.durations = Durations::Constant(1024);
        }
        "A_PCM/INT/LIT" | "A_PCM/INT/BIG" | "A_PCM/FLOAT/IEEE" => {
            let bytes = format.bits.div_ceil(8) as usize;
            let kind = match name {
                "A_PCM/FLOAT/IEEE" => SampleKind::float(bytes, false),
                "A_PCM/INT/BIG" if bytes > 1 => SampleKind::integer(bytes, true),
                _ => SampleKind::integer(bytes, false),
            };
            let kind = kind.ok_or_else(|| unsupported(&format!("PCM of {} bits", format.bits)))?;
            track.codec.kind = CodecKind::Pcm(kind);
            track.bits = Some(format.bits);
            track.durations = Durations::Bytes((kind.bytes() * format.channels) as u32);
        }
        other => return Err(no_matroska_codec(other, private)),
    }
    Ok(())
}

fn unsupported(what: &str) -> Error {
    no_codec(what, "Matroska")
}

/// Extracts the identification and setup headers from three Xiph-laced packets.
fn xiph_headers(private: &[u8]) -> Option<(&[u8], &[u8])> {
    if *private.first()? != 2 {
        return None;
    }
    let mut at = 1;
    let mut sizes = [0usize; 2];
    for size in &mut sizes {
        loop {
            let byte = *private.get(at)?;
            at += 1;
            *size += usize::from(byte);
            if byte < 255 {
                break;
            }
        }
    }
    let setup = at.checked_add(sizes[0])?.checked_add(sizes[1])?;
    Some((private.get(at..at + sizes[0])?, private.get(setup..)?))
}
