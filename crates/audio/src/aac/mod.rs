//! AAC-LC (ISO/IEC 14496-3): properties of a stream, and the decoder of streams of several elements.
//!
//! Symphonia decodes one channel or two. Streams of more are taken apart into their elements, of one or two channels each,
//! which are decoded alone: `elements` finds where each ends, `program` says which there are and for which loudspeakers,
//! `decoder` puts their channels together.

mod bands;
mod bits;
mod books;
mod decoder;
mod elements;
mod program;

pub(crate) use self::decoder::ProgramDecoder;
pub(crate) use self::program::Program;

use self::bands::Bands;
use self::bits::Bits;
use self::program::ProgramConfig;
use base::error::Error;

/// Sample rates in Hz, by sampling frequency index.
pub(crate) const RATES_HZ: [u32; 13] =
    [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];

/// The number of packets that are searched for spectral band replication.
pub(crate) const SBR_PROBE_PACKETS: u32 = 32;

const SBR: u32 = 5;
const PS: u32 = 29;

/// The header of a frame of ADTS (ISO/IEC 13818-7).
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdtsHeader {
    /// The size of the whole frame in bytes.
    pub bytes: u32,
    /// The fields that stay the same through a stream: profile and rate.
    pub key: u32,
    /// The sample rate in Hz.
    pub rate_hz: u32,
    /// The number of channels; 0 if only the stream itself defines it.
    pub channels: usize,
}

impl AdtsHeader {
    /// Reads a header; `None` if there is none.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.first_chunk::<7>()?;
        let size = u32::from(bytes[3] & 3) << 11 | u32::from(bytes[4]) << 3 | u32::from(bytes[5]) >> 5;
        let (rate, blocks) = ((bytes[2] >> 2) & 15, bytes[6] & 3);
        if bytes[0] != 0xff || bytes[1] & 0xf6 != 0xf0 || rate > 12 || size < 8 || blocks != 0 {
            return None;
        }
        let rate_hz = RATES_HZ[usize::from(rate)];
        Some(Self { bytes: size, key: u32::from(bytes[2] & 0xfc), rate_hz, channels: channels_of_adts(bytes) })
    }
}

/// Returns the number of channels that an ADTS header states, and the bytes after it; `None` if there is no header.
pub(crate) fn split_adts(packet: &[u8]) -> Option<(usize, &[u8])> {
    let header = AdtsHeader::read(packet)?;
    let head = if packet[1] & 1 == 0 { 9 } else { 7 };
    Some((header.channels, packet.get(head..).unwrap_or_default()))
}

/// Returns the number of channels in an ADTS header; 0 if only the stream itself defines it.
pub(crate) fn channels_of_adts(header: &[u8]) -> usize {
    let configuration = (header[2] & 1) << 2 | header[3] >> 6;
    usize::from(if configuration == 7 { 8 } else { configuration })
}

/// The fields of an `AudioSpecificConfig` that the readers need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// The audio object type of the core codec; 2 is AAC-LC.
    pub object_type: u32,
    /// The sample rate of the core codec in Hz.
    pub rate_hz: u32,
    /// The channel configuration; 0 if the elements are stated one by one.
    pub configuration: u32,
    /// The elements; `None` if the configuration is not defined, or cannot be decoded.
    pub program: Option<Program>,
    /// Frames per packet: 1024 or 960.
    pub packet_frames: u32,
    /// Whether spectral band replication (HE-AAC) is signalled.
    pub sbr: bool,
}

/// Returns the error for an HE-AAC stream. It tells the user what to do.
pub(crate) fn he_aac_refusal() -> Error {
    Error::unsupported(
        "HE-AAC (AAC with spectral band replication)",
        "Convert it to FLAC or WAV with ffmpeg and open that",
    )
}

/// Reads an `AudioSpecificConfig`. Returns `None` if it is truncated or invalid.
pub(crate) fn read_config(bytes: &[u8]) -> Option<Config> {
    let mut bits = Bits::new(bytes, 0);
    let mut object_type = read_object_type(&mut bits)?;
    let rate_hz = read_rate(&mut bits)?;
    let configuration = bits.take(4)?;
    let mut sbr = false;
    if object_type == SBR || object_type == PS {
        sbr = true;
        read_rate(&mut bits)?;
        object_type = read_object_type(&mut bits)?;
    }
    let short = bits.take(1)? == 1;
    if bits.take(1)? == 1 {
        bits.take(14)?;
    }
    let extended = bits.take(1)? == 1;
    let is_plain = matches!(object_type, 1..=4);
    let program = match configuration {
        0 if is_plain => Some(ProgramConfig::read(&mut bits)?.program()),
        configuration => Program::of_configuration(configuration),
    };
    if !sbr && !extended && is_plain {
        // Backward-compatible signalling follows at the end, after a sync word.
        if bits.take(11) == Some(0x2b7) && read_object_type(&mut bits) == Some(SBR) && bits.take(1) == Some(1) {
            sbr = true;
        }
    }
    Some(Config { object_type, rate_hz, configuration, program, packet_frames: if short { 960 } else { 1024 }, sbr })
}

fn read_object_type(bits: &mut Bits) -> Option<u32> {
    match bits.take(5)? {
        31 => Some(32 + bits.take(6)?),
        kind => Some(kind),
    }
}

fn read_rate(bits: &mut Bits) -> Option<u32> {
    match bits.take(4)? {
        15 => bits.take(24),
        index => RATES_HZ.get(index as usize).copied(),
    }
}

/// Returns the program that ADTS states by a number of channels; `None` for 0.
pub(crate) fn program_of_channels(channels: usize) -> Option<Program> {
    Program::of_configuration(if channels == 8 { 7 } else { channels as u32 })
}

