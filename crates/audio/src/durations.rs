//! Determines the number of frames of a packet from its first bytes, without decoding it.

use super::codec::CodecKind;
use super::flac::{FrameHeader, StreamInfo};

/// The longest Opus packet, 120 ms at 48 kHz (RFC 6716).
const MAX_OPUS_FRAMES: u32 = 5760;

/// Counts the frames of consecutive packets. Some codecs need the previous packet.
#[derive(Clone, Debug)]
pub(crate) enum Durations {
    /// All packets have this number of frames.
    Constant(u32),
    /// All packets have this number of frames, except a shorter last one, which states its number.
    Alac(u32),
    /// By the table-of-contents byte (Opus).
    Opus,
    /// By the frame header (FLAC).
    Flac(StreamInfo),
    /// By the block sizes of the current and the previous packet.
    Vorbis {
        /// The block sizes and modes from the headers.
        modes: VorbisModes,
        /// The block size of the previous packet.
        previous: Option<u32>,
    },
    /// By the number of bytes, at this many bytes per uncompressed frame.
    Bytes(u32),
}

impl Durations {
    /// Returns the number of frames of `packet`, which follows the packet of the previous call.
    pub(crate) fn frames(&mut self, packet: &[u8]) -> u32 {
        match self {
            Self::Constant(frames) => *frames,
            Self::Alac(frames) => alac_frames(packet).map_or(*frames, |last| last.min(*frames)),
            Self::Opus => opus_frames(packet),
            Self::Flac(info) => FrameHeader::parse(packet, info).map_or(0, |header| header.frames),
            Self::Vorbis { modes, previous } => {
                let Some(block) = modes.block(packet) else { return 0 };
                previous.replace(block).map_or(0, |previous| (previous + block) / 4)
            }
            Self::Bytes(stride) => packet.len() as u32 / (*stride).max(1),
        }
    }

    /// Resets the state: the next packet has no predecessor.
    pub(crate) fn reset(&mut self) {
        if let Self::Vorbis { previous, .. } = self {
            *previous = None;
        }
    }

    /// Returns an upper bound for the frames of one packet of a codec.
    pub(crate) fn most(kind: CodecKind) -> u64 {
        match kind {
            CodecKind::Opus => u64::from(MAX_OPUS_FRAMES),
            CodecKind::Vorbis => 4096,
            _ => 65_536,
        }
    }
}

/// Returns the number of frames of an ALAC packet that states it, as the last packet of a stream does.
fn alac_frames(packet: &[u8]) -> Option<u32> {
    // Tag, instance and 12 unused bits come first, then the flag. Shift and escape flag precede the count.
    let head = packet.first_chunk::<7>()?.iter().fold(0u64, |head, byte| head << 8 | u64::from(*byte));
    let partial = head >> (56 - 20) & 1 == 1;
    partial.then_some((head >> (56 - 23 - 32)) as u32)
}

/// Returns the number of frames at 48 kHz of an Opus packet (RFC 6716, section 3.1); 0 if it is invalid.
pub(crate) fn opus_frames(packet: &[u8]) -> u32 {
    let Some(toc) = packet.first() else { return 0 };
    let configuration = toc >> 3;
    let frame = match configuration {
        0..12 => [480, 960, 1920, 2880][usize::from(configuration & 3)],
        12..16 => [480, 960][usize::from(configuration & 1)],
        _ => 120 << (configuration & 3),
    };
    let count = match toc & 3 {
        0 => 1,
        1 | 2 => 2,
        _ => packet.get(1).map_or(0, |count| u32::from(count & 0x3f)),
    };
    let frames = frame * count;
    if frames <= MAX_OPUS_FRAMES { frames } else { 0 }
}

/// The block sizes of a Vorbis stream, and the block size that each mode uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VorbisModes {
    blocks: [u32; 2],
    long: Vec<bool>,
}

impl VorbisModes {
    /// Creates the table from the two block sizes and a flag per mode, `true` for long blocks. There is at least one
    /// mode.
    pub(crate) fn new(blocks: [u32; 2], long: Vec<bool>) -> Self {
        Self { blocks, long }
    }

    /// Returns the block size of an audio packet; `None` for a header or an invalid packet.
    fn block(&self, packet: &[u8]) -> Option<u32> {
        let first = u32::from(*packet.first()?) | u32::from(packet.get(1).copied().unwrap_or(0)) << 8;
        if first & 1 == 1 {
            return None;
        }
        let width = usize::BITS - self.long.len().saturating_sub(1).leading_zeros();
        let mode = (first >> 1) & ((1 << width) - 1);
        self.long.get(mode as usize).map(|long| self.blocks[usize::from(*long)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_short_alac_packet_says_its_length() {
        let head = |partial: u64, count: u64| (1u64 << 53 | partial << 36 | count << 1).to_be_bytes()[1..].to_vec();
        assert_eq!(Durations::Alac(4096).frames(&head(1, 2442)), 2442);
        assert_eq!(Durations::Alac(4096).frames(&head(0, 2442)), 4096);
        assert_eq!(Durations::Alac(4096).frames(&head(1, 1 << 30)), 4096);
        assert_eq!(Durations::Alac(4096).frames(&[]), 4096);
    }

    #[test]
    fn opus_packets_of_all_kinds() {
        assert_eq!(opus_frames(&[0b0000_0000]), 480);
        assert_eq!(opus_frames(&[0b0001_1000]), 2880);
        assert_eq!(opus_frames(&[0b0110_1001]), 1920);
        assert_eq!(opus_frames(&[0b1000_0000]), 120);
        assert_eq!(opus_frames(&[0b1111_1011, 6]), 5760);
        assert_eq!(opus_frames(&[0b1111_1011, 7]), 0);
        assert_eq!(opus_frames(&[]), 0);
    }

    #[test]
    fn vorbis_packets_overlap_by_their_blocks() {
        let modes = VorbisModes::new([256, 2048], vec![false, true]);
        let mut durations = Durations::Vorbis { modes, previous: None };
        let counts = [0b00u8, 0b10, 0b10, 0b00].map(|first| durations.frames(&[first, 0]));
        assert_eq!(counts, [0, (256 + 2048) / 4, 1024, (256 + 2048) / 4]);
    }
}
