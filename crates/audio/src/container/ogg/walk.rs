//! Iterates over the packets of an Ogg stream, from any position.

use std::ops::Range;
use std::sync::Arc;

use super::Mark;
use super::page::{MAX_SEGMENTS, Page, find_page};
use crate::durations::Durations;
use crate::packets::{FramePosition, MAX_PACKET_BYTES, Packet, PacketIndex, Packets, PreRoll};
use crate::source::{FileWindow, SourceFile};
use base::error::Result;

/// The number of pages before the target page at which decoding begins. Each completes a packet; the packet that the
/// first page completes may have begun on an earlier page and is then lost.
const PRE_ROLL_PAGES: usize = 3;

/// The location of a stream's pages.
#[derive(Debug)]
pub(crate) struct OggIndex {
    pub serial: u32,
    /// The byte offset of the first page with audio.
    pub first_page: u64,
    /// The byte at which the stream's part of the file ends.
    pub end: u64,
    /// The granule position of raw frame 0.
    pub base: i64,
    pub marks: Vec<Mark>,
    pub durations: Durations,
    pub roll: PreRoll,
}

impl OggIndex {
    fn raw(&self, granule: u64) -> u64 {
        (granule as i64).saturating_sub(self.base).max(0) as u64
    }
}

/// Iterates over the packets of an [`OggIndex`].
pub(crate) struct OggPackets {
    window: FileWindow,
    index: Arc<OggIndex>,
    durations: Durations,
    /// The byte at which the search for the next page starts.
    at: u64,
    /// The expected number of the next page; `None` after a seek.
    sequence: Option<u32>,
    /// The raw frame at which the last packet of the previous page ended, if known.
    end: Option<u64>,
    /// The contents of the current page, preceded by the start of its first packet from earlier pages.
    body: Vec<u8>,
    /// The byte ranges of the packets in `body`, and the raw frames at which the packets end.
    packets: Vec<(Range<usize>, u64)>,
    next: usize,
    /// The start of a packet that continues on the next page.
    carried: Vec<u8>,
    gap: bool,
}

impl OggPackets {
    /// Creates an iterator at the first packet.
    pub(crate) fn new(source: &Arc<SourceFile>, index: &Arc<OggIndex>) -> Self {
        Self {
            window: FileWindow::new(source),
            durations: index.durations.clone(),
            at: index.first_page,
            index: Arc::clone(index),
            sequence: None,
            end: Some(0),
            body: Vec::new(),
            packets: Vec::new(),
            next: 0,
            carried: Vec::new(),
            gap: false,
        }
    }

    /// Reads the next page of the stream into `body` and `packets`. Returns `false` at the end.
    fn load(&mut self) -> Result<bool> {
        let page = loop {
            let Some(page) = find_page(&mut self.window, self.at, self.index.end)? else { return Ok(false) };
            if page.offset >= self.index.end {
                return Ok(false);
            }
            self.at = page.end();
            if page.serial == self.index.serial && page.is_whole(&mut self.window)? {
                break page;
            }
        };
        if self.sequence.is_some_and(|expected| expected != page.sequence) {
            // Pages are missing. The started packet is lost, and the position of the next packets must be determined
            // again.
            self.carried.clear();
            self.durations.reset();
            self.end = None;
            self.gap = true;
        }
        self.sequence = Some(page.sequence.wrapping_add(1));
        self.packets.clear();
        self.next = 0;
        self.body.clear();
        let mut ranges = Vec::new();
        split(&mut self.window, &page, &mut self.body, &mut self.carried, &mut ranges)?;
        self.place(&page, ranges);
        Ok(true)
    }

