//! The parts of a file that new tags must not change, by their names and contents: chunks, blocks, boxes and frames.
//! They are found independently of the code that writes tags, to check it.
//!
//! Sources: RFC 9639 (FLAC), RFC 3533 (Ogg), the RIFF, AIFF and ISO base media specifications, `ID3v2` 2.3 and 2.4.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::files::AudioExtents;
use audio::tags::TagFormat;
use base::error::{Error, Result};

/// The maximum number of parts of a file.
const MAX_PARTS: usize = 1 << 16;
/// The largest `ID3v2` tag that is looked into, in bytes.
const MAX_ID3_BYTES: u64 = 64 << 20;

/// A part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FilePart {
    /// Its name in the file.
    pub name: String,
    /// The hash of its content; zeros if only its presence counts.
    hash: [u8; 32],
}

/// Returns the parts of the file at `path`. `edited` are the `ID3v2` frames that are written, which are left out.
///
/// # Errors
/// [`Error::Unsupported`] for a file that is built in a way that cannot be checked.
pub(super) fn parts(path: &Path, format: TagFormat, edited: &[&str]) -> Result<Vec<FilePart>> {
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
        TagFormat::Vorbis | TagFormat::Opus => walk.pages(),
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
    edited: &'a [&'a str],
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
                1 | 4 => {}
                // Their content may have another padding; it is compared as pictures.
                6 => self.add_name("picture".to_owned()),
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

    /// Adds the frames of the `ID3v2` tag between two places.
    fn id3(&mut self, from: u64, to: u64) -> Conformity {
        let Some([b'I', b'D', b'3', version, _, flags, ..]) = self.array::<10>(from)? else { return Ok(false) };
        let end = self.id3_end(from)?;
        // Further tags, and extended headers, which lofty does not keep.
        if !(3..=4).contains(&version) || flags & 0x40 != 0 || end > to || end - from > MAX_ID3_BYTES {
            return Ok(false);
        }
        if self.array::<3>(end)? == Some(*b"ID3") && end + 10 < to {
            return Ok(false);
        }
        let mut at = from + 10;
        while let Some([a, b, c, d, s0, s1, s2, s3, _, frame_flags]) = self.array::<10>(at)? {
            if a == 0 || at + 10 > end {
                break;
            }
            let (name, size) = (text([a, b, c, d]), [s0, s1, s2, s3]);
            let size = if version == 4 {
                size.iter().fold(0, |size, byte| size << 7 | u64::from(byte & 0x7f))
            } else {
                u64::from(u32::from_be_bytes(size))
            };
            if at + 10 + size > end || self.parts.len() >= MAX_PARTS {
                return Ok(false);
            }
            // Private data of other programs is compared as it is, unless it is stored in another form.
            let is_opaque = matches!(name.as_str(), "PRIV" | "GEOB" | "MCDI" | "UFID" | "PCNT" | "SYLT" | "ETCO");
            if is_opaque && flags & 0x80 == 0 && frame_flags.trailing_zeros() >= 4 {
                self.add(name, at + 10, size)?;
            } else if !self.edited.contains(&name.as_str()) {
                self.add_name(name);
            }
            at += 10 + size;
        }
        Ok(true)
    }

    /// Adds the boxes within a box, except the list of tags and the places of the samples, which move.
    fn boxes(&mut self, within: &str, from: u64, to: u64) -> Conformity {
        let mut at = from;
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
                b"meta" if within == "/moov/udta" => {}
                _ => self.add(name, at + head, size - head)?,
            }
            at += size;
        }
        Ok(true)
    }

    /// Checks that a file is one Ogg stream with consecutive pages.
    fn pages(&mut self) -> Conformity {
        let (mut at, mut first, mut number) = (0, None, 0u32);
        while let Some(header) = self.array::<27>(at)? {
            let serial = &header[14..18];
            let in_order = u32::from_le_bytes([header[18], header[19], header[20], header[21]]) == number;
            if &header[..4] != b"OggS" || *first.get_or_insert_with(|| serial.to_vec()) != serial || !in_order {
                return Ok(false);
            }
            let mut lacing = vec![0; usize::from(header[26])];
            self.file.read_exact(&mut lacing)?;
            at += 27 + lacing.len() as u64 + lacing.iter().map(|bytes| u64::from(*bytes)).sum::<u64>();
            number = number.wrapping_add(1);
        }
        Ok(at == self.length)
    }
}

fn text(name: [u8; 4]) -> String {
    name.iter().map(|byte| char::from(*byte)).collect()
}
