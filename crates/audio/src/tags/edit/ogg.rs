//! Edits the comments of an Ogg Vorbis or Opus file of one stream.

use super::{Edit, Stop, UNUSUAL, comments, splice};
use crate::checksums::crc32;
use crate::container::ogg::page::{MAX_SEGMENTS, Page};
use crate::container::ogg::page_writer::Pages;
use crate::source::{FileWindow, SourceFile};
use base::error::Result;

/// The maximum size of the header packets together, in bytes.
const MAX_HEADER_BYTES: usize = 64 << 20;
/// The byte offsets of a page's number and checksum.
const SEQUENCE: usize = 18;
const CHECKSUM: usize = 22;

pub(super) fn edit(edit: Edit<'_>) -> Result<(), Stop> {
    let Edit { file, mut window, fields } = edit;
    let unusual = || Stop::Unusual(UNUSUAL);
    let first = Page::read(&mut window, 0)?.filter(|page| page.begins).ok_or_else(unusual)?;
    let wanted = if window.bytes(first.body, 7)? == b"\x01vorbis" { 2 } else { 1 };
    let (mut at, mut packets, mut packet, mut bytes) = (first.end(), Vec::new(), Vec::new(), 0);
    let mut pages = 0;
    while packets.len() < wanted {
        let page = Page::read(&mut window, at)?.filter(|page| page.serial == first.serial).ok_or_else(unusual)?;
        let mut body = page.body;
        for lace in page.laces[..page.segments].iter().map(|lace| usize::from(*lace)) {
            packet.extend_from_slice(window.bytes(body, lace)?);
            body += lace as u64;
            if lace < MAX_SEGMENTS {
                packets.push(std::mem::take(&mut packet));
            }
        }
        bytes += page.body_bytes;
        if bytes > MAX_HEADER_BYTES {
            return Err(unusual());
        }
        at = page.end();
        pages += 1;
    }
    // The audio begins on a page of its own.
    if packets.len() > wanted || !packet.is_empty() {
        return Err(unusual());
    }
    let head = if packets[0].starts_with(b"\x03vorbis") {
        7
    } else if packets[0].starts_with(b"OpusTags") {
        8
    } else {
        return Err(unusual());
    };
    let (new, used) = comments::replaced(&packets[0][head..], fields).ok_or_else(unusual)?;
    // The framing bit of Vorbis, or what may follow the comments of Opus.
    packets[0] = [&packets[0][..head], &new, &packets[0][head + used..]].concat();
    let mut writer = Pages::after(first.serial, 1);
    let mut out = Vec::new();
    packets.iter().for_each(|packet| writer.packet(packet, 0, &mut out));
    writer.page(false, &mut out);
    let shift = (writer.sequence() - 1).wrapping_sub(pages);
    splice::replace(file, first.end()..at, &out)?;
    if shift != 0 {
        renumber(file, window.source(), first.end() + out.len() as u64, shift)?;
    }
    Ok(())
}

/// Gives the pages from `at` on other numbers.
fn renumber(file: &mut std::fs::File, source: &SourceFile, mut at: u64, shift: u32) -> Result<(), Stop> {
    // The file as it is now.
    let mut window = FileWindow::new(&std::sync::Arc::new(SourceFile::open(source.path())?));
    while let Some(page) = Page::read(&mut window, at)? {
        // A damaged page remains one.
        let is_whole = page.is_whole(&mut window)?;
        let mut bytes = window.bytes(at, (page.end() - at) as usize)?.to_vec();
        let Some(head) = bytes.get_mut(SEQUENCE..CHECKSUM + 4) else { break };
        head[..4].copy_from_slice(&page.sequence.wrapping_add(shift).to_le_bytes());
        if is_whole {
            head[4..].fill(0);
            let crc = crc32(0, &bytes);
            bytes[CHECKSUM..CHECKSUM + 4].copy_from_slice(&crc.to_le_bytes());
        }
        splice::write_at(file, at + SEQUENCE as u64, &bytes[SEQUENCE..CHECKSUM + 4])?;
        at = page.end();
    }
    Ok(())
}
