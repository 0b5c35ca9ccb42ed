//! The STREAMINFO block and frame headers.

use crate::checksums::crc8;
use crate::packets::MAX_PACKET_BYTES;

/// The minimum size of a frame: a header of 6 bytes, one constant sample of 8 bits and the checksum.
const MIN_FRAME_BYTES: u64 = 10;

/// The STREAMINFO block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StreamInfo {
    /// The block as it is stored.
    pub bytes: [u8; 34],
    /// The frames of every block but the last; `None` if blocks vary.
    pub fixed_block: Option<u32>,
    /// The largest number of audio frames in a FLAC frame.
    pub max_block: u32,
    max_frame_bytes: u32,
    /// The sample rate in Hz.
    pub rate_hz: u32,
    /// The number of channels, 1 to 8.
    pub channels: u32,
    /// Bits per sample.
    pub bits: u32,
    /// The total number of frames; 0 if the encoder did not know it.
    pub frames: u64,
}

impl StreamInfo {
    /// Reads the 34 bytes of the block. Returns `None` if they are truncated or invalid.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: [u8; 34] = *bytes.first_chunk()?;
        let be16 = |at: usize| u32::from(bytes[at]) << 8 | u32::from(bytes[at + 1]);
        let (least, most) = (be16(0), be16(2));
        let rate_hz = be16(10) << 4 | u32::from(bytes[12]) >> 4;
        let bits = (u32::from(bytes[12] & 1) << 4 | u32::from(bytes[13]) >> 4) + 1;
        let frames = (14..18).fold(u64::from(bytes[13] & 15), |frames, at| frames << 8 | u64::from(bytes[at]));
        (most >= 16 && rate_hz > 0 && bits >= 4).then_some(Self {
            bytes,
            fixed_block: (least == most).then_some(most),
            max_block: most,
            max_frame_bytes: u32::from(bytes[7]) << 16 | be16(8),
            rate_hz,
            channels: u32::from(bytes[12] >> 1 & 7) + 1,
            bits,
            frames,
        })
    }

    /// Returns the block with the rate and the channels of a frame. The rate must fit its 20 bits.
    pub(crate) fn with_format_of(&self, header: &FrameHeader) -> Option<Self> {
        let mut bytes = self.bytes;
        bytes[10..12].copy_from_slice(&((header.rate_hz >> 4) as u16).to_be_bytes());
        bytes[12] = (header.rate_hz << 4) as u8 | ((header.channels - 1) << 1) as u8 | bytes[12] & 1;
        Self::read(&bytes)
    }

    /// Returns the MD5 of all samples; `None` if the encoder did not compute it.
    pub(crate) fn md5(&self) -> Option<[u8; 16]> {
        self.bytes[18..].first_chunk().copied().filter(|md5| *md5 != [0; 16])
    }

    /// Returns the first audio frame of a FLAC frame, by the number that its header has.
    pub(crate) fn position(&self, header: &FrameHeader) -> u64 {
        if header.variable { header.number } else { header.number * u64::from(self.max_block) }
    }

    /// Returns the largest number of audio frames that `bytes` bytes can have, plus one FLAC frame.
    pub(crate) fn room(&self, bytes: u64) -> u64 {
        (bytes / MIN_FRAME_BYTES + 1).saturating_mul(u64::from(self.max_block))
    }

    /// Returns an upper bound for the bytes of a usual FLAC frame of the stream.
    pub(crate) fn max_frame_bytes(&self) -> usize {
        self.bound(self.max_block, self.channels * self.bits + 1)
    }

    /// Returns a bound for a FLAC frame of `frames` audio frames of `bits` bits each: several times the size of plain
    /// samples, because no encoder has to choose the shortest coding, or the size that the stream states.
    fn bound(&self, frames: u32, bits: u32) -> usize {
        let plain = u64::from(frames) * u64::from(bits) / 8 + 256;
        (4 * plain).max(u64::from(self.max_frame_bytes)).min(u64::from(MAX_PACKET_BYTES)) as usize
    }
}

/// How the channels of a frame are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChannelCoding {
    /// As they are.
    Independent,
    /// Left, and left minus right.
    LeftSide,
    /// Left minus right, and right.
    SideRight,
    /// Half of left plus right, and left minus right.
    MidSide,
}

/// The header of a FLAC frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameHeader {
    /// The number of its first audio frame if `variable`, otherwise the number of FLAC frames before it.
    pub number: u64,
    /// Whether the stream says that its blocks vary in size.
    pub variable: bool,
    /// The number of audio frames in it.
    pub frames: u32,
    /// The sample rate in Hz.
    pub rate_hz: u32,
    /// The number of channels.
    pub channels: u32,
    /// How they are stored.
    pub coding: ChannelCoding,
    /// Bits per sample.
    pub bits: u32,
    /// Whether the header itself states the bits. Otherwise they are those of STREAMINFO.
    pub states_bits: bool,
    /// The size of the header in bytes, with its checksum.
    pub bytes: usize,
}

impl FrameHeader {
    /// The largest size of a header in bytes.
    pub(crate) const MAX_BYTES: usize = 16;

