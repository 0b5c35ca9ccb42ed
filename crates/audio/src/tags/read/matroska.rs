//! Tags and pictures of Matroska and `WebM` files (RFC 9559, sections 5.1.6 and 5.1.8), and their chapters.
//!
//! A tag names what it is about by a level (a track, an album, a collection), or by the identifier of a track or a
//! chapter. Most programs write all fields without a level. Sources for the names: the Matroska tag specifications, and
//! files of the programs that write others.

use super::collect::Collected;
use super::limits::{MAX_FIELD_BYTES, MAX_NAME_BYTES};
use super::picture::{MAX_DESCRIPTION_BYTES, picture};
use super::span::{Span, read_up_to};
use crate::container::mkv::{ATTACHMENTS, CHAPTERS, INFO, TAGS};
use crate::ebml::{Element, bytes, for_each, unsigned};
use crate::markers;
use crate::probed::MatroskaDescription;
use crate::source::FileWindow;
use crate::tags::change::FRONT_COVER;
use crate::tags::fields::{Field, TagKind, field};
use crate::text::utf8_or_latin1;
use base::error::{Error, Result};

const TITLE: u32 = 0x7ba9;
const TAG: u32 = 0x7373;
const TARGETS: u32 = 0x63c0;
const TARGET_LEVEL: u32 = 0x68ca;
const TARGET_TRACK: u32 = 0x63c5;
const TARGET_EDITION: u32 = 0x63c9;
const TARGET_CHAPTER: u32 = 0x63c4;
const TARGET_ATTACHMENT: u32 = 0x63c6;
const FIELD: u32 = 0x67c8;
const FIELD_NAME: u32 = 0x45a3;
const FIELD_TEXT: u32 = 0x4487;
const FIELD_DEFAULT: u32 = 0x4484;
const ATTACHED_FILE: u32 = 0x61a7;
const FILE_DESCRIPTION: u32 = 0x467e;
const FILE_NAME: u32 = 0x466e;
const FILE_TYPE: u32 = 0x4660;
const FILE_DATA: u32 = 0x465c;
/// The levels of a track, of a part of an album such as a disc, of an album, and of a collection.
const TRACK_LEVEL: u64 = 30;
const PART_LEVEL: u64 = 40;
const ALBUM_LEVEL: u64 = 50;
/// The maximum number of fields of a tag that are looked at.
const MAX_FIELDS: usize = 10_000;

/// Fields that mean something else on the level of a track.
const TRACK_NAMES: [(&str, &str); 6] = [
    ("PART_NUMBER", "TRACKNUMBER"),
    ("TRACK", "TRACKNUMBER"),
    ("TOTAL_PARTS", "TRACKTOTAL"),
    ("DISC", "DISCNUMBER"),
    ("REPLAYGAIN_GAIN", "REPLAYGAIN_TRACK_GAIN"),
    ("REPLAYGAIN_PEAK", "REPLAYGAIN_TRACK_PEAK"),
];
/// Fields that mean something else on the level of an album.
const ALBUM_NAMES: [(&str, &str); 7] = [
    ("TITLE", "ALBUM"),
    ("ARTIST", "ALBUMARTIST"),
    ("TITLE/SORT_WITH", "ALBUMSORT"),
    ("ARTIST/SORT_WITH", "ALBUMARTISTSORT"),
    ("TOTAL_PARTS", "TRACKTOTAL"),
    ("REPLAYGAIN_GAIN", "REPLAYGAIN_ALBUM_GAIN"),
    ("REPLAYGAIN_PEAK", "REPLAYGAIN_ALBUM_PEAK"),
];
/// Facts about the track's bytes, which programs write as tags.
const STATISTICS: [&str; 8] = [
    "BPS",
    "DURATION",
    "NUMBER_OF_FRAMES",
    "NUMBER_OF_BYTES",
    "_STATISTICS_",
    "SOURCE_ID",
    "HANDLER_NAME",
    "VENDOR_ID",
];

