//! Finds the byte ranges of the audio in a file, without tags, pictures and padding, by reading only headers.
//!
//! Sources: RFC 9639 (FLAC), RFC 3533 (Ogg), the RIFF/RF64, AIFF, CAF and ISO base media specifications, ID3v2.4.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// Maximum number of chunks, boxes or pages to walk before the file is treated as a whole.
const MAX_STEPS: usize = 4096;
/// Maximum number of bytes read from a format description (`fmt `, STREAMINFO ...).
const MAX_FORMAT_BYTES: u64 = 4096;

/// The audio of a file as byte ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AudioExtents {
    /// The container: "wav", "flac", "mpeg"; "whole" if the structure is unknown.
    pub container: &'static str,
    /// The bytes that describe the audio format: rate, channels, bits.
    pub format: Vec<u8>,
    /// The ranges of the audio in order, as start and end offsets.
    pub ranges: Vec<(u64, u64)>,
    /// Whether the ranges consist of Ogg pages, whose headers are not part of the audio.
    pub pages: bool,
}

impl AudioExtents {
    /// Returns the number of audio bytes.
    pub fn bytes(&self) -> u64 {
        self.ranges.iter().map(|(from, to)| to - from).sum()
    }

    /// Examines a file of `length` bytes.
    pub fn find(file: &mut File, length: u64) -> std::io::Result<Self> {
        let mut at = Bytes { file, length };
        let start = at.behind_id3v2()?;
        let head: [u8; 12] = at.array(start)?.unwrap_or_default();
        let found = match &head {
            [b'R', b'I', b'F', b'F', ..] | [b'R', b'F', b'6', b'4', ..] => riff(&mut at)?,
            [b'F', b'O', b'R', b'M', _, _, _, _, b'A', b'I', b'F', b'F' | b'C'] => aiff(&mut at)?,
            [b'f', b'L', b'a', b'C', ..] => flac(&mut at, start)?,
            [b'O', b'g', b'g', b'S', ..] => ogg(&mut at)?,
            [b'c', b'a', b'f', b'f', ..] => caf(&mut at)?,
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => mp4(&mut at)?,
            [0xff, second, ..] if second & 0xe0 == 0xe0 => Some(at.between_tags("mpeg", start, Vec::new())?),
            _ if start > 0 => Some(at.between_tags("mpeg", start, Vec::new())?),
            _ => None,
        };
        let whole = Self { container: "whole", format: Vec::new(), ranges: vec![(0, length)], pages: false };
        Ok(found.filter(|extents| extents.bytes() > 0).unwrap_or(whole))
    }
}

/// A file read by position.
struct Bytes<'a> {
    file: &'a mut File,
    length: u64,
}

impl Bytes<'_> {
    fn array<const N: usize>(&mut self, at: u64) -> std::io::Result<Option<[u8; N]>> {
        if at.checked_add(N as u64).is_none_or(|end| end > self.length) {
            return Ok(None);
        }
        let mut bytes = [0; N];
        self.file.seek(SeekFrom::Start(at))?;
        match self.file.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn some(&mut self, at: u64, count: u64) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(at))?;
        self.file.take(count.min(MAX_FORMAT_BYTES)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns the offset after the `ID3v2` tags at the beginning.
    fn behind_id3v2(&mut self) -> std::io::Result<u64> {
        let mut at = 0;
        for _ in 0..16 {
            let Some([b'I', b'D', b'3', _, _, flags, size @ ..]) = self.array::<10>(at)? else { break };
            let size = size.iter().fold(0u64, |size, byte| size << 7 | u64::from(byte & 0x7f));
            at += 10 + size + if flags & 0x10 == 0 { 0 } else { 10 };
        }
        // Zeros between the tag and the audio are padding.
        while at > 0 && at < self.length && self.some(at, 512)?.iter().all(|byte| *byte == 0) {
            at += 512;
        }
        if at > 0 {
            at += self.some(at, 512)?.iter().take_while(|byte| **byte == 0).count() as u64;
        }
        Ok(if at < self.length { at } else { 0 })
    }

    /// Returns the offset where the tags at the end begin: `ID3v1`, `APEv2`, `Lyrics3v2`.
    fn before_tail_tags(&mut self, start: u64) -> std::io::Result<u64> {
        let mut end = self.length;
        for _ in 0..4 {
            let before = end;
            if end >= start + 128 && self.array::<3>(end - 128)?.is_some_and(|tag| &tag == b"TAG") {
                end -= 128;
            }
            if let Some(footer) = end.checked_sub(32).map(|at| self.array::<32>(at)).transpose()?.flatten()
                && footer.starts_with(b"APETAGEX")
            {
                let size = u64::from(u32::from_le_bytes([footer[12], footer[13], footer[14], footer[15]]));
                let header = if footer[23] & 0x80 == 0 { 0 } else { 32 };
                end = end.saturating_sub(size + header).max(start);
            }
            if let Some(footer) = end.checked_sub(15).map(|at| self.array::<15>(at)).transpose()?.flatten()
                && footer.ends_with(b"LYRICS200")
            {
                let size = std::str::from_utf8(&footer[..6]).ok().and_then(|digits| digits.parse::<u64>().ok());
                end = size.map_or(end, |size| end.saturating_sub(size + 15).max(start));
            }
            if end == before {
                break;
            }
        }
        Ok(end)
    }

    fn between_tags(&mut self, container: &'static str, start: u64, format: Vec<u8>) -> std::io::Result<AudioExtents> {
        let end = self.before_tail_tags(start)?;
        Ok(AudioExtents { container, format, ranges: vec![(start, end)], pages: false })
    }

    fn range(&self, from: u64, bytes: u64) -> (u64, u64) {
        let from = from.min(self.length);
        (from, from.saturating_add(bytes).min(self.length))
    }
}

