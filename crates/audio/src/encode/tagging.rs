//! Builds tags as bytes that can be inserted into a file of any length.
//!
//! The tag library rewrites whole files in memory. Here it writes to an empty file, from which the result is extracted.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::flac::CHANNEL_MASK;
use crate::tags::{self, Tags};
use crate::{AudioFormat, Layout};
use base::error::{Error, Result};

use base::files::UNFINISHED_PREFIX;

/// Chunks or blocks with tags, and warnings.
pub struct TagBytes {
    /// The bytes as they are stored in the file.
    pub bytes: Vec<u8>,
    /// Human-readable warnings about tags that could not be kept.
    pub warnings: Vec<String>,
}

/// Returns the chunks that hold `tags` in a WAV file, each of even length. A small temporary file is created in
/// `folder`.
pub fn wav_chunks(tags: &Tags, folder: &Path) -> Result<TagBytes> {
    let mut empty = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
    for number in [44_100u32, 88_200] {
        empty.extend_from_slice(&number.to_le_bytes());
    }
    empty.extend_from_slice(b"\x02\0\x10\0data\0\0\0\0");
    let head = empty.len();
    let (written, warnings) = through_file(&empty, tags, folder)?;
    let mut bytes = Vec::new();
    let mut rest = written.get(head..).unwrap_or_default();
    while let Some((header, after)) = rest.split_at_checked(8) {
        let size = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
        let content = after.get(..size).ok_or_else(|| Error::Internal("a tag chunk is cut off".into()))?;
        bytes.extend_from_slice(header);
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len() + size % 2, 0);
        rest = after.get(size + size % 2..).unwrap_or_default();
    }
    Ok(TagBytes { bytes, warnings })
}

/// Returns the metadata blocks that hold `tags` and the layout in a FLAC file. None is marked as the last. There is at
/// least one block, which names this program.
pub fn flac_blocks(tags: Option<&Tags>, format: AudioFormat, folder: &Path) -> Result<TagBytes> {
    let layout = format.layout().filter(|layout| Some(*layout) != Layout::of_flac(format.channels));
    let mask = layout.map(|layout| format!("{:#06X}", layout.mask()));
    let vendor = concat!("Undertone ", env!("CARGO_PKG_VERSION"));
    let mut comment = (vendor.len() as u32).to_le_bytes().to_vec();
    comment.extend_from_slice(vendor.as_bytes());
    comment.extend_from_slice(&u32::from(mask.is_some()).to_le_bytes());
    if let Some(mask) = &mask {
        let stated = format!("{CHANNEL_MASK}={mask}");
        comment.extend_from_slice(&(stated.len() as u32).to_le_bytes());
        comment.extend_from_slice(stated.as_bytes());
    }
    let mut named = vec![4];
    named.extend_from_slice(&(comment.len() as u32).to_be_bytes()[1..]);
    named.extend_from_slice(&comment);
    let Some(tags) = tags.filter(|tags| !tags.is_empty()) else {
        return Ok(TagBytes { bytes: named, warnings: Vec::new() });
    };
    let mut empty = b"fLaC\0\0\0\x22\x10\0\x10\0\0\0\0\0\0\0\x0a\xc4\x42\xf0\0\0\0\0".to_vec();
    empty.resize(4 + 4 + 34, 0);
    let info = empty.len();
    named[0] |= 0x80;
    empty.extend_from_slice(&named);
    let mut tags = tags.clone();
    tags.items.extend(mask.map(|mask| (CHANNEL_MASK.to_owned(), mask)));
    let (written, warnings) = through_file(&empty, &tags, folder)?;
    let mut bytes = Vec::new();
    let mut rest = written.get(info..).unwrap_or_default();
    while let Some((header, after)) = rest.split_at_checked(4) {
        let size = u32::from_be_bytes([0, header[1], header[2], header[3]]) as usize;
        let content = after.get(..size).ok_or_else(|| Error::Internal("a tag block is cut off".into()))?;
        // Comments and pictures only; the caller writes the padding.
        if matches!(header[0] & 0x7f, 4 | 6) {
            bytes.push(header[0] & 0x7f);
            bytes.extend_from_slice(&header[1..]);
            bytes.extend_from_slice(content);
        }
        if header[0] & 0x80 != 0 {
            break;
        }
        rest = &after[size..];
    }
    Ok(TagBytes { bytes, warnings })
}

fn through_file(empty: &[u8], tags: &Tags, folder: &Path) -> Result<(Vec<u8>, Vec<String>)> {
    let failed = |source| Error::io("write the tags", folder, source);
    let mut file = tempfile::Builder::new().prefix(UNFINISHED_PREFIX).tempfile_in(folder).map_err(failed)?;
    file.write_all(empty).and_then(|()| file.flush()).map_err(failed)?;
    let warnings = tags::write(file.path(), tags)?;
    Ok((fs::read(file.path()).map_err(failed)?, warnings))
}
