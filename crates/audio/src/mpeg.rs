//! Decodes MPEG audio, layers I to III (ISO/IEC 11172-3 and 13818-3), one frame at a time.
//!
//! `nanomp3-core` decodes a frame. The code around it makes the result depend only on the frame and the few before it,
//! so that a read after a seek equals a straight decode, also in damaged files: after a lost frame, or one with another
//! number of channels, the filters are reset and the bit reservoir is carried over.
//!
//! Two faults of that decoder are avoided: it takes private bits for a selection of scale factors, so they are cleared;
//! and at low rates it places the regions of mixed blocks differently from the standard's reference decoder, so such
//! frames count as damaged. In block sequences outside the standard, which only damage or cutting causes, its overlap
//! differs from that of other decoders.

mod header;
mod likely;

pub(crate) use header::{FrameHeader, frame_header};
pub(crate) use likely::is_likely;

use nanomp3_core::{DecodeError, MAX_SAMPLES_PER_FRAME};

use super::AudioBuffer;
use super::checksums::crc16;

/// The bytes of earlier frames that a frame of layer III can use.
const RESERVOIR_BYTES: usize = 511;
/// Frames before a wrong checksum among which a right one must be.
const CHECKED_FRAMES: u32 = 3;

/// Decodes the frames of one stream.
pub(super) struct MpegDecoder {
    frames: Box<nanomp3_core::Decoder>,
    /// The last bytes of main data, of layer III.
    reservoir: Vec<u8>,
    /// The header of the frame before, if that was decoded.
    before: Option<FrameHeader>,
    /// Whether the checksums of the frames before were right, one bit each, the last one lowest.
    right: u32,
    interleaved: Vec<f32>,
    /// A frame of free format, followed by what shows the decoder its size.
    made: Vec<u8>,
}

impl MpegDecoder {
    pub fn new() -> Self {
        Self {
            frames: Box::default(),
            reservoir: Vec::new(),
            before: None,
            right: 0,
            interleaved: vec![0.0; MAX_SAMPLES_PER_FRAME],
            made: Vec::new(),
        }
    }

    /// Forgets all frames, as at the start of a stream or where bytes are missing.
    pub fn reset(&mut self) {
        self.reservoir.clear();
        self.before = None;
        self.right = 0;
    }

    /// Decodes a frame into `out`, which gets the frame's number of channels; `None` if it is damaged.
    ///
    /// A wrong checksum is damage if one of the last frames had a right one: some encoders write wrong checksums
    /// throughout, which every player ignores.
    pub fn decode(&mut self, data: &[u8], out: &mut AudioBuffer) -> Option<()> {
        let header = frame_header(data, data.len() as u32)
            .filter(|header| header.kbps == 0 || header.bytes as usize == data.len())
            .filter(|header| data.len() >= body_at(data, *header));
        let Some(header) = header else {
            self.reset();
            return None;
        };
        let before = self.before.take().filter(|before| {
            (before.layer, before.rate_hz, before.channels) == (header.layer, header.rate_hz, header.channels)
                && (before.kbps == 0) == (header.kbps == 0)
        });
        let right = checksum_is_right(data, header);
        let wrong = right == Some(false) && self.right & ((1 << CHECKED_FRAMES) - 1) != 0;
        let damaged = wrong || has_other_regions(data, header);
        self.right = self.right << 1 | u32::from(right == Some(true));
        let decoded = if damaged { None } else { self.decode_frame(data, header, before.is_some()) };
        if header.layer == 3 {
            self.reservoir.extend_from_slice(&data[body_at(data, header)..]);
            self.reservoir.drain(..self.reservoir.len().saturating_sub(RESERVOIR_BYTES));
        }
        let frames = decoded?;
        self.before = Some(header);
        out.resize(header.channels, frames);
        for (channel, to) in out.iter_mut().enumerate() {
            let samples = self.interleaved[channel..].iter().step_by(header.channels);
            to.iter_mut().zip(samples).for_each(|(to, sample)| *to = *sample);
        }
        Some(())
    }

