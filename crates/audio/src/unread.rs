//! Tags and padding that may be anywhere in a file, and the warning about bytes that are neither these nor sound.

use std::ops::Range;

use super::source::FileWindow;
use base::error::Result;

/// The size of an `ID3v1` tag in bytes, and of its extension `TAG+`, which precedes it.
const ID3V1_BYTES: u64 = 128;
const ID3V1_PLUS_BYTES: u64 = 227;
/// The size of the header and of the footer of an APE tag in bytes.
const APE_HEAD_BYTES: u64 = 32;
/// The longest key of an item of an APE tag.
const MAX_APE_KEY: usize = 255;
/// The largest `Lyrics3` tag in bytes whose end is searched for. Version 1 allows 5,100.
const MAX_LYRICS_BYTES: usize = 8 << 10;
/// More zeros than this are reported, as padding is shorter.
const MAX_PADDING_BYTES: u64 = 256 << 20;
/// The maximum number of zeros in front of the sound of a stream.
const MAX_LEADING_ZEROS: u64 = 64 << 20;
/// The maximum number of consecutive tags, and of those that are searched for backwards from the end.
const MAX_TAGS: usize = 10_000;
const MAX_END_TAGS: usize = 64;

/// Returns the byte after the known tags that begin at `at`: `ID3v1`, `ID3v2`, APE and `Lyrics3`, in any order and up to
/// `end`. Returns `at` if there are none.
pub(crate) fn skip_tags(window: &mut FileWindow, mut at: u64, end: u64) -> Result<u64> {
    for _ in 0..MAX_TAGS {
        match tag_end(window, at)? {
            Some(after) if at < end => at = after.min(end),
            _ => break,
        }
    }
    Ok(at)
}

/// Returns the byte after the tag that begins at `at`. An APE tag without a header is known only by its footer.
fn tag_end(window: &mut FileWindow, at: u64) -> Result<Option<u64>> {
    let head = window.bytes(at, APE_HEAD_BYTES as usize)?;
    if let Some(bytes) = id3v2_bytes(head) {
        return Ok(Some(at.saturating_add(bytes)));
    }
    if head.starts_with(b"TAG+") {
        return Ok(Some(at + ID3V1_PLUS_BYTES));
    }
    if head.starts_with(b"TAG") {
        return Ok(Some(at + ID3V1_BYTES));
    }
    if let Some(ape) = ApeHead::read(head) {
        return Ok(Some(at.saturating_add(APE_HEAD_BYTES + if ape.is_header { ape.bytes } else { 0 })));
    }
    if head.starts_with(b"LYRICSBEGIN") {
        let text = window.bytes(at, MAX_LYRICS_BYTES)?;
        let is_end = |at: &usize| matches!(text.get(*at..*at + 9), Some(b"LYRICSEND" | b"LYRICS200"));
        let end = (0..text.len()).filter(|at| text[*at] == b'L').find(is_end);
        return Ok(end.map(|end| at + end as u64 + 9));
    }
    Ok(None)
}

/// Returns whether these bytes are the beginning of a known tag.
pub(crate) fn begins_tag(head: &[u8]) -> bool {
    [b"TAG".as_slice(), b"APETAGEX", b"LYRICSBEGIN"].iter().any(|name| head.starts_with(name))
        || id3v2_bytes(head).is_some()
}

/// Returns the size of the `ID3v2` tag that begins with these bytes, with its header and footer.
pub(crate) fn id3v2_bytes(head: &[u8]) -> Option<u64> {
    let head = head.first_chunk::<10>().filter(|head| head.starts_with(b"ID3"))?;
    if head[3] == 0xff || head[4] == 0xff || head[6..].iter().any(|byte| byte & 0x80 != 0) {
        return None;
    }
    let size = head[6..].iter().fold(0u64, |size, byte| size << 7 | u64::from(*byte));
    Some(10 + size + if head[5] & 0x10 == 0 { 0 } else { 10 })
}

/// The header or the footer of an APE tag.
struct ApeHead {
    /// The size of items and footer in bytes.
    bytes: u64,
    is_header: bool,
    has_header: bool,
}

impl ApeHead {
    fn read(head: &[u8]) -> Option<Self> {
        let head = head.first_chunk::<32>().filter(|head| head.starts_with(b"APETAGEX"))?;
        let le32 = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let flags = le32(20);
        Some(Self { bytes: u64::from(le32(12)), is_header: flags >> 29 & 1 == 1, has_header: flags >> 31 == 1 })
    }

    /// Returns the byte at which the tag begins whose footer begins at `footer`.
    fn start(&self, footer: u64) -> Option<u64> {
        let header = if self.has_header { APE_HEAD_BYTES } else { 0 };
        (footer + APE_HEAD_BYTES).checked_sub(self.bytes)?.checked_sub(header)
    }
}

/// Returns whether these bytes, at `at`, are the footer of an APE tag whose items begin at `start`.
pub(crate) fn is_ape_footer(head: &[u8], at: u64, start: u64) -> bool {
    ApeHead::read(head).is_some_and(|head| !head.is_header && head.start(at) == Some(start))
}

/// Returns the byte at which the known tags begin that end the bytes `start..end`.
pub(crate) fn without_end_tags(window: &mut FileWindow, start: u64, mut end: u64) -> Result<u64> {
    for _ in 0..MAX_END_TAGS {
        let Some(begin) = end_tag_start(window, end)?.filter(|begin| *begin >= start && *begin < end) else { break };
        end = begin;
    }
    Ok(end)
}

