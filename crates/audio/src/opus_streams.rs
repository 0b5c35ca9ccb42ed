//! Decodes Opus packets that hold several streams (RFC 7845, section 5.1.1): surround sound, or independent channels.
//!
//! Every stream but the last states its length (RFC 6716, appendix B). Each stream is decoded separately, in mono or
//! stereo. A table in the header maps the decoded channels to output channels.

use opusic_c::{Channels, Decoder, SampleRate};

use super::AudioBuffer;
use super::channel_order::vorbis_order;

/// Frames of the longest packet, 120 ms at 48 kHz.
const MAX_FRAMES: usize = 5760;
/// The table entry of a silent channel.
const SILENT: u8 = 255;

/// The decoders of all streams.
pub(super) struct OpusStreams {
    /// One decoder per stream, with its number of channels.
    decoders: Vec<(Decoder, usize)>,
    /// For each output channel, the stream and the channel within it; `None` if the channel is silent.
    routes: Vec<Option<(usize, usize)>>,
    interleaved: Vec<f32>,
}

impl OpusStreams {
    /// Returns whether a header describes more than one stream.
    pub fn are_in(head: &[u8]) -> bool {
        head.len() > 20 && matches!(head[18], 1 | 2 | 255) && head[19] > 1
    }

    /// Creates the decoders for a header; `None` if the header contradicts itself.
    pub fn new(head: &[u8]) -> Option<Self> {
        let (&channels, &family, &streams, &coupled) = (head.get(9)?, head.get(18)?, head.get(19)?, head.get(20)?);
        let channels = usize::from(channels);
        let table = head.get(21..21 + channels)?;
        if coupled > streams || usize::from(streams) + usize::from(coupled) > 255 {
            return None;
        }
        let decoders: Option<Vec<_>> = (0..streams)
            .map(|stream| {
                let (kind, count) = if stream < coupled { (Channels::Stereo, 2) } else { (Channels::Mono, 1) };
                Some((Decoder::new(kind, SampleRate::Hz48000).ok()?, count))
            })
            .collect();
        let decoded = streams + coupled;
        let mut routes = vec![None; channels];
        for (place, &index) in table.iter().enumerate() {
            // Surround sound (family 1) has its channels in Vorbis order; all other families keep theirs.
            let channel = if family == 1 { *vorbis_order(channels).get(place)? } else { place };
            routes[channel] = match index {
                SILENT => None,
                index if index >= decoded => return None,
                index if index < 2 * coupled => Some((usize::from(index / 2), usize::from(index % 2))),
                index => Some((usize::from(index - coupled), 0)),
            };
        }
        Some(Self { decoders: decoders?, routes, interleaved: vec![0.0; 2 * MAX_FRAMES] })
    }

    /// Resets all decoders.
    pub fn reset(&mut self) {
        for (decoder, _) in &mut self.decoders {
            // libopus refuses no reset. Without one, the previous signal would be audible for a few milliseconds.
            let _ = decoder.reset();
        }
    }

    /// Decodes a packet into `out`; `None` if it is damaged.
    pub fn decode(&mut self, data: &[u8], out: &mut AudioBuffer) -> Option<()> {
        let mut rest = data;
        let mut frames = None;
        let last = self.decoders.len() - 1;
        for (stream, (decoder, channels)) in self.decoders.iter_mut().enumerate() {
            let packet: Vec<u8>;
            let bytes = if stream == last {
                rest
            } else {
                (packet, rest) = first_of(rest)?;
                packet.as_slice()
            };
            if bytes.is_empty() {
                return None;
            }
            let count =
                decoder.decode_float_to_slice(bytes, &mut self.interleaved[..*channels * MAX_FRAMES], false).ok()?;
            if *frames.get_or_insert(count) != count {
                return None;
            }
            out.resize(self.routes.len(), count);
            for (to, route) in out.iter_mut().zip(&self.routes) {
                if let Some((_, channel)) = route.filter(|(from, _)| *from == stream) {
                    let samples = self.interleaved[channel..].iter().step_by(*channels);
                    to.iter_mut().zip(samples).for_each(|(to, sample)| *to = *sample);
                }
            }
        }
        for (to, route) in out.iter_mut().zip(&self.routes) {
            if route.is_none() {
                to.fill(0.0);
            }
        }
        Some(())
    }
}

