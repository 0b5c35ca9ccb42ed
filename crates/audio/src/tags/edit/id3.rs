//! Edits `ID3v2` tags of versions 2.2 to 2.4.
//!
//! Frames that are kept are copied as they are in the file, unsynchronised or not, whatever their flags are.

use super::{Edit, EditedTag, Stop, UNUSUAL, splice};
use crate::markers::id3::synchsafe;
use crate::tags::read::id3v2_identifier as identifier;

/// The largest tag that is edited, in bytes.
pub(super) const MAX_BYTES: usize = 64 << 20;
const HEAD_BYTES: usize = 10;
/// Padding in bytes of a tag at the start of a file, where the former is too small.
const PADDING: usize = 1024;
/// The bytes at the end of the frames that are compared with zero.
const PADDING_BYTES: usize = 4096;
/// Flags of the tag.
const UNSYNCHRONISED: u8 = 0x80;
const EXTENDED: u8 = 0x40;
const FOOTER: u8 = 0x10;
/// Flags of an extended header: a checksum of the frames.
const CHECKSUM_3: u8 = 0x80;
const CHECKSUM_4: u8 = 0x20;

/// An edited tag.
pub(super) struct Id3Edit {
    /// The bytes of the old tag.
    pub used: usize,
    /// The new one.
    pub new: Vec<u8>,
}

/// Edits the tag at the start of an MP3 file, or writes one.
pub(super) fn edit(edit: Edit<'_>) -> Result<(), Stop> {
    let Edit { file, mut window, fields } = edit;
    let head = window.array::<HEAD_BYTES>(0)?.filter(|head| is_tag(head));
    let bytes = head.map_or(0, |head| size_of(&head));
    if bytes > MAX_BYTES {
        return Err(Stop::Unusual("Its ID3 tag is too large"));
    }
    let mut old = vec![0; bytes];
    let got = window.source().read_at(0, &mut old)?;
    if got < bytes {
        return Err(Stop::Unusual(UNUSUAL));
    }
    let Id3Edit { used, new } = edited(&old, fields, PADDING)?;
    Ok(splice::replace(file, 0..used as u64, &new)?)
}

fn is_tag(head: &[u8]) -> bool {
    head.starts_with(b"ID3") && head[6..HEAD_BYTES].iter().all(|byte| byte & 0x80 == 0)
}

/// Returns the size of a tag with its header and footer.
fn size_of(head: &[u8; HEAD_BYTES]) -> usize {
    let footer = if head[3] == 4 && head[5] & FOOTER != 0 { HEAD_BYTES } else { 0 };
    HEAD_BYTES + safe(&head[6..]) + footer
}

fn safe(size: &[u8]) -> usize {
    size.iter().fold(0, |size, byte| size << 7 | usize::from(byte & 0x7f))
}

fn plain(size: &[u8]) -> usize {
    size.iter().fold(0, |size, byte| size << 8 | usize::from(*byte))
}

/// Returns a tag with other values for some fields. `old` begins with a tag, or is empty; then the new tag is of version
/// 2.4. `padding` is what a tag gets whose padding is too small.
pub(super) fn edited(old: &[u8], fields: &[(EditedTag, String)], padding: usize) -> Result<Id3Edit, Stop> {
    let unusual = || Stop::Unusual(UNUSUAL);
    let Some(head) = old.first_chunk::<HEAD_BYTES>() else {
        let frames = fields.iter().flat_map(|(tag, value)| frame(4, *tag, value)).collect();
        return Ok(Id3Edit { used: 0, new: whole([4, 0, 0], Vec::new(), frames, padding)? });
    };
    let (version, flags) = (head[3], head[5]);
    let used = size_of(head);
    if !is_tag(head) || !matches!(version, 2..=4) || used > old.len() || version == 2 && flags & EXTENDED != 0 {
        return Err(unusual());
    }
    let body = &old[HEAD_BYTES..HEAD_BYTES + safe(&head[6..])];
    let walk = Walk { body, version, is_unsynchronised: version < 4 && flags & UNSYNCHRONISED != 0 };
    let extended = walk.extended(flags)?;
    let mut frames = Vec::new();
    let mut at = extended;
    while let Some((next, is_own)) = walk.frame(at, fields)? {
        if !is_own {
            frames.extend_from_slice(&body[at..next]);
        }
        at = next;
    }
    // Bytes that are neither a frame nor padding would be lost.
    if body[at..].iter().any(|byte| *byte != 0) {
        return Err(unusual());
    }
    frames.extend(fields.iter().flat_map(|(tag, value)| frame(version, *tag, value)));
    let mut extended = body[..extended].to_vec();
    let room = body.len().checked_sub(extended.len() + frames.len());
    let has_footer = version == 4 && flags & FOOTER != 0;
    let padding = room.unwrap_or(if has_footer { 0 } else { padding });
    if version == 3 && !extended.is_empty() {
        // It states the size of the padding.
        if walk.is_unsynchronised {
            return Err(unusual());
        }
        let place = extended.get_mut(6..10).ok_or_else(unusual)?;
        place.copy_from_slice(&(padding as u32).to_be_bytes());
    }
    Ok(Id3Edit { used, new: whole([version, head[4], flags], extended, frames, padding)? })
}

