//! Copies Ogg Vorbis and Opus files: the header packets with new chapters among the comments, on separate pages; then
//! all other pages, with new numbers and checksums if the number of header pages changed.

use super::Copy;
use crate::checksums::crc32;
use crate::container::ogg::page::{MAX_SEGMENTS, Page, find_page};
use crate::container::ogg::page_writer::Pages;
use crate::markers::{MarkerList, chapters};
use crate::source::FileWindow;
use base::error::Result;
use base::units::SampleRate;

/// The maximum size of the header packets together, in bytes.
const MAX_HEADER_BYTES: usize = 64 << 20;
/// The byte offsets of a page's number and checksum.
const SEQUENCE: usize = 18;
const CHECKSUM: usize = 22;

/// The header packets after the first one.
struct Headers {
    packets: Vec<Vec<u8>>,
    packet: Vec<u8>,
    bytes: usize,
}

/// Copies the file.
pub(super) fn copy(copy: &mut Copy, markers: &MarkerList, serial: u32, rate: SampleRate) -> Result<()> {
    let source = copy.source;
    let mut window = FileWindow::new(source);
    let damaged = || source.malformed("the headers of the Ogg file are damaged; export it instead");
    let mut headers = Headers { packets: Vec::new(), packet: Vec::new(), bytes: 0 };
    let (mut at, mut needed, mut shift, mut ended) = (0, None, None, false);
    while let Some(page) = find_page(&mut window, at, source.bytes())? {
        at = page.end();
        // Another recording may follow, with the same serial number even.
        ended |= page.begins && needed.is_some() && page.serial == serial;
        if page.serial != serial || ended {
            copy.range(page.offset, page.end())?;
            continue;
        }
        let Some(needed) = needed else {
            let first = window.bytes(page.body, 7)?;
            needed = Some(if first == b"\x01vorbis" { 2 } else { 1 });
            copy.range(page.offset, page.end())?;
            continue;
        };
        if let Some(shift) = shift {
            renumbered(copy, &mut window, &page, shift)?;
        } else {
            headers.add(&mut window, &page)?;
            if headers.bytes > MAX_HEADER_BYTES {
                return Err(damaged());
            }
            if headers.packets.len() < needed {
                continue;
            }
            if headers.packets.len() > needed || !headers.packet.is_empty() {
                return Err(damaged());
            }
            let Some(comments) = replaced(&headers.packets[0], markers, rate) else { return Err(damaged()) };
            headers.packets[0] = comments;
            let mut pages = Pages::after(serial, 1);
            let mut out = Vec::new();
            headers.packets.iter().for_each(|packet| pages.packet(packet, 0, &mut out));
            pages.page(false, &mut out);
            copy.put(&out)?;
            shift = Some(pages.sequence().wrapping_sub(page.sequence.wrapping_add(1)));
        }
    }
    if shift.is_none() { Err(damaged()) } else { Ok(()) }
}

impl Headers {
    fn add(&mut self, window: &mut FileWindow, page: &Page) -> Result<()> {
        let mut body = page.body;
        for lace in page.laces[..page.segments].iter().map(|lace| usize::from(*lace)) {
            self.packet.extend_from_slice(window.bytes(body, lace)?);
            self.bytes += lace;
            body += lace as u64;
            if lace < MAX_SEGMENTS {
                self.packets.push(std::mem::take(&mut self.packet));
            }
        }
        Ok(())
    }
}

/// Returns a comment packet with new chapters; `None` if it is damaged.
fn replaced(packet: &[u8], markers: &MarkerList, rate: SampleRate) -> Option<Vec<u8>> {
    let head = if packet.starts_with(b"\x03vorbis") {
        7
    } else if packet.starts_with(b"OpusTags") {
        8
    } else {
        return None;
    };
    let (new, used) = chapters::replaced(&packet[head..], markers, rate)?;
    // The framing bit of Vorbis, or what may follow the comments of Opus.
    Some([&packet[..head], &new, &packet[head + used..]].concat())
}

/// Copies a page with another number.
fn renumbered(copy: &mut Copy, window: &mut FileWindow, page: &Page, shift: u32) -> Result<()> {
    if shift == 0 {
        return copy.range(page.offset, page.end());
    }
    let mut bytes = window.bytes(page.offset, (page.end() - page.offset) as usize)?.to_vec();
    // A damaged page remains one.
    let is_whole = page.is_whole(window)?;
    if bytes.len() > CHECKSUM + 4 {
        bytes[SEQUENCE..SEQUENCE + 4].copy_from_slice(&page.sequence.wrapping_add(shift).to_le_bytes());
        if is_whole {
            bytes[CHECKSUM..CHECKSUM + 4].fill(0);
            let crc = crc32(0, &bytes);
            bytes[CHECKSUM..CHECKSUM + 4].copy_from_slice(&crc.to_le_bytes());
        }
    }
    copy.progress.advance(bytes.len() as u64)?;
    copy.progress.check()?;
    copy.put(&bytes)
}