fn riff(at: &mut Bytes<'_>) -> std::io::Result<Option<AudioExtents>> {
    let (mut next, mut format, mut long) = (12, Vec::new(), None);
    for _ in 0..MAX_STEPS {
        let Some([a, b, c, d, size @ ..]) = at.array::<8>(next)? else { break };
        let size = u64::from(u32::from_le_bytes(size));
        match &[a, b, c, d] {
            b"fmt " => format = at.some(next + 8, size)?,
            b"ds64" => {
                long =
                    at.array::<16>(next + 8)?.map(|ds64| ds64[8..].iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)));
            }
            b"data" => {
                // A size of 0 or all ones means that the writer never filled in the size; the data extends to the end
                // of the file.
                let size = match (size, long) {
                    (0xffff_ffff, Some(long)) => long,
                    (0 | 0xffff_ffff, None) => at.length,
                    (size, _) => size,
                };
                let ranges = vec![at.range(next + 8, size)];
                return Ok(Some(AudioExtents { container: "wav", format, ranges, pages: false }));
            }
            _ => {}
        }
        next += 8 + size + (size & 1);
    }
    Ok(None)
}

fn aiff(at: &mut Bytes<'_>) -> std::io::Result<Option<AudioExtents>> {
    let (mut next, mut format, mut ranges) = (12, Vec::new(), Vec::new());
    for _ in 0..MAX_STEPS {
        let Some([a, b, c, d, size @ ..]) = at.array::<8>(next)? else { break };
        let size = u64::from(u32::from_be_bytes(size));
        match &[a, b, c, d] {
            b"COMM" => format = at.some(next + 8, size)?,
            b"SSND" => ranges.push(at.range(next + 16, size.saturating_sub(8))),
            _ => {}
        }
        next += 8 + size + (size & 1);
    }
    Ok(Some(AudioExtents { container: "aiff", format, ranges, pages: false }))
}

fn flac(at: &mut Bytes<'_>, start: u64) -> std::io::Result<Option<AudioExtents>> {
    let (mut next, mut format) = (start + 4, Vec::new());
    for _ in 0..MAX_STEPS {
        let Some([kind, size @ ..]) = at.array::<4>(next)? else { return Ok(None) };
        let size = size.iter().fold(0u64, |size, byte| size << 8 | u64::from(*byte));
        if kind.trailing_zeros() >= 7 {
            format = at.some(next + 4, size)?;
        }
        next += 4 + size;
        if kind & 0x80 != 0 {
            return Ok(Some(at.between_tags("flac", next.min(at.length), format)?));
        }
    }
    Ok(None)
}

/// The audio begins with the first page that has a granule position other than 0 and -1. Header packets end at position
/// 0.
fn ogg(at: &mut Bytes<'_>) -> std::io::Result<Option<AudioExtents>> {
    let (mut next, mut format) = (0, Vec::new());
    for page in 0..MAX_STEPS {
        let Some(header) = at.array::<27>(next)? else { break };
        if &header[..4] != b"OggS" {
            break;
        }
        let lacing = at.some(next + 27, u64::from(header[26]))?;
        let payload: u64 = lacing.iter().map(|bytes| u64::from(*bytes)).sum();
        if page == 0 {
            format = at.some(next + 27 + lacing.len() as u64, payload)?;
        }
        let granule = header[6..14].iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
        if granule != 0 && granule != u64::MAX {
            let ranges = vec![(next, at.length)];
            return Ok(Some(AudioExtents { container: "ogg", format, ranges, pages: true }));
        }
        next += 27 + lacing.len() as u64 + payload;
    }
    Ok(None)
}

fn caf(at: &mut Bytes<'_>) -> std::io::Result<Option<AudioExtents>> {
    let (mut next, mut format) = (8, Vec::new());
    for _ in 0..MAX_STEPS {
        let Some([a, b, c, d, size @ ..]) = at.array::<12>(next)? else { break };
        let size = u64::from_be_bytes(size);
        match &[a, b, c, d] {
            b"desc" => format = at.some(next + 12, size)?,
            // An edit count precedes the audio. A size of -1 means that the data extends to the end of the file.
            b"data" => {
                let ranges = vec![at.range(next + 16, size.saturating_sub(4))];
                return Ok(Some(AudioExtents { container: "caf", format, ranges, pages: false }));
            }
            _ => {}
        }
        let Some(after) = next.checked_add(12).and_then(|from| from.checked_add(size)) else { break };
        next = after;
    }
    Ok(None)
}

fn mp4(at: &mut Bytes<'_>) -> std::io::Result<Option<AudioExtents>> {
    let (mut next, mut ranges) = (0, Vec::new());
    for _ in 0..MAX_STEPS {
        let Some([s0, s1, s2, s3, kind @ ..]) = at.array::<8>(next)? else { break };
        let (size, head) = match u32::from_be_bytes([s0, s1, s2, s3]) {
            0 => (at.length - next, 8),
            1 => (at.array::<8>(next + 8)?.map_or(0, u64::from_be_bytes), 16),
            size => (u64::from(size), 8),
        };
        if size < head {
            break;
        }
        if &kind == b"mdat" {
            ranges.push(at.range(next + head, size - head));
        }
        let Some(after) = next.checked_add(size) else { break };
        next = after;
    }
    Ok(Some(AudioExtents { container: "mp4", format: Vec::new(), ranges, pages: false }))
}
