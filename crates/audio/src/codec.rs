//! A common interface to the decoders: takes the bytes of a packet and returns planar frames.

use symphonia::core::audio::Channels;
use symphonia::core::audio::layouts;
use symphonia::core::codecs::audio::well_known as id;
use symphonia::core::codecs::audio::{AudioCodecId, AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia::core::codecs::registry::RegisterableAudioDecoder;
use symphonia::core::packet::PacketRef;
use symphonia::core::units::{Duration, Timestamp};

use super::aac::{self, ProgramDecoder};
use super::flac::{FlacDecoder, StreamInfo};
use super::guarded::guarded;
use super::ima4;
use super::mpeg::MpegDecoder;
use super::opus_streams::OpusStreams;
use super::packets::{FramePosition, Packet, PreRoll};
use super::pcm::{SampleKind, deinterleave};
use super::{AudioBuffer, AudioFormat, ChannelMix, Layout};
use base::error::{Error, Result};

/// The highest amplitude that a lossy codec's output can mean, +20 dB. Decoders in fixed point end at eight times full
/// scale; only damage is louder. Playback mutes at the same level.
const MAX_PEAK: f32 = 10.0;

/// The codec of a packet stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after its codec")]
pub(crate) enum CodecKind {
    Mp1,
    Mp2,
    Mp3,
    Aac,
    Alac,
    Flac,
    Vorbis,
    Opus,
    AdpcmMs,
    AdpcmImaWav,
    AdpcmImaQt,
    Pcm(SampleKind),
}

/// Returns whether the codec that a file names ([`super::FileInfo::codec`]) is lossless. `FLAC 24 bit` is; logarithmic
/// and differential codings are not.
pub fn is_lossless(name: &str) -> bool {
    let first = name.split(' ').next().unwrap_or_default();
    first == "PCM" || [CodecKind::Flac, CodecKind::Alac].iter().any(|kind| kind.name() == first)
}

/// The parameters that a decoder needs to decode its stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Codec {
    /// The codec.
    pub kind: CodecKind,
    /// Rate and channels of the decoded audio.
    pub audio: AudioFormat,
    /// The codec's header.
    pub extra: Vec<u8>,
    /// Frames of a full packet, for decoders that need it; otherwise 0.
    pub packet_frames: u32,
    /// Linear gain on the output, as Opus headers request it.
    pub gain: f32,
}

impl CodecKind {
    /// Returns the codec's display name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mp1 => "MPEG layer 1",
            Self::Mp2 => "MP2",
            Self::Mp3 => "MP3",
            Self::Aac => "AAC",
            Self::Alac => "ALAC",
            Self::Flac => "FLAC",
            Self::Vorbis => "Vorbis",
            Self::Opus => "Opus",
            Self::AdpcmMs => "ADPCM (Microsoft)",
            Self::AdpcmImaWav | Self::AdpcmImaQt => "ADPCM (IMA)",
            Self::Pcm(kind) => kind.codec(),
        }
    }

    /// Returns how far before a frame decoding must begin so that the frame equals that of a straight decode.
    pub(crate) fn roll(self) -> PreRoll {
        match self {
            // Frame k needs the filter state of k-1, which needs the overlap of k-2. Each needs its main data, which
            // begins up to 511 bytes earlier, and the checksums of three frames before it.
            Self::Mp3 => PreRoll { packets: 8, bytes: 2048, ..PreRoll::default() },
            Self::Mp1 | Self::Mp2 => PreRoll { packets: 6, ..PreRoll::default() },
            Self::Vorbis => PreRoll { packets: 2, ..PreRoll::default() },
            // The generator of substituted noise remembers all that was decoded. A new decoder takes as long as 14
            // packets, a seek decodes up to 256, which take 3 ms.
            Self::Aac => PreRoll { packets: 1, segment: 256, ..PreRoll::default() },
            // RFC 7845 recommends 80 ms. On some material the predictors still differ audibly after that.
            Self::Opus => PreRoll { packets: 1, frames: 52_800, ..PreRoll::default() },
            Self::Alac | Self::Flac | Self::AdpcmMs | Self::AdpcmImaWav | Self::AdpcmImaQt | Self::Pcm(_) => {
                PreRoll::default()
            }
        }
    }

    /// Returns whether the codec describes the sound by its spectrum, so that a wrong bit can become any amplitude.
    fn is_spectral(self) -> bool {
        matches!(self, Self::Mp1 | Self::Mp2 | Self::Mp3 | Self::Aac | Self::Vorbis | Self::Opus)
    }

    fn id(self) -> AudioCodecId {
        match self {
            Self::Mp1 => id::CODEC_ID_MP1,
            Self::Mp2 => id::CODEC_ID_MP2,
            Self::Mp3 => id::CODEC_ID_MP3,
            Self::Aac => id::CODEC_ID_AAC,
            Self::Alac => id::CODEC_ID_ALAC,
            Self::Vorbis => id::CODEC_ID_VORBIS,
            Self::Opus => id::CODEC_ID_OPUS,
            Self::AdpcmMs => id::CODEC_ID_ADPCM_MS,
            Self::AdpcmImaWav => id::CODEC_ID_ADPCM_IMA_WAV,
            // These have separate decoders.
            Self::AdpcmImaQt | Self::Flac | Self::Pcm(_) => id::CODEC_ID_PCM_S16LE,
        }
    }
}

