//! Writes Opus in Ogg (RFC 7845) with libopus. Packets have 20 ms, pages one second.
//!
//! The header tells players to skip the encoder's delay. The granule position of the last page states where the audio
//! ends within the last packet. The length is therefore exact to the frame.

use opusic_c::{Application, Bandwidth, Bitrate, Channels, Encoder, ErrorCode, SampleRate, Signal};

use super::surround::{Group, layout, self_delimited};
use crate::container::ogg::page_writer::Pages;
use crate::encode::lossy::{LossySettings, OpusApplication};
use crate::tags::comments;
use crate::{AudioFormat, Tags};
use base::error::{Error, Result};

/// Frames per packet: 20 ms at 48 kHz.
const PACKET: usize = 960;
/// Packets per page: one second.
const PAGE_PACKETS: u64 = 50;
/// The maximum size of one stream's packet in bytes.
const MAX_PACKET_BYTES: usize = 1275;
/// The bit rate of a low-frequency channel relative to a full-range channel.
const LOW_SHARE: f64 = 0.25;
/// The serial number of the stream. It is constant, so that equal exports give equal files.
const SERIAL: u32 = 0x554e_4454;

/// Writes an Opus stream to a file.
pub struct OpusWriter {
    streams: Vec<(Encoder, Group)>,
    mapping: &'static [u8],
    pages: Pages,
    /// The number of frames that the decoder must skip.
    pre_skip: u16,
    /// The number of input frames so far.
    frames: u64,
    packets: u64,
    /// Planar samples that do not fill a packet yet.
    waiting: Vec<Vec<f32>>,
    interleaved: Vec<f32>,
    packet: Vec<u8>,
}

fn failed(error: ErrorCode) -> Error {
    Error::Internal(format!("the Opus encoder failed: {error:?}"))
}

impl OpusWriter {
    /// Creates the encoders. The caller has checked settings and format.
    pub fn new(settings: &LossySettings, format: AudioFormat) -> Result<Self> {
        let channels = format.channels;
        let (groups, mapping) = layout(channels);
        let share = |group: &Group| match group {
            Group::Pair(..) => 2.0,
            Group::One(_) => 1.0,
            Group::Low(_) => LOW_SHARE,
        };
        let shares: f64 = groups.iter().map(share).sum();
        let rate = f64::from(settings.opus_kbps(channels)) * 1000.0;
        let mut streams = Vec::with_capacity(groups.len());
        let mut pre_skip = 0;
        for group in groups {
            let pair = matches!(group, Group::Pair(..));
            let application = match settings.opus_application {
                OpusApplication::Audio => Application::Audio,
                OpusApplication::Speech => Application::Voip,
            };
            let kind = if pair { Channels::Stereo } else { Channels::Mono };
            let mut encoder = Encoder::new(kind, SampleRate::Hz48000, application).map_err(failed)?;
            let most = if pair { 510_000.0 } else { 256_000.0 };
            let bits = (rate * share(&group) / shares).clamp(6000.0, most) as u32;
            encoder.set_bitrate(Bitrate::Value(bits)).map_err(failed)?;
            encoder.set_vbr(true).map_err(failed)?;
            encoder.set_vbr_constraint(settings.opus_constrained).map_err(failed)?;
            encoder.set_complexity(settings.opus_complexity).map_err(failed)?;
            if matches!(group, Group::Low(_)) {
                encoder.set_max_bandwidth(Bandwidth::Narrow).map_err(failed)?;
                // Low frequencies are never speech.
                encoder.set_signal(Signal::Music).map_err(failed)?;
            }
            pre_skip = pre_skip.max(encoder.get_look_ahead().map_err(failed)?);
            streams.push((encoder, group));
        }
        Ok(Self {
            streams,
            mapping,
            pages: Pages::new(SERIAL),
            pre_skip: pre_skip as u16,
            frames: 0,
            packets: 0,
            waiting: vec![Vec::new(); channels],
            interleaved: Vec::with_capacity(2 * PACKET),
            packet: Vec::new(),
        })
    }

