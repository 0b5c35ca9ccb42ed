//! Tags of MP4 files in the iTunes format: `moov.udta.meta.ilst`; and their chapters.

use super::collect::Collected;
use super::limits::{MAX_FIELD_BYTES, MAX_NAME_BYTES};
use super::picture::picture;
use super::span::{Span, read_up_to};
use crate::container::mp4::boxes::{Mp4Box, find, for_each};
use crate::markers;
use crate::source::FileWindow;
use crate::tags::change::FRONT_COVER;
use crate::tags::fields::{self, TagKind};
use crate::text::utf16;
use base::error::{Error, Result};
use base::units::SampleRate;

/// The mean of free items that iTunes and most other programs write.
const ITUNES: &str = "com.apple.iTunes";
/// The beginning of the names of technical data that iTunes stores in free items.
const TECHNICAL: &str = "iTun";
/// The kind of pictures of which nothing is known.
const OTHER: u8 = 0;
/// Items with whole numbers.
const NUMBERS: [&str; 4] = ["rtng", "\u{a9}mvi", "\u{a9}mvc", "rate"];
/// The size of version and flags in a full box, in bytes.
const FULL_BYTES: u64 = 4;

/// Reads the tags of an MP4 file.
pub(super) fn read(window: &mut FileWindow, rate: SampleRate, collected: &mut Collected) -> Result<()> {
    let all = Mp4Box { kind: *b"file", start: 0, end: window.source().bytes() };
    let Some(movie) = find(window, all, *b"moov")? else { return Ok(()) };
    collected.markers.mp4 = markers::mp4::read(window, movie, rate)?;
    let Some(user) = find(window, movie, *b"udta")? else { return Ok(()) };
    let Some(meta) = find(window, user, *b"meta")? else { return Ok(()) };
    // In `QuickTime`, `meta` is not a full box.
    let full = Mp4Box { start: meta.start.saturating_add(FULL_BYTES), ..meta };
    let list = match find(window, full, *b"ilst")? {
        Some(list) => Some(list),
        None => find(window, meta, *b"ilst")?,
    };
    let Some(list) = list else { return Ok(()) };
    for_each(window, list, |window, item, _| {
        if collected.part() {
            read_item(window, item, collected)?;
            return Ok(true);
        }
        Ok(false)
    })
}

fn read_item(window: &mut FileWindow, item: Mp4Box, collected: &mut Collected) -> Result<()> {
    // Many names contain the Latin-1 copyright sign.
    let mut name: String = item.kind.iter().map(|byte| char::from(*byte)).collect();
    let is_free = item.kind == *b"----";
    if is_free {
        let mut parts = [String::new(), String::new()];
        for (text, kind) in parts.iter_mut().zip([*b"mean", *b"name"]) {
            let Some(part) = find(window, item, kind)? else { return Ok(()) };
            let start = part.start.saturating_add(FULL_BYTES);
            let bytes = part.end.saturating_sub(start).min(MAX_NAME_BYTES as u64) as usize;
            *text = String::from_utf8_lossy(window.bytes(start, bytes)?).into_owned();
        }
        let [mean, free] = parts;
        if mean != ITUNES || free.starts_with(TECHNICAL) {
            return Ok(());
        }
        name = free;
    }
    for_each(window, item, |window, data, _| {
        if !collected.part() {
            return Ok(false);
        }
        if data.kind == *b"data" && !read_value(window, &name, is_free, data, collected)? {
            collected.not_kept("MP4 item", &item.kind);
        }
        Ok(true)
    })
}

/// Reads a value. Returns whether it is kept, or says nothing.
fn read_value(
    window: &mut FileWindow,
    name: &str,
    is_free: bool,
    data: Mp4Box,
    collected: &mut Collected,
) -> Result<bool> {
    // A type of the well-known set, followed by a locale.
    let Some(kind) = window.be32(data.start)?.filter(|kind| kind >> 24 == 0) else { return Ok(false) };
    let content = Mp4Box { start: data.start.saturating_add(8), ..data };
    let atom = if is_free { "" } else { name };
    if atom == "covr" {
        read_cover(window, content, kind, collected)?;
        return Ok(true);
    }
    let limit = content.bytes().min(2 * MAX_FIELD_BYTES as u64 + 4) as usize;
    let bytes = window.bytes(content.start, limit)?;
    match (atom, kind) {
        ("trkn" | "disk", 0) if bytes.len() >= 6 => {
            let (number, total) =
                if atom == "trkn" { ("TRACKNUMBER", "TRACKTOTAL") } else { ("DISCNUMBER", "DISCTOTAL") };
            for (key, at) in [(number, 2), (total, 4)] {
                let value = u16::from_be_bytes([bytes[at], bytes[at + 1]]);
                if value > 0 {
                    collected.add(key, &value.to_string());
                }
            }
        }
        ("gnre", _) => {
            let genre = bytes.get(1).and_then(|number| fields::genre(usize::from(*number).checked_sub(1)?));
            genre.into_iter().for_each(|genre| collected.add("GENRE", genre));
        }
        ("cpil" | "pcst", _) => {
            let set = bytes.iter().any(|byte| *byte != 0);
            return Ok(add(collected, name, is_free, if set { "1" } else { "0" }));
        }
        // A whole number of one to four bytes, typed as one or not at all. 0 stands for unknown.
        ("tmpo", 0 | 21 | 22) if (1..=4).contains(&bytes.len()) => {
            let bpm = bytes.iter().fold(0u32, |value, byte| value << 8 | u32::from(*byte));
            if bpm > 0 {
                collected.add("BPM", &bpm.to_string());
            }
        }
        (_, 0 | 21 | 22) if NUMBERS.contains(&atom) && (1..=4).contains(&bytes.len()) => {
            let number = bytes.iter().fold(0u32, |value, byte| value << 8 | u32::from(*byte));
            return Ok(number == 0 || add(collected, name, is_free, &number.to_string()));
        }
        (_, 1) => return Ok(add(collected, name, is_free, &String::from_utf8_lossy(bytes))),
        (_, 2) => return Ok(add(collected, name, is_free, &utf16(bytes, true))),
        _ => return Ok(false),
    }
    Ok(true)
}

/// Adds a text. Returns whether it has a name here.
fn add(collected: &mut Collected, name: &str, is_free: bool, text: &str) -> bool {
    let is_known = collected.add_native(TagKind::Mp4, name, text);
    if !is_known && is_free {
        collected.add(name, text);
    }
    is_known || is_free
}

fn read_cover(window: &mut FileWindow, content: Mp4Box, kind: u32, collected: &mut Collected) -> Result<()> {
    let mime = match kind {
        0 => "",
        12 => "image/gif",
        13 => "image/jpeg",
        14 => "image/png",
        27 => "image/bmp",
        _ => return Ok(()),
    };
    if content.bytes() > collected.picture_room() as u64 {
        collected.leave_out_picture(content.bytes());
        return Ok(());
    }
    let path = window.source().path().to_owned();
    let mut span = Span::new(window, content.start, content.end);
    let (data, _) =
        read_up_to(&mut span, collected.picture_room()).map_err(|error| Error::io("read the tags", &path, error))?;
    // All of them are covers. The first is the one that players show.
    let kind = if collected.has_pictures() { OTHER } else { FRONT_COVER };
    collected.add_picture(picture(mime, kind, String::new(), data));
    Ok(())
}
