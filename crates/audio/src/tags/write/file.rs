//! Writes tags into finished WAV and FLAC files.

use std::fs;
use std::path::Path;

use super::{flac_blocks, limits_of, riff_chunks, sound_chunks};
use crate::file_format::FileFormat;
use crate::tags::{Tags, chunks};
use base::error::{Error, Result};

/// The bytes before the first chunk of a WAV file, and before the first block of a FLAC file.
const WAV_HEAD: usize = 12;
const FLAC_HEAD: usize = 4;
const PADDING: u8 = 1;
const COMMENTS: u8 = 4;
const PICTURE: u8 = 6;

/// Writes `tags` to the finished file at `path` and replaces its existing tags. The file is held in memory. Returns
/// human-readable warnings about tags that could not be kept.
///
/// # Errors
/// [`Error::Unsupported`] for a file that is neither WAV nor FLAC, or is damaged.
pub fn write(path: &Path, tags: &Tags) -> Result<Vec<String>> {
    let bytes = fs::read(path).map_err(|source| Error::io("read", path, source))?;
    let (format, new) = if bytes.starts_with(b"fLaC") {
        (FileFormat::Flac, flac(&bytes, tags))
    } else {
        (FileFormat::Wav, wav(&bytes, tags))
    };
    let unsupported = || Error::unsupported("Writing tags into this kind of file", "WAV and FLAC can have tags");
    fs::write(path, new.ok_or_else(unsupported)?).map_err(|source| Error::io("write the tags of", path, source))?;
    Ok(limits_of(format, tags).lost)
}

fn flac(bytes: &[u8], tags: &Tags) -> Option<Vec<u8>> {
    let (mut kept, mut vendor) = (Vec::new(), String::new());
    let mut rest = &bytes[FLAC_HEAD..];
    loop {
        let (head, after) = rest.split_first_chunk::<4>()?;
        let size = u32::from_be_bytes([0, head[1], head[2], head[3]]) as usize;
        let (content, after) = after.split_at_checked(size)?;
        rest = after;
        match head[0] & 0x7f {
            COMMENTS => {
                let length = content.first_chunk().copied().map_or(0, u32::from_le_bytes) as usize;
                vendor = String::from_utf8_lossy(content.get(4..4 + length)?).into_owned();
            }
            PADDING | PICTURE => {}
            kind => {
                kept.push(kind);
                kept.extend_from_slice(&head[1..]);
                kept.extend_from_slice(content);
            }
        }
        if head[0] & 0x80 != 0 {
            break;
        }
    }
    // An empty block of padding is the last one.
    let last = [PADDING | 0x80, 0, 0, 0];
    Some([&bytes[..FLAC_HEAD], &kept, &flac_blocks(tags, &vendor), &last, rest].concat())
}

fn wav(bytes: &[u8], tags: &Tags) -> Option<Vec<u8>> {
    let mut out = bytes.get(..WAV_HEAD).filter(|head| head.starts_with(b"RIFF"))?.to_vec();
    let mut rest = &bytes[WAV_HEAD..];
    while let Some((head, after)) = rest.split_first_chunk::<8>() {
        let size = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let content = after.get(..size)?;
        rest = after.get(size + size % 2..).unwrap_or_default();
        let is_old = match &head[..4] {
            b"LIST" => content.starts_with(b"INFO"),
            b"id3 " | b"ID3 " => true,
            id => chunks::row([id[0], id[1], id[2], id[3]]).is_some(),
        };
        if !is_old {
            out.extend_from_slice(head);
            out.extend_from_slice(content);
            out.resize(out.len() + size % 2, 0);
        }
    }
    out.extend(sound_chunks(tags));
    out.extend(riff_chunks(tags));
    let size = u32::try_from(out.len() - 8).ok()?;
    out[4..8].copy_from_slice(&size.to_le_bytes());
    Some(out)
}