/// Returns a tag: version, revision and flags, the extended header, the frames and the padding.
fn whole(head: [u8; 3], extended: Vec<u8>, frames: Vec<u8>, padding: usize) -> Result<Vec<u8>, Stop> {
    let has_footer = head[0] == 4 && head[2] & FOOTER != 0;
    // A tag with a footer has no padding.
    let mut body = [extended, frames].concat();
    body.resize(body.len() + if has_footer { 0 } else { padding }, 0);
    if body.len() > MAX_BYTES {
        return Err(Stop::Unusual("Its ID3 tag is too large"));
    }
    let size = synchsafe(body.len());
    let mut new = [b"ID3", &head[..], &size, &body].concat();
    if has_footer {
        new.extend_from_slice(&[b"3DI", &head[..], &size].concat());
    }
    Ok(new)
}

/// Returns a frame with a text in Latin-1: version 2.3 has no UTF-8, and all values are ASCII.
fn frame(version: u8, tag: EditedTag, value: &str) -> Vec<u8> {
    let (id, text) = match tag.id3_frame() {
        Some(id) => (id, value.to_owned()),
        None => ("TXXX", format!("{}\0{value}", tag.name())),
    };
    let bytes = text.len() + 1;
    let head = match version {
        2 => [old_id(id).as_bytes(), &(bytes as u32).to_be_bytes()[1..]].concat(),
        3 => [id.as_bytes(), &(bytes as u32).to_be_bytes(), &[0, 0]].concat(),
        _ => [id.as_bytes(), &synchsafe(bytes), &[0, 0]].concat(),
    };
    [&head, &[0][..], text.as_bytes()].concat()
}

/// Returns the identifier of a frame in version 2.2.
fn old_id(id: &str) -> &'static str {
    match id {
        "TKEY" => "TKE",
        "TBPM" => "TBP",
        _ => "TXX",
    }
}

/// Finds the frames of a tag.
struct Walk<'a> {
    body: &'a [u8],
    version: u8,
    /// Whether a zero follows each 0xff that could be taken for audio, everywhere in the tag.
    is_unsynchronised: bool,
}

