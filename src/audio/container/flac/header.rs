//! The STREAMINFO block and frame headers.

use crate::audio::checksums::crc8;
use crate::audio::codec::{Codec, CodecKind};
use crate::audio::probed::audio_format;
use crate::audio::source::SourceFile;
use crate::error::Result;

/// The STREAMINFO block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StreamInfo {
    bytes: [u8; 34],
    fixed_block: Option<u32>,
    max_block: u32,
    max_frame_bytes: u32,
    rate_hz: u32,
    channels: u32,
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

    /// Returns the codec parameters of the stream.
    pub(crate) fn codec(&self, source: &SourceFile) -> Result<Codec> {
        let audio = audio_format(source, self.rate_hz, self.channels as usize)?;
        Ok(Codec { kind: CodecKind::Flac, audio, extra: self.bytes.to_vec(), packet_frames: 0, gain: 1.0 })
    }

    /// Returns an upper bound for the audio frames in one FLAC frame of the stream.
    pub(crate) fn max_frames(&self) -> u64 {
        u64::from(self.max_block)
    }

    /// Returns an upper bound for the bytes of one FLAC frame of the stream.
    pub(crate) fn max_frame_bytes(&self) -> u64 {
        let verbatim = u64::from(self.max_block) * u64::from(self.channels * (self.bits + 1)) / 8 + 256;
        verbatim.max(u64::from(self.max_frame_bytes))
    }
}

/// The header of a FLAC frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameHeader {
    /// The first audio frame (sample per channel) in it, counted from the start of the stream.
    pub start: u64,
    /// The number of audio frames in it.
    pub frames: u32,
}

impl FrameHeader {
    /// Parses the header at the start of `bytes`. Returns `None` if it does not belong to the stream or its checksum is
    /// wrong.
    pub(crate) fn parse(bytes: &[u8], info: &StreamInfo) -> Option<Self> {
        if bytes.len() < 6 || bytes[0] != 0xff || bytes[1] & 0xfe != 0xf8 || bytes[3] & 1 != 0 {
            return None;
        }
        let (variable, block_code, rate_code) = (bytes[1] & 1 == 1, bytes[2] >> 4, bytes[2] & 15);
        let (assignment, bits_code) = (u32::from(bytes[3] >> 4), bytes[3] >> 1 & 7);
        let channels = match assignment {
            0..=7 => assignment + 1,
            8..=10 => 2,
            _ => return None,
        };
        let bits = [0, 8, 12, u32::MAX, 16, 20, 24, 32][usize::from(bits_code)];
        if channels != info.channels || (bits != 0 && bits != info.bits) {
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
        if rate_hz != info.rate_hz || frames > info.max_block || crc8(bytes.get(..at)?) != *bytes.get(at)? {
            return None;
        }
        let start = if variable { number } else { number * u64::from(info.fixed_block.unwrap_or(info.max_block)) };
        Some(Self { start, frames })
    }
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
}
