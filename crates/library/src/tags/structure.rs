//! The parts of a file that new tags must not change, by their names and contents: chunks, blocks, boxes and frames.
//! They are found independently of the code that writes tags, to check it.
//!
//! Sources: RFC 9639 (FLAC), RFC 3533 (Ogg), the RIFF, AIFF and ISO base media specifications, `ID3v2` 2.3 and 2.4.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::files::AudioExtents;
use audio::tags::{EditedTag, TagFormat};
use base::error::{Error, Result};

/// The maximum number of parts of a file.
const MAX_PARTS: usize = 1 << 16;
/// The largest tag or list of comments that is looked into, in bytes.
const MAX_TAG_BYTES: u64 = 64 << 20;

/// A part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FilePart {
    /// Its name in the file.
    pub name: String,
    /// The hash of its content; zeros if only its presence counts.
    hash: [u8; 32],
}

/// Returns the parts of the file at `path`: everything but its audio, with its contents. The fields that are written are
/// left out, and what counts them: sizes, padding and checksums.
///
/// # Errors
/// [`Error::Unsupported`] for a file that is built in a way that cannot be checked.
pub(super) fn parts(path: &Path, format: TagFormat, edited: &[EditedTag]) -> Result<Vec<FilePart>> {
    let failed = |source| Error::io("read", path, source);
    let file = base::files::open(path)?;
    let length = file.metadata().map_err(failed)?.len();
    let mut walk = Walk { file, length, parts: Vec::new(), edited };
    let known = match format {
        TagFormat::Wav => walk.chunks(12, false),
        TagFormat::Aiff => walk.chunks(12, true),
        TagFormat::Flac => walk.flac(),
        TagFormat::Mp3 => walk.mp3(),
        TagFormat::Mp4 => walk.boxes("", 0, length),
        TagFormat::Vorbis | TagFormat::Opus | TagFormat::OggFlac => walk.pages(),
    };
    if known.map_err(failed)? && walk.parts.len() < MAX_PARTS {
        Ok(walk.parts)
    } else {
        Err(Error::unsupported("Writing tags into this file", "It is built in an unusual way"))
    }
}

struct Walk<'a> {
    file: File,
    length: u64,
    parts: Vec<FilePart>,
    edited: &'a [EditedTag],
}

/// Whether a file is built as expected.
type Conformity = std::io::Result<bool>;

