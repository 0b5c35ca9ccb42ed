//! Packets of a compressed stream: where they are in the file and on the timeline, and where decoding must start after
//! a seek.
//!
//! The *raw* timeline counts every frame that the decoder returns, from the stream's first packet on. The listener
//! hears a part of it, without the encoder's delay and padding.

use std::fmt::Debug;
use std::sync::Arc;

use super::source::{FileWindow, SourceFile};
use base::error::{Error, Result};

/// The largest accepted packet in bytes. No codec makes larger ones, so a larger size means damage.
pub(crate) const MAX_PACKET_BYTES: u32 = 4 << 20;
/// The largest accepted number of packets, a week of AAC. More would exceed the memory bound of the index.
pub(crate) const MAX_PACKETS: usize = 6_000_000;

/// Where the decoded frames of a packet go on the raw timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FramePosition {
    /// The raw frame of the packet's first frame.
    Start(u64),
    /// The raw frame after the packet's last frame.
    End(u64),
}

/// One packet of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// The position of its frames.
    pub place: FramePosition,
    /// The number of frames according to the container; 0 if it does not state one.
    pub frames: u32,
    /// Whether packets before this one are missing, so that the decoder must be reset.
    pub gap: bool,
    /// Whether the packet is the first of a segment ([`PreRoll::segment`]), before which the decoder is reset.
    pub restart: bool,
    /// Whether a checksum over its bytes has been compared.
    pub is_checked: bool,
}

impl Packet {
    /// A packet of which only the place is known.
    pub(crate) fn at(place: FramePosition) -> Self {
        Self { place, frames: 0, gap: false, restart: false, is_checked: false }
    }
}

/// Iterates over the packets of one stream of a file, in order and from any position.
pub(crate) trait Packets: Send {
    /// Writes the bytes of the next packet to `data`; empty if the packet is damaged. Returns `None` at the end.
    fn next(&mut self, data: &mut Vec<u8>) -> Result<Option<Packet>>;

    /// Seeks to the packet from which decoding must begin so that `raw_frame` equals that of a straight decode.
    fn seek(&mut self, raw_frame: u64) -> Result<()>;
}

/// Where the packets of a stream are in its file.
pub(crate) trait PacketIndex: Debug + Send + Sync {
    /// Returns an iterator over the packets, at the first one.
    fn packets(self: Arc<Self>, source: &Arc<SourceFile>) -> Box<dyn Packets>;
}

/// How far before a frame decoding must begin. All conditions hold.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PreRoll {
    /// Packets, for overlapping windows and filter states.
    pub packets: u32,
    /// Bytes beyond each packet's overhead, for the bit reservoir of MP3.
    pub bytes: u64,
    /// Frames, for predictors that must converge.
    pub frames: u64,
    /// Packets after which decoding begins anew, for decoders that remember all that they have decoded; 0 for others.
    /// Decoding then begins at such a packet, or with the one before it.
    pub segment: u32,
}

/// The sizes of a table's packets in bytes.
#[derive(Debug)]
pub(crate) enum Sizes {
    /// All packets have this size.
    Constant(u32),
    /// One size per packet.
    Each(Vec<u32>),
}

/// The raw frames at which the packets of a table start.
#[derive(Debug)]
pub(crate) enum Starts {
    /// All packets have this number of frames.
    Constant(u32),
    /// The start of each packet, and the end of the last one.
    Each(Vec<u64>),
}

/// Packets that are contiguous in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk {
    /// The byte offset of the first packet.
    pub offset: u64,
    /// The number of the first packet.
    pub first: u32,
}

/// A compact index of all packets of a stream: 4 bytes per packet and 16 per chunk, 8 more per packet if lengths vary.
#[derive(Debug)]
pub(crate) struct Table {
    pub chunks: Vec<Chunk>,
    pub sizes: Sizes,
    pub starts: Starts,
    pub packets: u32,
    pub roll: PreRoll,
}

impl Table {
    fn size(&self, packet: u32) -> u32 {
        match &self.sizes {
            Sizes::Constant(size) => *size,
            Sizes::Each(sizes) => sizes.get(packet as usize).copied().unwrap_or(0),
        }
    }

    /// Returns the raw frame at which a packet starts.
    pub(crate) fn start(&self, packet: u32) -> u64 {
        match &self.starts {
            Starts::Constant(frames) => u64::from(packet) * u64::from(*frames),
            Starts::Each(starts) => starts.get(packet as usize).copied().unwrap_or(0),
        }
    }

    /// Returns the raw frame after the last.
    pub(crate) fn raw_frames(&self) -> u64 {
        match &self.starts {
            Starts::Constant(frames) => u64::from(self.packets) * u64::from(*frames),
            Starts::Each(starts) => starts.last().copied().unwrap_or(0),
        }
    }

