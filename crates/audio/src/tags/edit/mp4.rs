//! Edits the iTunes list of an MP4 file: `moov.udta.meta.ilst`.
//!
//! Source: ISO/IEC 14496-12; the iTunes metadata list as mutagen and `AtomicParsley` read it.

use std::ops::Range;

use super::{Edit, EditedTag, Stop, UNUSUAL, splice};

/// The largest index that is edited, in bytes.
const MAX_BYTES: u64 = 256 << 20;
const HEAD_BYTES: usize = 8;
/// The size of version and flags in a full box, in bytes.
const FULL_BYTES: usize = 4;
const ITUNES: &[u8] = b"com.apple.iTunes";
/// The types of values in the list.
const UTF8: u32 = 1;
const INTEGER: u32 = 21;
/// The deepest that boxes are looked into.
const MAX_DEPTH: usize = 8;

pub(super) fn edit(edit: Edit<'_>) -> Result<(), Stop> {
    let Edit { file, window, fields } = edit;
    let unusual = || Stop::Unusual(UNUSUAL);
    let source = window.source();
    let end = source.bytes();
    let (mut at, mut found) = (0, None);
    while at + HEAD_BYTES as u64 <= end {
        let mut head = [0; 16];
        let got = source.read_at(at, &mut head)?;
        let (kind, size) = match u32::from_be_bytes([head[0], head[1], head[2], head[3]]) {
            0 => (&head[4..8], end - at),
            1 if got == 16 => (&head[4..8], head[8..].iter().fold(0, |size, byte| size << 8 | u64::from(*byte))),
            size => (&head[4..8], u64::from(size)),
        };
        if size < HEAD_BYTES as u64 || size > end - at {
            return Err(unusual());
        }
        if kind == b"moov" {
            found = Some((at, size));
            break;
        }
        at += size;
    }
    let (start, bytes) = found.filter(|(_, bytes)| *bytes <= MAX_BYTES).ok_or_else(unusual)?;
    let mut movie = vec![0; bytes as usize];
    if source.read_at(start, &mut movie)? < movie.len() || u64::from(be32(&movie, 0)?) != bytes {
        return Err(unusual());
    }
    let mut new = movie.clone();
    replace_fields(&mut new, fields)?;
    let moved = new.len() as i64 - movie.len() as i64;
    // The samples behind the index move.
    move_samples(&mut new, start + bytes, moved)?;
    Ok(splice::replace(file, start..start + bytes, &new)?)
}

fn be32(bytes: &[u8], at: usize) -> Result<u32, Stop> {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
    word.copied().map(u32::from_be_bytes).ok_or(Stop::Unusual(UNUSUAL))
}

/// Returns the boxes in a range, with their kinds.
fn boxes(bytes: &[u8], within: Range<usize>) -> Result<Vec<([u8; 4], Range<usize>)>, Stop> {
    let (mut found, mut at) = (Vec::new(), within.start);
    // Four zeros may end a list of QuickTime.
    while within.end - at >= HEAD_BYTES {
        let size = be32(bytes, at)? as usize;
        // The list and what is around it are small.
        if size < HEAD_BYTES || size > within.end - at {
            return Err(Stop::Unusual(UNUSUAL));
        }
        let kind = be32(bytes, at + 4)?.to_be_bytes();
        found.push((kind, at..at + size));
        at += size;
    }
    Ok(found)
}

fn child(bytes: &[u8], within: Range<usize>, kind: [u8; 4]) -> Result<Option<Range<usize>>, Stop> {
    Ok(boxes(bytes, within)?.into_iter().find(|(found, _)| *found == kind).map(|(_, range)| range))
}

fn content(range: &Range<usize>) -> Range<usize> {
    range.start + HEAD_BYTES..range.end
}

fn new_box(kind: [u8; 4], content: &[u8]) -> Vec<u8> {
    [&((content.len() + HEAD_BYTES) as u32).to_be_bytes(), &kind[..], content].concat()
}

/// Replaces the fields in the box `moov`.
fn replace_fields(movie: &mut Vec<u8>, fields: &[(EditedTag, String)]) -> Result<(), Stop> {
    let whole = 0..movie.len();
    let user = child(movie, content(&whole), *b"udta")?;
    let meta = match &user {
        Some(user) => child(movie, content(user), *b"meta")?,
        None => None,
    };
    let inside = |movie: &[u8], meta: &Range<usize>| {
        let inside = content(meta);
        // In QuickTime, `meta` is not a full box.
        let is_plain = movie.get(inside.start + 4..inside.start + 8) == Some(b"hdlr");
        if is_plain { inside } else { (inside.start + FULL_BYTES).min(inside.end)..inside.end }
    };
    let list = match &meta {
        Some(meta) => child(movie, inside(movie, meta), *b"ilst")?,
        None => None,
    };
    let mut items = match &list {
        Some(list) => kept(movie, list, fields)?,
        None => Vec::new(),
    };
    for (tag, value) in fields {
        items.extend(item(*tag, value)?);
    }
    let mut new = new_box(*b"ilst", &items);
    // The boxes around the list, from outside.
    let around: Vec<Range<usize>> = [Some(whole), user.clone(), meta.clone()].into_iter().flatten().collect();
    let place = match (list, meta, user) {
        (Some(list), Some(meta), _) => {
            // Free space behind the list takes up the difference.
            let mut place = list.clone();
            let next = boxes(movie, inside(movie, &meta))?.into_iter().find(|(_, range)| range.start == list.end);
            if let Some((_, free)) = next.filter(|(kind, _)| matches!(kind, b"free" | b"skip")) {
                let room = (free.end - list.start).checked_sub(new.len());
                if let Some(left) = room.filter(|left| *left == 0 || *left >= HEAD_BYTES) {
                    place.end = free.end;
                    if left > 0 {
                        new.extend(new_box(*b"free", &vec![0; left - HEAD_BYTES]));
                    }
                }
            }
            place
        }
        (_, Some(meta), _) => meta.end..meta.end,
        (_, None, user) => {
            let mut handler = vec![0; 8];
            handler.extend_from_slice(b"mdirappl\0\0\0\0\0\0\0\0\0");
            let meta = [&[0; FULL_BYTES][..], &new_box(*b"hdlr", &handler), &new].concat();
            new = new_box(*b"meta", &meta);
            let end = user.as_ref().map_or(movie.len(), |user| end_of_list(movie, user));
            if user.is_none() {
                new = new_box(*b"udta", &new);
            }
            end..end
        }
    };
    for range in around {
        let bytes = (range.end - range.start + new.len()).checked_sub(place.end - place.start);
        let bytes = bytes.and_then(|bytes| u32::try_from(bytes).ok()).ok_or(Stop::Unusual(UNUSUAL))?;
        movie[range.start..range.start + 4].copy_from_slice(&bytes.to_be_bytes());
    }
    drop(movie.splice(place, new));
    Ok(())
}