impl Walk<'_> {
    fn array<const N: usize>(&mut self, at: u64) -> std::io::Result<Option<[u8; N]>> {
        if at.checked_add(N as u64).is_none_or(|end| end > self.length) {
            return Ok(None);
        }
        let mut bytes = [0; N];
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Adds a part with its content.
    fn add(&mut self, name: String, from: u64, bytes: u64) -> std::io::Result<()> {
        let mut hasher = blake3::Hasher::new();
        self.file.seek(SeekFrom::Start(from))?;
        std::io::copy(&mut (&mut self.file).take(bytes), &mut hasher)?;
        self.parts.push(FilePart { name, hash: *hasher.finalize().as_bytes() });
        Ok(())
    }

    /// Adds a part with its content in memory.
    fn add_bytes(&mut self, name: String, content: &[u8]) {
        self.parts.push(FilePart { name, hash: *blake3::hash(content).as_bytes() });
    }

    /// Returns the bytes of a range, of up to [`MAX_TAG_BYTES`]; `None` if they are not there.
    fn bytes(&mut self, from: u64, to: u64) -> std::io::Result<Option<Vec<u8>>> {
        if from > to || to > self.length || to - from > MAX_TAG_BYTES {
            return Ok(None);
        }
        let mut bytes = vec![0; (to - from) as usize];
        self.file.seek(SeekFrom::Start(from))?;
        self.file.read_exact(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Returns whether a name is that of a field that is written.
    fn is_edited(&self, name: &str) -> bool {
        self.edited.iter().any(|tag| tag.name().eq_ignore_ascii_case(name))
    }

    /// Adds a part whose content is checked otherwise.
    fn add_name(&mut self, name: String) {
        self.parts.push(FilePart { name, hash: [0; 32] });
    }

    fn chunks(&mut self, start: u64, big_endian: bool) -> Conformity {
        let mut at = start;
        while let Some([a, b, c, d, size @ ..]) = self.array::<8>(at)? {
            let size = u64::from(if big_endian { u32::from_be_bytes(size) } else { u32::from_le_bytes(size) });
            if self.parts.len() >= MAX_PARTS || at + 8 + size > self.length {
                return Ok(false);
            }
            match &[a, b, c, d] {
                b"id3 " | b"ID3 " => {
                    if !self.id3(at + 8, at + 8 + size)? {
                        return Ok(false);
                    }
                }
                b"JUNK" => {}
                b"data" | b"SSND" => self.add_name(text([a, b, c, d])),
                name => self.add(text(*name), at + 8, size)?,
            }
            at += 8 + size + size % 2;
        }
        Ok(true)
    }

    fn flac(&mut self) -> Conformity {
        let mut at = 0;
        if let Some([b'I', b'D', b'3', ..]) = self.array::<3>(0)? {
            at = self.id3_end(0)?;
            self.add("ID3".to_owned(), 0, at)?;
        }
        if self.array::<4>(at)? != Some(*b"fLaC") {
            return Ok(false);
        }
        at += 4;
        while let Some([kind, size @ ..]) = self.array::<4>(at)? {
            let size = size.iter().fold(0, |size, byte| size << 8 | u64::from(*byte));
            match kind & 0x7f {
                1 => {}
                4 => {
                    let comments = self.bytes(at + 4, at + 4 + size)?;
                    if !comments.is_some_and(|comments| self.comments(&comments)) {
                        return Ok(false);
                    }
                }
                other => self.add(format!("block {other}"), at + 4, size)?,
            }
            at += 4 + size;
            if kind & 0x80 != 0 {
                return Ok(true);
            }
            if self.parts.len() >= MAX_PARTS {
                break;
            }
        }
        Ok(false)
    }

    fn mp3(&mut self) -> Conformity {
        let length = self.length;
        let Some(&(start, end)) = AudioExtents::find(&mut self.file, length)?.ranges.first() else { return Ok(false) };
        if let Some([b'I', b'D', b'3', ..]) = self.array::<3>(0)?
            && !self.id3(0, start)?
        {
            return Ok(false);
        }
        if end < length {
            self.add("tags at the end".to_owned(), end, length - end)?;
        }
        Ok(true)
    }

    /// Returns the end of the `ID3v2` tag at a place.
    fn id3_end(&mut self, at: u64) -> std::io::Result<u64> {
        let Some([.., flags, a, b, c, d]) = self.array::<10>(at)? else { return Ok(at) };
        let size = [a, b, c, d].iter().fold(0, |size, byte| size << 7 | u64::from(byte & 0x7f));
        Ok(at + 10 + size + if flags & 0x10 == 0 { 0 } else { 10 })
    }

    /// Adds the comments of a list (vendor, count, comments), and what is behind it. Returns whether it is whole.
    fn comments(&mut self, list: &[u8]) -> bool {
        let take = |rest: &mut &[u8]| -> Option<Vec<u8>> {
            let (length, after) = rest.split_first_chunk::<4>()?;
            let (bytes, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            *rest = after;
            Some(bytes.to_vec())
        };
        let mut rest = list;
        let Some(vendor) = take(&mut rest) else { return false };
        self.add_bytes("vendor".to_owned(), &vendor);
        let Some((count, after)) = rest.split_first_chunk::<4>() else { return false };
        rest = after;
        for _ in 0..u32::from_le_bytes(*count) {
            let Some(comment) = take(&mut rest) else { return false };
            if self.parts.len() >= MAX_PARTS {
                return false;
            }
            let name =
                String::from_utf8_lossy(comment.split(|byte| *byte == b'=').next().unwrap_or_default()).into_owned();
            if !self.is_edited(&name) {
                self.add_bytes(format!("comment {name}"), &comment);
            }
        }
        // A list of an odd program that had nothing has nothing behind it, too.
        if !rest.is_empty() {
            self.add_bytes("behind the comments".to_owned(), rest);
        }
        true
    }

    /// Adds the frames of the `ID3v2` tag that begins at `from`, and what is behind it up to `to`.
    fn id3(&mut self, from: u64, to: u64) -> Conformity {
        let Some([b'I', b'D', b'3', version, revision, flags, ..]) = self.array::<10>(from)? else { return Ok(false) };
        let end = self.id3_end(from)?;
        if !(2..=4).contains(&version) || end > to {
            return Ok(false);
        }
        let footer = if version == 4 && flags & 0x10 != 0 { 10 } else { 0 };
        let Some(body) = self.bytes(from + 10, end - footer)? else { return Ok(false) };
        // Unsynchronisation of the whole tag is undone.
        let body = if version < 4 && flags & 0x80 != 0 { synchronised(&body) } else { body };
        self.add_bytes("ID3 header".to_owned(), &[version, revision, flags]);
        if end < to {
            self.add("behind the ID3 tag".to_owned(), end, to - end)?;
        }
        let mut at = 0;
        if version > 2 && flags & 0x40 != 0 && !body.get(..3).is_some_and(is_identifier) {
            let Some(size) = body.first_chunk::<4>() else { return Ok(false) };
            at = if version == 3 { u32::from_be_bytes(*size) as usize + 4 } else { safe(size) };
            // The flags; the rest of it counts the padding.
            let Some(extended) = body.get(4..at.min(6)) else { return Ok(false) };
            self.add_bytes("extended header".to_owned(), extended);
        }
        let head = if version == 2 { 6 } else { 10 };
        while let Some(header) = body.get(at..at + head).filter(|header| header[0] != 0) {
            let is_old = version == 2 || header[3] == 0 || header[3] == b' ';
            let name = String::from_utf8_lossy(&header[..if is_old { 3 } else { 4 }]).into_owned();
            let size = match version {
                2 => header[3..6].iter().fold(0, |size, byte| size << 8 | usize::from(*byte)),
                3 => header[4..8].iter().fold(0, |size, byte| size << 8 | usize::from(*byte)),
                _ => size_of_4(&header[4..8], &body[at + 10..]),
            };
            let Some(frame) = at.checked_add(head + size).and_then(|end| body.get(at..end)) else { return Ok(false) };
            if self.parts.len() >= MAX_PARTS {
                return Ok(false);
            }
            let flags = if version == 4 { header[9] } else { 0 };
            if !self.is_edited_frame(&name, flags, &frame[head..]) {
                self.add_bytes(name, frame);
            }
            at += frame.len();
        }
        // Padding.
        Ok(body.get(at..).is_none_or(|rest| rest.iter().all(|byte| *byte == 0)))
    }

    /// Returns whether a frame is one of those that are written. `flags` are those of version 2.4.
    fn is_edited_frame(&self, name: &str, flags: u8, content: &[u8]) -> bool {
        match name {
            "TKEY" | "TKE" => self.edited.contains(&EditedTag::InitialKey),
            "TBPM" | "TBP" => self.edited.contains(&EditedTag::Bpm),
            "TXXX" | "TXX" => {
                // A group and a length may stand before the text.
                let before = usize::from(flags & 0x40 != 0) + 4 * usize::from(flags & 1 != 0);
                let Some((encoding, text)) = content.get(before..).and_then(<[u8]>::split_first) else { return false };
                let units: Vec<u16> = if matches!(encoding, 1 | 2) {
                    let is_big = *encoding == 2 || text.starts_with(&[0xfe, 0xff]);
                    let unit = if is_big { u16::from_be_bytes } else { u16::from_le_bytes };
                    text.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).filter(|unit| *unit != 0xfeff).collect()
                } else {
                    text.iter().map(|byte| u16::from(*byte)).collect()
                };
                let description = units.split(|unit| *unit == 0).next().unwrap_or_default();
                let description = String::from_utf16_lossy(description);
                self.is_edited(&description)
            }
            _ => false,
        }
    }

    /// Adds the boxes within a box, except the list of tags and the places of the samples, which move.
    fn boxes(&mut self, within: &str, from: u64, to: u64) -> Conformity {
        let mut at = from;
        let is_list = within == "/moov/udta/meta/ilst";
        // Four zeros may end a list of QuickTime.
        while to - at >= 8 {
            let Some([s0, s1, s2, s3, kind @ ..]) = self.array::<8>(at)? else { return Ok(false) };
            let (size, head) = match u32::from_be_bytes([s0, s1, s2, s3]) {
                0 => (to - at, 8),
                1 => (self.array::<8>(at + 8)?.map_or(0, u64::from_be_bytes), 16),
                size => (u64::from(size), 8),
            };
            if size < head || size > to - at || self.parts.len() >= MAX_PARTS {
                return Ok(false);
            }
            let name = format!("{within}/{}", text(kind));
            match &kind {
                b"moov" | b"trak" | b"mdia" | b"minf" | b"stbl" | b"edts" => {
                    if !self.boxes(&name, at + head, at + size)? {
                        return Ok(false);
                    }
                }
                b"udta" if within == "/moov" => {
                    if !self.boxes(&name, at + head, at + size)? {
                        return Ok(false);
                    }
                }
                // Fragments contain further sample positions.
                b"moof" | b"sidx" => return Ok(false),
                b"free" | b"skip" => {}
                b"mdat" | b"stco" | b"co64" => self.add_name(name),
                b"meta" if within == "/moov/udta" => {
                    // A full box, except in QuickTime.
                    let full = if self.array::<4>(at + head + 4)? == Some(*b"hdlr") { 0 } else { 4 };
                    if size < head + full || !self.boxes(&name, at + head + full, at + size)? {
                        return Ok(false);
                    }
                }
                b"ilst" if within == "/moov/udta/meta" => {
                    if !self.boxes(&name, at + head, at + size)? {
                        return Ok(false);
                    }
                }
                b"tmpo" if is_list && self.edited.contains(&EditedTag::Bpm) => {}
                b"----" if is_list => {
                    let Some(item) = self.bytes(at + head, at + size)? else { return Ok(false) };
                    // The name is in it as it is.
                    let text = String::from_utf8_lossy(&item).to_ascii_uppercase();
                    if !self.edited.iter().any(|tag| text.contains(&format!("\0{}\0", tag.name()))) {
                        self.add_bytes(name, &item);
                    }
                }
                _ => self.add(name, at + head, size - head)?,
            }
            at += size;
        }
        Ok(true)
    }

    /// Adds the comments and the other headers of a file that is one Ogg stream with consecutive pages.
    fn pages(&mut self) -> Conformity {
        let (mut at, mut first, mut number) = (0, None, 0u32);
        let (mut packets, mut packet): (Vec<Vec<u8>>, Vec<u8>) = (Vec::new(), Vec::new());
        // The blocks of FLAC go on up to the one that says that it is the last.
        let is_flac = |packets: &[Vec<u8>]| packets.first().is_some_and(|head| head.starts_with(b"\x7fFLAC"));
        let is_last = |packet: &Vec<u8>| packet.first().is_some_and(|head| head & 0x80 != 0);
        while let Some(header) = self.array::<27>(at)? {
            let serial = &header[14..18];
            let in_order = u32::from_le_bytes([header[18], header[19], header[20], header[21]]) == number;
            if &header[..4] != b"OggS" || *first.get_or_insert_with(|| serial.to_vec()) != serial || !in_order {
                return Ok(false);
            }
            let mut lacing = vec![0; usize::from(header[26])];
            self.file.read_exact(&mut lacing)?;
            let body = at + 27 + lacing.len() as u64;
            at = body + lacing.iter().map(|bytes| u64::from(*bytes)).sum::<u64>();
            number = number.wrapping_add(1);
            let has_headers = if is_flac(&packets) { packets[1..].iter().any(is_last) } else { packets.len() >= 3 };
            if !has_headers {
                let Some(bytes) = self.bytes(body, at)? else { return Ok(false) };
                let mut rest = &bytes[..];
                for lace in lacing {
                    let (segment, after) = rest.split_at(usize::from(lace));
                    packet.extend_from_slice(segment);
                    rest = after;
                    if lace < 255 {
                        packets.push(std::mem::take(&mut packet));
                    }
                }
                if packet.len() as u64 > MAX_TAG_BYTES {
                    return Ok(false);
                }
            }
        }
        let mut packets = packets.into_iter();
        let Some(head) = packets.next() else { return Ok(false) };
        self.add_bytes("first header".to_owned(), &head);
        if head.starts_with(b"\x7fFLAC") {
            for packet in packets {
                let Some((kind, contents)) = packet.split_first().filter(|_| packet.len() >= 4) else {
                    return Ok(false);
                };
                match kind & 0x7f {
                    4 if !self.comments(&contents[3..]) => return Ok(false),
                    4 => {}
                    kind => self.add_bytes(format!("block {kind}"), contents),
                }
                if kind & 0x80 != 0 {
                    return Ok(at == self.length);
                }
            }
            return Ok(false);
        }
        let comments = packets.next().unwrap_or_default();
        let known = comments.strip_prefix(b"\x03vorbis").or_else(|| comments.strip_prefix(b"OpusTags"));
        if !known.is_some_and(|comments| self.comments(comments)) {
            return Ok(false);
        }
        if head.starts_with(b"\x01vorbis") {
            self.add_bytes("setup".to_owned(), &packets.next().unwrap_or_default());
        }
        Ok(at == self.length)
    }
}

fn text(name: [u8; 4]) -> String {
    name.iter().map(|byte| char::from(*byte)).collect()
}

fn is_identifier(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// Reads a number with 7 bits in each byte.
fn safe(size: &[u8]) -> usize {
    size.iter().fold(0, |size, byte| size << 7 | usize::from(byte & 0x7f))
}

/// Returns the size of a frame of version 2.4 before `rest`. iTunes writes plain numbers; the frame ends where another
/// one begins.
fn size_of_4(size: &[u8], rest: &[u8]) -> usize {
    let plain = size.iter().fold(0, |size, byte| size << 8 | usize::from(*byte));
    let is_frame = |at: usize| rest.get(at..at.saturating_add(4)).is_some_and(is_identifier);
    // Padding; a picture has some zeros too.
    let is_end = |at: usize| rest.get(at..).is_some_and(|rest| rest.iter().take(4096).all(|byte| *byte == 0));
    let is_plain = !is_frame(safe(size)) && (is_frame(plain) || !is_end(safe(size)) && is_end(plain));
    if is_plain || size.iter().any(|byte| byte & 0x80 != 0) { plain } else { safe(size) }
}

/// Removes the zero after each 0xff.
fn synchronised(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut after_ff = false;
    for byte in bytes {
        if !(after_ff && *byte == 0) {
            out.push(*byte);
        }
        after_ff = *byte == 0xff;
    }
    out
}
