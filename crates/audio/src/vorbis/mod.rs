//! Checks the headers of a Vorbis stream before a decoder receives them (Vorbis I specification, section 4.2).
//!
//! Symphonia's decoder (0.6.1) trusts the setup header: codebooks of a few bytes expand to gigabytes. It also undoes
//! channel coupling in the wrong order. [`read`] limits the memory that a header can cause and rewrites the header:
//! coupling steps in reverse order, and residues that end with a whole classification word. The decoder then handles
//! mono, stereo and surround sound correctly.

mod bits;
mod book;
mod coupling;
mod residue;
mod setup;

use self::setup::Setup;
use super::Layout;
use super::codec::{Codec, CodecKind};
use super::durations::VorbisModes;
use super::source::SourceFile;
use crate::source::audio_format;
use base::error::{Error, Result};

/// The size of the identification header in bytes.
const IDENTIFICATION_BYTES: usize = 30;
/// The maximum size of a setup header in bytes. Encoders write up to 10,000.
const MAX_SETUP_BYTES: usize = 1 << 20;
/// The maximum number of channels for which the decoder defines an order.
const MAX_CHANNELS: u8 = 8;

/// The reason why the headers of a stream are refused.
#[derive(Debug, PartialEq)]
enum Fault {
    /// They contradict the specification; the text says how.
    Malformed(String),
    /// The decoder does not support them.
    Unsupported(String),
    /// They exceed a limit.
    Limit { what: &'static str, got: u64, limit: u64 },
}

impl Fault {
    fn malformed(reason: &str) -> Self {
        Self::Malformed(reason.to_owned())
    }

    fn limit(what: &'static str, got: u64, limit: u64) -> Result<(), Self> {
        if got > limit { Err(Self::Limit { what, got, limit }) } else { Ok(()) }
    }

    fn into_error(self, source: &SourceFile) -> Error {
        match self {
            Self::Malformed(reason) => source.malformed(format!("the Vorbis headers are damaged: {reason}")),
            Self::Unsupported(reason) => Error::unsupported(
                "This kind of Vorbis",
                format!("{reason}. Convert it to FLAC or WAV with ffmpeg and open that"),
            ),
            Self::Limit { what, got, limit } => {
                Error::Limit { what: what.to_owned(), got: got.to_string(), limit: limit.to_string() }
            }
        }
    }
}

/// The contents of the identification header.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Identification {
    channels: u8,
    rate_hz: u32,
    /// Frames per short and long block.
    blocks: [u32; 2],
}

impl Identification {
    fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let Some(bytes) = bytes.first_chunk::<IDENTIFICATION_BYTES>().filter(|bytes| bytes.starts_with(b"\x01vorbis"))
        else {
            return Err(Fault::malformed("the first is no identification header"));
        };
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let blocks = [1u32 << (bytes[28] & 15), 1u32 << (bytes[28] >> 4)];
        if !(64..=8192).contains(&blocks[0]) || !(blocks[0]..=8192).contains(&blocks[1]) {
            let [short, long] = blocks;
            return Err(Fault::Malformed(format!("blocks have {short} and {long} frames, 64 to 8192 are allowed")));
        }
        if word(7) != 0 || bytes[29] & 1 != 1 {
            return Err(Fault::malformed("its version is unknown"));
        }
        Ok(Self { channels: bytes[11], rate_hz: word(12), blocks })
    }
}

/// Returns the codec of a Vorbis stream for its headers, and its modes.
///
/// # Errors
/// [`Error::Limit`] if the headers need more memory than any real recording, [`Error::Unsupported`] for more than 8
/// channels and for couplings that no known encoder writes.
pub(crate) fn read(source: &SourceFile, identification: &[u8], setup: &[u8]) -> Result<(Codec, VorbisModes)> {
    let read = || {
        let found = Identification::read(identification)?;
        Fault::limit("bytes of the Vorbis setup header", setup.len() as u64, MAX_SETUP_BYTES as u64)?;
        if found.channels > MAX_CHANNELS {
            return Err(Fault::Unsupported(format!(
                "it has {} channels, of which Vorbis says no order; up to {MAX_CHANNELS} can be decoded",
                found.channels
            )));
        }
        Ok(found)
    };
    let found = read().map_err(|fault| fault.into_error(source))?;
    let channels = usize::from(found.channels);
    let audio = audio_format(source, found.rate_hz, channels)?.with_layout(Layout::usual(channels));
    let Setup { bytes, long } =
        Setup::read(setup, u32::from(found.channels), found.blocks).map_err(|fault| fault.into_error(source))?;
    let extra = [&identification[..IDENTIFICATION_BYTES], &bytes].concat();
    let modes = VorbisModes::new(found.blocks, long);
    Ok((Codec { kind: CodecKind::Vorbis, audio, extra, packet_frames: 0, gain: 1.0 }, modes))
}
