//! Tags of MP4 files in the iTunes format: `moov.udta.meta.ilst`; and their chapters.

use lofty::id3::v1::GENRES;
use lofty::tag::TagType;

use super::collect::Collected;
use super::limits::{MAX_FIELD_BYTES, MAX_NAME_BYTES};
use super::picture::picture;
use super::span::{Span, read_up_to};
use crate::container::mp4::boxes::{Mp4Box, find, for_each};
use crate::markers;
use crate::source::FileWindow;
use crate::text::utf16;
use base::error::{Error, Result};
use base::units::SampleRate;

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
    if item.kind == *b"----" {
        for part in [*b"mean", *b"name"] {
            let Some(part) = find(window, item, part)? else { return Ok(()) };
            let start = part.start.saturating_add(FULL_BYTES);
            let bytes = part.end.saturating_sub(start).min(MAX_NAME_BYTES as u64) as usize;
            name.push(':');
            name.push_str(&String::from_utf8_lossy(window.bytes(start, bytes)?));
        }
    }
    for_each(window, item, |window, data, _| {
        if !collected.part() {
            return Ok(false);
        }
        if data.kind == *b"data" {
            read_value(window, &name, data, collected)?;
        }
        Ok(true)
    })
}

fn read_value(window: &mut FileWindow, name: &str, data: Mp4Box, collected: &mut Collected) -> Result<()> {
    // A type of the well-known set, followed by a locale.
    let Some(kind) = window.be32(data.start)?.filter(|kind| kind >> 24 == 0) else { return Ok(()) };
    let content = Mp4Box { start: data.start.saturating_add(8), ..data };
    if name == "covr" {
        return read_cover(window, content, kind, collected);
    }
    let limit = content.bytes().min(2 * MAX_FIELD_BYTES as u64 + 4) as usize;
    let bytes = window.bytes(content.start, limit)?;
    match (name, kind) {
        ("trkn" | "disk", 0) if bytes.len() >= 6 => {
            let (number, total) =
                if name == "trkn" { ("TRACKNUMBER", "TRACKTOTAL") } else { ("DISCNUMBER", "DISCTOTAL") };
            for (key, at) in [(number, 2), (total, 4)] {
                let value = u16::from_be_bytes([bytes[at], bytes[at + 1]]);
                if value > 0 {
                    collected.add(key, &value.to_string());
                }
            }
        }
        ("gnre", _) => {
            let genre = bytes.get(1).and_then(|number| GENRES.get(usize::from(*number).checked_sub(1)?));
            genre.into_iter().for_each(|genre| collected.add("GENRE", genre));
        }
        ("cpil" | "pcst", _) => {
            let set = bytes.iter().any(|byte| *byte != 0);
            collected.add_native(TagType::Mp4Ilst, name, if set { "1" } else { "0" });
        }
        // A whole number of one to four bytes, typed as one or not at all. 0 stands for unknown.
        ("tmpo", 0 | 21 | 22) if (1..=4).contains(&bytes.len()) => {
            let bpm = bytes.iter().fold(0u32, |value, byte| value << 8 | u32::from(*byte));
            if bpm > 0 {
                collected.add("BPM", &bpm.to_string());
            }
        }
        (_, 1) => collected.add_native(TagType::Mp4Ilst, name, &String::from_utf8_lossy(bytes)),
        (_, 2) => collected.add_native(TagType::Mp4Ilst, name, &utf16(bytes, true)),
        _ => {}
    }
    Ok(())
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
    collected.add_picture(picture(mime, 0, data));
    Ok(())
}
