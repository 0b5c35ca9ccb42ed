//! What looking at a file gives: what it holds and where its audio lies.

use std::sync::Arc;

use super::codec::{Codec, CodecKind, Decoder};
use super::container::flac::{FlacIndex, FlacPackets};
use super::container::ogg::{OggIndex, OggPackets};
use super::decode::{PacketReader, Trim};
use super::packets::{Packets, Table, TablePackets};
use super::pcm::{PcmLayout, PcmReader, SampleKind};
use super::source::Source;
use super::{AudioFormat, AudioReader};
use crate::error::{Error, Result};
use crate::units::SampleRate;

/// The most channels that are read: beyond this a header is not believed.
pub(crate) const MAX_CHANNELS: usize = 256;

/// A file that was looked at.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The container, for people: "WAV".
    pub format: String,
    /// The codec, for people: "PCM 16 bit".
    pub codec: String,
    /// Bits of a stored sample, where that means something.
    pub bits: Option<u32>,
    /// Rate and channels.
    pub audio: AudioFormat,
    /// The exact length.
    pub frames: u64,
    /// What is not as it should be, but can be lived with.
    pub warnings: Vec<String>,
    /// Where the audio is.
    pub body: Body,
}

/// The audio of an opened file.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Uncompressed, at a place.
    Pcm(PcmLayout),
    /// In packets.
    Packets(Stream),
}

/// A compressed stream of a file.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    /// What it is.
    pub codec: Arc<Codec>,
    /// The part that is heard.
    pub trim: Trim,
    /// Where the packets are.
    pub index: Index,
}

/// How the packets of a stream are found.
#[derive(Clone, Debug)]
pub(crate) enum Index {
    /// By a table of all of them.
    Table(Arc<Table>),
    /// By the pages of an Ogg file.
    Ogg(Arc<OggIndex>),
    /// By the frame headers of a FLAC file.
    Flac(Arc<FlacIndex>),
}

impl Stream {
    /// A stream whose packets are all in a table.
    pub(crate) fn table(codec: Codec, table: Table, trim: Trim) -> Self {
        Self { codec: Arc::new(codec), trim, index: Index::Table(Arc::new(table)) }
    }

    /// A walk over the packets, from the first.
    pub(crate) fn packets(&self, source: &Arc<Source>) -> Box<dyn Packets> {
        match &self.index {
            Index::Table(table) => Box::new(TablePackets::new(source, table)),
            Index::Ogg(index) => Box::new(OggPackets::new(source, index)),
            Index::Flac(index) => Box::new(FlacPackets::new(source, index)),
        }
    }
}

impl Opened {
    /// An uncompressed file.
    pub(crate) fn pcm(format: impl Into<String>, layout: PcmLayout, bits: Option<u32>, warnings: Vec<String>) -> Self {
        let codec = match (layout.kind, bits) {
            (SampleKind::F32Le | SampleKind::F32Be | SampleKind::F64Le | SampleKind::F64Be, _) => {
                layout.kind.codec().to_owned()
            }
            (_, Some(bits)) => format!("PCM {bits} bit"),
            (kind, None) => kind.codec().to_owned(),
        };
        Self {
            format: format.into(),
            codec,
            bits: bits.or(match layout.kind {
                SampleKind::ALaw | SampleKind::MuLaw => None,
                kind => Some(kind.bytes() as u32 * 8),
            }),
            audio: layout.audio,
            frames: layout.frames,
            warnings,
            body: Body::Pcm(layout),
        }
    }
}

impl Opened {
    /// A compressed file.
    pub(crate) fn packets(format: impl Into<String>, bits: Option<u32>, stream: Stream, warnings: Vec<String>) -> Self {
        let codec = match (stream.codec.kind, bits) {
            (CodecKind::Flac | CodecKind::Alac, Some(bits)) => format!("{} {bits} bit", stream.codec.kind.name()),
            (kind, _) => kind.name().to_owned(),
        };
        Self {
            format: format.into(),
            codec,
            bits,
            audio: stream.codec.audio,
            frames: stream.trim.frames,
            warnings,
            body: Body::Packets(stream),
        }
    }
}

impl Body {
    /// Whether there is a decoder that takes the stream.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Self::Pcm(_) => Ok(()),
            Self::Packets(stream) => Decoder::new(&stream.codec).map(drop),
        }
    }

    /// A new reader at frame 0.
    pub(crate) fn reader(&self, source: &Arc<Source>) -> Result<Box<dyn AudioReader>> {
        match self {
            Self::Pcm(layout) => Ok(Box::new(PcmReader::new(source, *layout))),
            Self::Packets(stream) => {
                Ok(Box::new(PacketReader::new(stream.packets(source), &stream.codec, stream.trim)?))
            }
        }
    }
}

/// Rate and channels as a header gives them, or why they cannot be.
pub(crate) fn audio_format(source: &Source, rate_hz: u32, channels: usize) -> Result<AudioFormat> {
    let rate = SampleRate::new(rate_hz)
        .map_err(|_| source.malformed(format!("the header says {rate_hz} Hz, sample rates are 1 Hz to 768 kHz")))?;
    match channels {
        0 => Err(source.malformed("the header says 0 channels")),
        1..=MAX_CHANNELS => Ok(AudioFormat { rate, channels }),
        _ => Err(Error::Limit {
            what: "channels".to_owned(),
            got: channels.to_string(),
            limit: MAX_CHANNELS.to_string(),
        }),
    }
}