    /// Writes the two headers, each on separate pages. `original` is the original sample rate in Hz, stored for
    /// information.
    pub fn head(&mut self, original: u32, tags: &Tags, out: &mut Vec<u8>) {
        let channels = self.mapping.len() as u8;
        let mut head = b"OpusHead\x01".to_vec();
        head.push(channels);
        head.extend_from_slice(&self.pre_skip.to_le_bytes());
        head.extend_from_slice(&original.to_le_bytes());
        // Gain 0; mapping family 0 for mono and stereo, family 1 (Vorbis order) for more channels.
        head.extend_from_slice(&[0, 0, u8::from(channels > 2)]);
        if channels > 2 {
            let pairs = self.streams.iter().filter(|(_, group)| matches!(group, Group::Pair(..))).count();
            head.extend_from_slice(&[self.streams.len() as u8, pairs as u8]);
            head.extend_from_slice(self.mapping);
        }
        self.pages.packet(&head, 0, out);
        self.pages.page(false, out);

        let comments = comments(tags);
        let mut text = b"OpusTags".to_vec();
        let mut put = |part: &str| {
            text.extend_from_slice(&(part.len() as u32).to_le_bytes());
            text.extend_from_slice(part.as_bytes());
        };
        put(opusic_c::version());
        text.extend_from_slice(&(comments.len() as u32).to_le_bytes());
        for (key, value) in comments {
            let part = format!("{key}={value}");
            text.extend_from_slice(&(part.len() as u32).to_le_bytes());
            text.extend_from_slice(part.as_bytes());
        }
        self.pages.packet(&text, 0, out);
        self.pages.page(false, out);
    }

    /// Appends planar samples and writes full pages to `out`.
    pub fn append(&mut self, channels: &[&[f32]], out: &mut Vec<u8>) -> Result<()> {
        for (waiting, channel) in self.waiting.iter_mut().zip(channels) {
            waiting.extend_from_slice(channel);
        }
        self.frames += channels.first().map_or(0, |channel| channel.len()) as u64;
        // The last packet is held back because its granule position depends on where the audio ends.
        let whole = (self.waiting[0].len() / PACKET).saturating_sub(1);
        for index in 0..whole {
            self.encode(index * PACKET, None, out)?;
        }
        self.waiting.iter_mut().for_each(|waiting| drop(waiting.drain(..whole * PACKET)));
        Ok(())
    }

    /// Encodes the packet that begins at pending frame `start`. For the last packet, `end` is the granule position of
    /// the stream's end.
    fn encode(&mut self, start: usize, end: Option<u64>, out: &mut Vec<u8>) -> Result<()> {
        let span = start..start + PACKET;
        self.packet.clear();
        let last = self.streams.len() - 1;
        let mut bytes = Vec::with_capacity(MAX_PACKET_BYTES);
        for (index, (encoder, group)) in self.streams.iter_mut().enumerate() {
            self.interleaved.clear();
            match *group {
                Group::Pair(left, right) => {
                    let pairs = self.waiting[left][span.clone()].iter().zip(&self.waiting[right][span.clone()]);
                    self.interleaved.extend(pairs.flat_map(|(left, right)| [*left, *right]));
                }
                Group::One(channel) | Group::Low(channel) => {
                    self.interleaved.extend_from_slice(&self.waiting[channel][span.clone()]);
                }
            }
            bytes.clear();
            bytes.resize(MAX_PACKET_BYTES, 0);
            let length = encoder.encode_float_to_slice(&self.interleaved, &mut bytes).map_err(failed)?;
            if index == last {
                self.packet.extend_from_slice(&bytes[..length]);
            } else {
                self_delimited(&bytes[..length], &mut self.packet)?;
            }
        }
        self.packets += 1;
        let granule = end.unwrap_or(self.packets * PACKET as u64);
        self.pages.packet(&self.packet, granule, out);
        if end.is_some() || self.packets.is_multiple_of(PAGE_PACKETS) {
            self.pages.page(end.is_some(), out);
        }
        Ok(())
    }

    /// Encodes the pending samples and ends the stream.
    pub fn end(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let end = u64::from(self.pre_skip) + self.frames;
        let packets = end.div_ceil(PACKET as u64).max(1);
        let left = (packets - self.packets) as usize;
        self.waiting.iter_mut().for_each(|waiting| waiting.resize(left * PACKET, 0.0));
        for index in 0..left {
            self.encode(index * PACKET, (index + 1 == left).then_some(end), out)?;
        }
        Ok(())
    }
}