/// Returns the program of a stream with this header, if Symphonia alone does not decode it: it has more than two channels,
/// or states its elements one by one. Without a header the number of channels says which they are, as in ADTS.
pub(crate) fn own_program(header: &[u8], channels: usize) -> Option<Program> {
    if header.is_empty() {
        return program_of_channels(channels).filter(|program| program.channels() > 2);
    }
    let config = read_config(header)?;
    config.program.filter(|program| config.configuration == 0 || program.channels() > 2)
}

/// Returns what a stream has by its first packets, as an `AudioSpecificConfig`. `None` if they do not say it, or if one of
/// them has what the stream's header states.
///
/// Often only the first packet has a program. A stream that is cut out of another may have none.
pub(crate) fn header_of_packets(
    stated: Option<&Program>,
    packets: impl Iterator<Item = Vec<u8>>,
    rate_hz: u32,
) -> Option<Vec<u8>> {
    let mut found = None;
    for packet in packets {
        let data = split_adts(&packet).map_or(packet.as_slice(), |(_, data)| data);
        let Some(contents) = elements::split(data, &Bands::at(rate_hz)) else { continue };
        if stated.is_some_and(|program| program.is_in(&contents.elements)) {
            return None;
        }
        if let Some(program) = contents.program {
            found = Some(program);
            break;
        }
        if found.is_none() && !contents.elements.is_empty() {
            found = Some(ProgramConfig::of_elements(&contents.elements));
        }
    }
    found.and_then(|program| program.header(rate_hz))
}

/// Returns the number of channels in the elements of a packet; `None` if it is damaged.
pub(crate) fn channels_of(packet: &[u8], rate_hz: u32) -> Option<usize> {
    let contents = elements::split(packet, &Bands::at(rate_hz))?;
    Some(contents.elements.iter().map(|element| element.kind.channels()).sum())
}

/// Returns a header with what the first packets of a stream have, if none of them has what its header states.
pub(crate) fn other_header(header: &[u8], packets: impl Iterator<Item = Vec<u8>>) -> Option<Vec<u8>> {
    let config = read_config(header)?;
    header_of_packets(Some(&config.program?), packets, config.rate_hz)
}

/// Returns whether a packet of a program of several elements carries spectral band replication.
pub(crate) fn has_sbr(packet: &[u8], rate_hz: u32) -> bool {
    let data = split_adts(packet).map_or(packet, |(_, data)| data);
    elements::split(data, &Bands::at(rate_hz)).is_some_and(|contents| contents.sbr)
}

/// Returns whether a raw AAC packet ends with a fill element that carries spectral band replication.
///
/// The element's start cannot be found without decoding, so every bit position is tried. From the correct position, the
/// element's byte count leads exactly to the end marker and the padding of the last byte. A single match may be chance;
/// matches in most packets of a stream are not.
pub(crate) fn ends_with_sbr(packet: &[u8]) -> bool {
    const FILL: u32 = 6;
    const END: u32 = 7;
    let end = packet.len() * 8;
    (0..end.saturating_sub(14)).rev().any(|start| {
        let mut bits = Bits::new(packet, start);
        let mut read = || {
            if bits.take(3)? != FILL {
                return None;
            }
            let mut count = bits.take(4)?;
            if count == 15 {
                count = 14 + bits.take(8)?;
            }
            if count == 0 || !matches!(bits.ahead() >> 60, 13 | 14) {
                return None;
            }
            bits.skip(count as usize * 8);
            (bits.left()? < 3 + 8 && bits.take(3)? == END).then_some(())?;
            let padding = bits.left()?;
            (bits.take(padding)? == 0).then_some(())
        };
        read().is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_with_and_without_band_replication() {
        let lc = read_config(&[0x12, 0x10]);
        let expected = Config {
            object_type: 2,
            rate_hz: 44_100,
            configuration: 2,
            program: Program::of_configuration(2),
            packet_frames: 1024,
            sbr: false,
        };
        assert_eq!(lc, Some(expected));
        // Explicit, hierarchical: object type 5, core 24 kHz, extended 48 kHz, then LC.
        let explicit = read_config(&[0x2b, 0x11, 0x88, 0x00]);
        assert_eq!(explicit.map(|config| (config.sbr, config.object_type)), Some((true, 2)));
        // Backward-compatible: LC, then the sync word 0x2b7, object type 5 and the flag.
        let compatible = read_config(&[0x13, 0x10, 0x56, 0xe5, 0x98]);
        assert_eq!(compatible.map(|config| (config.sbr, config.object_type)), Some((true, 2)));
        assert_eq!(read_config(&[0x12]), None);
        assert_eq!(read_config(&[]), None);
    }

    #[test]
    fn a_fill_element_at_the_end_is_found() {
        // Arbitrary payload, then 110, count 2, type 13, 12 bits, END and padding.
        let mut bits: Vec<u8> = vec![0, 1, 0, 1, 1, 0, 1];
        bits.extend([1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1]);
        bits.extend([0; 12]);
        bits.extend([1, 1, 1]);
        bits.resize(bits.len().next_multiple_of(8), 0);
        let pack = |bits: &[u8]| -> Vec<u8> {
            bits.chunks(8).map(|byte| byte.iter().fold(0, |value, bit| value << 1 | bit)).collect()
        };
        assert!(ends_with_sbr(&pack(&bits)));
        // Type 0 is a plain fill element.
        bits[14..18].copy_from_slice(&[0, 0, 0, 0]);
        assert!(!ends_with_sbr(&pack(&bits)));
        assert!(!ends_with_sbr(&[]));
    }
}