    /// Parses the header at the start of `bytes`, of a stream with this `info`. Returns `None` if there is none or its
    /// checksum is wrong.
    pub(crate) fn parse(bytes: &[u8], info: &StreamInfo) -> Option<Self> {
        if bytes.len() < 6 || bytes[0] != 0xff || bytes[1] & 0xfe != 0xf8 || bytes[3] & 1 != 0 {
            return None;
        }
        let (variable, block_code, rate_code) = (bytes[1] & 1 == 1, bytes[2] >> 4, bytes[2] & 15);
        let (assignment, bits_code) = (u32::from(bytes[3] >> 4), bytes[3] >> 1 & 7);
        let (channels, coding) = match assignment {
            0..=7 => (assignment + 1, ChannelCoding::Independent),
            8 => (2, ChannelCoding::LeftSide),
            9 => (2, ChannelCoding::SideRight),
            10 => (2, ChannelCoding::MidSide),
            _ => return None,
        };
        let bits = [info.bits, 8, 12, 0, 16, 20, 24, 32][usize::from(bits_code)];
        if bits == 0 {
            return None;
        }
        let (number, mut at) = coded_number(bytes, 4)?;
        let mut take = |count: usize| {
            let value = bytes.get(at..at + count)?.iter().fold(0, |value, byte| value << 8 | u32::from(*byte));
            at += count;
            Some(value)
        };
        let frames = match block_code {
            1 => 192,
            2..=5 => 576 << (block_code - 2),
            6 => take(1)? + 1,
            7 => take(2)? + 1,
            8..=15 => 256 << (block_code - 8),
            _ => return None,
        };
        let rate_hz = match rate_code {
            0 => info.rate_hz,
            1..=11 => [88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]
                [usize::from(rate_code) - 1],
            12 => take(1)? * 1000,
            13 => take(2)?,
            14 => take(2)? * 10,
            _ => return None,
        };
        // A block has at most 65,535 frames, although the coding has room for one more.
        if frames > 65_535 || rate_hz == 0 || crc8(bytes.get(..at)?) != *bytes.get(at)? {
            return None;
        }
        let states_bits = bits_code != 0;
        Some(Self { number, variable, frames, rate_hz, channels, coding, bits, states_bits, bytes: at + 1 })
    }

    /// Returns whether the frame has the rate of the stream. Its channels and bits may differ.
    pub(crate) fn fits(&self, info: &StreamInfo) -> bool {
        self.rate_hz == info.rate_hz
    }

    /// Returns an upper bound for the bytes of the frame.
    pub(crate) fn max_frame_bytes(&self, info: &StreamInfo) -> usize {
        info.bound(self.frames, self.channels * self.bits + 1)
    }
}

/// Returns the next place, from `from` on, with the first two bytes of a frame header.
pub(crate) fn next_sync(bytes: &[u8], mut from: usize) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    while let Some(eight) = bytes.get(from..).and_then(<[u8]>::first_chunk::<8>) {
        // The bits that are set are the highest of bytes 0xff, and maybe of bytes after one.
        let word = !u64::from_le_bytes(*eight);
        let found = word.wrapping_sub(ONES) & !word & ONES << 7;
        if found == 0 {
            from += 8;
            continue;
        }
        from += found.trailing_zeros() as usize / 8;
        if bytes.get(from + 1).is_some_and(|next| next & 0xfe == 0xf8) {
            return Some(from);
        }
        from += 1;
    }
    (from..bytes.len().saturating_sub(1)).find(|at| bytes[*at] == 0xff && bytes[*at + 1] & 0xfe == 0xf8)
}

/// Reads a frame or sample number, coded like a character in UTF-8 with up to 36 bits. Returns the number and the next
/// byte offset.
fn coded_number(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let first = bytes[at];
    let extra = match first.leading_ones() {
        0 => return Some((u64::from(first), at + 1)),
        ones @ 2..=7 => ones as usize - 1,
        _ => return None,
    };
    let mut value = u64::from(first) & ((1 << (6 - extra.min(6))) - 1);
    for byte in bytes.get(at + 1..at + 1 + extra)? {
        if byte & 0xc0 != 0x80 {
            return None;
        }
        value = value << 6 | u64::from(byte & 0x3f);
    }
    Some((value, at + 1 + extra))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_lengths() {
        assert_eq!(coded_number(&[0x7f], 0), Some((0x7f, 1)));
        assert_eq!(coded_number(&[0xc2, 0x80], 0), Some((0x80, 2)));
        assert_eq!(coded_number(&[0xe2, 0x82, 0xac], 0), Some((0x20ac, 3)));
        assert_eq!(coded_number(&[0xfe, 0xbf, 0xbf, 0xbf, 0xbf, 0xbf, 0xbf], 0), Some((0xf_ffff_ffff, 7)));
        assert_eq!(coded_number(&[0xff, 0, 0, 0, 0, 0, 0, 0], 0), None);
        assert_eq!(coded_number(&[0x80], 0), None);
        assert_eq!(coded_number(&[0xc2, 0x00], 0), None);
    }

    #[test]
    fn every_sync_code_is_found_wherever_it_stands() {
        for length in 0..40 {
            for place in 0..length {
                for second in [0xf8, 0xf9] {
                    // Bytes before it that look alike.
                    let mut bytes: Vec<u8> = (0..length).map(|at| [0x00, 0xff, 0xfe, 0x01, 0xff][at % 5]).collect();
                    bytes[place] = 0xff;
                    if let Some(next) = bytes.get_mut(place + 1) {
                        *next = second;
                    }
                    for from in 0..=length {
                        let slow = (from..length)
                            .find(|at| bytes[*at] == 0xff && bytes.get(at + 1).is_some_and(|next| next & 0xfe == 0xf8));
                        assert_eq!(next_sync(&bytes, from), slow, "{bytes:02x?} from {from}");
                    }
                }
            }
        }
    }
}
