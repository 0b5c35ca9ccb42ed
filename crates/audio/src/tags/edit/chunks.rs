//! Edits the `ID3v2` chunk of WAV and AIFF files.

use super::id3::{Id3Edit, MAX_BYTES, edited};
use super::{Edit, Stop, UNUSUAL, splice};

/// The maximum number of chunks.
const MAX_CHUNKS: usize = 10_000;
/// The first chunk, after the identifier, the size and the kind of the file.
const FIRST: u64 = 12;

/// Edits the file; `big_endian` says that it is an AIFF.
pub(super) fn edit(edit: Edit<'_>, big_endian: bool) -> Result<(), Stop> {
    let Edit { file, mut window, fields } = edit;
    let unusual = || Stop::Unusual(UNUSUAL);
    let (decode, encode) = if big_endian {
        (u32::from_be_bytes as fn([u8; 4]) -> u32, u32::to_be_bytes as fn(u32) -> [u8; 4])
    } else {
        (u32::from_le_bytes as _, u32::to_le_bytes as _)
    };
    let end = window.source().bytes();
    if window.array::<4>(0)? != Some(if big_endian { *b"FORM" } else { *b"RIFF" }) || end < FIRST {
        return Err(unusual());
    }
    let whole = window.array::<4>(4)?.map(decode).ok_or_else(unusual)?;
    let (mut at, mut found) = (FIRST, None);
    for number in 0.. {
        if at + 8 > end {
            break;
        }
        let id = window.array::<4>(at)?.ok_or_else(unusual)?;
        let size = u64::from(window.array::<4>(at + 4)?.map(decode).ok_or_else(unusual)?);
        if at + 8 + size > end || number == MAX_CHUNKS {
            return Err(unusual());
        }
        if matches!(&id, b"ID3 " | b"id3 ") && found.is_none() {
            found = Some((at, id, size as usize));
        }
        at += 8 + size + size % 2;
    }
    let (place, id, old) = match found {
        Some((_, _, bytes)) if bytes > MAX_BYTES => return Err(Stop::Unusual("Its ID3 tag is too large")),
        Some((place, id, bytes)) => {
            let mut old = vec![0; bytes];
            if window.source().read_at(place + 8, &mut old)? < bytes {
                return Err(unusual());
            }
            (place, id, old)
        }
        None => (end, *b"ID3 ", Vec::new()),
    };
    let Id3Edit { used, new } = edited(&old, fields, 0)?;
    let mut content = new;
    content.extend_from_slice(&old[used..]);
    let mut out = Vec::with_capacity(content.len() + 10);
    // A file that ends without the byte after an odd chunk gets it.
    out.resize(usize::from(found.is_none() && at > end), 0);
    out.extend_from_slice(&id);
    out.extend_from_slice(&encode(u32::try_from(content.len()).map_err(|_| unusual())?));
    out.extend_from_slice(&content);
    out.resize(out.len() + content.len() % 2, 0);
    let replaced = match found {
        Some((place, _, bytes)) => place..(place + 8 + (bytes + bytes % 2) as u64).min(end),
        None => place..place,
    };
    let now = end + out.len() as u64 - (replaced.end - replaced.start);
    let now = u32::try_from(now - 8).map_err(|_| unusual())?;
    splice::replace(file, replaced, &out)?;
    // A size of the whole that was not true is left alone.
    if (end..=end + 1).contains(&(u64::from(whole) + 8)) {
        splice::write_at(file, 4, &encode(now))?;
    }
    Ok(())
}