/// Decodes the packets of one stream.
pub(crate) struct Decoder {
    codec: Codec,
    inner: Inner,
    /// The number of channels of the inner decoder: that of the codec, unless a packet stated another.
    inner_channels: usize,
    planes: Vec<Vec<f32>>,
    /// A block of another number of channels than the codec's.
    changed: AudioBuffer,
    /// The packet before, of a codec that is decoded in segments.
    before: Vec<u8>,
}

enum Inner {
    Symphonia(Box<dyn AudioDecoder>),
    /// AAC of several elements.
    Program(Box<ProgramDecoder>),
    Mpeg(Box<MpegDecoder>),
    Flac(Box<FlacDecoder>),
    Opus(Box<OpusStreams>),
    Pcm(SampleKind),
    /// IMA ADPCM of `QuickTime`.
    Ima4,
}

impl Inner {
    fn new(codec: &Codec) -> Result<Self> {
        Ok(match codec.kind {
            CodecKind::Pcm(kind) => Self::Pcm(kind),
            CodecKind::AdpcmImaQt => Self::Ima4,
            CodecKind::Flac => {
                let info = StreamInfo::read(&codec.extra)
                    .ok_or_else(|| Error::unsupported("this kind of FLAC", "Its STREAMINFO block is not valid"))?;
                Self::Flac(Box::new(FlacDecoder::new(info)))
            }
            CodecKind::Opus if OpusStreams::are_in(&codec.extra) => {
                let refused = || {
                    let what = format!("this kind of Opus ({} channels)", codec.audio.channels);
                    Error::unsupported(what, "Its header contradicts itself, or its channels have an unknown order")
                };
                Self::Opus(Box::new(OpusStreams::new(&codec.extra).ok_or_else(refused)?))
            }
            CodecKind::Mp1 | CodecKind::Mp2 | CodecKind::Mp3 => Self::Mpeg(Box::new(MpegDecoder::new())),
            CodecKind::Aac => match aac::own_program(&codec.extra, codec.audio.channels) {
                Some(program) => {
                    let decoder = ProgramDecoder::new(program, codec.audio.rate.hz());
                    Self::Program(Box::new(decoder.ok_or_else(|| refusal(codec, "it takes no such elements"))?))
                }
                None => Self::Symphonia(make(codec)?),
            },
            _ => Self::Symphonia(make(codec)?),
        })
    }
}

/// The error for a packet that could not be decoded.
#[derive(Debug)]
pub(crate) struct Damaged;

impl Decoder {
    /// Creates a decoder for `codec`.
    pub(crate) fn new(codec: &Codec) -> Result<Self> {
        Ok(Self {
            inner_channels: codec.audio.channels,
            codec: codec.clone(),
            inner: Inner::new(codec)?,
            planes: Vec::new(),
            changed: AudioBuffer::default(),
            before: Vec::new(),
        })
    }

    /// Resets the decoder's state, as before a packet that does not follow the previous one.
    pub(crate) fn reset(&mut self) {
        self.before.clear();
        match &mut self.inner {
            Inner::Symphonia(decoder) => decoder.reset(),
            Inner::Program(decoder) => decoder.reset(),
            Inner::Mpeg(decoder) => decoder.reset(),
            Inner::Opus(streams) => streams.reset(),
            // A frame of FLAC and a block of `ima4` depend on no other.
            Inner::Flac(_) | Inner::Ima4 | Inner::Pcm(_) => {}
        }
    }

    /// Compares the checksum of the stream's decoded frames from now on, if it has one and `frames` frames.
    pub(crate) fn compare_checksum(&mut self, frames: u64) {
        if let Inner::Flac(flac) = &mut self.inner {
            flac.compare_md5(frames);
        }
    }

    /// Adds the frames of the last packet, which begin at `start`, to the checksum, if it is their turn. Returns
    /// `false` if it is complete and differs from the stream's.
    pub(crate) fn matches_checksum(&mut self, start: u64) -> bool {
        match &mut self.inner {
            Inner::Flac(flac) => flac.matches_md5(start),
            _ => true,
        }
    }

