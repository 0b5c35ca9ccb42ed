//! The box structure of an MP4.

use crate::source::FileWindow;
use base::error::Result;

/// The maximum number of sibling boxes. A fragmented recording of a day has about 10,000.
const MAX_BOXES: usize = 200_000;

/// A box: its type and the byte range of its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mp4Box {
    pub kind: [u8; 4],
    pub start: u64,
    pub end: u64,
}

impl Mp4Box {
    pub(crate) fn bytes(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// Calls `visit` with every box in `parent` and the offset of the box's header, until it returns `false`.
pub(crate) fn for_each(
    window: &mut FileWindow,
    parent: Mp4Box,
    mut visit: impl FnMut(&mut FileWindow, Mp4Box, u64) -> Result<bool>,
) -> Result<()> {
    let mut at = parent.start;
    for _ in 0..MAX_BOXES {
        if at.saturating_add(8) > parent.end {
            break;
        }
        let (Some(size), Some(kind)) = (window.be32(at)?, window.array::<4>(at + 4)?) else { break };
        let (start, size) = match size {
            // A size of 0 means up to the end of the parent.
            0 => (at + 8, parent.end - at),
            1 => (at + 16, window.be64(at + 8)?.unwrap_or(0)),
            size => (at + 8, u64::from(size)),
        };
        let end = at.saturating_add(size);
        if end < start {
            break;
        }
        if !visit(window, Mp4Box { kind, start, end: end.min(parent.end) }, at)? {
            break;
        }
        at = end;
    }
    Ok(())
}

/// Returns the boxes in `parent`, up to 4096 of them.
pub(crate) fn children(window: &mut FileWindow, parent: Mp4Box) -> Result<Vec<Mp4Box>> {
    let mut found = Vec::new();
    for_each(window, parent, |_, child, _| {
        found.push(child);
        Ok(found.len() < 4096)
    })?;
    Ok(found)
}

/// Returns the first box of a given type in `parent`.
pub(crate) fn find(window: &mut FileWindow, parent: Mp4Box, kind: [u8; 4]) -> Result<Option<Mp4Box>> {
    let mut found = None;
    for_each(window, parent, |_, child, _| {
        found = (child.kind == kind).then_some(child);
        Ok(found.is_none())
    })?;
    Ok(found)
}

/// Returns the byte after the last box of a file, or the byte at which another file begins after its end. The fragments
/// of another file are read as part of this one.
pub(crate) fn boxes_end(window: &mut FileWindow) -> Result<u64> {
    let file = Mp4Box { kind: *b"file", start: 0, end: window.source().bytes() };
    let (mut end, mut has_movie, mut has_fragments) = (0, false, false);
    for_each(window, file, |window, found, offset| {
        // In a file that was cut off, only `mdat` may be incomplete.
        let stated = u64::from(window.be32(offset)?.unwrap_or(0));
        let is_cut = stated > 1 && offset.saturating_add(stated) > file.end && &found.kind != b"mdat";
        // The types of QuickTime may begin with a copyright sign.
        let is_name = found.kind.iter().all(|byte| (0x20..0x7f).contains(byte) || *byte == 0xa9);
        let is_other = has_movie && !has_fragments && matches!(&found.kind, b"ftyp" | b"moov");
        has_movie |= &found.kind == b"moov";
        has_fragments |= &found.kind == b"moof";
        let goes_on = is_name && !is_cut && !is_other;
        if goes_on {
            end = found.end;
        }
        Ok(goes_on)
    })?;
    Ok(end)
}
