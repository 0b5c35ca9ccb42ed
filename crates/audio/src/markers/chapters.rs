//! Chapters in Vorbis comments: `CHAPTER001=00:01:02.500` and `CHAPTER001NAME=Chorus`.
//!
//! Source: the Xiph wiki, "Chapter Extension". It numbers from 000 to 999.

use std::collections::BTreeMap;

use super::{Marker, clock};
use base::units::SampleRate;

/// The largest number of chapters.
pub(crate) const MAX_CHAPTERS: usize = 1000;
/// The longest number of digits that is read.
const MAX_DIGITS: usize = 5;
const PREFIX: &str = "CHAPTER";

/// Which part of a chapter a comment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChapterPart {
    Time,
    Name,
}

/// Collects chapters from comments, which may come in any order.
#[derive(Default)]
pub(crate) struct Chapters(BTreeMap<u32, (Option<String>, Option<String>)>);

impl Chapters {
    /// Takes a comment if it is part of a chapter. Returns whether it is.
    pub(crate) fn take(&mut self, field: &str, value: &str) -> bool {
        let Some((number, part)) = part(field) else { return false };
        if part == ChapterPart::Time && clock::seconds(value).is_none() {
            return false;
        }
        let chapter = self.0.entry(number).or_default();
        let slot = if part == ChapterPart::Time { &mut chapter.0 } else { &mut chapter.1 };
        slot.get_or_insert_with(|| value[..value.floor_char_boundary(super::MAX_TEXT_BYTES)].trim().to_owned());
        true
    }

    /// Returns the chapters that have a time.
    pub(crate) fn finish(self, rate: SampleRate) -> Vec<Marker> {
        let chapters = self
            .0
            .into_values()
            .filter_map(|(time, name)| Some(Marker::point(clock::frame(&time?, rate)?, name.unwrap_or_default())));
        chapters.collect()
    }
}

/// Returns whether a comment of this name is part of a chapter.
pub(crate) fn is_chapter(field: &str) -> bool {
    part(field).is_some()
}

fn part(field: &str) -> Option<(u32, ChapterPart)> {
    let head = field.get(..PREFIX.len()).filter(|head| head.eq_ignore_ascii_case(PREFIX))?;
    let rest = &field[head.len()..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok().filter(|_| (1..=MAX_DIGITS).contains(&digits))?;
    match &rest[digits..] {
        "" => Some((number, ChapterPart::Time)),
        name if name.eq_ignore_ascii_case("NAME") => Some((number, ChapterPart::Name)),
        _ => None,
    }
}

/// Returns the contents of a comment block (vendor, count, comments) with these markers in the place of its chapters, and
/// the number of bytes of the old contents; `None` if they are damaged.
pub(crate) fn replaced(block: &[u8], markers: &[Marker], rate: SampleRate) -> Option<(Vec<u8>, usize)> {
    let mut rest = block;
    let vendor = counted(&mut rest)?;
    let (count, after) = rest.split_first_chunk::<4>()?;
    rest = after;
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for _ in 0..u32::from_le_bytes(*count) {
        let comment = counted(&mut rest)?;
        let end = comment.iter().position(|byte| *byte == b'=').unwrap_or(comment.len());
        if !std::str::from_utf8(&comment[..end]).is_ok_and(is_chapter) {
            kept.push(comment.to_vec());
        }
    }
    kept.extend(comments(markers, rate).map(|(field, value)| format!("{field}={value}").into_bytes()));
    let mut out = Vec::new();
    let mut put = |bytes: &[u8]| {
        out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(bytes);
    };
    put(vendor);
    let head = 4 + vendor.len();
    kept.iter().for_each(|comment| put(comment));
    out.splice(head..head, (kept.len() as u32).to_le_bytes());
    Some((out, block.len() - rest.len()))
}

/// Takes a length and as many bytes.
fn counted<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (bytes, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *rest = after;
    Some(bytes)
}

/// Returns the comments for markers, names and values, with times to the nearest millisecond. They count from 1, as the
/// tracks of a CUESHEET block do, so that players that take chapters from both find the same chapters; as many as
/// [`MAX_CHAPTERS`] count from 0.
pub(crate) fn comments(markers: &[Marker], rate: SampleRate) -> impl Iterator<Item = (String, String)> {
    let first = usize::from(markers.len() < MAX_CHAPTERS);
    (first..).zip(markers.iter().take(MAX_CHAPTERS)).flat_map(move |(number, marker)| {
        let time = clock::hours(clock::milliseconds(marker.start_frame, rate), 2);
        // The Vorbis library takes null-terminated strings.
        let name = marker.name.replace('\0', " ");
        [(format!("{PREFIX}{number:03}"), time), (format!("{PREFIX}{number:03}NAME"), name)]
    })
}
