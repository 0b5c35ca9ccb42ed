//! Content keys: they define when two files are the same recording, bit for bit.
//!
//! Two files hold the same recording if they have the same container, the same audio bytes and the same format
//! description (rate, channels, bits). Tags, pictures, padding and the file name are ignored, and so are the sequence
//! numbers and checksums of Ogg pages, which change when tags grow. Matroska files and files of unknown structure are
//! hashed whole, so that new tags make a new recording.
//!
//! The [`AudioKey`] is a BLAKE3 hash of all of that. The [`QuickKey`] covers the same length and format, but only the
//! first and last 64 KiB of audio and 16 pieces of 4 KiB in between, and takes milliseconds. Different quick keys prove
//! different recordings. Equal quick keys suffice only if a file disappeared from one path and appeared at another with
//! the same size and modification time. In all other cases the audio key decides.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::extents::AudioExtents;
use base::error::{Error, Result};
use base::progress::Progress;

const END_BYTES: u64 = 64 << 10;
const PIECE_BYTES: u64 = 4 << 10;
const PIECES: u64 = 16;
/// Bytes read at a time, between two checks for cancellation.
const BLOCK_BYTES: usize = 1 << 20;
/// Maximum size of an Ogg page.
const MAX_PAGE_BYTES: u64 = 27 + 255 + 255 * 255;

/// A key that distinguishes recordings within milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QuickKey(pub [u8; 32]);

/// A key that distinguishes recordings with certainty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AudioKey(pub [u8; 32]);

impl QuickKey {
    /// Returns the quick key of the file at `path`, and its number of audio bytes.
    pub fn of_file(path: &Path) -> Result<(Self, u64)> {
        quick(base::files::open(path)?).map_err(|source| Error::io("read", path, source))
    }
}

impl AudioKey {
    /// Returns the audio key of the file at `path`. Reads the whole file.
    pub fn of_file(path: &Path, progress: &Progress) -> Result<Self> {
        let failed = |source| Error::io("read", path, source);
        let mut file = base::files::open(path)?;
        let length = file.metadata().map_err(failed)?.len();
        let extents = AudioExtents::find(&mut file, length).map_err(failed)?;
        let mut hasher = begun(&extents, "audio");
        let mut block = vec![0; BLOCK_BYTES];
        for &(from, to) in &extents.ranges {
            let mut pages = PageWalk::default();
            file.seek(SeekFrom::Start(from)).map_err(failed)?;
            let mut left = to - from;
            while left > 0 {
                progress.check()?;
                let want = left.min(BLOCK_BYTES as u64) as usize;
                let got = match file.read(&mut block[..want]) {
                    Ok(0) => break,
                    Ok(got) => got,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(failed(error)),
                };
                if extents.pages {
                    pages.hash(&block[..got], &mut hasher);
                } else {
                    hasher.update(&block[..got]);
                }
                left -= got as u64;
            }
        }
        Ok(Self(*hasher.finalize().as_bytes()))
    }
}

/// Starts a hash with everything except the audio itself.
fn begun(extents: &AudioExtents, what: &str) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    for part in [what.as_bytes(), extents.container.as_bytes(), &extents.format] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher
}

fn quick(mut file: File) -> std::io::Result<(QuickKey, u64)> {
    let length = file.metadata()?.len();
    let extents = AudioExtents::find(&mut file, length)?;
    let bytes = extents.bytes();
    let mut hasher = begun(&extents, "quick");
    hasher.update(&bytes.to_le_bytes());
    let mut piece = Vec::new();
    let mut add = |offset: u64, count: u64| -> std::io::Result<()> {
        let Some((at, room)) = place(&extents, offset) else { return Ok(()) };
        // For Ogg, whole pages are hashed, starting with the first one that begins in the piece.
        let count = if extents.pages { count.max(2 * MAX_PAGE_BYTES) } else { count };
        file.seek(SeekFrom::Start(at))?;
        piece.clear();
        (&mut file).take(count.min(room)).read_to_end(&mut piece)?;
        if extents.pages {
            PageWalk::default().hash(first_page(&piece), &mut hasher);
        } else {
            hasher.update(&piece);
        }
        Ok(())
    };
    if bytes <= 2 * END_BYTES + PIECES * PIECE_BYTES {
        for index in 0..extents.ranges.len() {
            let before: u64 = extents.ranges[..index].iter().map(|(from, to)| to - from).sum();
            add(before, bytes)?;
        }
    } else {
        add(0, END_BYTES)?;
        let span = bytes - 2 * END_BYTES - PIECE_BYTES;
        for index in 0..PIECES {
            add(END_BYTES + (span as u128 * index as u128 / (PIECES - 1) as u128) as u64, PIECE_BYTES)?;
        }
        add(bytes - END_BYTES, END_BYTES)?;
    }
    Ok((QuickKey(*hasher.finalize().as_bytes()), bytes))
}

/// Returns the file offset of a byte of the audio, and the number of bytes that follow in its range.
fn place(extents: &AudioExtents, offset: u64) -> Option<(u64, u64)> {
    let mut before = 0;
    for &(from, to) in &extents.ranges {
        if offset < before + (to - from) {
            let at = from + (offset - before);
            return Some((at, to - at));
        }
        before += to - from;
    }
    None
}

/// Returns the bytes from the first Ogg page on: a capture pattern, version 0, and a page length that leads to another
/// capture pattern or to the end.
fn first_page(bytes: &[u8]) -> &[u8] {
    for at in 0..bytes.len().saturating_sub(27) {
        if &bytes[at..at + 5] == b"OggS\0" {
            let lacing = at + 27 + usize::from(bytes[at + 26]);
            let Some(table) = bytes.get(at + 27..lacing) else { break };
            let next = lacing + table.iter().map(|bytes| usize::from(*bytes)).sum::<usize>();
            if bytes.get(next..next + 4).is_none_or(|next| next == b"OggS") {
                return &bytes[at..];
            }
        }
    }
    bytes
}

/// Hashes Ogg pages without their sequence numbers and checksums, for input cut into blocks anywhere.
#[derive(Default)]
struct PageWalk {
    header: Vec<u8>,
    payload: u64,
    lost: bool,
}

impl PageWalk {
    fn hash(&mut self, mut bytes: &[u8], hasher: &mut blake3::Hasher) {
        while !bytes.is_empty() {
            if self.lost {
                // Bytes after damage are hashed as they are.
                hasher.update(bytes);
                return;
            }
            if self.payload > 0 {
                let count = self.payload.min(bytes.len() as u64) as usize;
                hasher.update(&bytes[..count]);
                self.payload -= count as u64;
                bytes = &bytes[count..];
                continue;
            }
            let whole = if self.header.len() < 27 { 27 } else { 27 + usize::from(self.header[26]) };
            let count = (whole - self.header.len()).min(bytes.len());
            self.header.extend_from_slice(&bytes[..count]);
            bytes = &bytes[count..];
            if self.header.len() >= 27 && self.header.len() == 27 + usize::from(self.header[26]) {
                self.lost = &self.header[..4] != b"OggS";
                if self.lost {
                    hasher.update(&self.header);
                } else {
                    // Skips the sequence number (18..22) and the checksum (22..26).
                    hasher.update(&self.header[..18]);
                    hasher.update(&self.header[26..]);
                    self.payload = self.header[27..].iter().map(|bytes| u64::from(*bytes)).sum();
                }
                self.header.clear();
            }
        }
    }
}
