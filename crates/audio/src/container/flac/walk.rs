//! Iterates over the frames of a FLAC file, from any position.

use std::sync::Arc;

use crate::checksums::crc16;
use crate::flac::{FlacDecoder, FrameHeader, StreamInfo, next_sync};
use crate::packets::{FramePosition, Packet, PacketIndex, Packets};
use crate::source::{FileWindow, SourceFile};
use base::error::Result;

/// A seek bisects the file down to this many bytes.
const NEAR_BYTES: u64 = 128 << 10;
/// Bytes that are searched in vain for the ends of damaged frames, in all and for each byte of the file, before the
/// search becomes coarse. Real damage stays far below; a file made of headers alone would else take hours.
const VAIN_BYTES: u64 = 64 << 20;
const VAIN_SHARE: u64 = 64;

/// Finds the frames of a file one after the other.
pub(super) struct Walk {
    pub window: FileWindow,
    /// The stream that frame headers refer to.
    pub info: StreamInfo,
    /// The byte before which frames must end.
    pub end: u64,
    /// Measures frames whose end no next header shows.
    pub decoder: FlacDecoder,
    /// The size of the last whole frame in bytes, as an estimate for the next.
    guess: usize,
    vain: u64,
    passed: u64,
}

/// A frame that a [`Walk`] has found.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundFrame {
    /// The byte at which it begins.
    pub start: u64,
    pub header: FrameHeader,
    /// The byte after it if it is whole, otherwise the byte at which the search goes on.
    pub after: u64,
    /// Whether the checksum over the frame is correct.
    pub is_whole: bool,
}

impl Walk {
    /// Creates a walk over the bytes before `end`.
    pub(super) fn new(source: &Arc<SourceFile>, info: &StreamInfo, end: u64) -> Self {
        Self {
            window: FileWindow::new(source),
            info: info.clone(),
            end,
            decoder: FlacDecoder::new(info.clone()),
            guess: 8 << 10,
            vain: 0,
            passed: 0,
        }
    }

    /// Reads frames of another stream from now on.
    pub(super) fn begin_stream(&mut self, info: StreamInfo) {
        self.decoder = FlacDecoder::new(info.clone());
        self.info = info;
    }

    /// Finds the first frame header from `at` on. Its frame may be damaged, or the header no header at all.
    pub(super) fn next(&mut self, at: u64) -> Result<Option<FoundFrame>> {
        let Some((start, header)) = find_header(&mut self.window, at, self.end, &self.info)? else { return Ok(None) };
        let left = self.end - start;
        let most = (header.max_frame_bytes(&self.info) as u64).min(left) as usize;
        let mut fetched = (self.guess + self.guess / 2 + FrameHeader::MAX_BYTES).min(most);
        // The frame ends where the next header begins, if the checksum over the frame is correct.
        let (mut checked, mut crc, mut resume, mut from) = (0usize, 0u16, None, header.bytes);
        let whole = loop {
            let bytes = self.window.bytes(start, fetched)?;
            let is_last = bytes.len() as u64 == left || bytes.len() < fetched;
            let searched = if is_last { bytes.len() } else { bytes.len().saturating_sub(FrameHeader::MAX_BYTES) };
            let mut whole = None;
            while let Some(at) = next_sync(bytes, from).filter(|at| *at < searched) {
                from = at + 1;
                if FrameHeader::parse(&bytes[at..], &self.info).is_some() {
                    crc = crc16(crc, &bytes[checked..at]);
                    checked = at;
                    if crc == 0 {
                        whole = Some(at);
                        break;
                    }
                    resume = resume.or(Some(start + at as u64));
                }
            }
            from = from.max(searched);
            if whole.is_some() {
                break whole;
            }
            if is_last || fetched >= most {
                if is_last && crc16(crc, &bytes[checked..]) == 0 {
                    break Some(bytes.len());
                }
                // Something else follows. Only decoding tells where the frame ends.
                break self.decoder.frame_bytes(bytes);
            }
            fetched = (fetched * 2).min(most);
        };
        let after = if let Some(bytes) = whole {
            self.guess = bytes;
            start + bytes as u64
        } else {
            self.vain += fetched as u64;
            let is_vain = self.vain > VAIN_BYTES + VAIN_SHARE * self.passed;
            if is_vain { start + (fetched as u64 / VAIN_SHARE).max(2) } else { resume.unwrap_or(start + 2) }
        };
        self.passed += after - at;
        Ok(Some(FoundFrame { start, header, after, is_whole: whole.is_some() }))
    }

