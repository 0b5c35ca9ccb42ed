//! Edits the comments of an Ogg file of one stream: Vorbis, Opus or FLAC.

use super::flac::{COMMENTS, MAX_BLOCK_BYTES};
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
    let is_flac = window.bytes(first.body, 5)? == b"\x7fFLAC";
    let wanted = if window.bytes(first.body, 7)? == b"\x01vorbis" { 2 } else { 1 };
    // The blocks of FLAC go on up to the one that says that it is the last.
    let count = |packets: &[Vec<u8>]| {
        let last = packets.iter().position(|packet| packet.first().is_some_and(|head| head & 0x80 != 0));
        if is_flac { last.map(|last| last + 1) } else { (packets.len() >= wanted).then_some(wanted) }
    };
    let (mut at, mut packets, mut packet, mut bytes) = (first.end(), Vec::new(), Vec::new(), 0);
    let mut pages = 0;
    while count(&packets).is_none() {
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
    if count(&packets) != Some(packets.len()) || !packet.is_empty() {
        return Err(unusual());
    }
    let is_comments = |packet: &Vec<u8>| !is_flac || packet.first().is_some_and(|head| head & 0x7f == COMMENTS);
    let place = packets.iter().position(is_comments).ok_or_else(unusual)?;
    let head = if is_flac {
        4
    } else if packets[0].starts_with(b"\x03vorbis") {
        7
    } else if packets[0].starts_with(b"OpusTags") {
        8
    } else {
        return Err(unusual());
    };
    packets[place] = comments::replaced(&packets[place], head, fields).ok_or_else(unusual)?;
    if is_flac {
        let bytes = packets[place].len() - head;
        if bytes > MAX_BLOCK_BYTES {
            return Err(unusual());
        }
        packets[place][1..head].copy_from_slice(&(bytes as u32).to_be_bytes()[1..]);
    }
    let mut writer = Pages::after(first.serial, 1);
    // What is written is one copy of the packets, with the heads of pages of up to 64 KiB.
    let bytes: usize = packets.iter().map(Vec::len).sum();
    let mut out = Vec::with_capacity(bytes + bytes / 128 + 4096);
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