impl Walk<'_> {
    /// Returns up to `count` bytes from `at` on, synchronised, and the place after them.
    fn take(&self, mut at: usize, count: usize) -> (Vec<u8>, usize) {
        let mut bytes = Vec::new();
        while bytes.len() < count && at < self.body.len() {
            let byte = self.body[at];
            bytes.push(byte);
            at += 1;
            if self.is_unsynchronised && byte == 0xff && self.body.get(at) == Some(&0) {
                at += 1;
            }
        }
        (bytes, at)
    }

    /// Returns the place after `count` bytes.
    fn after(&self, at: usize, count: usize) -> Option<usize> {
        if !self.is_unsynchronised {
            return at.checked_add(count).filter(|end| *end <= self.body.len());
        }
        let (mut end, mut left) = (at, count);
        while left > 0 {
            let byte = *self.body.get(end)?;
            end += 1 + usize::from(byte == 0xff && self.body.get(end + 1) == Some(&0));
            left -= 1;
        }
        Some(end)
    }

    /// Returns the place of the first frame.
    fn extended(&self, flags: u8) -> Result<usize, Stop> {
        let (head, _) = self.take(0, 6);
        // Some programs set the flag without an extended header.
        let is_there = self.version > 2 && flags & EXTENDED != 0 && identifier(&head[..head.len().min(3)]).is_none();
        if !is_there {
            return Ok(0);
        }
        let unusual = || Stop::Unusual(UNUSUAL);
        let (bytes, has_checksum) = match (self.version, &head[..]) {
            (3, [s0, s1, s2, s3, flags, ..]) => {
                (plain(&[*s0, *s1, *s2, *s3]).saturating_add(4), flags & CHECKSUM_3 != 0)
            }
            (4, [s0, s1, s2, s3, _, flags]) => (safe(&[*s0, *s1, *s2, *s3]), flags & CHECKSUM_4 != 0),
            _ => return Err(unusual()),
        };
        if has_checksum {
            return Err(Stop::Unusual("Its ID3 tag has a checksum of its frames"));
        }
        self.after(0, bytes).ok_or_else(unusual)
    }

    /// Returns the place after the frame at `at`, and whether it is one of `fields`; `None` if there is no frame.
    fn frame(&self, at: usize, fields: &[(EditedTag, String)]) -> Result<Option<(usize, bool)>, Stop> {
        let head_bytes = if self.version == 2 { 6 } else { HEAD_BYTES };
        let (head, start) = self.take(at, head_bytes);
        if head.len() < head_bytes {
            return Ok(None);
        }
        // Identifiers of version 2.2 in a tag of 2.3 have a fourth byte.
        let is_padded = self.version == 3 && matches!(head[3], 0 | b' ');
        let letters = if self.version == 2 || is_padded { 3 } else { 4 };
        let Some(id) = identifier(&head[..letters]) else { return Ok(None) };
        let bytes = match self.version {
            2 => plain(&head[3..6]),
            3 => plain(&head[4..8]),
            _ => self.size_4(&head[4..8], start),
        };
        let end = self.after(start, bytes).ok_or(Stop::Unusual(UNUSUAL))?;
        let is_old = letters == 3;
        // Contents that are compressed or encrypted are not looked into.
        let is_plain = match self.version {
            2 => true,
            3 => head[9] & 0xe0 == 0,
            _ => head[9] & 0x0c == 0,
        };
        let before =
            if self.version == 4 { usize::from(head[9] & 0x40 != 0) + 4 * usize::from(head[9] & 1 != 0) } else { 0 };
        let is_own = fields.iter().any(|(tag, _)| {
            let is = |frame: &str| id == if is_old { old_id(frame) } else { frame };
            let described = || {
                let (content, _) = self.take(start, bytes.min(before + 256));
                is_plain && describes(content.get(before..).unwrap_or_default(), tag.name())
            };
            // Programs also write the tempo and the key as user texts.
            tag.id3_frame().is_some_and(is) || is("TXXX") && described()
        });
        Ok(Some((end, is_own)))
    }

    /// Returns the size of a frame of version 2.4, which iTunes writes plainly; what follows it tells.
    fn size_4(&self, size: &[u8], start: usize) -> usize {
        let (plain, safe) = (plain(size), safe(size));
        if size.iter().any(|byte| byte & 0x80 != 0) {
            return plain;
        }
        let after = |bytes: usize| match self.body.get(start.saturating_add(bytes)..) {
            None => 0,
            Some(rest) if rest.len() >= 4 && identifier(&rest[..4]).is_some() => 2,
            // A picture has some zeros too.
            Some(rest) => u8::from(rest.iter().take(PADDING_BYTES).all(|byte| *byte == 0)),
        };
        if after(plain) > after(safe) { plain } else { safe }
    }
}

/// Returns whether the content of a user text begins with this description, in any encoding and case of letters.
fn describes(content: &[u8], name: &str) -> bool {
    let Some((encoding, text)) = content.split_first() else { return false };
    let (description, _) = crate::text::split_id3v2(*encoding, text);
    crate::text::id3v2(*encoding, description).eq_ignore_ascii_case(name)
}
