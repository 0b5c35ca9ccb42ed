//! `ID3v1`: 128 bytes at the end of a file.

use super::collect::Collected;
use crate::source::FileWindow;
use crate::tags::fields;
use crate::text::latin1;
use base::error::Result;

/// The size of the tag in bytes.
pub(super) const BYTES: u64 = 128;

/// Returns the byte offset of the tag, if the file has one.
pub(super) fn find(window: &mut FileWindow) -> Result<Option<u64>> {
    let Some(at) = window.source().bytes().checked_sub(BYTES) else { return Ok(None) };
    Ok((window.bytes(at, 3)? == b"TAG").then_some(at))
}

/// Reads the tag, if the file has one.
pub(super) fn read(window: &mut FileWindow, collected: &mut Collected) -> Result<()> {
    let Some(at) = find(window)? else { return Ok(()) };
    let Some(tag) = window.array::<128>(at)? else { return Ok(()) };
    collected.next_tag();
    // Bytes after the first zero are undefined.
    let text = |range: std::ops::Range<usize>| latin1(tag[range].split(|byte| *byte == 0).next().unwrap_or_default());
    for (key, range) in
        [("TITLE", 3..33), ("ARTIST", 33..63), ("ALBUM", 63..93), ("DATE", 93..97), ("COMMENT", 97..127)]
    {
        collected.add(key, &text(range));
    }
    // ID3v1.1 stores the track number in the comment's last byte, after a zero.
    if tag[125] == 0 && tag[126] != 0 {
        collected.add("TRACKNUMBER", &tag[126].to_string());
    }
    if let Some(genre) = fields::genre(usize::from(tag[127])) {
        collected.add("GENRE", genre);
    }
    Ok(())
}