/// Reads tags, pictures and chapters.
pub(super) fn read(
    window: &mut FileWindow,
    description: &MatroskaDescription,
    collected: &mut Collected,
) -> Result<()> {
    let of = |id: u32| description.elements.iter().filter(move |element| element.id == id).copied();
    if let Some(chapters) = of(CHAPTERS).next() {
        collected.markers.matroska = markers::matroska::read(window, chapters, description.begins_ns)?;
    }
    let mut tags = Vec::new();
    for list in of(TAGS) {
        for_each(window, list, |window, tag| {
            if tag.id == TAG && collected.part() {
                let Targets { level, is_other } = targets(window, tag, description.track_uid)?;
                if !is_other {
                    tags.push((level, tag));
                }
            }
            Ok(tags.len() < MAX_FIELDS)
        })?;
    }
    // Tags about the track come first, then those about everything, then those about the album. The later ones only add
    // fields that the earlier ones lack.
    for (level, tag) in tags.iter().filter(|(level, _)| level.is_some_and(|level| level <= TRACK_LEVEL)) {
        read_fields(window, *tag, *level, collected)?;
    }
    collected.next_tag();
    for (level, tag) in tags.iter().filter(|(level, _)| level.is_none()) {
        read_fields(window, *tag, *level, collected)?;
    }
    collected.next_tag();
    for info in of(INFO) {
        for_each(window, info, |window, element| {
            if element.id == TITLE {
                collected.add("TITLE", &text(window, element)?);
            }
            Ok(true)
        })?;
    }
    for (level, tag) in tags.iter().filter(|(level, _)| level.is_some_and(|level| level > TRACK_LEVEL)) {
        read_fields(window, *tag, *level, collected)?;
    }
    for attachments in of(ATTACHMENTS) {
        for_each(window, attachments, |window, file| {
            if file.id == ATTACHED_FILE && collected.part() {
                read_file(window, file, collected)?;
            }
            Ok(true)
        })?;
    }
    Ok(())
}

/// What a tag is about.
struct Targets {
    /// The level, if the tag states one or names our track.
    level: Option<u64>,
    /// Whether it is about another track, a chapter or an attached file.
    is_other: bool,
}

/// Returns what a tag is about. `uid` is the identifier of our track.
fn targets(window: &mut FileWindow, tag: Element, uid: u64) -> Result<Targets> {
    let (mut level, mut is_other, mut tracks, mut is_ours) = (None, false, false, false);
    for_each(window, tag, |window, element| {
        if element.id == TARGETS {
            for_each(window, element, |window, target| {
                match target.id {
                    TARGET_LEVEL => level = Some(unsigned(window, target)?),
                    TARGET_TRACK => {
                        let named = unsigned(window, target)?;
                        tracks |= named != 0;
                        is_ours |= named != 0 && named == uid;
                    }
                    TARGET_EDITION | TARGET_CHAPTER | TARGET_ATTACHMENT => is_other |= unsigned(window, target)? != 0,
                    _ => {}
                }
                Ok(true)
            })?;
        }
        Ok(element.id != TARGETS)
    })?;
    let level = level.or(is_ours.then_some(TRACK_LEVEL));
    Ok(Targets { level, is_other: is_other || tracks && !is_ours })
}

/// Reads the fields of a tag.
fn read_fields(window: &mut FileWindow, tag: Element, level: Option<u64>, collected: &mut Collected) -> Result<()> {
    let mut fields = 0;
    for_each(window, tag, |window, field| {
        fields += 1;
        if field.id == FIELD {
            read_field(window, field, "", level, collected)?;
        }
        Ok(fields < MAX_FIELDS && collected.part())
    })
    .map(drop)
}

