//! Where an encoder writes: a file that appears at its target once it is complete, or memory.

use base::error::{Error, Result};
use base::files::SafeFile;

/// A file being written, on disk or in memory.
#[derive(Debug)]
pub enum EncodeOutput {
    /// On disk.
    File(SafeFile),
    /// In memory.
    Memory(Vec<u8>),
}

impl EncodeOutput {
    /// Appends `bytes`.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::File(file) => file.append(bytes),
            Self::Memory(held) => {
                held.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Overwrites the bytes at `offset`, which were written before.
    pub fn patch(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        match self {
            Self::File(file) => file.patch(offset, bytes),
            Self::Memory(held) => {
                let start = offset as usize;
                let part = held.get_mut(start..start + bytes.len());
                let part = part.ok_or_else(|| Error::Internal("bytes beyond the end of a file were patched".into()))?;
                part.copy_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Moves all bytes from `offset` on by `distance` bytes towards the end.
    pub fn make_room(&mut self, offset: u64, distance: u64) -> Result<()> {
        match self {
            Self::File(file) => file.make_room(offset, distance),
            Self::Memory(held) => {
                let room = std::iter::repeat_n(0, distance as usize);
                drop(held.splice(offset as usize..offset as usize, room));
                Ok(())
            }
        }
    }
}