    /// Returns the total size of all packets in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.sizes {
            Sizes::Constant(size) => u64::from(self.packets) * u64::from(*size),
            Sizes::Each(sizes) => sizes.iter().map(|size| u64::from(*size)).sum(),
        }
    }

    /// Returns the packet that holds `raw_frame`, or the last one.
    fn packet_at(&self, raw_frame: u64) -> u32 {
        let packet = match &self.starts {
            Starts::Constant(frames) => (raw_frame / u64::from((*frames).max(1))).min(u64::from(u32::MAX)) as u32,
            Starts::Each(starts) => starts.partition_point(|start| *start <= raw_frame).saturating_sub(1) as u32,
        };
        packet.min(self.packets.saturating_sub(1))
    }

    /// Returns the byte offset of `packet`.
    fn offset(&self, packet: u32) -> u64 {
        let chunk = self.chunks.partition_point(|chunk| chunk.first <= packet).saturating_sub(1);
        let Some(chunk) = self.chunks.get(chunk) else { return u64::MAX };
        let before = match &self.sizes {
            Sizes::Constant(size) => u64::from(packet.saturating_sub(chunk.first)) * u64::from(*size),
            Sizes::Each(_) => (chunk.first..packet).map(|packet| u64::from(self.size(packet))).sum(),
        };
        chunk.offset.saturating_add(before)
    }

    /// Returns the packet from which decoding must begin for `raw_frame`.
    fn roll_from(&self, raw_frame: u64) -> u32 {
        let target = self.packet_at(raw_frame);
        let segment = self.roll.segment.max(1);
        let begin = if self.roll.segment == 0 { target } else { target / segment * segment };
        let mut packet = begin.min(self.packet_at(raw_frame.saturating_sub(self.roll.frames)));
        packet = packet.min(begin.saturating_sub(self.roll.packets));
        let mut bytes: u64 =
            (packet..target).map(|packet| u64::from(self.size(packet)).saturating_sub(MPEG_OVERHEAD_BYTES)).sum();
        while bytes < self.roll.bytes && packet > 0 {
            packet -= 1;
            bytes += u64::from(self.size(packet)).saturating_sub(MPEG_OVERHEAD_BYTES);
        }
        packet
    }

    /// Appends the packets of another table of the same stream.
    pub(crate) fn append(&mut self, other: Self) -> Result<()> {
        let total = u64::from(self.packets) + u64::from(other.packets);
        if total > MAX_PACKETS as u64 {
            return Err(too_many_packets());
        }
        let each = |sizes: Sizes, packets: u32| match sizes {
            Sizes::Each(sizes) => sizes,
            Sizes::Constant(size) => vec![size; packets as usize],
        };
        let mut sizes = each(std::mem::replace(&mut self.sizes, Sizes::Constant(0)), self.packets);
        sizes.extend(each(other.sizes, other.packets));
        let first = self.packets;
        self.chunks.extend(other.chunks.into_iter().map(|chunk| Chunk { first: chunk.first + first, ..chunk }));
        self.sizes = Sizes::Each(sizes);
        self.packets = total as u32;
        Ok(())
    }

    /// Removes packets beyond the end of the file. Returns the number of packets removed.
    pub(crate) fn drop_beyond(&mut self, bytes: u64) -> u32 {
        let before = self.packets;
        // Chunks may be out of file order, so the first missing packet ends the stream.
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

/// Bytes of an MPEG frame that are not main data: header, checksum and side information.
const MPEG_OVERHEAD_BYTES: u64 = 38;

/// Returns the error for a stream with more than [`MAX_PACKETS`] packets.
pub(crate) fn too_many_packets() -> Error {
    Error::Limit {
        what: "the number of packets".to_owned(),
        got: format!("more than {MAX_PACKETS}"),
        limit: MAX_PACKETS.to_string(),
    }
}

/// Iterates over the packets of a [`Table`].
pub(crate) struct TablePackets {
    window: FileWindow,
    table: Arc<Table>,
    next: u32,
    offset: u64,
}

impl TablePackets {
    /// Creates an iterator at the first packet.
    pub(crate) fn new(source: &Arc<SourceFile>, table: &Arc<Table>) -> Self {
        Self { window: FileWindow::new(source), table: Arc::clone(table), next: 0, offset: table.offset(0) }
    }
}

impl PacketIndex for Table {
    fn packets(self: Arc<Self>, source: &Arc<SourceFile>) -> Box<dyn Packets> {
        Box::new(TablePackets::new(source, &self))
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
        // A new chunk begins at another offset.
        let chunk = self.table.chunks.partition_point(|chunk| chunk.first < number);
        if let Some(chunk) = self.table.chunks.get(chunk).filter(|chunk| chunk.first == number) {
            self.offset = chunk.offset;
        }
        if size <= MAX_PACKET_BYTES {
            let bytes = self.window.bytes(self.offset, size as usize)?;
            if bytes.len() == size as usize {
                data.extend_from_slice(bytes);
            }
        }
        self.offset = self.offset.saturating_add(u64::from(size));
        self.next += 1;
        let start = self.table.start(number);
        let frames = self.table.start(number + 1).saturating_sub(start).min(u64::from(u32::MAX)) as u32;
        let restart = self.table.roll.segment > 0 && number.is_multiple_of(self.table.roll.segment);
        Ok(Some(Packet { frames, restart, ..Packet::at(FramePosition::Start(start)) }))
    }

    fn seek(&mut self, raw_frame: u64) -> Result<()> {
        self.next = self.table.roll_from(raw_frame);
        self.offset = self.table.offset(self.next);
        Ok(())
    }
}
