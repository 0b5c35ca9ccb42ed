//! A file of sorted entries.
//!
//! ```text
//! header      64 bytes: mark, version, numbers of entries and blocks, where the directory is, check sums
//! blocks      some 8 KiB each
//! directory   16 bytes a block: its first head, its length, its number of entries, its check sum
//! ```
//!
//! In a block, an entry is stored as its difference from the one before: the number of tracks since then if its head is
//! the same, else the number of heads and its track; then its detail. Numbers are LEB128; the lowest bit of the first
//! tells which of the two it is. Files are read with `pread` rather than mapped: a mapped file that another process
//! shortens kills this one, and a block is checked and decoded into memory anyway.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::super::votes::MAX_TRACKS;
use super::entry::{self, DETAILS, Entry, HEADS};
use base::error::{Error, Result};
use base::files::{self, Protected, SafeFile};

const MARK: [u8; 8] = *b"UTsegmnt";
/// The version of this format. Files of other versions are not read.
const VERSION: u32 = 1;
const HEADER_BYTES: u64 = 64;
const DIRECTORY_BYTES: usize = 16;
/// A block is closed when it has this many bytes; an entry takes at most [`MAX_ENTRY_BYTES`] more.
const BLOCK_BYTES: usize = 8 << 10;
const MAX_ENTRY_BYTES: usize = 16;
/// Bytes gathered before they are written.
const WRITTEN_AT_ONCE: usize = 1 << 20;

/// A block, as the directory describes it.
#[derive(Clone, Copy, Debug)]
struct Block {
    head: u32,
    offset: u64,
    bytes: u32,
    entries: u32,
    sum: u32,
}

/// A segment being written.
#[derive(Debug)]
pub(super) struct SegmentWriter {
    file: SafeFile,
    gathered: Vec<u8>,
    block: Vec<u8>,
    /// The head of the block's first entry, and its number of entries.
    head: u32,
    count: u32,
    last: Entry,
    directory: Vec<u8>,
    entries: u64,
    written: u64,
}

impl SegmentWriter {
    /// Begins a file, which must not exist.
    pub fn create(path: &Path) -> Result<Self> {
        let mut file = SafeFile::create(path, false, Protected::default())?;
        file.append(&[0; HEADER_BYTES as usize])?;
        Ok(Self {
            file,
            gathered: Vec::with_capacity(WRITTEN_AT_ONCE + BLOCK_BYTES + MAX_ENTRY_BYTES),
            block: Vec::with_capacity(BLOCK_BYTES + MAX_ENTRY_BYTES),
            head: 0,
            count: 0,
            last: 0,
            directory: Vec::new(),
            entries: 0,
            written: HEADER_BYTES,
        })
    }

    /// Adds an entry, which is not less than the one before.
    pub fn push(&mut self, entry: Entry) -> Result<()> {
        let (head, track) = (entry::head(entry), entry::track(entry));
        if self.count == 0 {
            self.head = head;
            write(u64::from(track) << 1, &mut self.block);
        } else if head == entry::head(self.last) {
            write(u64::from(track - entry::track(self.last)) << 1, &mut self.block);
        } else {
            write(u64::from(head - entry::head(self.last)) << 1 | 1, &mut self.block);
            write(u64::from(track), &mut self.block);
        }
        if entry::has_detail(head) {
            write(entry::detail(entry), &mut self.block);
        }
        self.last = entry;
        self.count += 1;
        if self.block.len() >= BLOCK_BYTES { self.close() } else { Ok(()) }
    }

    fn close(&mut self) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        for number in [self.head, self.block.len() as u32, self.count, crc32fast::hash(&self.block)] {
            self.directory.extend(number.to_le_bytes());
        }
        self.written += self.block.len() as u64;
        self.entries += u64::from(self.count);
        self.gathered.append(&mut self.block);
        self.count = 0;
        if self.gathered.len() >= WRITTEN_AT_ONCE {
            self.file.append(&self.gathered)?;
            self.gathered.clear();
        }
        Ok(())
    }

    /// Completes the file.
    pub fn finish(mut self) -> Result<()> {
        self.close()?;
        self.file.append(&self.gathered)?;
        self.file.append(&self.directory)?;
        let blocks = (self.directory.len() / DIRECTORY_BYTES) as u32;
        let mut header = [0; HEADER_BYTES as usize];
        header[..8].copy_from_slice(&MARK);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&blocks.to_le_bytes());
        header[16..24].copy_from_slice(&self.entries.to_le_bytes());
        header[24..32].copy_from_slice(&self.written.to_le_bytes());
        header[32..36].copy_from_slice(&crc32fast::hash(&self.directory).to_le_bytes());
        let sum = crc32fast::hash(&header[..60]);
        header[60..].copy_from_slice(&sum.to_le_bytes());
        self.file.patch(0, &header)?;
        self.file.commit().map(drop)
    }
}

/// A segment open for reading.
#[derive(Debug)]
pub(super) struct Segment {
    path: PathBuf,
    file: File,
    blocks: Vec<Block>,
    entries: u64,
    bytes: u64,
}

