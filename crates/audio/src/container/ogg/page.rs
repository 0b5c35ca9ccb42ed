//! Pages of an Ogg file.

use crate::checksums::crc32;
use crate::source::FileWindow;
use base::error::Result;

/// The maximum number of segments in a page; also the length of a full segment in bytes.
pub(crate) const MAX_SEGMENTS: usize = 255;
const HEADER_BYTES: usize = 27;

/// A page's header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    /// The byte offset of the page.
    pub offset: u64,
    /// The byte offset of the page's contents.
    pub body: u64,
    /// The size of the contents in bytes.
    pub body_bytes: usize,
    /// Whether the first packet began on an earlier page.
    pub continued: bool,
    /// Whether the page is the first of a stream.
    pub begins: bool,
    /// Whether the page is the last of a stream.
    pub ends: bool,
    /// The granule position of the end of the last complete packet; `None` if no packet ends on the page.
    pub granule: Option<u64>,
    /// The serial number of the page's stream.
    pub serial: u32,
    /// The number of the page within its stream.
    pub sequence: u32,
    /// The checksum.
    crc: u32,
    /// The number of segments.
    pub segments: usize,
    /// The lengths of the segments in bytes.
    pub laces: [u8; MAX_SEGMENTS],
}

impl Page {
    /// Reads the page at `offset`; `None` if there is no page, or it extends past the end of the file.
    pub(crate) fn read(window: &mut FileWindow, offset: u64) -> Result<Option<Self>> {
        let end = window.source().bytes();
        let bytes = window.bytes(offset, HEADER_BYTES + MAX_SEGMENTS)?;
        if bytes.len() < HEADER_BYTES || !bytes.starts_with(b"OggS\0") {
            return Ok(None);
        }
        let segments = usize::from(bytes[26]);
        let Some(table) = bytes.get(HEADER_BYTES..HEADER_BYTES + segments) else { return Ok(None) };
        let mut laces = [0; MAX_SEGMENTS];
        laces[..segments].copy_from_slice(table);
        let body = offset + (HEADER_BYTES + segments) as u64;
        let body_bytes = table.iter().map(|lace| usize::from(*lace)).sum::<usize>();
        if body + body_bytes as u64 > end {
            return Ok(None);
        }
        let le32 = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let granule = u64::from(le32(6)) | u64::from(le32(10)) << 32;
        Ok(Some(Self {
            offset,
            body,
            body_bytes,
            continued: bytes[5] & 1 != 0,
            begins: bytes[5] & 2 != 0,
            ends: bytes[5] & 4 != 0,
            granule: (granule != u64::MAX).then_some(granule),
            serial: le32(14),
            sequence: le32(18),
            crc: le32(22),
            segments,
            laces,
        }))
    }

    /// Returns the byte after the page.
    pub(crate) fn end(&self) -> u64 {
        self.body + self.body_bytes as u64
    }

    /// Returns whether the checksum is correct.
    pub(crate) fn is_whole(&self, window: &mut FileWindow) -> Result<bool> {
        let bytes = window.bytes(self.offset, (self.end() - self.offset) as usize)?;
        if bytes.len() < HEADER_BYTES {
            return Ok(false);
        }
        // The checksum is computed with the checksum field set to 0.
        let crc = crc32(crc32(crc32(0, &bytes[..22]), &[0; 4]), &bytes[26..]);
        Ok(crc == self.crc)
    }
}

/// Finds the next page from `at` on, before `end`.
pub(crate) fn find_page(window: &mut FileWindow, mut at: u64, end: u64) -> Result<Option<Page>> {
    const STEP: usize = 4096;
    while at < end {
        if let Some(page) = Page::read(window, at)? {
            return Ok(Some(page));
        }
        let bytes = window.bytes(at + 1, STEP)?;
        if bytes.len() < HEADER_BYTES {
            return Ok(None);
        }
        let found = bytes.windows(4).position(|four| four == b"OggS");
        at += 1 + found.unwrap_or(bytes.len() - 3) as u64;
    }
    Ok(None)
}
