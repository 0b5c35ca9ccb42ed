//! Reads Vorbis comments in FLAC blocks and Ogg packets, including pictures and chapters.

use std::io::{self, BufReader, Read};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::collect::Collected;
use super::limits::{MAX_FIELD_BYTES, MAX_NAME_BYTES, MAX_PICTURE_BYTES};
use super::picture;
use super::span::{Span, array, read_up_to, skip};
use crate::container::ogg::page::{MAX_SEGMENTS, Page, find_page};
use crate::markers::{MAX_MARKERS, flac_cuesheet};
use crate::source::FileWindow;
use base::error::{Error, Result};

/// The maximum number of metadata blocks in a FLAC file.
const MAX_BLOCKS: usize = 1024;
/// The types of metadata blocks (RFC 9639, section 8.1).
const APPLICATION: u32 = 2;
const COMMENTS: u32 = 4;
const PICTURE: u32 = 6;
const CUESHEET: u32 = flac_cuesheet::BLOCK_TYPE as u32;
/// The maximum number of bytes in a picture block besides the picture data.
const PICTURE_HEAD_BYTES: usize = 64 << 10;
/// The size of a name, an equals sign and the longest value that is kept.
const MAX_COMMENT_BYTES: usize = MAX_NAME_BYTES + 1 + MAX_FIELD_BYTES;

/// Reads the comments and pictures of the FLAC stream that begins at `start`.
pub(super) fn read_flac(window: &mut FileWindow, start: u64, collected: &mut Collected) -> Result<()> {
    let mut at = start + 4;
    for _ in 0..MAX_BLOCKS {
        let Some(head) = window.be32(at)? else { break };
        let (kind, bytes) = (head >> 24 & 0x7f, u64::from(head & 0xff_ffff));
        let path = window.source().path().to_owned();
        let span = Span::new(window, at + 4, at + 4 + bytes);
        read_block(kind, bytes, span, collected).map_err(|error| Error::io("read the tags", &path, error))?;
        at += 4 + bytes;
        if head >> 31 == 1 {
            break;
        }
    }
    Ok(())
}

/// Reads a metadata block of this type and size.
fn read_block(kind: u32, bytes: u64, mut block: impl Read, collected: &mut Collected) -> io::Result<()> {
    match kind {
        APPLICATION => {
            if let Some(id) = array::<4>(&mut block)? {
                collected.not_kept("FLAC application block", &id);
            }
        }
        COMMENTS => read(&mut BufReader::with_capacity(32 << 10, block), collected)?,
        PICTURE if bytes > (collected.picture_room() + PICTURE_HEAD_BYTES) as u64 => {
            collected.leave_out_picture(bytes);
        }
        PICTURE => picture::add_block(read_up_to(&mut block, bytes as usize)?.0, collected),
        CUESHEET => {
            let (block, _) = read_up_to(&mut block, flac_cuesheet::MAX_BYTES.min(bytes as usize))?;
            collected.markers.cuesheet.extend(flac_cuesheet::read(&block));
            collected.markers.cuesheet.truncate(MAX_MARKERS);
        }
        _ => {}
    }
    Ok(())
}

/// Reads the comments of an Ogg stream, which are in its second packet.
pub(super) fn read_ogg(window: &mut FileWindow, serial: u32, collected: &mut Collected) -> Result<()> {
    let path = window.source().path().to_owned();
    let packets = HeaderPackets { window, serial, at: 0, page: None, segment: 0, taken: 0, ended: false };
    let mut packets = BufReader::with_capacity(32 << 10, packets);
    let mut read = || {
        packets.get_mut().advance()?;
        packets.get_mut().advance()?;
        let Some(head) = array::<7>(&mut packets)? else { return Ok(()) };
        let known = &head == b"\x03vorbis" || (&head == b"OpusTag" && array(&mut packets)? == Some(*b"s"));
        if known { read(&mut packets, collected) } else { Ok(()) }
    };
    read().map_err(|error: io::Error| Error::io("read the tags", &path, error))
}

/// Reads the metadata blocks of a FLAC stream in Ogg, each of which is a packet.
pub(super) fn read_ogg_flac(window: &mut FileWindow, serial: u32, collected: &mut Collected) -> Result<()> {
    let path = window.source().path().to_owned();
    let mut packets = HeaderPackets { window, serial, at: 0, page: None, segment: 0, taken: 0, ended: false };
    let mut read = || {
        packets.advance()?;
        for _ in 0..MAX_BLOCKS {
            if !packets.advance()? {
                break;
            }
            let Some(head) = array(&mut packets)?.map(u32::from_be_bytes) else { break };
            let (kind, bytes) = (head >> 24 & 0x7f, u64::from(head & 0xff_ffff));
            // A packet of audio begins with a sync code.
            if head >> 24 == 0xff {
                break;
            }
            read_block(kind, bytes, (&mut packets).take(bytes), collected)?;
            if head >> 31 == 1 {
                break;
            }
        }
        Ok(())
    };
    read().map_err(|error: io::Error| Error::io("read the tags", &path, error))
}

