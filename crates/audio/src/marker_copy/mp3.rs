//! Copies MP3 files: the frames of the `ID3v2` tag but its chapters, the new chapters, then the audio.

use super::Copy;
use crate::FileInfo;
use crate::markers::{MarkerList, id3};
use crate::source::FileWindow;
use base::error::{Error, Result};

/// The largest tag that is changed, in bytes.
const MAX_TAG_BYTES: usize = 64 << 20;
/// Padding in bytes, for tags that are later added in place.
const PADDING: usize = 1024;

/// Copies the file.
pub(super) fn copy(copy: &mut Copy, markers: &MarkerList, info: &FileInfo) -> Result<()> {
    let mut window = FileWindow::new(copy.source);
    let head = window.array::<10>(0)?.unwrap_or_default();
    let is_tag = head.starts_with(b"ID3") && head[6..].iter().all(|byte| byte & 0x80 == 0);
    let (version, flags) = if is_tag { (head[3], head[5]) } else { (4, 0) };
    let size = if is_tag { head[6..].iter().fold(0, |size, byte| size << 7 | usize::from(*byte)) } else { 0 };
    // Of the flags, only that of experimental tags leaves the frames as they are.
    if !matches!(version, 3 | 4) || flags & !0x20 != 0 || size > MAX_TAG_BYTES {
        return Err(Error::unsupported(
            "Changing the markers of this kind of ID3 tag",
            "Write the file's tags with another program as ID3v2.3 or 2.4 first, without unsynchronisation",
        ));
    }
    let start = if is_tag { 10 + size as u64 } else { 0 };
    let old = if is_tag { window.bytes(10, size)?.to_vec() } else { Vec::new() };
    let mut frames = kept(&old, version);
    frames.extend(id3::frames(markers, info.audio.rate, Some(info.frames), version));
    if !frames.is_empty() {
        frames.resize(frames.len() + PADDING, 0);
        copy.put(b"ID3")?;
        copy.put(&[version, 0, flags])?;
        copy.put(&id3::synchsafe(frames.len()))?;
        copy.put(&frames)?;
    }
    copy.range(start, copy.source.bytes())
}

/// Returns the frames of a tag, up to its padding, without those of chapters.
fn kept(tag: &[u8], version: u8) -> Vec<u8> {
    let mut kept = Vec::with_capacity(tag.len());
    let mut rest = tag;
    while let Some((head, after)) = rest.split_at_checked(10) {
        if !head[..4].iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) {
            break;
        }
        let plain = u32::from_be_bytes([head[4], head[5], head[6], head[7]]);
        let safe = head[4..8].iter().fold(0, |size, byte| size << 7 | u32::from(byte & 0x7f));
        // Old versions of iTunes wrote plain sizes in version 2.4, which shows where the next frame begins.
        let is_frame = |at: u32| match after.get(at as usize..).unwrap_or_default() {
            [] | [0, ..] => true,
            next => next.len() >= 4 && next[..4].iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()),
        };
        let is_plain =
            version == 3 || head[4..8].iter().any(|byte| byte & 0x80 != 0) || !is_frame(safe) && is_frame(plain);
        let size = if is_plain { plain } else { safe } as usize;
        let size = size.min(after.len());
        if !matches!(&head[..4], b"CHAP" | b"CTOC") {
            kept.extend_from_slice(&rest[..10 + size]);
        }
        rest = &after[size..];
    }
    kept
}