    /// Decodes a frame into `interleaved`, and returns its length. `follows` says that the frame before was decoded, so
    /// that the filters go on.
    fn decode_frame(&mut self, data: &[u8], header: FrameHeader, follows: bool) -> Option<usize> {
        let cleared = without_private_bits(data, header);
        let data = cleared.as_deref().unwrap_or(data);
        if follows {
            match self.run(data, header) {
                Ok(frames) => return Some(frames),
                // The frame before took bytes that this one takes too. The reservoir here has them.
                Err(DecodeError::ReservoirUnavailable(_)) => {}
                Err(_) => return None,
            }
        }
        *self.frames = nanomp3_core::Decoder::new();
        if header.layer == 3 {
            let taken = main_data_begin(data, header);
            if taken > self.reservoir.len() {
                return None;
            }
            self.fill_reservoir(data, header, taken);
        }
        self.run(data, header).ok()
    }

    fn run(&mut self, data: &[u8], header: FrameHeader) -> Result<usize, DecodeError> {
        let (taken, decoded) = if header.kbps == 0 {
            // The size of a frame of free format is the distance to the next two headers.
            self.made.clear();
            self.made.extend_from_slice(data);
            self.made.extend_from_slice(data);
            self.made.extend_from_slice(&data[..4]);
            self.made.push(0);
            self.frames.decode(&self.made, &mut self.interleaved)
        } else {
            self.frames.decode(data, &mut self.interleaved)
        };
        let info = decoded?;
        let same = taken == data.len() && usize::from(info.channels.num()) == header.channels;
        if same { Ok(info.samples_produced) } else { Err(DecodeError::NoFrame) }
    }

    /// Gives the new decoder the last `taken` bytes of main data, in silent frames whose main data ends with them.
    fn fill_reservoir(&mut self, data: &[u8], header: FrameHeader, taken: usize) {
        let mut head = [data[0], data[1] | 1, data[2] & !2, data[3]];
        let mut size = data.len() - usize::from(data[2] >> 1 & 1);
        if header.kbps > 0 {
            // The largest frames have room for the largest reservoir.
            head[2] = head[2] & 0x0f | 0xe0;
            size = frame_header(&head, 0).map_or(size, |largest| largest.bytes as usize);
        }
        let side = 4 + side_bytes(header);
        let room = size.saturating_sub(side);
        if taken == 0 || room == 0 {
            return;
        }
        let mut bytes = vec![0; taken.next_multiple_of(room) - taken];
        bytes.extend_from_slice(&self.reservoir[self.reservoir.len() - taken..]);
        for (number, part) in bytes.chunks(room).enumerate() {
            // All of side information but the first field is 0: nothing is decoded.
            let kept = (number * room).min(if header.lsf { 255 } else { RESERVOIR_BYTES });
            let begin = if header.lsf { (kept as u16) << 8 } else { (kept as u16) << 7 };
            let mut frame = head.to_vec();
            frame.extend_from_slice(&begin.to_be_bytes());
            frame.resize(side, 0);
            frame.extend_from_slice(part);
            if self.run(&frame, header).is_err() {
                return;
            }
        }
    }
}

fn has_checksum(data: &[u8]) -> bool {
    data[1] & 1 == 0
}

/// Returns the size of the side information of layer III in bytes.
fn side_bytes(header: FrameHeader) -> usize {
    match (header.lsf, header.channels) {
        (false, 2) => 32,
        (false, _) | (true, 2) => 17,
        (true, _) => 9,
    }
}

/// Returns where the header, the checksum and the side information end.
fn body_at(data: &[u8], header: FrameHeader) -> usize {
    side_at(data) + if header.layer == 3 { side_bytes(header) } else { 0 }
}

/// Returns a frame of layer III of MPEG 1 without its private bits; `None` if they are 0.
fn without_private_bits(data: &[u8], header: FrameHeader) -> Option<Vec<u8>> {
    // They follow 9 bits of the side information.
    let (at, private) = (side_at(data) + 1, if header.channels == 1 { 0x7c } else { 0x70 });
    (header.layer == 3 && !header.lsf && data[at] & private != 0).then(|| {
        let mut cleared = data.to_vec();
        cleared[at] &= !private;
        cleared
    })
}

