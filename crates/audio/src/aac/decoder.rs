//! Decodes streams of several elements: each is a packet of one or two channels for a decoder of its own.

use symphonia::core::audio::{Channels, layouts};
use symphonia::core::codecs::audio::well_known::CODEC_ID_AAC;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia::core::packet::PacketRef;
use symphonia::core::units::{Duration, Timestamp};

use super::bands::Bands;
use super::elements;
use super::program::{Part, Program};
use crate::AudioBuffer;
use crate::guarded::guarded;

/// Frames of a packet.
const FRAMES: usize = 1024;

/// Decodes the packets of a program.
pub(crate) struct ProgramDecoder {
    program: Program,
    rate_hz: u32,
    bands: Bands,
    /// The decoders of the program's elements.
    decoders: Vec<Box<dyn AudioDecoder>>,
    /// The channels in the order of the elements.
    planes: Vec<Vec<f32>>,
    /// The channels of an element.
    block: Vec<Vec<f32>>,
    /// The packet of an element.
    packet: Vec<u8>,
    /// Whether the last packet lacked an element other than low frequencies, which many streams leave out.
    lacks_channels: bool,
}

impl ProgramDecoder {
    /// Creates decoders for the elements of a program; `None` if there are none for them.
    pub(crate) fn new(program: Program, rate_hz: u32) -> Option<Self> {
        let decoders = program.parts.iter().map(|part| element_decoder(*part, rate_hz)).collect::<Option<Vec<_>>>()?;
        Some(Self {
            planes: vec![vec![0.0; FRAMES]; program.channels()],
            bands: Bands::at(rate_hz),
            program,
            rate_hz,
            decoders,
            block: Vec::new(),
            packet: Vec::new(),
            lacks_channels: false,
        })
    }

    /// Returns the program.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// Returns whether the last packet lacked channels.
    pub(crate) fn lacks_channels(&self) -> bool {
        self.lacks_channels
    }

    /// Resets all decoders.
    pub(crate) fn reset(&mut self) {
        self.decoders.iter_mut().for_each(|decoder| decoder.reset());
    }

    /// Decodes a packet into `out`; `None` if it is damaged. No decoder gets anything of a packet that cannot be taken
    /// apart.
    pub(crate) fn decode(&mut self, data: &[u8], out: &mut AudioBuffer) -> Option<()> {
        let contents = elements::split(data, &self.bands)?;
        // Each packet may state its program, but not another one.
        if self.program.stated.is_some() && contents.program.is_some() && contents.program != self.program.stated {
            return None;
        }
        let chosen = self.program.assigned(&contents.elements)?;
        self.lacks_channels = !self.program.is_complete(&chosen);
        let mut at = 0;
        for (number, element) in chosen.into_iter().enumerate() {
            let channels = self.program.parts[number].kind.channels();
            let planes = at..at + channels;
            at += channels;
            let Some(element) = element else {
                self.decoders[number].reset();
                self.planes[planes].iter_mut().for_each(|plane| plane.fill(0.0));
                continue;
            };
            elements::pack(data, element.bits.clone(), &mut self.packet);
            let (decoder, block) = (&mut self.decoders[number], &mut self.block);
            let packet = PacketRef::new(0, Timestamp::new(0), Duration::new(FRAMES as u64), &self.packet);
            // A panic in a decoder costs a single packet.
            let decoded = guarded(|| {
                let decoded = decoder.decode_ref(&packet).ok()?;
                decoded.copy_to_vecs_planar(block);
                Some(())
            });
            if decoded.is_none() {
                self.decoders[number] = element_decoder(self.program.parts[number], self.rate_hz)?;
            }
            decoded??;
            if block.len() != channels || block.iter().any(|plane| plane.len() != FRAMES) {
                return None;
            }
            self.planes[planes].swap_with_slice(block);
        }
        out.resize(self.planes.len(), FRAMES);
        for (to, from) in out.iter_mut().zip(&self.program.order) {
            to.copy_from_slice(&self.planes[*from]);
        }
        Some(())
    }
}

fn element_decoder(part: Part, rate_hz: u32) -> Option<Box<dyn AudioDecoder>> {
    let layout: Channels =
        if part.kind.channels() == 2 { layouts::CHANNEL_LAYOUT_STEREO } else { layouts::CHANNEL_LAYOUT_MONO };
    let mut parameters = AudioCodecParameters::new();
    parameters.for_codec(CODEC_ID_AAC).with_sample_rate(rate_hz).with_channels(layout);
    let options = AudioDecoderOptions::default();
    guarded(|| symphonia::default::get_codecs().make_audio_decoder(&parameters, &options))?.ok()
}