    /// Begins anew with the packet that was decoded last, as the only one that the next packet overlaps. The decoder then
    /// remembers nothing from before it, wherever decoding began.
    pub(crate) fn restart(&mut self) {
        if matches!(self.inner, Inner::Symphonia(_) | Inner::Program(_))
            && let Ok(fresh) = Inner::new(&self.codec)
        {
            self.inner = fresh;
            self.inner_channels = self.codec.audio.channels;
        }
        let before = std::mem::take(&mut self.before);
        // Its frames were already returned, or it is damaged.
        let _ = self.decode(&before, &Packet::at(FramePosition::Start(0)), &mut AudioBuffer::default());
    }

    /// Decodes `data`, the bytes of `packet`, into `out`. A packet that says that it has another number of channels than
    /// the codec is converted to the codec's.
    pub(crate) fn decode(&mut self, data: &[u8], packet: &Packet, out: &mut AudioBuffer) -> Result<(), Damaged> {
        self.decode_any(data, packet, out)?;
        if self.codec.gain != 1.0 {
            out.iter_mut().flatten().for_each(|sample| *sample *= self.codec.gain);
        }
        Ok(())
    }

    /// Returns whether the last packet had only a part of its channels: the others are silent.
    pub(crate) fn lacks_channels(&self) -> bool {
        matches!(&self.inner, Inner::Program(decoder) if decoder.lacks_channels())
    }

    /// Decodes without the gain.
    fn decode_any(&mut self, data: &[u8], packet: &Packet, out: &mut AudioBuffer) -> Result<(), Damaged> {
        let channels = self.codec.audio.channels;
        out.resize(channels, 0);
        if self.codec.kind.roll().segment > 0 {
            self.before.clear();
            self.before.extend_from_slice(data);
        }
        if data.is_empty() {
            // Bytes are missing here.
            if let Inner::Mpeg(decoder) = &mut self.inner {
                decoder.reset();
            }
            return Err(Damaged);
        }
        let (said, data) = stated_channels(&self.codec, data);
        let said = said.unwrap_or(self.inner_channels);
        if said != self.inner_channels {
            // A decoder keeps the number of channels that it began with.
            self.inner = Inner::new(&with_channels(&self.codec, said)).map_err(|_| Damaged)?;
            self.inner_channels = said;
        }
        match &mut self.inner {
            Inner::Pcm(kind) => {
                let stride = kind.bytes() * channels;
                let whole = data.len() / stride * stride;
                out.resize(channels, whole / stride);
                deinterleave(*kind, &data[..whole], stride, out, 0);
            }
            Inner::Ima4 => ima4::decode(data, out).ok_or(Damaged)?,
            Inner::Flac(flac) => {
                flac.decode(data, packet.is_checked, out).ok_or(Damaged)?;
                convert_changed(&mut self.changed, None, self.codec.audio, out);
            }
            Inner::Opus(streams) => streams.decode(data, out).ok_or(Damaged)?,
            Inner::Mpeg(decoder) => {
                let Some(decoded) = guarded(|| decoder.decode(data, out)) else {
                    **decoder = MpegDecoder::new();
                    return Err(Damaged);
                };
                decoded.ok_or(Damaged)?;
                convert_changed(&mut self.changed, None, self.codec.audio, out);
            }
            Inner::Program(decoder) => {
                decoder.decode(data, out).ok_or(Damaged)?;
                convert_changed(&mut self.changed, decoder.program().layout(), self.codec.audio, out);
            }
            Inner::Symphonia(decoder) => {
                let packet = PacketRef::new(0, Timestamp::new(0), Duration::new(u64::from(packet.frames)), data);
                let planes = &mut self.planes;
                // The decoders are third-party code that processes untrusted data. A panic in one costs a single
                // packet.
                let decoded = guarded(|| match decoder.decode_ref(&packet) {
                    Ok(block) if block.num_planes() == said => {
                        if block.frames() > 0 {
                            block.copy_to_vecs_planar(planes);
                        } else {
                            planes.iter_mut().for_each(Vec::clear);
                        }
                        Ok(())
                    }
                    _ => Err(Damaged),
                });
                if let Some(result) = decoded {
                    result?;
                } else {
                    if let Ok(fresh) = make(&with_channels(&self.codec, said)) {
                        *decoder = fresh;
                    }
                    return Err(Damaged);
                }
                let block = if said == channels { &mut *out } else { &mut self.changed };
                block.resize(said, 0);
                for (to, from) in block.as_mut_vecs().iter_mut().zip(planes) {
                    std::mem::swap(to, from);
                }
                if said != channels {
                    convert(&self.changed, None, self.codec.audio, out);
                }
            }
        }
        // Looks at all samples, so that the loop vectorises; `NaN` is not below the limit.
        let means = |channel: &[f32]| channel.iter().fold(true, |means, sample| means & (sample.abs() <= MAX_PEAK));
        if self.codec.kind.is_spectral() && !out.iter().all(means) { Err(Damaged) } else { Ok(()) }
    }
}

