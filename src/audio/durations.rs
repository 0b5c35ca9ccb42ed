//! How many frames a packet gives, told from its first bytes, without decoding it.

use super::codec::CodecKind;
use super::container::flac::{FrameHeader, StreamInfo};

/// The longest Opus packet, 120 ms at 48 kHz (RFC 6716).
const MAX_OPUS_FRAMES: u32 = 5760;

/// Counts the frames of packets in order; some codecs need to know the packet before.
#[derive(Clone, Debug)]
pub(crate) enum Durations {
    /// Always the same.
    Constant(u32),
    /// By the packet where it is the last and shorter than this.
    Alac(u32),
    /// By the table-of-contents byte.
    Opus,
    /// By the frame header.
    Flac(StreamInfo),
    /// By the block sizes of this and the previous packet.
    Vorbis {
        /// What the headers say.
        modes: VorbisModes,
        /// Block size of the previous packet.
        previous: Option<u32>,
    },
    /// By bytes of uncompressed frames.
    Bytes(u32),
}

impl Durations {
    /// Frames that `packet` gives after the one that was asked about before.
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

    /// Forgets the previous packet.
    pub(crate) fn reset(&mut self) {
        if let Self::Vorbis { previous, .. } = self {
            *previous = None;
        }
    }

    /// More frames than this no packet of the codec has.
    pub(crate) fn most(kind: CodecKind) -> u64 {
        match kind {
            CodecKind::Opus => u64::from(MAX_OPUS_FRAMES),
            CodecKind::Vorbis => 4096,
            _ => 65_536,
        }
    }
}

/// Frames of an ALAC packet that says so itself, as the last one of a stream does.
fn alac_frames(packet: &[u8]) -> Option<u32> {
    // Tag, instance and 12 unused bits come first, then the flag; shift and escape flag stand before the count.
    let head = packet.first_chunk::<7>()?.iter().fold(0u64, |head, byte| head << 8 | u64::from(*byte));
    let partial = head >> (56 - 20) & 1 == 1;
    partial.then_some((head >> (56 - 23 - 32)) as u32)
}

/// Frames at 48 kHz of an Opus packet (RFC 6716, section 3.1); 0 for an invalid one.
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

/// The block sizes of a Vorbis stream and which of its modes uses which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VorbisModes {
    blocks: [u32; 2],
    long: Vec<bool>,
}

impl VorbisModes {
    /// Reads the identification and the setup header.
    ///
    /// The modes stand at the very end of the setup header, each in 41 bits that are mostly zero, behind their count.
    /// They are read from there backwards, which spares decoding the codebooks before them.
    pub(crate) fn read(identification: &[u8], setup: &[u8]) -> Option<Self> {
        let sizes = *identification.get(28)?;
        let blocks = [1u32 << (sizes & 15), 1u32 << (sizes >> 4)];
        if !(64..=8192).contains(&blocks[0]) || !(blocks[0]..=8192).contains(&blocks[1]) {
            return None;
        }
        let bit = |at: usize| setup.get(at / 8).map_or(0, |byte| u32::from(byte >> (at % 8) & 1));
        let bits = |at: usize, count: usize| (0..count).fold(0, |value, k| value | bit(at + k) << k);
        let framing = (0..setup.len() * 8).rev().find(|at| bit(*at) == 1)?;
        let mut long = Vec::new();
        let mut best = None;
        let mut at = framing;
        while long.len() < 64 {
            let Some(mode) = at.checked_sub(41) else { break };
            // Window and transform type are 0 in Vorbis I; there are at most 64 mappings.
            if bits(mode + 1, 16) != 0 || bits(mode + 17, 16) != 0 || bits(mode + 33, 8) > 63 {
                break;
            }
            long.push(bit(mode) == 1);
            at = mode;
            if at >= 6 && bits(at - 6, 6) as usize + 1 == long.len() {
                best = Some(long.len());
            }
        }
        long.truncate(best?);
        long.reverse();
        Some(Self { blocks, long })
    }

    /// The block size of an audio packet; none for a header or an invalid one.
    fn block(&self, packet: &[u8]) -> Option<u32> {
        let first = u32::from(*packet.first()?) | u32::from(packet.get(1).copied().unwrap_or(0)) << 8;
        if first & 1 == 1 {
            return None;
        }
        let width = usize::BITS - (self.long.len() - 1).leading_zeros();
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
    fn vorbis_modes_are_read_from_the_end() {
        // Two modes, short and long, behind their count, then the framing bit.
        let mut bits = vec![1, 0, 1, 1, 0, 1, 1];
        bits.extend([1, 0, 0, 0, 0, 0]);
        for (flag, mapping) in [(0, 0), (1, 1)] {
            bits.push(flag);
            bits.extend([0; 32]);
            bits.extend((0..8).map(|bit| mapping >> bit & 1));
        }
        bits.push(1);
        bits.resize(bits.len().next_multiple_of(8), 0);
        let setup: Vec<u8> =
            bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |value, bit| value << 1 | *bit as u8)).collect();
        let mut identification = [0; 30];
        identification[28] = 0xb8;
        let modes = VorbisModes::read(&identification, &setup);
        assert_eq!(modes, Some(VorbisModes { blocks: [256, 2048], long: vec![false, true] }));
        let mut durations = Durations::Vorbis { modes: modes.unwrap(), previous: None };
        let counts = [0b00u8, 0b10, 0b10, 0b00].map(|first| durations.frames(&[first, 0]));
        assert_eq!(counts, [0, (256 + 2048) / 4, 1024, (256 + 2048) / 4]);
    }
}