    /// Determines where the packets of the page end. Counts back from the page's granule position, so that the result
    /// does not depend on where reading began. Counts forward on the last page, whose granule position may cut its
    /// packets short.
    fn place(&mut self, page: &Page, ranges: Vec<Range<usize>>) {
        let frames: Vec<u64> =
            ranges.iter().map(|range| u64::from(self.durations.frames(&self.body[range.clone()]))).collect();
        let mark = self.index.marks.partition_point(|mark| mark.offset < page.offset);
        let marked = self.index.marks.get(mark).is_some_and(|mark| mark.offset == page.offset);
        let last = mark + 1 >= self.index.marks.len();
        let mut end = match page.granule {
            Some(granule) if marked && !last => {
                self.index.raw(granule).saturating_sub(frames.iter().skip(1).sum::<u64>())
            }
            _ => {
                let before = self.index.marks[..mark.min(self.index.marks.len())].last();
                let start = self.end.or(before.map(|before| self.index.raw(before.granule))).unwrap_or(0);
                start + frames.first().copied().unwrap_or(0)
            }
        };
        for (number, range) in ranges.into_iter().enumerate() {
            if number > 0 {
                end += frames[number];
            }
            self.packets.push((range, end));
        }
        if !self.packets.is_empty() {
            self.end = Some(end);
        }
    }
}

impl PacketIndex for OggIndex {
    fn packets(self: Arc<Self>, source: &Arc<SourceFile>) -> Box<dyn Packets> {
        Box::new(OggPackets::new(source, &self))
    }
}

impl Packets for OggPackets {
    fn next(&mut self, data: &mut Vec<u8>) -> Result<Option<Packet>> {
        data.clear();
        while self.next >= self.packets.len() {
            if !self.load()? {
                return Ok(None);
            }
        }
        let (range, end) = self.packets[self.next].clone();
        self.next += 1;
        data.extend_from_slice(&self.body[range]);
        let gap = std::mem::take(&mut self.gap);
        Ok(Some(Packet { gap, is_checked: true, ..Packet::at(FramePosition::End(end)) }))
    }

    fn seek(&mut self, raw_frame: u64) -> Result<()> {
        let from = raw_frame.saturating_sub(self.index.roll.frames);
        let page = self.index.marks.partition_point(|mark| self.index.raw(mark.granule) <= from);
        (self.at, self.end) = match page.checked_sub(PRE_ROLL_PAGES) {
            Some(page) => (self.index.marks[page].offset, None),
            None => (self.index.first_page, Some(0)),
        };
        self.sequence = None;
        self.carried.clear();
        self.packets.clear();
        self.next = 0;
        self.gap = false;
        self.durations.reset();
        Ok(())
    }
}

/// Splits a page into packets. `body` becomes the carried bytes and the page's contents, `ranges` its complete packets.
fn split(
    window: &mut FileWindow,
    page: &Page,
    body: &mut Vec<u8>,
    carried: &mut Vec<u8>,
    ranges: &mut Vec<Range<usize>>,
) -> Result<()> {
    // A continuation is dropped if its start is missing, and a start if its continuation is missing.
    let mut drop_first = page.continued && carried.is_empty();
    if page.continued {
        body.append(carried);
    }
    carried.clear();
    let mut start = 0;
    let mut at = body.len();
    body.extend_from_slice(window.bytes(page.body, page.body_bytes)?);
    let mut open = page.continued;
    for lace in &page.laces[..page.segments] {
        at += usize::from(*lace);
        open = usize::from(*lace) == MAX_SEGMENTS;
        if !open {
            if !drop_first {
                ranges.push(start..at.min(body.len()));
            }
            drop_first = false;
            start = at;
        }
    }
    if open && !drop_first && body.len() - start.min(body.len()) <= MAX_PACKET_BYTES as usize {
        carried.extend_from_slice(&body[start.min(body.len())..]);
    }
    Ok(())
}

/// Calls `visit` with every packet up to the end of the first page with a granule position.
pub(super) fn for_each_packet_of_first_page(
    source: &Arc<SourceFile>,
    serial: u32,
    first_page: u64,
    mut visit: impl FnMut(&[u8]),
) -> Result<()> {
    let mut window = FileWindow::new(source);
    let (mut body, mut carried, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = first_page;
    while let Some(page) = find_page(&mut window, at, source.bytes())? {
        at = page.end();
        if page.serial != serial || !page.is_whole(&mut window)? {
            continue;
        }
        body.clear();
        ranges.clear();
        split(&mut window, &page, &mut body, &mut carried, &mut ranges)?;
        for range in &ranges {
            visit(&body[range.clone()]);
        }
        if page.granule.is_some() || page.begins {
            break;
        }
    }
    Ok(())
}
