//! EBML (RFC 8794), as far as Matroska needs it.

use crate::audio::source::Window;
use crate::error::Result;

/// Elements beside each other, at most: a day of audio in blocks of 20 ms, each an element of its cluster or not.
const MAX_ELEMENTS: usize = 8_000_000;

/// Stands for the file, which is no element.
pub(super) const TOP: u32 = 0;

/// An element: what it is, and where what it holds begins and ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub id: u32,
    pub start: u64,
    pub end: u64,
    /// Whether it does not say where it ends.
    pub unknown: bool,
}

/// A number of variable width at `at`, without its marker, and its width in bytes.
pub(super) fn number(window: &mut Window, at: u64) -> Result<Option<(u64, u32)>> {
    let bytes = window.bytes(at, 8)?;
    let Some(first) = bytes.first().copied().filter(|first| *first != 0) else { return Ok(None) };
    let width = first.leading_zeros() + 1;
    let Some(bytes) = bytes.get(..width as usize) else { return Ok(None) };
    let value = bytes.iter().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    Ok(Some((value & ((1 << (7 * width)) - 1), width)))
}

/// Calls `visit` with every element in `parent` until it returns false.
pub(super) fn for_each(
    window: &mut Window,
    parent: Element,
    mut visit: impl FnMut(&mut Window, Element) -> Result<bool>,
) -> Result<()> {
    let file_end = window.source().bytes();
    let mut at = parent.start;
    for _ in 0..MAX_ELEMENTS {
        if at >= parent.end.min(file_end) {
            break;
        }
        let Some(first) = window.array::<1>(at)?.map(|[first]| first).filter(|first| *first >= 0x10) else { break };
        let id_width = u64::from(first.leading_zeros() + 1);
        let id = window.bytes(at, id_width as usize)?.iter().fold(0u32, |id, byte| id << 8 | u32::from(*byte));
        // A live recording leaves sizes open; such an element ends where one of its parent's kind begins.
        if parent.unknown && is_above(parent.id, id) {
            break;
        }
        let Some((size, size_width)) = number(window, at + id_width)? else { break };
        let start = at + id_width + u64::from(size_width);
        let unknown = size == (1 << (7 * size_width)) - 1;
        // Only these two may leave their size open (RFC 9559, section 5.1.3), and neither within its own kind: else a
        // file could nest elements as deep as it is long.
        if unknown && !(id == super::CLUSTER || (id == super::SEGMENT && parent.id == TOP)) {
            break;
        }
        let end = if unknown { parent.end } else { start.saturating_add(size) };
        // Nothing reaches beyond what it is in. The file's own end shows whether the segment was cut off.
        let end = if parent.id == TOP { end } else { end.min(parent.end) };
        let element = Element { id, start, end, unknown };
        if !visit(window, element)? {
            break;
        }
        at = if unknown { end_of_unknown(window, element)? } else { end };
    }
    Ok(())
}

/// Whether an element of kind `id` cannot be within one of kind `parent`.
fn is_above(parent: u32, id: u32) -> bool {
    // All four-byte identifiers are of the segment and what stands directly in it.
    parent == super::CLUSTER && id >= 0x1000_0000
}

fn end_of_unknown(window: &mut Window, element: Element) -> Result<u64> {
    let mut end = element.start;
    for_each(window, element, |_, child| {
        end = child.end;
        Ok(true)
    })?;
    Ok(end.max(element.start))
}

/// The unsigned integer in an element.
pub(super) fn unsigned(window: &mut Window, element: Element) -> Result<u64> {
    let count = element.end.saturating_sub(element.start).min(8) as usize;
    Ok(window.bytes(element.start, count)?.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

/// The signed integer in an element.
pub(super) fn signed(window: &mut Window, element: Element) -> Result<i64> {
    let count = element.end.saturating_sub(element.start).min(8) as u32;
    let value = unsigned(window, element)?;
    Ok(if count == 0 { 0 } else { (value << (64 - 8 * count)).cast_signed() >> (64 - 8 * count) })
}

/// The floating-point number in an element.
pub(super) fn float(window: &mut Window, element: Element) -> Result<f64> {
    let value = unsigned(window, element)?;
    Ok(match element.end.saturating_sub(element.start) {
        4 => f64::from(f32::from_bits(value as u32)),
        8 => f64::from_bits(value),
        _ => 0.0,
    })
}

/// The bytes in an element, at most `limit` of them.
pub(super) fn bytes(window: &mut Window, element: Element, limit: u64) -> Result<Vec<u8>> {
    let count = element.end.saturating_sub(element.start).min(limit);
    Ok(window.bytes(element.start, count as usize)?.to_vec())
}