/// Reads a length of one or two bytes. Returns the length and the number of bytes read.
fn length(data: &[u8]) -> Option<(usize, usize)> {
    match *data.first()? {
        short @ 0..252 => Some((usize::from(short), 1)),
        long => Some((usize::from(long) + 4 * usize::from(*data.get(1)?), 2)),
    }
}

/// Splits off the first self-delimited packet. Returns it in standard framing, and the remaining bytes.
fn first_of(data: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let toc = *data.first()?;
    // The header bytes to keep, the offset of the frames, and the number of bytes in frames and padding.
    let (kept, begins, bytes) = match toc & 3 {
        code @ (0 | 1) => {
            let (each, said) = length(&data[1..])?;
            (1, 1 + said, each << code)
        }
        2 => {
            let (first, said) = length(&data[1..])?;
            let (second, more) = length(data.get(1 + said..)?)?;
            (1 + said, 1 + said + more, first + second)
        }
        _ => {
            let head = *data.get(1)?;
            let (count, mut at, mut bytes) = (usize::from(head & 63), 2, 0);
            if head & 64 != 0 {
                loop {
                    let padding = *data.get(at)?;
                    at += 1;
                    bytes += usize::from(padding.min(254));
                    if padding < 255 {
                        break;
                    }
                }
            }
            let variable = head & 128 != 0;
            let said_before = if variable { count.saturating_sub(1) } else { 0 };
            for _ in 0..said_before {
                let (each, said) = length(data.get(at..)?)?;
                (at, bytes) = (at + said, bytes + each);
            }
            let (last, said) = length(data.get(at..)?)?;
            (at, at + said, bytes + if variable { last } else { count * last })
        }
    };
    let frames = data.get(begins..begins + bytes)?;
    Some(([&data[..kept], frames].concat(), &data[begins + bytes..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_taken_apart_in_every_framing() {
        let cases: [(&[u8], &[u8]); 6] = [
            (&[0, 2, 7, 8], &[0, 7, 8]),
            (&[1, 2, 7, 8, 9, 10], &[1, 7, 8, 9, 10]),
            (&[2, 1, 2, 7, 8, 9], &[2, 1, 7, 8, 9]),
            // Three frames of two bytes.
            (&[3, 3, 2, 1, 2, 3, 4, 5, 6], &[3, 3, 1, 2, 3, 4, 5, 6]),
            // Two frames of one and two bytes.
            (&[3, 128 | 2, 1, 2, 7, 8, 9], &[3, 128 | 2, 1, 7, 8, 9]),
            // One frame of one byte, followed by two bytes of padding.
            (&[3, 64 | 1, 2, 1, 7, 0, 0], &[3, 64 | 1, 2, 7, 0, 0]),
        ];
        for (delimited, alone) in cases {
            let both = [delimited, &[99, 98]].concat();
            let (packet, rest) = first_of(&both).unwrap();
            assert_eq!((packet.as_slice(), rest), (alone, &[99u8, 98][..]), "{delimited:?}");
            for cut in 0..delimited.len() {
                assert!(first_of(&delimited[..cut]).is_none(), "{delimited:?} cut to {cut}");
            }
        }
        let long = [&[0u8, 252, 1][..], &[5; 256]].concat();
        assert_eq!(first_of(&long).unwrap().0.len(), 257);
    }

    #[test]
    fn a_header_that_contradicts_itself_is_refused() {
        let head = |streams: u8, coupled: u8, table: &[u8]| {
            let mut head = b"OpusHead\x01".to_vec();
            head.push(table.len() as u8);
            head.extend([0; 8]);
            head.extend([1, streams, coupled]);
            head.extend(table);
            head
        };
        let good = head(2, 1, &[0, 2, 1]);
        assert!(OpusStreams::are_in(&good) && OpusStreams::new(&good).is_some());
        assert!(!OpusStreams::are_in(&good[..19]));
        for bad in [head(1, 2, &[0, 1, 2]), head(2, 1, &[0, 3, 1]), good[..23].to_vec(), head(2, 1, &[0; 9])] {
            assert!(OpusStreams::new(&bad).is_none(), "{bad:?}");
        }
        let mut streams = OpusStreams::new(&good).unwrap();
        for broken in [&[][..], &[0], &[0, 200, 1], &[255; 9]] {
            assert!(streams.decode(broken, &mut AudioBuffer::default()).is_none(), "{broken:?}");
        }
    }
}