/// Skips the vendor string and reads the comments.
fn read(reader: &mut impl Read, collected: &mut Collected) -> io::Result<()> {
    let Some(vendor) = array(reader)?.map(u32::from_le_bytes) else { return Ok(()) };
    skip(reader, u64::from(vendor))?;
    let count = array(reader)?.map_or(0, u32::from_le_bytes);
    for _ in 0..count {
        let Some(bytes) = array(reader)?.map(u32::from_le_bytes) else { break };
        if !collected.part() {
            break;
        }
        let mut comment = reader.take(u64::from(bytes));
        let name = read_name(&mut comment)?;
        let name = String::from_utf8_lossy(&name);
        if name.eq_ignore_ascii_case("METADATA_BLOCK_PICTURE") || name.eq_ignore_ascii_case("COVERART") {
            read_picture(&mut comment, name.len() == "COVERART".len(), collected)?;
        } else {
            let (value, _) = read_up_to(&mut comment, MAX_COMMENT_BYTES)?;
            let value = String::from_utf8_lossy(&value);
            if !collected.markers.chapters.take(&name, &value) {
                collected.add(&name, &value);
            }
        }
        let left = comment.limit();
        if skip(reader, left)? < left {
            collected.warn("The tags are cut off.".to_owned());
            break;
        }
    }
    Ok(())
}

/// Reads up to the equals sign. A name that is too long is read up to one byte beyond the limit.
fn read_name(comment: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut name = Vec::new();
    while name.len() <= MAX_NAME_BYTES
        && let Some([byte]) = array(comment)?
        && byte != b'='
    {
        name.push(byte);
    }
    Ok(name)
}

/// Reads a base64 picture: a FLAC picture block, or with `plain` the picture file itself.
fn read_picture(comment: &mut io::Take<impl Read>, plain: bool, collected: &mut Collected) -> io::Result<()> {
    let room = (collected.picture_room() + PICTURE_HEAD_BYTES).min(MAX_PICTURE_BYTES + PICTURE_HEAD_BYTES) as u64;
    if comment.limit() / 4 * 3 > room {
        collected.leave_out_picture(comment.limit() / 4 * 3);
        return Ok(());
    }
    let (text, _) = read_up_to(comment, room as usize / 3 * 4 + 4)?;
    match STANDARD.decode(text.trim_ascii()) {
        Ok(data) if plain => {
            drop(text);
            collected.add_picture(picture::picture("", 3, String::new(), data));
        }
        Ok(block) => {
            drop(text);
            picture::add_block(block, collected);
        }
        Err(_) => collected.warn("A picture is left out: its base64 text is damaged.".to_owned()),
    }
    Ok(())
}

/// Reads the packets of an Ogg stream, one after the other.
struct HeaderPackets<'a> {
    window: &'a mut FileWindow,
    serial: u32,
    /// The byte at which the search for the next page starts.
    at: u64,
    page: Option<Page>,
    segment: usize,
    /// Bytes of the page's body that were consumed.
    taken: usize,
    /// Whether the present packet has been read to its end.
    ended: bool,
}

impl HeaderPackets<'_> {
    fn next_page(&mut self) -> io::Result<bool> {
        let end = self.window.source().bytes();
        while let Some(page) = find_page(self.window, self.at, end).map_err(io::Error::other)? {
            self.at = page.end();
            if page.serial == self.serial {
                (self.page, self.segment, self.taken) = (Some(page), 0, 0);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the page and the bytes that are left of the present segment; `None` at the end of the stream.
    fn segment(&mut self) -> io::Result<Option<(Page, usize)>> {
        loop {
            let Some(page) = self.page.filter(|page| self.segment < page.segments) else {
                if !self.next_page()? {
                    return Ok(None);
                }
                continue;
            };
            // Within a segment, `taken` exceeds the sum of the preceding segments.
            let until: usize = page.laces[..=self.segment].iter().map(|lace| usize::from(*lace)).sum();
            return Ok(Some((page, until - self.taken)));
        }
    }

    /// Goes to the next packet. Returns whether there is one. The first call goes to the first packet.
    fn advance(&mut self) -> io::Result<bool> {
        if self.page.is_none() {
            return Ok(self.segment()?.is_some());
        }
        while !self.ended {
            let Some((page, left)) = self.segment()? else { return Ok(false) };
            self.pass(&page, left);
        }
        self.ended = false;
        Ok(self.segment()?.is_some())
    }

    /// Consumes what is left of a segment.
    fn pass(&mut self, page: &Page, left: usize) {
        self.taken += left;
        self.ended = usize::from(page.laces[self.segment]) < MAX_SEGMENTS;
        self.segment += 1;
    }
}

impl Read for HeaderPackets<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if self.ended {
                return Ok(0);
            }
            let Some((page, left)) = self.segment()? else { return Ok(0) };
            if left == 0 {
                self.pass(&page, 0);
                continue;
            }
            let count = left.min(buffer.len());
            let bytes = self.window.bytes(page.body + self.taken as u64, count).map_err(io::Error::other)?;
            buffer[..bytes.len()].copy_from_slice(bytes);
            let got = bytes.len();
            self.taken += got;
            return Ok(got);
        }
    }
}
