//! The directory of a zip file with uncompressed entries, as PyTorch writes its files.
//!
//! The maintained zip crates keep the whole directory in memory, whatever its size, and bring decompression and
//! decryption, which a weight file does not need. Uncompressed data cannot grow when read: an entry is a range of the
//! file.

use std::collections::BTreeMap;

use super::data_file::DataFile;
use base::error::{Error, Result};

/// The most bytes of a directory: 60,000 entries of PyTorch's kind.
const MAX_DIRECTORY_BYTES: u64 = 8 << 20;
const END_BYTES: usize = 22;
const MAX_COMMENT_BYTES: usize = u16::MAX as usize;
const ZIP64_LOCATOR_BYTES: usize = 20;
const ZIP64_END_BYTES: usize = 56;
const HEADER_BYTES: usize = 46;
const LOCAL_HEADER_BYTES: usize = 30;
/// In a field of 32 bits: the number is in the extra field of zip64.
const IN_ZIP64: u64 = u32::MAX as u64;

/// The entries of a zip file by name.
pub(super) struct Directory {
    entries: BTreeMap<String, Stored>,
    /// Where the directory begins and the entries end.
    start: u64,
}

/// The directory's record of an entry.
struct Stored {
    header: u64,
    bytes: u64,
    method: u16,
    is_encrypted: bool,
}

impl Directory {
    /// Reads the directory of a file.
    ///
    /// # Errors
    /// [`Error::Limit`] for more than 8 MiB of it.
    pub fn read(file: &DataFile) -> Result<Self> {
        let (start, bytes) = find_directory(file)?;
        if bytes > MAX_DIRECTORY_BYTES {
            return Err(Error::Limit {
                what: "the directory of a weight file".into(),
                got: format!("{bytes} bytes"),
                limit: format!("{MAX_DIRECTORY_BYTES} bytes"),
            });
        }
        let directory = file.read_vec(start, bytes as usize)?;
        let mut entries = BTreeMap::new();
        let mut rest = directory.as_slice();
        while !rest.is_empty() {
            let (name, entry, used) =
                entry(rest).ok_or_else(|| file.malformed("The directory of the zip file is damaged"))?;
            rest = &rest[used..];
            if entries.contains_key(&name) {
                return Err(file.malformed(format!("The zip file has the entry {name:?} twice")));
            }
            entries.insert(name, entry);
        }
        Ok(Self { entries, start })
    }

    /// Returns the names of the entries in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Returns the start and the size in bytes of an entry's data; `None` if there is no such entry.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the entry is compressed, encrypted, or reaches beyond the others' place.
    pub fn find(&self, file: &DataFile, name: &str) -> Result<Option<(u64, u64)>> {
        let Some(entry) = self.entries.get(name) else { return Ok(None) };
        if entry.method != 0 || entry.is_encrypted {
            let how = if entry.is_encrypted { "encrypted" } else { "compressed" };
            return Err(file.malformed(format!(
                "The entry {name:?} is {how}, which PyTorch does not do. Save the weights again with `torch.save`"
            )));
        }
        let mut header = [0; LOCAL_HEADER_BYTES];
        file.read_at(entry.header, &mut header)?;
        let local = Fields(&header);
        let data = entry.header + LOCAL_HEADER_BYTES as u64 + local.u16(26) + local.u16(28);
        let end = data.checked_add(entry.bytes);
        if !header.starts_with(b"PK\x03\x04") || end.is_none_or(|end| end > self.start) {
            return Err(file.malformed(format!("The zip file is damaged at its entry {name:?}")));
        }
        Ok(Some((data, entry.bytes)))
    }
}

/// Little-endian numbers at offsets that are known to be inside.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn number(&self, at: usize, bytes: usize) -> u64 {
        self.0[at..at + bytes].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    fn u16(&self, at: usize) -> u64 {
        self.number(at, 2)
    }

    fn u32(&self, at: usize) -> u64 {
        self.number(at, 4)
    }

    fn u64(&self, at: usize) -> u64 {
        self.number(at, 8)
    }
}

/// Returns where the directory begins, and its size in bytes.
fn find_directory(file: &DataFile) -> Result<(u64, u64)> {
    let count = file.bytes().min((END_BYTES + MAX_COMMENT_BYTES) as u64) as usize;
    let tail_start = file.bytes() - count as u64;
    let tail = file.read_vec(tail_start, count)?;
    let is_end = |at: &usize| {
        let record = &tail[*at..];
        record.starts_with(b"PK\x05\x06") && record.len() == END_BYTES + Fields(record).u16(20) as usize
    };
    let at = (0..=count.saturating_sub(END_BYTES)).rev().filter(|_| count >= END_BYTES).find(is_end);
    let at =
        at.ok_or_else(|| file.malformed("The zip file has no end: it was cut, for example by a broken download"))?;
    let end = tail_start + at as u64;
    let record = Fields(&tail[at..]);
    let (mut start, mut bytes) = (record.u32(16), record.u32(12));
    let locator = at.checked_sub(ZIP64_LOCATOR_BYTES).map(|at| &tail[at..]);
    if let Some(locator) = locator.filter(|locator| locator.starts_with(b"PK\x06\x07")) {
        let record = file.read_vec(Fields(locator).u64(8), ZIP64_END_BYTES)?;
        if !record.starts_with(b"PK\x06\x06") {
            return Err(file.malformed("The end of the zip file is damaged"));
        }
        (start, bytes) = (Fields(&record).u64(48), Fields(&record).u64(40));
    }
    if start.checked_add(bytes).is_none_or(|directory_end| directory_end > end) {
        return Err(file.malformed("The directory of the zip file lies beyond its end"));
    }
    Ok((start, bytes))
}

/// Reads the first entry of a directory. Returns it with its name and the bytes that it takes; `None` if it is damaged.
fn entry(directory: &[u8]) -> Option<(String, Stored, usize)> {
    if directory.len() < HEADER_BYTES || !directory.starts_with(b"PK\x01\x02") {
        return None;
    }
    let fields = Fields(directory);
    let (name, extra, comment) = (fields.u16(28) as usize, fields.u16(30) as usize, fields.u16(32) as usize);
    let used = HEADER_BYTES + name + extra + comment;
    let rest = directory.get(HEADER_BYTES..used)?;
    let name = std::str::from_utf8(&rest[..name]).ok()?.to_owned();
    let extra = &rest[name.len()..name.len() + extra];
    let (mut bytes, stored, mut header) = (fields.u32(24), fields.u32(20), fields.u32(42));
    // In this order, each only where its field says so.
    let mut long = zip64(extra).unwrap_or_default().chunks_exact(8).map(|number| Fields(number).u64(0));
    if bytes == IN_ZIP64 {
        bytes = long.next()?;
    }
    let stored = if stored == IN_ZIP64 { long.next()? } else { stored };
    if header == IN_ZIP64 {
        header = long.next()?;
    }
    let method = fields.u16(10) as u16;
    // The two sizes differ only for compressed entries, which are refused when requested.
    if method == 0 && stored != bytes {
        return None;
    }
    Some((name, Stored { header, bytes, method, is_encrypted: fields.u16(8) & 1 == 1 }, used))
}

/// Returns the content of the extra field of zip64, which has the number 1.
fn zip64(mut extra: &[u8]) -> Option<&[u8]> {
    while extra.len() >= 4 {
        let (number, bytes) = (Fields(extra).u16(0), Fields(extra).u16(2) as usize);
        let content = extra.get(4..4 + bytes)?;
        if number == 1 {
            return Some(content);
        }
        extra = &extra[4 + bytes..];
    }
    None
}