/// Returns whether a frame of a low rate has mixed blocks with a Huffman table for each of their regions.
fn has_other_regions(data: &[u8], header: FrameHeader) -> bool {
    /// The bits of a channel's side information.
    const CHANNEL_BITS: usize = 63;
    if header.layer != 3 || !header.lsf {
        return false;
    }
    let field = |at: usize, count: usize| {
        (at..at + count)
            .fold(0, |value, bit| value << 1 | u32::from(data[side_at(data) + bit / 8] >> (7 - bit % 8)) & 1)
    };
    (0..header.channels).any(|channel| {
        let at = 8 + header.channels + channel * CHANNEL_BITS;
        let (big_values, switching, kind, mixed) =
            (field(at + 12, 9), field(at + 38, 1), field(at + 39, 2), field(at + 41, 1));
        let tables = (field(at + 42, 5), field(at + 47, 5));
        (switching, kind, mixed) == (1, 2, 1) && 2 * big_values > 36 && tables.0 != tables.1
    })
}

/// Returns where the side information of layer III begins.
fn side_at(data: &[u8]) -> usize {
    if has_checksum(data) { 6 } else { 4 }
}

/// Returns how many bytes of main data a frame takes from the frames before it.
fn main_data_begin(data: &[u8], header: FrameHeader) -> usize {
    let side = side_at(data);
    let field = usize::from(data[side]) << 8 | usize::from(data[side + 1]);
    if header.lsf { field >> 8 } else { field >> 7 }
}

/// Returns whether the frame's checksum is right; `None` if it has none. It covers the end of the header and the fields
/// that say how to read the samples: side information, or bit allocation and, in layer II, the selection of scale
/// factors.
fn checksum_is_right(data: &[u8], header: FrameHeader) -> Option<bool> {
    if !has_checksum(data) {
        return None;
    }
    let bits = match header.layer {
        3 => 8 * side_bytes(header),
        layer => allocation_bits(&data[6..], layer, allocation(data, header), header.channels),
    };
    let Some(covered) = data[6..].get(..bits.div_ceil(8)) else { return Some(false) };
    let (bytes, rest) = covered.split_at(bits / 8);
    let whole = crc16(crc16(0xffff, &data[2..4]), bytes);
    let check = (0..bits % 8).fold(whole, |check, bit| {
        let feedback = check >> 15 ^ u16::from(rest[0] >> (7 - bit)) & 1;
        (check << 1) ^ (0x8005 * feedback)
    });
    Some(check == u16::from_be_bytes([data[4], data[5]]))
}

/// How the bit allocation of layers I and II is written.
struct Allocation {
    /// Bits for each, and how many subbands have them.
    widths: &'static [(usize, usize)],
    subbands: usize,
    /// The first subband that all channels share.
    bound: usize,
}

/// Returns how a frame of layer I or II writes its bit allocation (ISO/IEC 11172-3, tables 3-B.2; 13818-3, table B.1).
fn allocation(data: &[u8], header: FrameHeader) -> Allocation {
    let (widths, subbands): (&[_], _) = if header.layer == 1 {
        (&[(4, 32)], 32)
    } else if header.lsf {
        (&[(4, 4), (3, 7), (2, 19)], 30)
    } else {
        match (header.kbps / header.channels as u32, header.rate_hz) {
            (1..56, 32_000) => (&[(4, 2), (3, 10)], 12),
            (1..56, _) => (&[(4, 2), (3, 6)], 8),
            (0 | 96.., 32_000 | 44_100) => (&[(4, 11), (3, 12), (2, 7)], 30),
            _ => (&[(4, 11), (3, 12), (2, 4)], 27),
        }
    };
    let joint = data[3] >> 6 == 1;
    let bound = if joint { usize::from(data[3] >> 4 & 3) * 4 + 4 } else { subbands };
    Allocation { widths, subbands, bound: bound.min(subbands) }
}

/// Returns the number of bits of a bit allocation and of the selection of scale factors that follows in layer II.
fn allocation_bits(body: &[u8], layer: u8, allocation: Allocation, channels: usize) -> usize {
    let widths = allocation.widths.iter().flat_map(|(width, count)| std::iter::repeat_n(*width, *count));
    let (mut at, mut selections) = (0, 0);
    for (subband, width) in widths.take(allocation.subbands).enumerate() {
        let shared = subband >= allocation.bound;
        for _ in 0..if shared { 1 } else { channels } {
            let used = (at..at + width).any(|bit| body.get(bit / 8).is_some_and(|byte| byte << (bit % 8) & 0x80 != 0));
            at += width;
            selections += if used { if shared { channels } else { 1 } } else { 0 };
        }
    }
    at + if layer == 2 { 2 * selections } else { 0 }
}
