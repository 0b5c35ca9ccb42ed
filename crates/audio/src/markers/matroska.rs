//! Chapters of Matroska and `WebM` files (RFC 9559, section 5.1.7): atoms with a start, mostly an end, and names.

use super::timed::TimedChapter;
use super::{MAX_MARKERS, MAX_TEXT_BYTES};
use crate::ebml::{Element, bytes, for_each, unsigned};
use crate::source::FileWindow;
use crate::text::utf8_or_latin1;
use base::error::Result;

/// The units of time in a second.
pub(super) const UNITS: u64 = 1_000_000_000;

const EDITION: u32 = 0x45b9;
const EDITION_DEFAULT: u32 = 0x45db;
const EDITION_HIDDEN: u32 = 0x45bd;
const ATOM: u32 = 0xb6;
const ATOM_START: u32 = 0x91;
const ATOM_END: u32 = 0x92;
const ATOM_HIDDEN: u32 = 0x98;
const ATOM_ENABLED: u32 = 0x4598;
const DISPLAY: u32 = 0x80;
const DISPLAY_NAME: u32 = 0x85;
/// How deep atoms within atoms are read.
const MAX_DEPTH: u32 = 8;

/// Reads the chapters of one edition: the default one, otherwise the first that is not hidden. Times count from
/// `begins_ns`, the time of the sound's first frame. Chapters within chapters stand beside them.
pub(crate) fn read(window: &mut FileWindow, chapters: Element, begins_ns: u64) -> Result<Vec<TimedChapter>> {
    let (mut chosen, mut has_default) = (None, false);
    for_each(window, chapters, |window, edition| {
        if edition.id != EDITION {
            return Ok(true);
        }
        let (mut is_default, mut is_hidden) = (false, false);
        for_each(window, edition, |window, element| {
            match element.id {
                EDITION_DEFAULT => is_default = unsigned(window, element)? == 1,
                EDITION_HIDDEN => is_hidden = unsigned(window, element)? == 1,
                _ => {}
            }
            Ok(true)
        })?;
        if !is_hidden && (chosen.is_none() || is_default && !has_default) {
            chosen = Some(edition);
            has_default = is_default;
        }
        Ok(!has_default)
    })?;
    let mut found = Vec::new();
    if let Some(edition) = chosen {
        read_atoms(window, edition, begins_ns, MAX_DEPTH, &mut found)?;
    }
    Ok(found)
}

/// Adds the chapters of an edition, or of a chapter.
fn read_atoms(
    window: &mut FileWindow,
    parent: Element,
    begins_ns: u64,
    depth: u32,
    found: &mut Vec<TimedChapter>,
) -> Result<()> {
    for_each(window, parent, |window, atom| {
        if atom.id != ATOM {
            return Ok(true);
        }
        let (mut start, mut end, mut name, mut is_shown, mut has_atoms) = (None, None, None, true, false);
        for_each(window, atom, |window, element| {
            match element.id {
                ATOM_START => start = Some(unsigned(window, element)?),
                ATOM_END => end = Some(unsigned(window, element)?),
                ATOM_HIDDEN => is_shown &= unsigned(window, element)? == 0,
                ATOM_ENABLED => is_shown &= unsigned(window, element)? != 0,
                ATOM => has_atoms = true,
                // The first of the names, which are of one language each.
                DISPLAY if name.is_none() => name = display_name(window, element)?,
                _ => {}
            }
            Ok(true)
        })?;
        let from = |time: u64| time.saturating_sub(begins_ns);
        if let Some(start) = start.filter(|_| is_shown) {
            let name = name.unwrap_or_default();
            let (start, end) = (from(start), end.map(from));
            found.push(TimedChapter { is_region: false, start, end, name, note: String::new() });
        }
        if has_atoms && depth > 0 && found.len() < MAX_MARKERS {
            read_atoms(window, atom, begins_ns, depth - 1, found)?;
        }
        Ok(found.len() < MAX_MARKERS)
    })
    .map(drop)
}

fn display_name(window: &mut FileWindow, display: Element) -> Result<Option<String>> {
    let mut name = None;
    for_each(window, display, |window, element| {
        if element.id == DISPLAY_NAME {
            name = Some(utf8_or_latin1(&bytes(window, element, MAX_TEXT_BYTES as u64)?));
        }
        Ok(name.is_none())
    })?;
    Ok(name)
}
