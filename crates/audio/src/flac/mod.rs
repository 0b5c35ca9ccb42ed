//! A FLAC decoder (RFC 9639). It decodes every depth from 4 to 32 bits exactly, checks each frame's checksums, refuses
//! samples beyond the range of their bits, and compares what it decoded with the MD5 of the stream.
//!
//! It exists because Symphonia's decoder computes in 32 bits, although the difference of two channels of 32 bits has 33,
//! and checks neither the range nor the MD5.

mod bits;
mod channel_mask;
mod digest;
mod header;
mod subframe;

pub(crate) use self::channel_mask::{CHANNEL_MASK, layout_in_comments, mask_of};
pub(crate) use self::header::{ChannelCoding, FrameHeader, StreamInfo, next_sync};

use self::bits::Bits;
use self::digest::{Channels, Digest};
use self::subframe::Sample;
use super::AudioBuffer;
use super::checksums::crc16;

/// The largest depth whose samples are decoded as `i32`, and are exact in `f32`.
const NARROW_BITS: u32 = 24;

/// Decodes the frames of one stream. A frame depends on no other.
pub(crate) struct FlacDecoder {
    info: StreamInfo,
    /// The channels of the last frame, if it has at most 24 bits.
    narrow: Vec<Vec<i32>>,
    /// The channels of the last frame, if it has more.
    wide: Vec<Vec<i64>>,
    /// The header of the last frame.
    last: Option<FrameHeader>,
    sum: Option<StreamSum>,
}

/// The MD5 of a stream while it is computed.
struct StreamSum {
    digest: Digest,
    expected: [u8; 16],
    /// The frame that must be added next.
    next: u64,
}

impl FlacDecoder {
    /// Creates a decoder for a stream with this STREAMINFO block.
    pub(crate) fn new(info: StreamInfo) -> Self {
        Self { info, narrow: Vec::new(), wide: Vec::new(), last: None, sum: None }
    }

    /// Computes the MD5 of the stream from now on, if it has one and `frames` frames.
    pub(crate) fn compare_md5(&mut self, frames: u64) {
        self.sum = self.info.md5().filter(|_| frames > 0 && frames == self.info.frames).map(|expected| StreamSum {
            digest: Digest::new(),
            expected,
            next: 0,
        });
    }

    /// Decodes the frame that `packet` begins with, in the channels that it has. Returns `None` if it is damaged or has
    /// another rate than the stream. The checksum over the frame is compared unless the bytes are known to be right.
    pub(crate) fn decode(&mut self, packet: &[u8], is_checked: bool, out: &mut AudioBuffer) -> Option<()> {
        self.last = None;
        let (header, _) = self.frame(packet, is_checked).filter(|(header, _)| header.fits(&self.info))?;
        out.resize(header.channels as usize, header.frames as usize);
        if header.bits <= NARROW_BITS {
            floats(&self.narrow, header.bits, out);
        } else {
            floats(&self.wide, header.bits, out);
        }
        self.last = Some(header);
        Some(())
    }

    /// Adds the last frame, which begins at frame `start` of the stream, to the MD5, if it is its turn. Returns `false`
    /// if the MD5 is complete and differs from the stream's.
    pub(crate) fn matches_md5(&mut self, start: u64) -> bool {
        let (Some(header), Some(sum)) = (self.last.take(), &mut self.sum) else { return true };
        if sum.next != start {
            return true;
        }
        sum.next += u64::from(header.frames);
        let is_other = header.bits != self.info.bits || header.channels != self.info.channels;
        if is_other || sum.next > self.info.frames {
            self.sum = None;
            return true;
        }
        sum.digest.add(if header.bits <= NARROW_BITS {
            Channels::Narrow(std::mem::take(&mut self.narrow), header.bits.div_ceil(8))
        } else {
            Channels::Wide(std::mem::take(&mut self.wide))
        });
        if sum.next < self.info.frames {
            return true;
        }
        self.sum.take().is_none_or(|sum| sum.digest.finish() == sum.expected)
    }

    /// Returns the size in bytes of the frame that `bytes` begins with; `None` if there is no whole one. The frame can be
    /// of another rate or number of channels than the stream.
    pub(crate) fn frame_bytes(&mut self, bytes: &[u8]) -> Option<usize> {
        self.last = None;
        self.frame(bytes, false).map(|(_, size)| size)
    }

    /// Decodes a frame into `narrow` or `wide`. Returns its header, and its size in bytes.
    fn frame(&mut self, bytes: &[u8], is_checked: bool) -> Option<(FrameHeader, usize)> {
        let header = FrameHeader::parse(bytes, &self.info)?;
        let end = if header.bits <= NARROW_BITS {
            channels(bytes, &header, &mut self.narrow)?
        } else {
            channels(bytes, &header, &mut self.wide)?
        };
        let frame = bytes.get(..end + 2)?;
        (is_checked || crc16(0, frame) == 0).then_some((header, end + 2))
    }
}

/// Decodes all channels of a frame. Returns the byte after them.
fn channels<S: Sample>(bytes: &[u8], header: &FrameHeader, channels: &mut Vec<Vec<S>>) -> Option<usize> {
    let mut bits = Bits::new(bytes, header.bytes);
    channels.resize_with(header.channels as usize, Vec::new);
    for (index, channel) in channels.iter_mut().enumerate() {
        let is_side = match header.coding {
            ChannelCoding::Independent => false,
            ChannelCoding::LeftSide | ChannelCoding::MidSide => index == 1,
            ChannelCoding::SideRight => index == 0,
        };
        channel.resize(header.frames as usize, S::default());
        subframe::decode(&mut bits, header.bits + u32::from(is_side), channel)?;
    }
    if header.coding == ChannelCoding::Independent {
        return Some(bits.byte());
    }
    let [first, second] = &mut channels[..] else { return None };
    let pairs = first.iter_mut().zip(second.iter_mut());
    match header.coding {
        ChannelCoding::LeftSide => pairs.for_each(|(left, side)| *side = left.minus(*side)),
        ChannelCoding::SideRight => pairs.for_each(|(side, right)| *side = side.plus(*right)),
        _ => pairs.for_each(|(mid, side)| {
            let doubled = mid.up(1).plus(side.lowest());
            (*mid, *side) = (doubled.plus(*side).down(1), doubled.minus(*side).down(1));
        }),
    }
    // Two channels within their bits can have a sum that is not.
    (S::all_fit(first, header.bits) && S::all_fit(second, header.bits)).then_some(bits.byte())
}

/// Converts samples of `bits` bits to floats with full scale 1.0. Exact up to 24 bits.
fn floats<S: Sample>(channels: &[Vec<S>], bits: u32, out: &mut AudioBuffer) {
    let scale = 1.0 / (1u64 << (bits - 1)) as f32;
    for (out, channel) in out.iter_mut().zip(channels) {
        for (out, sample) in out.iter_mut().zip(channel) {
            *out = sample.float() * scale;
        }
    }
}