/// Returns the number of channels that a packet's header states, and the packet without an ADTS header, which the
/// decoder does not read. A header may leave the channels to the stream's own header.
fn stated_channels<'a>(codec: &Codec, packet: &'a [u8]) -> (Option<usize>, &'a [u8]) {
    if codec.kind != CodecKind::Aac {
        return (None, packet);
    }
    let channels = codec.audio.channels;
    match aac::split_adts(packet) {
        Some((0, data)) => (Some(channels).filter(|_| !codec.extra.is_empty()), data),
        // The elements decide, and not a header that states others.
        Some((said, data)) if said != channels && aac::channels_of(data, codec.audio.rate.hz()) == Some(channels) => {
            (Some(channels), data)
        }
        Some((said, data)) => (Some(said), data),
        None => (None, packet),
    }
}

/// Returns the codec of the packets of a stream that have another number of channels.
fn with_channels(codec: &Codec, channels: usize) -> Codec {
    if channels == codec.audio.channels {
        return codec.clone();
    }
    // The header describes the stream's first format.
    Codec { audio: codec.audio.with_channels(channels), extra: Vec::new(), ..codec.clone() }
}

/// Converts a decoded block to the channels of its recording, if it has others. `spare` takes the block.
fn convert_changed(spare: &mut AudioBuffer, layout: Option<Layout>, to: AudioFormat, block: &mut AudioBuffer) {
    if block.channels() != to.channels {
        std::mem::swap(block, spare);
        convert(spare, layout, to, block);
    }
}

/// Converts sound of another number of channels than a recording to the recording's.
fn convert(sound: &AudioBuffer, layout: Option<Layout>, to: AudioFormat, out: &mut AudioBuffer) {
    let from = AudioFormat::new(to.rate, sound.channels()).with_layout(layout);
    if let Some(mix) = ChannelMix::into_recording(from, to) {
        mix.apply(sound, 1.0, out);
    }
}

/// Returns the channel layout for decoders that require one.
fn layout(channels: usize) -> Option<Channels> {
    match channels {
        1 => Some(layouts::CHANNEL_LAYOUT_MONO),
        2 => Some(layouts::CHANNEL_LAYOUT_STEREO),
        count => Some(Channels::Discrete(u16::try_from(count).ok()?)),
    }
}

fn make(codec: &Codec) -> Result<Box<dyn AudioDecoder>> {
    let mut parameters = AudioCodecParameters::new();
    parameters.for_codec(codec.kind.id()).with_sample_rate(codec.audio.rate.hz());
    if let Some(channels) = layout(codec.audio.channels) {
        parameters.with_channels(channels);
    }
    // With the Opus header, the decoder would skip the delay once. This program skips it itself, after every seek.
    if !codec.extra.is_empty() && codec.kind != CodecKind::Opus {
        parameters.with_extra_data(codec.extra.clone().into_boxed_slice());
    }
    if codec.packet_frames > 0 {
        parameters.with_max_frames_per_packet(u64::from(codec.packet_frames));
        parameters.with_frames_per_block(u64::from(codec.packet_frames));
    }
    let options = AudioDecoderOptions::default();
    let made = guarded(|| match codec.kind {
        CodecKind::Opus => symphonia_adapter_libopus::OpusDecoder::try_registry_new(&parameters, &options),
        _ => symphonia::default::get_codecs().make_audio_decoder(&parameters, &options),
    });
    let reason = match made {
        Some(Ok(decoder)) => return Ok(decoder),
        Some(Err(error)) => error.to_string(),
        None => "its header is malformed".to_owned(),
    };
    Err(refusal(codec, &reason))
}

/// Returns the error for a stream that its decoder refuses.
fn refusal(codec: &Codec, reason: &str) -> Error {
    Error::unsupported(
        format!("this kind of {} ({} channels, {})", codec.kind.name(), codec.audio.channels, codec.audio.rate),
        format!("The decoder says: {reason}. Convert it to FLAC or WAV with ffmpeg and open that"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codecs_are_known_by_the_names_that_files_give_them() {
        for lossless in ["PCM 16 bit", "PCM 32 bit float", "FLAC 24 bit", "FLAC", "ALAC 16 bit"] {
            assert!(is_lossless(lossless), "{lossless}");
        }
        let lossy = [CodecKind::Mp3, CodecKind::Aac, CodecKind::Vorbis, CodecKind::Opus, CodecKind::AdpcmImaWav];
        for lossy in lossy.map(CodecKind::name).into_iter().chain(["A-law", "mu-law", ""]) {
            assert!(!is_lossless(lossy), "{lossy}");
        }
    }
}
