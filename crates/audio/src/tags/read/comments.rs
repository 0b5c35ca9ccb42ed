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
/// The type of the block of tracks.
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
        let mut span = Span::new(window, at + 4, at + 4 + bytes);
        let read = match kind {
            4 => read(&mut BufReader::with_capacity(32 << 10, span), collected),
            6 if bytes > (collected.picture_room() + PICTURE_HEAD_BYTES) as u64 => {
                collected.leave_out_picture(bytes);
                Ok(())
            }
            6 => read_up_to(&mut span, bytes as usize).map(|(block, _)| picture::add_block(block, collected)),
            CUESHEET => read_up_to(&mut span, flac_cuesheet::MAX_BYTES.min(bytes as usize)).map(|(block, _)| {
                collected.markers.cuesheet.extend(flac_cuesheet::read(&block));
                collected.markers.cuesheet.truncate(MAX_MARKERS);
            }),
            _ => Ok(()),
        };
        read.map_err(|error| Error::io("read the tags", &path, error))?;
        at += 4 + bytes;
        if head >> 31 == 1 {
            break;
        }
    }
    Ok(())
}

/// Reads the comments of an Ogg stream, which are in its second packet.
pub(super) fn read_ogg(window: &mut FileWindow, serial: u32, collected: &mut Collected) -> Result<()> {
    let path = window.source().path().to_owned();
    let packet = SecondPacket { window, serial, at: 0, page: None, segment: 0, taken: 0, number: 0 };
    let mut packet = BufReader::with_capacity(32 << 10, packet);
    let mut read = || {
        let Some(head) = array::<7>(&mut packet)? else { return Ok(()) };
        let known = &head == b"\x03vorbis" || (&head == b"OpusTag" && array(&mut packet)? == Some(*b"s"));
        if known { read(&mut packet, collected) } else { Ok(()) }
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
            collected.add_picture(picture::picture("", 3, data));
        }
        Ok(block) => {
            drop(text);
            picture::add_block(block, collected);
        }
        Err(_) => collected.warn("A picture is left out: its base64 text is damaged.".to_owned()),
    }
    Ok(())
}

/// Reads the second packet of an Ogg stream.
struct SecondPacket<'a> {
    window: &'a mut FileWindow,
    serial: u32,
    /// The byte at which the search for the next page starts.
    at: u64,
    page: Option<Page>,
    segment: usize,
    /// Bytes of the page's body that were consumed.
    taken: usize,
    /// The number of packets that have ended.
    number: usize,
}

impl SecondPacket<'_> {
    fn next_page(&mut self) -> Result<bool> {
        let end = self.window.source().bytes();
        while let Some(page) = find_page(self.window, self.at, end)? {
            self.at = page.end();
            if page.serial == self.serial {
                (self.page, self.segment, self.taken) = (Some(page), 0, 0);
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Read for SecondPacket<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(page) = self.page.filter(|page| self.segment < page.segments) else {
                if self.number > 1 || !self.next_page().map_err(io::Error::other)? {
                    return Ok(0);
                }
                continue;
            };
            // Within a segment, `taken` exceeds the sum of the preceding segments.
            let lace = usize::from(page.laces[self.segment]);
            let before: usize = page.laces[..self.segment].iter().map(|lace| usize::from(*lace)).sum();
            let left = before + lace - self.taken;
            if self.number == 0 || left == 0 {
                self.taken += left;
                self.segment += 1;
                self.number += usize::from(lace < MAX_SEGMENTS);
                continue;
            }
            if self.number > 1 {
                return Ok(0);
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