impl Segment {
    /// Opens a segment and reads its directory.
    ///
    /// # Errors
    /// [`Error::Malformed`] if it is damaged or of another version.
    pub fn open(path: &Path) -> Result<Self> {
        let file = files::open(path)?;
        let bytes = file.metadata().map_err(|source| Error::io("read", path, source))?.len();
        let mut segment = Self { path: path.to_path_buf(), file, blocks: Vec::new(), entries: 0, bytes };
        let mut header = [0; HEADER_BYTES as usize];
        segment.fill(0, &mut header)?;
        let four = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let eight = |at: usize| u64::from(four(at)) | u64::from(four(at + 4)) << 32;
        if header[..8] != MARK || four(8) != VERSION || four(60) != crc32fast::hash(&header[..60]) {
            return Err(segment.damaged("its header is damaged or of another version"));
        }
        let (blocks, entries, end) = (four(12) as usize, eight(16), eight(24));
        let directory_bytes = (blocks * DIRECTORY_BYTES) as u64;
        if end < HEADER_BYTES || end.checked_add(directory_bytes) != Some(bytes) {
            return Err(segment.damaged("its length is not what its header says"));
        }
        let mut directory = vec![0; blocks * DIRECTORY_BYTES];
        segment.fill(end, &mut directory)?;
        if crc32fast::hash(&directory) != four(32) {
            return Err(segment.damaged("its directory is damaged"));
        }
        let mut offset = HEADER_BYTES;
        let mut sum = 0;
        segment.blocks.reserve_exact(blocks);
        for four in directory.as_chunks::<4>().0.as_chunks::<4>().0 {
            let [head, bytes, entries, check] = four.map(u32::from_le_bytes);
            let block = Block { head, offset, bytes, entries, sum: check };
            let ascends = segment.blocks.last().is_none_or(|before: &Block| before.head <= head);
            // An entry has one byte or more, so that `bytes` limits what is allocated for `entries`.
            if !ascends || head >= HEADS || bytes as usize > BLOCK_BYTES + MAX_ENTRY_BYTES || entries > bytes {
                return Err(segment.damaged("its directory is wrong"));
            }
            offset += u64::from(bytes);
            sum += u64::from(entries);
            segment.blocks.push(block);
        }
        if offset != end || sum != entries {
            return Err(segment.damaged("its directory is wrong"));
        }
        segment.entries = entries;
        Ok(segment)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of entries.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Returns the size of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Returns the blocks that may hold entries of heads from `first` to `last`.
    pub fn blocks_of(&self, first: u32, last: u32) -> std::ops::Range<usize> {
        // Entries of a head may begin in the block before the first that begins with it.
        let from = self.blocks.partition_point(|block| block.head < first).saturating_sub(1);
        let to = self.blocks.partition_point(|block| block.head <= last);
        from..to.max(from)
    }

    /// Estimates the number of entries of heads from `first` to `last`, as if they were spread evenly within blocks.
    pub fn estimate(&self, first: u32, last: u32) -> f64 {
        let blocks = self.blocks_of(first, last);
        let behind = self.blocks.get(blocks.end).map_or(HEADS, |block| block.head);
        let ends = self.blocks[blocks.clone()].iter().skip(1).map(|block| block.head).chain([behind]);
        let share = |(block, end): (&Block, u32)| {
            let common = f64::from(end.min(last + 1).saturating_sub(block.head.max(first)).max(1));
            f64::from(block.entries) * (common / f64::from((end - block.head).max(1))).min(1.0)
        };
        self.blocks[blocks].iter().zip(ends).map(share).sum()
    }

    /// Reads and decodes a block into `entries`, which it clears; `bytes` is a buffer.
    pub fn read(&self, block: usize, bytes: &mut Vec<u8>, entries: &mut Vec<Entry>) -> Result<()> {
        let block = self.blocks[block];
        bytes.resize(block.bytes as usize, 0);
        self.fill(block.offset, bytes)?;
        if crc32fast::hash(bytes) != block.sum {
            return Err(self.damaged("a block is damaged"));
        }
        decode(&block, bytes, entries).ok_or_else(|| self.damaged("a block is wrong"))
    }

    fn fill(&self, offset: u64, bytes: &mut [u8]) -> Result<()> {
        match files::read_at(&self.file, offset, bytes) {
            Ok(read) if read == bytes.len() => Ok(()),
            Ok(_) => Err(self.damaged("it ends too early")),
            Err(source) => Err(Error::io("read", &self.path, source)),
        }
    }

    fn damaged(&self, reason: &str) -> Error {
        Error::Malformed { reason: format!("the index of landmarks: {reason}"), path: self.path.clone() }
    }
}

fn decode(block: &Block, mut bytes: &[u8], entries: &mut Vec<Entry>) -> Option<()> {
    entries.clear();
    entries.reserve(block.entries as usize);
    let (mut head, mut track) = (block.head, 0_u64);
    for _ in 0..block.entries {
        let first = read(&mut bytes)?;
        if first & 1 == 0 {
            track = track.checked_add(first >> 1)?;
        } else {
            head = head.checked_add(u32::try_from(first >> 1).ok()?)?;
            track = read(&mut bytes)?;
        }
        if head >= HEADS || track >= u64::from(MAX_TRACKS) {
            return None;
        }
        let detail = if entry::has_detail(head) { read(&mut bytes)? } else { 0 };
        if detail >= DETAILS {
            return None;
        }
        entries.push(entry::entry(head, track as u32, detail));
    }
    bytes.is_empty().then_some(())
}

fn write(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Reads a number of up to 42 bits.
fn read(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..42).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}