/// Returns the byte at which the tag begins that ends at `end`.
fn end_tag_start(window: &mut FileWindow, end: u64) -> Result<Option<u64>> {
    for (name, bytes) in [(b"TAG+".as_slice(), ID3V1_PLUS_BYTES), (b"TAG", ID3V1_BYTES)] {
        if let Some(at) = end.checked_sub(bytes)
            && window.bytes(at, name.len())? == name
        {
            return Ok(Some(at));
        }
    }
    if let Some(at) = end.checked_sub(APE_HEAD_BYTES)
        && let Some(head) = ApeHead::read(window.bytes(at, APE_HEAD_BYTES as usize)?)
    {
        // A footer with a wrong size counts as a tag by itself.
        return Ok(Some(match head.start(at) {
            Some(start) if begins_ape(window, &head, start, at)? => start,
            _ => at,
        }));
    }
    // Version 2 of Lyrics3 ends with its size in six digits. Version 1 is at most 5,100 bytes long.
    let Some(at) = end.checked_sub(15) else { return Ok(None) };
    let word = window.array::<15>(at)?.unwrap_or_default();
    if word.ends_with(b"LYRICS200") {
        let size = std::str::from_utf8(&word[..6]).ok().and_then(|digits| digits.parse::<u64>().ok());
        return Ok(size.and_then(|size| at.checked_sub(size)));
    }
    if word.ends_with(b"LYRICSEND") {
        let from = end.saturating_sub(5200);
        let text = window.bytes(from, (end - from) as usize)?;
        let begin = text.windows(11).rposition(|word| word == b"LYRICSBEGIN");
        return Ok(begin.map(|begin| from + begin as u64));
    }
    Ok(None)
}

/// Returns whether the APE tag with a footer at `footer` begins at `start`: by its header, or the key of its first item.
fn begins_ape(window: &mut FileWindow, foot: &ApeHead, start: u64, footer: u64) -> Result<bool> {
    if foot.has_header {
        return Ok(ApeHead::read(window.bytes(start, APE_HEAD_BYTES as usize)?).is_some_and(|head| head.is_header));
    }
    let key = window.bytes(start.saturating_add(8), MAX_APE_KEY + 1)?;
    let length = key.iter().position(|byte| *byte == 0).unwrap_or(0);
    Ok(start == footer || length >= 2 && key[..length].iter().all(|byte| (0x20..0x7f).contains(byte)))
}

/// Returns the byte after the zeros that begin at `at`, up to `end`.
pub(crate) fn skip_zeros(window: &mut FileWindow, mut at: u64, end: u64) -> Result<u64> {
    const STEP: u64 = 64 << 10;
    let end = end.min(at.saturating_add(MAX_PADDING_BYTES));
    while at < end {
        let bytes = window.bytes(at, STEP.min(end - at) as usize)?;
        match bytes.iter().position(|byte| *byte != 0) {
            Some(zeros) => return Ok(at + zeros as u64),
            None if bytes.is_empty() => break,
            None => at += bytes.len() as u64,
        }
    }
    Ok(at)
}

/// Returns the byte after the known tags and the zeros that begin at `at`, up to `end`.
pub(crate) fn skip_padding(window: &mut FileWindow, mut at: u64, end: u64) -> Result<u64> {
    for _ in 0..MAX_TAGS {
        let tags = skip_tags(window, at, end)?;
        let after = skip_zeros(window, tags, end.min(tags.saturating_add(MAX_LEADING_ZEROS)))?;
        if after == at {
            break;
        }
        at = after;
    }
    Ok(at)
}

/// Returns the warning about the bytes from `read_to` to the end of the file, which no reader looked at; `None` if they
/// are known tags and padding.
pub(crate) fn warning(window: &mut FileWindow, read_to: u64) -> Result<Option<String>> {
    let end = window.source().bytes();
    unread(window, read_to..end)
}

/// Returns the warning about a range of bytes that no reader looked at; `None` if they are known tags and padding.
pub(crate) fn unread(window: &mut FileWindow, range: Range<u64>) -> Result<Option<String>> {
    let (mut at, end) = (range.start, range.end);
    for _ in 0..MAX_TAGS {
        let tags = skip_tags(window, at, end)?;
        // An MP4 file begins with zeros.
        let is_file = known_format(window.bytes(tags, 12)?).is_some();
        let after = if is_file { tags } else { skip_zeros(window, tags, end)? };
        if after == at {
            break;
        }
        at = after;
    }
    let until = without_end_tags(window, at, end)?;
    if until <= at {
        return Ok(None);
    }
    let joined = match known_format(window.bytes(at, 12)?) {
        Some(name) => format!(" They begin like another file ({name}): several files may have been joined."),
        None => String::new(),
    };
    let (bytes, at) = (until - at, at + window.source().origin());
    Ok(Some(match bytes {
        1 => format!("1 byte of the file, at byte {at}, is not read: it is neither sound nor a known tag."),
        _ => format!(
            "{bytes} bytes of the file, from byte {at} on, are not read: they are neither sound nor known tags.{joined}"
        ),
    }))
}

/// Returns the name of the format that begins with these bytes.
fn known_format(head: &[u8]) -> Option<&'static str> {
    Some(match head {
        [b'R', b'I', b'F', b'F' | b'X', ..] | [b'R', b'F', b'6', b'4', ..] | [b'B', b'W', b'6', b'4', ..] => "WAV",
        [b'r', b'i', b'f', b'f', 0x2e, 0x91, ..] => "Wave64",
        [b'F', b'O', b'R', b'M', ..] => "AIFF",
        [b'f', b'L', b'a', b'C', ..] => "FLAC",
        // A page that goes on belongs to a file that was cut.
        [b'O', b'g', b'g', b'S', _, flags, ..] if flags & 2 != 0 => "Ogg",
        [b'c', b'a', b'f', b'f', ..] => "CAF",
        [0x1a, 0x45, 0xdf, 0xa3, ..] => "Matroska",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => "MP4",
        _ => return None,
    })
}