/// Reads a field, and those within it. `of` is the name of the field that it is within.
fn read_field(
    window: &mut FileWindow,
    field: Element,
    of: &str,
    level: Option<u64>,
    collected: &mut Collected,
) -> Result<()> {
    let (mut name, mut value, mut is_default, mut within) = (String::new(), None, true, Vec::new());
    for_each(window, field, |window, element| {
        match element.id {
            FIELD_NAME => name = utf8_or_latin1(&bytes(window, element, MAX_NAME_BYTES as u64 + 1)?).to_uppercase(),
            FIELD_TEXT => value = Some(element),
            FIELD_DEFAULT => is_default = unsigned(window, element)? != 0,
            FIELD if of.is_empty() && within.len() < 16 => within.push(element),
            _ => {}
        }
        Ok(true)
    })?;
    name.truncate(name.trim_end_matches('\0').len());
    if name.is_empty() || STATISTICS.iter().any(|known| name.starts_with(known)) {
        return Ok(());
    }
    if let Some(value) = value.filter(|_| is_default && (of.is_empty() || name == "SORT_WITH")) {
        let full = if of.is_empty() { name.clone() } else { format!("{of}/{name}") };
        add(&full, &text(window, value)?, level, collected);
    }
    for element in within {
        read_field(window, element, &name, level, collected)?;
    }
    Ok(())
}

/// Adds a field under its name among Vorbis comments.
fn add(name: &str, value: &str, level: Option<u64>, collected: &mut Collected) {
    let known =
        |names: &[(&str, &'static str)]| names.iter().find(|(known, _)| *known == name).map(|(_, vorbis)| *vorbis);
    let key = match level {
        Some(ALBUM_LEVEL) => known(&ALBUM_NAMES),
        Some(level) if level > ALBUM_LEVEL => match name {
            "TOTAL_PARTS" => Some("DISCTOTAL"),
            // Fields of a collection would be taken for those of the album.
            _ => return,
        },
        Some(level) if level > TRACK_LEVEL => None,
        _ => known(&TRACK_NAMES),
    };
    let key = key.or_else(|| match (level, name) {
        (Some(PART_LEVEL..=ALBUM_LEVEL), "PART_NUMBER") => Some("DISCNUMBER"),
        _ => field(TagKind::Matroska, name).map(Field::name),
    });
    // The artist of an album is that of its tracks, unless they have another.
    if (level, name) == (Some(ALBUM_LEVEL), "ARTIST") {
        collected.add("ARTIST", value);
    }
    match key {
        // A number, optionally followed by a slash and the total.
        Some(key @ ("TRACKNUMBER" | "DISCNUMBER")) => {
            let (number, total) = value.split_once('/').unwrap_or((value, ""));
            collected.add(key, number);
            collected.add(if key == "TRACKNUMBER" { "TRACKTOTAL" } else { "DISCTOTAL" }, total);
        }
        key => collected.add(key.unwrap_or(name), value),
    }
}

fn text(window: &mut FileWindow, element: Element) -> Result<String> {
    Ok(utf8_or_latin1(&bytes(window, element, MAX_FIELD_BYTES as u64 + 4)?))
}

/// Reads an attached file if it is a picture.
fn read_file(window: &mut FileWindow, file: Element, collected: &mut Collected) -> Result<()> {
    let (mut name, mut mime, mut description, mut data) = (String::new(), String::new(), String::new(), None);
    for_each(window, file, |window, element| {
        match element.id {
            FILE_NAME => name = utf8_or_latin1(&bytes(window, element, MAX_NAME_BYTES as u64)?).to_lowercase(),
            FILE_DESCRIPTION => {
                description = utf8_or_latin1(&bytes(window, element, MAX_DESCRIPTION_BYTES as u64)?);
                description.truncate(description.trim_end_matches('\0').len());
            }
            FILE_TYPE => mime = utf8_or_latin1(&bytes(window, element, 64)?),
            FILE_DATA => data = Some(element),
            _ => {}
        }
        Ok(true)
    })?;
    let Some(data) = data.filter(|_| mime.to_ascii_lowercase().starts_with("image/")) else { return Ok(()) };
    let size = data.end.min(window.source().bytes()).saturating_sub(data.start);
    if size > collected.picture_room() as u64 {
        collected.leave_out_picture(size);
        return Ok(());
    }
    let path = window.source().path().to_owned();
    let mut span = Span::new(window, data.start, data.end);
    let (bytes, _) =
        read_up_to(&mut span, collected.picture_room()).map_err(|error| Error::io("read the tags", &path, error))?;
    let kind = if name.starts_with("cover") { FRONT_COVER } else { 0 };
    collected.add_picture(picture(mime.trim_end_matches('\0'), kind, description, bytes));
    Ok(())
}
