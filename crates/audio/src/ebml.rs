//! The parts of EBML (RFC 8794) that Matroska needs.

use crate::source::FileWindow;
use base::error::Result;

/// The maximum number of sibling elements: a day of audio in blocks of 20 ms, with or without an element around each.
const MAX_ELEMENTS: usize = 8_000_000;

/// The identifier of the file itself, which is not an element.
pub(crate) const TOP: u32 = 0;

/// The header, and the elements that may be of unknown size.
const EBML: u32 = 0x1a45_dfa3;
pub(crate) const SEGMENT: u32 = 0x1853_8067;
pub(crate) const CLUSTER: u32 = 0x1f43_b675;

/// An element: its identifier and the byte range of its contents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub id: u32,
    pub start: u64,
    pub end: u64,
    /// Whether the element does not state its size.
    pub unknown: bool,
}

/// Reads a variable-width number at `at`. Returns its value without the marker, and its width in bytes.
pub(crate) fn number(window: &mut FileWindow, at: u64) -> Result<Option<(u64, u32)>> {
    let bytes = window.bytes(at, 8)?;
    let Some(first) = bytes.first().copied().filter(|first| *first != 0) else { return Ok(None) };
    let width = first.leading_zeros() + 1;
    let Some(bytes) = bytes.get(..width as usize) else { return Ok(None) };
    let value = bytes.iter().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    Ok(Some((value & ((1 << (7 * width)) - 1), width)))
}

/// Calls `visit` with every element in `parent`, until it returns `false`. Returns the byte after the last element before
/// that.
pub(crate) fn for_each(
    window: &mut FileWindow,
    parent: Element,
    mut visit: impl FnMut(&mut FileWindow, Element) -> Result<bool>,
) -> Result<u64> {
    let file_end = window.source().bytes();
    let mut at = parent.start;
    for _ in 0..MAX_ELEMENTS {
        if at >= parent.end.min(file_end) {
            break;
        }
        let Some(first) = window.array::<1>(at)?.map(|[first]| first).filter(|first| *first >= 0x10) else { break };
        let id_width = u64::from(first.leading_zeros() + 1);
        let id = window.bytes(at, id_width as usize)?.iter().fold(0u32, |id, byte| id << 8 | u32::from(*byte));
        // Live recordings leave sizes unknown. Such an element ends where an element begins that cannot be within it.
        if parent.unknown && is_above(parent.id, id) {
            break;
        }
        let Some((size, size_width)) = number(window, at + id_width)? else { break };
        let start = at + id_width + u64::from(size_width);
        let unknown = size == (1 << (7 * size_width)) - 1;
        // Only these two may have an unknown size (RFC 9559, section 5.1.3), and neither within another of its kind.
        // Otherwise the nesting depth of a malicious file would be limited only by its size.
        if unknown && !(id == CLUSTER || (id == SEGMENT && parent.id == TOP)) {
            break;
        }
        let end = if unknown { parent.end } else { start.saturating_add(size) };
        // An element ends with its parent at the latest. At the top level, its stated end shows whether the segment was
        // truncated.
        let end = if parent.id == TOP { end } else { end.min(parent.end) };
        let element = Element { id, start, end, unknown };
        if !visit(window, element)? {
            break;
        }
        at = if unknown { end_of_unknown(window, element)? } else { end };
    }
    Ok(at)
}

/// Returns whether an element with identifier `id` cannot be within one with identifier `parent`.
fn is_above(parent: u32, id: u32) -> bool {
    // All four-byte identifiers belong to the file, the segment and the segment's direct children.
    match parent {
        CLUSTER => id >= 0x1000_0000,
        SEGMENT => matches!(id, EBML | SEGMENT),
        _ => false,
    }
}

fn end_of_unknown(window: &mut FileWindow, element: Element) -> Result<u64> {
    let mut end = element.start;
    for_each(window, element, |_, child| {
        end = child.end;
        Ok(true)
    })?;
    Ok(end.max(element.start))
}

/// Reads the element's contents as an unsigned integer.
pub(crate) fn unsigned(window: &mut FileWindow, element: Element) -> Result<u64> {
    let count = element.end.saturating_sub(element.start).min(8) as usize;
    Ok(window.bytes(element.start, count)?.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

/// Reads the element's contents as a signed integer.
pub(crate) fn signed(window: &mut FileWindow, element: Element) -> Result<i64> {
    let count = element.end.saturating_sub(element.start).min(8) as u32;
    let value = unsigned(window, element)?;
    Ok(if count == 0 { 0 } else { (value << (64 - 8 * count)).cast_signed() >> (64 - 8 * count) })
}

/// Reads the element's contents as a floating-point number; 0 if its size is neither 4 nor 8 bytes.
pub(crate) fn float(window: &mut FileWindow, element: Element) -> Result<f64> {
    let value = unsigned(window, element)?;
    Ok(match element.end.saturating_sub(element.start) {
        4 => f64::from(f32::from_bits(value as u32)),
        8 => f64::from_bits(value),
        _ => 0.0,
    })
}

/// Reads the bytes in an element, up to `limit`.
pub(crate) fn bytes(window: &mut FileWindow, element: Element, limit: u64) -> Result<Vec<u8>> {
    let count = element.end.saturating_sub(element.start).min(limit);
    Ok(window.bytes(element.start, count as usize)?.to_vec())
}
