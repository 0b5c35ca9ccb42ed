//! The loudspeakers of FLAC files whose number of channels does not tell them.

use crate::Layout;

/// The comment by which FLAC files state a layout that their number of channels does not (RFC 9639, section 8.6.2).
pub(crate) const CHANNEL_MASK: &str = "WAVEFORMATEXTENSIBLE_CHANNEL_MASK";

/// Returns the layout that Vorbis comments among these bytes state.
pub(crate) fn layout_in_comments(bytes: &[u8]) -> Option<Layout> {
    let at = bytes.windows(CHANNEL_MASK.len()).position(|name| name.eq_ignore_ascii_case(CHANNEL_MASK.as_bytes()))?;
    let value = bytes.get(at + CHANNEL_MASK.len()..)?.strip_prefix(b"=")?;
    let end = value.iter().take(16).position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(value.len().min(16));
    // The length of a next comment may look like one more digit, but no mask has eight.
    let text = std::str::from_utf8(&value[..end]).ok()?;
    Layout::from_mask(mask_of(text)?)
}

/// Returns the number that a comment states in decimal or, after `0x`, in hexadecimal.
pub(crate) fn mask_of(text: &str) -> Option<u32> {
    let text = text.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
