//! Iterates over the frames of a FLAC file, from any position.

use std::sync::Arc;

use super::header::{FrameHeader, StreamInfo};
use crate::audio::checksums::crc16;
use crate::audio::packets::{FramePosition, MAX_PACKET_BYTES, Packet, PacketIndex, Packets};
use crate::audio::source::{FileWindow, SourceFile};
use crate::error::Result;

/// The maximum number of bytes of a frame header.
const HEADER_BYTES: usize = 17;
/// A seek bisects the file down to this many bytes.
const NEAR_BYTES: u64 = 128 << 10;

/// The location of a FLAC file's frames.
#[derive(Debug)]
pub(crate) struct FlacIndex {
    pub info: StreamInfo,
    /// The byte offset of the first frame.
    pub first: u64,
    /// The byte after the last frame.
    pub end: u64,
}

/// Iterates over the frames of a [`FlacIndex`].
pub(crate) struct FlacPackets {
    window: FileWindow,
    index: Arc<FlacIndex>,
    at: u64,
    /// The size of the last frame in bytes, as an estimate for the next.
    guess: usize,
}

impl FlacPackets {
    /// Creates an iterator at the first frame.
    pub(crate) fn new(source: &Arc<SourceFile>, index: &Arc<FlacIndex>) -> Self {
        Self { window: FileWindow::new(source), at: index.first, index: Arc::clone(index), guess: 8 << 10 }
    }

    /// Finds the next frame. Returns its start, its header, the byte to continue at, and whether the frame is whole.
    fn step(&mut self) -> Result<Option<(u64, FrameHeader, u64, bool)>> {
        let Some((start, header)) = find_frame(&mut self.window, self.at, self.index.end, &self.index.info)? else {
            return Ok(None);
        };
        let left = self.index.end - start;
        let most = self.index.info.max_frame_bytes().min(left).min(u64::from(MAX_PACKET_BYTES)) as usize;
        let mut fetched = (self.guess + self.guess / 2 + HEADER_BYTES).min(most);
        // The frame ends where the next header begins, if the checksum over the frame is correct.
        let (mut checked, mut crc, mut resume) = (0usize, 0u16, None);
        loop {
            let bytes = self.window.bytes(start, fetched)?;
            let last = bytes.len() as u64 == left || bytes.len() < fetched;
            let searched = if last { bytes.len() } else { bytes.len().saturating_sub(HEADER_BYTES) };
            for at in checked.max(6)..searched {
                if bytes[at] == 0xff
                    && at > 6
                    && let Some(next) = FrameHeader::parse(&bytes[at..], &self.index.info)
                    && next.start > header.start
                {
                    crc = crc16(crc, &bytes[checked..at]);
                    checked = at;
                    if crc == 0 {
                        return Ok(Some((start, header, start + at as u64, true)));
                    }
                    resume = resume.or(Some(start + at as u64));
                }
            }
            if last || fetched >= most {
                let end = bytes.len();
                let whole = last && crc16(crc, &bytes[checked..end]) == 0;
                let after = if whole { start + end as u64 } else { resume.unwrap_or(start + 2) };
                return Ok(Some((start, header, after, whole)));
            }
            fetched = (fetched * 2).min(most);
        }
    }
}

impl PacketIndex for FlacIndex {
    fn packets(self: Arc<Self>, source: &Arc<SourceFile>) -> Box<dyn Packets> {
        Box::new(FlacPackets::new(source, &self))
    }
}

impl Packets for FlacPackets {
    fn next(&mut self, data: &mut Vec<u8>) -> Result<Option<Packet>> {
        data.clear();
        let Some((start, header, end, whole)) = self.step()? else { return Ok(None) };
        self.at = end;
        if whole {
            self.guess = (end - start) as usize;
            data.extend_from_slice(self.window.bytes(start, self.guess)?);
        }
        let place = FramePosition::Start(header.start);
        Ok(Some(Packet { place, frames: header.frames, gap: false, restart: false }))
    }

    fn seek(&mut self, raw_frame: u64) -> Result<()> {
        let (mut low, mut high) = (self.index.first, self.index.end);
        while high - low > NEAR_BYTES {
            let middle = low + (high - low) / 2;
            match find_frame(&mut self.window, middle, high, &self.index.info)? {
                Some((offset, header)) if header.start <= raw_frame => low = offset,
                _ => high = middle,
            }
        }
        self.at = low;
        // The remaining frames are skipped without decoding.
        loop {
            let here = self.at;
            match self.step()? {
                Some((_, header, end, _)) if header.start + u64::from(header.frames) <= raw_frame => self.at = end,
                _ => {
                    self.at = here;
                    return Ok(());
                }
            }
        }
    }
}

/// Finds the next frame header of the stream from `at` on, before `end`.
pub(super) fn find_frame(
    window: &mut FileWindow,
    mut at: u64,
    end: u64,
    info: &StreamInfo,
) -> Result<Option<(u64, FrameHeader)>> {
    const STEP: usize = 16 << 10;
    while at < end {
        let bytes = window.bytes(at, STEP)?;
        let searched = if bytes.len() < STEP { bytes.len() } else { STEP - HEADER_BYTES };
        for here in 0..searched {
            if bytes[here] == 0xff
                && at + (here as u64) < end
                && let Some(header) = FrameHeader::parse(&bytes[here..], info)
            {
                return Ok(Some((at + here as u64, header)));
            }
        }
        if bytes.len() < STEP {
            break;
        }
        at += searched as u64;
    }
    Ok(None)
}
