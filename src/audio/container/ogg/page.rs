//! Pages of an Ogg file.

use std::sync::LazyLock;

use crate::audio::source::Window;
use crate::error::Result;

/// Segments of a page, at most; also the length of a full segment.
pub(crate) const MAX_SEGMENTS: usize = 255;
const HEADER_BYTES: usize = 27;

/// A page's header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    /// Byte offset of the page.
    pub offset: u64,
    /// Byte offset of what it carries.
    pub body: u64,
    /// How much that is.
    pub body_bytes: usize,
    /// Whether its first packet began on an earlier page.
    pub continued: bool,
    /// Whether it begins a stream.
    pub begins: bool,
    /// Whether it ends a stream.
    pub ends: bool,
    /// The position that its last complete packet ends at; none when no packet is completed.
    pub granule: Option<u64>,
    /// The stream it belongs to.
    pub serial: u32,
    /// Its number in the stream.
    pub sequence: u32,
    /// Its checksum.
    crc: u32,
    /// How many segments there are.
    pub segments: usize,
    /// Their lengths.
    pub laces: [u8; MAX_SEGMENTS],
}

impl Page {
    /// The page at `offset`; none when there is none, or it goes beyond the file.
    pub(crate) fn read(window: &mut Window, offset: u64) -> Result<Option<Self>> {
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

    /// The byte after it.
    pub(crate) fn end(&self) -> u64 {
        self.body + self.body_bytes as u64
    }

    /// Whether its checksum is right.
    pub(crate) fn is_whole(&self, window: &mut Window) -> Result<bool> {
        let bytes = window.bytes(self.offset, (self.end() - self.offset) as usize)?;
        if bytes.len() < HEADER_BYTES {
            return Ok(false);
        }
        // The checksum is taken with its own field at 0.
        let crc = crc32(crc32(crc32(0, &bytes[..22]), &[0; 4]), &bytes[26..]);
        Ok(crc == self.crc)
    }
}

/// The next page from `at` on, before `end`.
pub(crate) fn find_page(window: &mut Window, mut at: u64, end: u64) -> Result<Option<Page>> {
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

/// CRC-32 with the polynomial 0x04c11db7, not reflected, as RFC 3533 has it.
pub(crate) fn crc32(crc: u32, bytes: &[u8]) -> u32 {
    static TABLE: LazyLock<[u32; 256]> = LazyLock::new(|| {
        std::array::from_fn(|byte| {
            (0..8).fold((byte as u32) << 24, |crc, _| if crc >> 31 == 1 { crc << 1 ^ 0x04c1_1db7 } else { crc << 1 })
        })
    });
    let table = &*TABLE;
    bytes.iter().fold(crc, |crc, byte| crc << 8 ^ table[usize::from((crc >> 24) as u8 ^ byte)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_of_the_check_string() {
        // CRC-32/MPEG-2 differs from Ogg's by its start value only; with start 0 the check value is that of
        // CRC-32/POSIX before its final steps, computed bit by bit here.
        let slow = b"123456789".iter().fold(0u32, |mut crc, byte| {
            crc ^= u32::from(*byte) << 24;
            for _ in 0..8 {
                crc = if crc >> 31 == 1 { crc << 1 ^ 0x04c1_1db7 } else { crc << 1 };
            }
            crc
        });
        assert_eq!(crc32(0, b"123456789"), slow);
        assert_eq!(slow, 0x89a1_897f);
    }
}
