//! Packets of a compressed stream: where they lie in the file and on the timeline, and how to begin in the middle.
//!
//! The *raw* timeline counts every frame that the decoder gives from the stream's first packet on; what the listener
//! hears is a part of it, without the encoder's delay and padding.

use std::sync::Arc;

use super::source::{Source, Window};
use crate::error::{Error, Result};

/// No codec makes packets larger than this; what claims to is damaged.
pub(crate) const MAX_PACKET_BYTES: u32 = 4 << 20;
/// More packets than this (a week of AAC) is no recording: the index would pass the memory bound.
pub(crate) const MAX_PACKETS: usize = 6_000_000;

/// Where the decoded frames of a packet go on the raw timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The first of them is this raw frame.
    Start(u64),
    /// The last of them is the one before this raw frame.
    End(u64),
}

/// One packet of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// Where its frames go.
    pub place: Place,
    /// Frames it holds, as far as its container says (0: not said).
    pub frames: u32,
    /// Whether packets before it are missing, so that the decoder must begin anew.
    pub gap: bool,
}

/// The packets of one stream of one file, in order, from any place.
pub(crate) trait Packets: Send {
    /// Puts the bytes of the next packet into `data`. Empty bytes stand for a packet that is damaged. None at the end.
    fn next(&mut self, data: &mut Vec<u8>) -> Result<Option<Packet>>;

    /// Goes to the packet from which decoding must begin for `raw_frame` to come out as in the straight decode.
    fn seek(&mut self, raw_frame: u64) -> Result<()>;
}

/// How far before a frame decoding must begin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Roll {
    /// Packets, for overlapping windows and filter memories.
    pub packets: u32,
    /// Bytes beyond the overhead of each packet, for MP3's bit reservoir.
    pub bytes: u64,
    /// Frames, for predictors that converge.
    pub frames: u64,
}

/// Sizes in bytes of the packets of a table.
#[derive(Debug)]
pub(crate) enum Sizes {
    /// All the same.
    Constant(u32),
    /// Each its own.
    Each(Vec<u32>),
}

/// Raw frames at which the packets of a table start.
#[derive(Debug)]
pub(crate) enum Starts {
    /// All of the same length.
    Constant(u32),
    /// Each its own start, and one more: the end.
    Each(Vec<u64>),
}

/// Packets that follow each other without a gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk {
    /// Byte offset of the first.
    pub offset: u64,
    /// Number of the first.
    pub first: u32,
}

/// What stands before the payload of every packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lead {
    /// Nothing.
    None,
    /// An ADTS header.
    Adts,
}

/// An index of all packets of a stream, compact: 4 bytes a packet and 16 a chunk, 8 more where lengths vary.
#[derive(Debug)]
pub(crate) struct Table {
    pub chunks: Vec<Chunk>,
    pub sizes: Sizes,
    pub starts: Starts,
    pub packets: u32,
    pub roll: Roll,
    pub lead: Lead,
}

impl Table {
    fn size(&self, packet: u32) -> u32 {
        match &self.sizes {
            Sizes::Constant(size) => *size,
            Sizes::Each(sizes) => sizes.get(packet as usize).copied().unwrap_or(0),
        }
    }

    fn start(&self, packet: u32) -> u64 {
        match &self.starts {
            Starts::Constant(frames) => u64::from(packet) * u64::from(*frames),
            Starts::Each(starts) => starts.get(packet as usize).copied().unwrap_or(0),
        }
    }

    /// The raw frame after the last.
    pub(crate) fn raw_frames(&self) -> u64 {
        match &self.starts {
            Starts::Constant(frames) => u64::from(self.packets) * u64::from(*frames),
            Starts::Each(starts) => starts.last().copied().unwrap_or(0),
        }
    }