    /// Finds the first whole frame of the stream's rate from `at` on that begins before `end`.
    pub(super) fn next_whole(&mut self, mut at: u64, end: u64) -> Result<Option<FoundFrame>> {
        while let Some(found) = self.next_undamaged(at, end)? {
            if found.header.fits(&self.info) {
                return Ok(Some(found));
            }
            at = found.after;
        }
        Ok(None)
    }

    /// Finds the first whole frame of any format from `at` on that begins before `end`.
    pub(super) fn next_undamaged(&mut self, mut at: u64, end: u64) -> Result<Option<FoundFrame>> {
        while let Some(found) = self.next(at)?.filter(|found| found.start < end) {
            if found.is_whole {
                return Ok(Some(found));
            }
            at = found.after;
        }
        Ok(None)
    }
}

/// The location of the frames of a FLAC file whose headers tell their positions.
#[derive(Debug)]
pub(crate) struct FlacIndex {
    pub info: StreamInfo,
    /// The byte offset of the first frame.
    pub first: u64,
    /// The byte after the last frame.
    pub end: u64,
    /// The position that the header of the stream's first frame states.
    pub origin: u64,
}

impl FlacIndex {
    /// Returns the audio frame with which a FLAC frame begins.
    fn position(&self, header: &FrameHeader) -> u64 {
        self.info.position(header).saturating_sub(self.origin)
    }
}

/// Iterates over the frames of a [`FlacIndex`].
pub(crate) struct FlacPackets {
    walk: Walk,
    index: Arc<FlacIndex>,
    at: u64,
}

impl PacketIndex for FlacIndex {
    fn packets(self: Arc<Self>, source: &Arc<SourceFile>) -> Box<dyn Packets> {
        Box::new(FlacPackets { walk: Walk::new(source, &self.info, self.end), at: self.first, index: self })
    }
}

impl Packets for FlacPackets {
    fn next(&mut self, data: &mut Vec<u8>) -> Result<Option<Packet>> {
        data.clear();
        let Some(found) = self.walk.next_whole(self.at, self.index.end)? else { return Ok(None) };
        self.at = found.after;
        data.extend_from_slice(self.walk.window.bytes(found.start, (found.after - found.start) as usize)?);
        let place = FramePosition::Start(self.index.position(&found.header));
        Ok(Some(Packet { frames: found.header.frames, is_checked: true, ..Packet::at(place) }))
    }

    fn seek(&mut self, raw_frame: u64) -> Result<()> {
        let (mut low, mut high) = (self.index.first, self.index.end);
        while high - low > NEAR_BYTES {
            let middle = low + (high - low) / 2;
            match self.walk.next_whole(middle, high)? {
                Some(found) if self.index.position(&found.header) <= raw_frame => low = found.start,
                _ => high = middle,
            }
        }
        // The remaining frames are skipped without decoding.
        self.at = low;
        while let Some(found) = self.walk.next_whole(self.at, self.index.end)?
            && self.index.position(&found.header) + u64::from(found.header.frames) <= raw_frame
        {
            self.at = found.after;
        }
        Ok(())
    }
}

/// Finds the next frame header from `at` on, before `end`.
fn find_header(
    window: &mut FileWindow,
    mut at: u64,
    end: u64,
    info: &StreamInfo,
) -> Result<Option<(u64, FrameHeader)>> {
    const STEP: usize = 16 << 10;
    while at < end {
        let bytes = window.bytes(at, STEP)?;
        let searched = if bytes.len() < STEP { bytes.len() } else { STEP - FrameHeader::MAX_BYTES };
        let mut from = 0;
        while let Some(here) = next_sync(bytes, from).filter(|here| *here < searched && at + (*here as u64) < end) {
            if let Some(header) = FrameHeader::parse(&bytes[here..], info) {
                return Ok(Some((at + here as u64, header)));
            }
            from = here + 1;
        }
        if bytes.len() < STEP {
            break;
        }
        at += searched as u64;
    }
    Ok(None)
}