/// Returns the place behind the last box of a list, before the zeros that may end it.
fn end_of_list(movie: &[u8], user: &Range<usize>) -> usize {
    let inside = content(user);
    boxes(movie, inside.clone()).ok().and_then(|boxes| Some(boxes.last()?.1.end)).unwrap_or(inside.start)
}

/// Returns the items of a list without those of `fields`.
fn kept(movie: &[u8], list: &Range<usize>, fields: &[(EditedTag, String)]) -> Result<Vec<u8>, Stop> {
    let mut kept = Vec::new();
    for (kind, range) in boxes(movie, content(list))? {
        let name = match &kind {
            b"----" => {
                let parts = boxes(movie, content(&range))?;
                let text = |wanted: &[u8; 4]| {
                    let part = parts.iter().find(|(kind, _)| kind == wanted).map(|(_, range)| content(range));
                    part.and_then(|part| movie.get(part.start + FULL_BYTES..part.end))
                };
                text(b"name").filter(|_| text(b"mean") == Some(ITUNES))
            }
            _ => None,
        };
        let is_own = fields.iter().any(|(tag, _)| {
            *tag == EditedTag::Bpm && &kind == b"tmpo"
                || name.is_some_and(|name| name.eq_ignore_ascii_case(tag.itunes_name().as_bytes()))
        });
        if !is_own {
            kept.extend_from_slice(&movie[range]);
        }
    }
    Ok(kept)
}

/// Returns an item of the list.
fn item(tag: EditedTag, value: &str) -> Result<Vec<u8>, Stop> {
    let data = |kind: u32, value: &[u8]| new_box(*b"data", &[&kind.to_be_bytes(), &[0; 4], value].concat());
    if tag == EditedTag::Bpm {
        let bpm: u16 = value.parse().map_err(|_| Stop::Unusual("Its format has whole numbers for the tempo"))?;
        return Ok(new_box(*b"tmpo", &data(INTEGER, &bpm.to_be_bytes())));
    }
    let full = |kind: &[u8; 4], text: &[u8]| new_box(*kind, &[&[0; FULL_BYTES], text].concat());
    let parts = [full(b"mean", ITUNES), full(b"name", tag.itunes_name().as_bytes()), data(UTF8, value.as_bytes())];
    Ok(new_box(*b"----", &parts.concat()))
}

/// Moves the offsets of samples from `after` on.
fn move_samples(movie: &mut [u8], after: u64, moved: i64) -> Result<(), Stop> {
    if moved == 0 {
        return Ok(());
    }
    let mut tables = Vec::new();
    let whole = content(&(0..movie.len()));
    offset_tables(movie, whole, 0, &mut tables)?;
    for (is_wide, range) in tables {
        let count = be32(movie, range.start + FULL_BYTES)? as usize;
        let width = if is_wide { 8 } else { 4 };
        let entries = movie.get_mut(range.start + HEAD_BYTES..range.end).unwrap_or_default();
        for entry in entries.chunks_exact_mut(width).take(count) {
            let offset = entry.iter().fold(0, |offset, byte| offset << 8 | u64::from(*byte));
            if offset < after {
                continue;
            }
            let offset = offset.checked_add_signed(moved).filter(|offset| is_wide || u32::try_from(*offset).is_ok());
            let offset = offset.ok_or(Stop::Unusual("Its samples would be beyond what its index can say"))?;
            entry.copy_from_slice(&offset.to_be_bytes()[8 - width..]);
        }
    }
    Ok(())
}

/// Collects the contents of the tables of offsets, and whether they have 64 bits.
fn offset_tables(
    movie: &[u8],
    within: Range<usize>,
    depth: usize,
    tables: &mut Vec<(bool, Range<usize>)>,
) -> Result<(), Stop> {
    for (kind, range) in boxes(movie, within)? {
        match &kind {
            b"trak" | b"mdia" | b"minf" | b"stbl" if depth < MAX_DEPTH => {
                offset_tables(movie, content(&range), depth + 1, tables)?;
            }
            b"stco" | b"co64" => tables.push((&kind == b"co64", content(&range))),
            _ => {}
        }
    }
    Ok(())
}