    /// The bytes of all packets together.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.sizes {
            Sizes::Constant(size) => u64::from(self.packets) * u64::from(*size),
            Sizes::Each(sizes) => sizes.iter().map(|size| u64::from(*size)).sum(),
        }
    }

    /// The packet that holds `raw_frame`, or the last.
    fn packet_at(&self, raw_frame: u64) -> u32 {
        let packet = match &self.starts {
            Starts::Constant(frames) => (raw_frame / u64::from((*frames).max(1))).min(u64::from(u32::MAX)) as u32,
            Starts::Each(starts) => starts.partition_point(|start| *start <= raw_frame).saturating_sub(1) as u32,
        };
        packet.min(self.packets.saturating_sub(1))
    }

    /// The byte offset of `packet`.
    fn offset(&self, packet: u32) -> u64 {
        let chunk = self.chunks.partition_point(|chunk| chunk.first <= packet).saturating_sub(1);
        let Some(chunk) = self.chunks.get(chunk) else { return u64::MAX };
        let before = match &self.sizes {
            Sizes::Constant(size) => u64::from(packet.saturating_sub(chunk.first)) * u64::from(*size),
            Sizes::Each(_) => (chunk.first..packet).map(|packet| u64::from(self.size(packet))).sum(),
        };
        chunk.offset.saturating_add(before)
    }

    /// Where decoding begins for `raw_frame`.
    fn roll_from(&self, raw_frame: u64) -> u32 {
        let target = self.packet_at(raw_frame);
        let mut packet = target.min(self.packet_at(raw_frame.saturating_sub(self.roll.frames)));
        packet = packet.min(target.saturating_sub(self.roll.packets));
        let mut bytes: u64 =
            (packet..target).map(|packet| u64::from(self.size(packet)).saturating_sub(MPEG_OVERHEAD_BYTES)).sum();
        while bytes < self.roll.bytes && packet > 0 {
            packet -= 1;
            bytes += u64::from(self.size(packet)).saturating_sub(MPEG_OVERHEAD_BYTES);
        }
        packet
    }

    /// Drops packets that lie beyond the end of the file; returns how many.
    pub(crate) fn drop_beyond(&mut self, bytes: u64) -> u32 {
        let before = self.packets;
        // Chunks need not be in the order of the file, so the first packet that is not there ends the stream.
        let mut kept = 0;
        'chunks: for (number, chunk) in self.chunks.iter().enumerate() {
            let end = self.chunks.get(number + 1).map_or(before, |next| next.first.min(before));
            if let Sizes::Constant(size) = self.sizes {
                let fit = bytes.saturating_sub(chunk.offset) / u64::from(size.max(1));
                let count = u64::from(end.saturating_sub(chunk.first));
                kept = chunk.first + fit.min(count) as u32;
                if fit < count {
                    break;
                }
                continue;
            }
            let mut offset = chunk.offset;
            for packet in chunk.first..end {
                offset = offset.saturating_add(u64::from(self.size(packet)));
                if offset > bytes {
                    break 'chunks;
                }
                kept = packet + 1;
            }
        }
        self.packets = kept.min(before);
        if let Sizes::Each(sizes) = &mut self.sizes {
            sizes.truncate(self.packets as usize);
        }
        if let Starts::Each(starts) = &mut self.starts {
            starts.truncate(self.packets as usize + 1);
        }
        before - self.packets
    }
}

/// Bytes of an MPEG frame that are no main data: header, checksum and side information.
const MPEG_OVERHEAD_BYTES: u64 = 38;

/// The limit error of an index.
pub(crate) fn too_many_packets() -> Error {
    Error::Limit {
        what: "packets in the stream".to_owned(),
        got: format!("more than {MAX_PACKETS}"),
        limit: MAX_PACKETS.to_string(),
    }
}

/// Walks the packets of a [`Table`].
pub(crate) struct TablePackets {
    window: Window,
    table: Arc<Table>,
    next: u32,
    offset: u64,
}

impl TablePackets {
    /// At the first packet.
    pub(crate) fn new(source: &Arc<Source>, table: &Arc<Table>) -> Self {
        Self { window: Window::new(source), table: Arc::clone(table), next: 0, offset: table.offset(0) }
    }
}

impl Packets for TablePackets {
    fn next(&mut self, data: &mut Vec<u8>) -> Result<Option<Packet>> {
        data.clear();
        if self.next >= self.table.packets {
            return Ok(None);
        }
        let number = self.next;
        let size = self.table.size(number);
        // A new chunk begins somewhere else.
        let chunk = self.table.chunks.partition_point(|chunk| chunk.first < number);
        if let Some(chunk) = self.table.chunks.get(chunk).filter(|chunk| chunk.first == number) {
            self.offset = chunk.offset;
        }
        if size <= MAX_PACKET_BYTES {
            let bytes = self.window.bytes(self.offset, size as usize)?;
            if bytes.len() == size as usize {
                let lead = match self.table.lead {
                    Lead::None => 0,
                    Lead::Adts => bytes.get(1).map_or(0, |flags| if flags & 1 == 0 { 9 } else { 7 }),
                };
                data.extend_from_slice(bytes.get(lead..).unwrap_or_default());
            }
        }
        self.offset = self.offset.saturating_add(u64::from(size));
        self.next += 1;
        let start = self.table.start(number);
        let frames = self.table.start(number + 1).saturating_sub(start).min(u64::from(u32::MAX)) as u32;
        Ok(Some(Packet { place: Place::Start(start), frames, gap: false }))
    }

    fn seek(&mut self, raw_frame: u64) -> Result<()> {
        self.next = self.table.roll_from(raw_frame);
        self.offset = self.table.offset(self.next);
        Ok(())
    }
}
