//! A file on disk or in memory, read by position. Many readers share one handle without affecting each other.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::AudioFormat;
use base::error::{Error, Result};
use base::units::SampleRate;

/// The largest accepted number of channels. A header that states more is considered invalid.
pub(crate) const MAX_CHANNELS: usize = 256;
/// The number of bytes that [`FileWindow`] reads at once.
const BLOCK_BYTES: usize = 128 << 10;

/// An open regular file, or the contents of one. Its size is read once; data appended later is not seen.
#[derive(Debug)]
pub(crate) struct SourceFile {
    contents: Arc<Contents>,
    /// The byte of the file at which the bytes that are read begin.
    origin: u64,
    bytes: u64,
    path: PathBuf,
}

#[derive(Debug)]
enum Contents {
    Disk(File),
    Memory(Arc<[u8]>),
}

/// Returns the format for the rate and channels of a header, or an error if they are out of range.
pub(crate) fn audio_format(source: &SourceFile, rate_hz: u32, channels: usize) -> Result<AudioFormat> {
    let rate = SampleRate::new(rate_hz)
        .map_err(|_| source.malformed(format!("the header says {rate_hz} Hz, sample rates are 1 Hz to 768 kHz")))?;
    match channels {
        0 => Err(source.malformed("the header says 0 channels")),
        1..=MAX_CHANNELS => Ok(AudioFormat::new(rate, channels)),
        _ => Err(Error::Limit {
            what: "the number of channels".to_owned(),
            got: channels.to_string(),
            limit: MAX_CHANNELS.to_string(),
        }),
    }
}

impl SourceFile {
    /// Opens `path` for reading. Only regular files are opened, so that a named pipe or a device cannot block.
    ///
    /// # Errors
    /// [`Error::Malformed`] also for an empty file.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = base::files::open(path)?;
        let bytes = file.metadata().map_err(|source| Error::io("open", path, source))?.len();
        if bytes == 0 {
            return Err(Error::malformed("The file is empty", path));
        }
        Ok(Self { contents: Arc::new(Contents::Disk(file)), origin: 0, bytes, path: path.to_path_buf() })
    }

    /// Takes the contents of a file. `name` stands for its path in messages.
    pub(crate) fn from_bytes(bytes: Arc<[u8]>, name: &Path) -> Result<Self> {
        if bytes.is_empty() {
            return Err(Error::malformed("The file is empty", name));
        }
        let length = bytes.len() as u64;
        Ok(Self { contents: Arc::new(Contents::Memory(bytes)), origin: 0, bytes: length, path: name.to_path_buf() })
    }

    /// Returns the bytes of the file from `origin` on as a separate file.
    pub(crate) fn starting_at(&self, origin: u64) -> Self {
        let whole = self.origin + self.bytes;
        let origin = origin.min(whole);
        Self { contents: Arc::clone(&self.contents), origin, bytes: whole - origin, path: self.path.clone() }
    }

    /// Returns the byte of the file at which the bytes that are read begin.
    pub(crate) fn origin(&self) -> u64 {
        self.origin
    }

    /// Returns the number of bytes that can be read.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the path that was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns an [`Error::Malformed`] for this file.
    pub(crate) fn malformed(&self, reason: impl Into<String>) -> Error {
        Error::malformed(reason, &self.path)
    }

    /// Fills `buffer` from byte `offset` on. Returns the number of bytes read, which is smaller only at the end of the
    /// file.
    pub(crate) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let offset = self.origin.saturating_add(offset);
        let file = match self.contents.as_ref() {
            Contents::Disk(file) => file,
            Contents::Memory(held) => {
                let from = usize::try_from(offset).unwrap_or(usize::MAX).min(held.len());
                let count = buffer.len().min(held.len() - from);
                buffer[..count].copy_from_slice(&held[from..from + count]);
                return Ok(count);
            }
        };
        base::files::read_at(file, offset, buffer).map_err(|source| Error::io("read", &self.path, source))
    }
}

/// A buffered window over a [`SourceFile`], for parsing headers and reading packets.
#[derive(Debug)]
pub(crate) struct FileWindow {
    source: Arc<SourceFile>,
    start: u64,
    block: Vec<u8>,
}

impl FileWindow {
    /// Creates an empty window.
    pub(crate) fn new(source: &Arc<SourceFile>) -> Self {
        Self { source: Arc::clone(source), start: 0, block: Vec::new() }
    }

    /// Returns the underlying file.
    pub(crate) fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }

    /// Returns up to `count` bytes at `offset`; fewer only at the end of the file. The caller bounds `count`.
    pub(crate) fn bytes(&mut self, offset: u64, count: usize) -> Result<&[u8]> {
        let held = offset >= self.start
            && offset.saturating_add(count as u64) <= self.start.saturating_add(self.block.len() as u64);
        if !held {
            let left = self.source.bytes().saturating_sub(offset);
            let want = (count.max(BLOCK_BYTES) as u64).min(left) as usize;
            self.block.resize(want, 0);
            let got = self.source.read_at(offset, &mut self.block)?;
            self.block.truncate(got);
            self.start = offset;
        }
        let from = (offset - self.start) as usize;
        Ok(&self.block[from.min(self.block.len())..(from + count).min(self.block.len())])
    }

    /// Returns exactly `N` bytes at `offset`, or `None` if the file ends before.
    pub(crate) fn array<const N: usize>(&mut self, offset: u64) -> Result<Option<[u8; N]>> {
        Ok(self.bytes(offset, N)?.first_chunk().copied())
    }

    /// Reads a big-endian `u32` at `offset`; `None` if the file ends before.
    pub(crate) fn be32(&mut self, offset: u64) -> Result<Option<u32>> {
        Ok(self.array(offset)?.map(u32::from_be_bytes))
    }

    /// Reads a big-endian `u64` at `offset`; `None` if the file ends before.
    pub(crate) fn be64(&mut self, offset: u64) -> Result<Option<u64>> {
        Ok(self.array(offset)?.map(u64::from_be_bytes))
    }
}
