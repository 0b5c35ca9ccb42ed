//! A file that is read in bounded pieces at any offset.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use base::error::{Error, Result};
use base::files;

/// An open regular file. Reads do not move a cursor, so that several threads can read it.
///
/// The file is not mapped into memory: if another program truncates a mapped file, an access beyond its new end kills
/// the process (SIGBUS), which cannot be turned into an error safely. A read at an offset fails instead.
#[derive(Debug)]
pub(crate) struct DataFile {
    file: File,
    path: PathBuf,
    bytes: u64,
    modified: Option<SystemTime>,
}

impl DataFile {
    /// Opens a regular file.
    pub fn open(path: &Path) -> Result<Self> {
        let file = files::open(path)?;
        let found = file.metadata().map_err(|source| Error::io("read", path, source))?;
        Ok(Self { path: path.to_path_buf(), bytes: found.len(), modified: found.modified().ok(), file })
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The size when the file was opened.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Fills `part` with the bytes from `offset`.
    ///
    /// # Errors
    /// [`Error::Malformed`] beyond the end, also if the file was cut after it was opened.
    pub fn read_at(&self, offset: u64, part: &mut [u8]) -> Result<()> {
        let end = offset.checked_add(part.len() as u64).filter(|end| *end <= self.bytes);
        if end.is_none() {
            return Err(self.malformed(format!("The file ends at byte {}, before its data", self.bytes)));
        }
        read_exact_at(&self.file, part, offset).map_err(|source| match source.kind() {
            io::ErrorKind::UnexpectedEof => self.malformed("The file was cut while it was in use. Open it again"),
            _ => Error::io("read", &self.path, source),
        })
    }

    /// Reads `count` bytes from `offset`. The caller bounds `count`.
    pub fn read_vec(&self, offset: u64, count: usize) -> Result<Vec<u8>> {
        if offset.checked_add(count as u64).is_none_or(|end| end > self.bytes) {
            return Err(self.malformed(format!("The file ends at byte {}, before its data", self.bytes)));
        }
        let mut bytes = vec![0; count];
        self.read_at(offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Checks that the file has the size and time that it had when it was opened.
    pub fn check_unchanged(&self) -> Result<()> {
        let found = self.file.metadata().map_err(|source| Error::io("read", &self.path, source))?;
        if found.len() == self.bytes && found.modified().ok() == self.modified {
            return Ok(());
        }
        Err(self.malformed("The file was changed while it was in use. Open it again"))
    }

    /// Adds the whole content to a hash.
    pub fn hash(&self, hasher: &mut blake3::Hasher) -> Result<()> {
        let mut part = vec![0; 1 << 20];
        let mut offset = 0;
        while offset < self.bytes {
            let count = (part.len() as u64).min(self.bytes - offset) as usize;
            self.read_at(offset, &mut part[..count])?;
            hasher.update(&part[..count]);
            offset += count as u64;
        }
        self.check_unchanged()
    }

    /// Creates an [`Error::Malformed`] about this file.
    pub fn malformed(&self, reason: impl Into<String>) -> Error {
        Error::malformed(reason, &self.path)
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, part: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, part, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut part: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !part.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, part, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                part = &mut part[count..];
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
