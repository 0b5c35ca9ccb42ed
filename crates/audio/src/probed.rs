//! The result of probing a file: its properties and the location of its audio data.

use std::sync::Arc;

use super::codec::{Codec, CodecKind, Decoder};
use super::decode::PacketReader;
use super::ebml::Element;
use super::parts::{PartsReader, RecordingPart, Stream, total_frames};
use super::pcm::{PcmLayout, PcmReader, SampleKind};
use super::reordered::Reordered;
use super::source::SourceFile;
use super::{AudioFormat, AudioReader, Layout};
use base::error::Result;

/// The result of probing a file.
#[derive(Debug)]
pub(crate) struct ProbedFile {
    /// The display name of the container, for example "WAV".
    pub format: String,
    /// The display name of the codec, for example "PCM 16 bit".
    pub codec: String,
    /// Bits per stored sample, if the codec defines it.
    pub bits: Option<u32>,
    /// Sample rate and channels.
    pub audio: AudioFormat,
    /// The exact length in frames.
    pub frames: u64,
    /// Warnings about defects that do not prevent reading.
    pub warnings: Vec<String>,
    /// The byte after the part that the reader looked at. A warning reports bytes after it that are not known tags;
    /// `None` for readers that report them themselves.
    pub read_to: Option<u64>,
    /// The location of the audio data.
    pub body: Body,
    /// The description of a Matroska file; `None` for others.
    pub matroska: Option<MatroskaDescription>,
    /// For each channel its place in the file; `None` if the file has the order of WAVE files.
    order: Option<Vec<usize>>,
}

/// What describes the sound of a Matroska file, beside the sound.
#[derive(Debug)]
pub(crate) struct MatroskaDescription {
    /// The elements of tags, chapters, attachments and general information.
    pub elements: Vec<Element>,
    /// The identifier of the audio track that is read.
    pub track_uid: u64,
    /// The time of the sound's first frame in nanoseconds.
    pub begins_ns: u64,
}

/// The audio data of an opened file.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Uncompressed samples.
    Pcm(PcmLayout),
    /// A stream of compressed packets.
    Packets(Stream),
    /// Several parts, one after the other. At least one is a stream.
    Parts(Arc<[RecordingPart]>),
}

impl ProbedFile {
    /// Creates the description of an uncompressed file.
    pub(crate) fn pcm(format: impl Into<String>, layout: PcmLayout, bits: Option<u32>, warnings: Vec<String>) -> Self {
        let codec = match (layout.kind, bits) {
            (kind, _) if kind.is_float() => kind.codec().to_owned(),
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
            read_to: None,
            body: Body::Pcm(layout),
            matroska: None,
            order: None,
        }
    }

    /// Creates the description of a compressed file.
    pub(crate) fn packets(format: impl Into<String>, bits: Option<u32>, stream: Stream, warnings: Vec<String>) -> Self {
        Self::of_codec(format, bits, &stream.codec.clone(), stream.trim.frames, Body::Packets(stream), warnings)
    }

    /// Creates the description of a compressed file of several parts, which have the format of `codec`.
    pub(crate) fn parts(
        format: impl Into<String>,
        bits: Option<u32>,
        codec: &Codec,
        mut parts: Vec<RecordingPart>,
        warnings: Vec<String>,
    ) -> Self {
        let frames = total_frames(&parts);
        let body = match parts.pop() {
            Some(RecordingPart::Stream(only)) if parts.is_empty() => Body::Packets(only),
            last => Body::Parts(parts.into_iter().chain(last).collect()),
        };
        Self::of_codec(format, bits, codec, frames, body, warnings)
    }

    fn of_codec(
        format: impl Into<String>,
        bits: Option<u32>,
        codec: &Codec,
        frames: u64,
        body: Body,
        warnings: Vec<String>,
    ) -> Self {
        let name = match (codec.kind, bits) {
            (CodecKind::Flac | CodecKind::Alac, Some(bits)) => format!("{} {bits} bit", codec.kind.name()),
            (kind, _) => kind.name().to_owned(),
        };
        Self {
            format: format.into(),
            codec: name,
            bits,
            audio: codec.audio,
            frames,
            warnings,
            read_to: None,
            body,
            matroska: None,
            order: None,
        }
    }

    /// Sets the byte after the part that the reader looked at.
    pub(crate) fn read_to(self, byte: u64) -> Self {
        Self { read_to: Some(byte), ..self }
    }

    /// Sets what describes the sound of a Matroska file.
    pub(crate) fn described(self, description: MatroskaDescription) -> Self {
        Self { matroska: Some(description), ..self }
    }

    /// Sets the layout, and for each of its channels the place in the file. `None` leaves the file as it is.
    #[must_use]
    pub(crate) fn arranged(mut self, arrangement: Option<(Layout, Vec<usize>)>) -> Self {
        if let Some((layout, order)) = arrangement.filter(|(layout, _)| layout.channels() == self.audio.channels) {
            self.audio = self.audio.with_layout(Some(layout));
            match &mut self.body {
                Body::Pcm(pcm) => pcm.audio = self.audio,
                Body::Packets(stream) => Arc::make_mut(&mut stream.codec).audio = self.audio,
                // Their reader gives the format of the whole.
                Body::Parts(_) => {}
            }
            self.order = (!order.is_sorted()).then_some(order);
        }
        self
    }

    /// Creates a reader at frame 0.
    pub(crate) fn reader(&self, source: &Arc<SourceFile>) -> Result<Box<dyn AudioReader>> {
        let reader = self.body.reader(source, self.audio)?;
        Ok(match &self.order {
            Some(order) => Box::new(Reordered::new(reader, order.clone())),
            None => reader,
        })
    }
}

impl Body {
    /// Returns an error if no decoder accepts the stream.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Self::Pcm(_) => Ok(()),
            Self::Packets(stream) => Decoder::new(&stream.codec).map(drop),
            Self::Parts(parts) => match parts.iter().find_map(RecordingPart::stream) {
                Some(stream) => Decoder::new(&stream.codec).map(drop),
                None => Ok(()),
            },
        }
    }

    /// Returns the serial number of the first stream of an Ogg file; `None` for other files.
    pub(crate) fn ogg_serial(&self) -> Option<u32> {
        match self {
            Self::Pcm(_) => None,
            Self::Packets(stream) => stream.ogg_serial,
            Self::Parts(parts) => parts.iter().find_map(RecordingPart::stream).and_then(|stream| stream.ogg_serial),
        }
    }

    /// Creates a reader at frame 0, which gives `audio`.
    fn reader(&self, source: &Arc<SourceFile>, audio: AudioFormat) -> Result<Box<dyn AudioReader>> {
        match self {
            Self::Pcm(layout) => Ok(Box::new(PcmReader::new(source, *layout))),
            Self::Packets(stream) => {
                Ok(Box::new(PacketReader::new(stream.packets(source), &stream.codec, stream.trim)?))
            }
            Self::Parts(parts) => Ok(Box::new(PartsReader::new(source, audio, parts))),
        }
    }
}
