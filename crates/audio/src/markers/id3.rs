//! Chapters of `ID3v2` tags: a `CHAP` frame for each, and a `CTOC` frame that lists them.
//!
//! A chapter has a start and an end. One that ends where the next begins, or with the file, is read as a place, others as
//! regions. The chapters written here tell them apart by their identifiers too: `chp` and `rgn`.
//!
//! Source: the addendum on chapter frames to `ID3v2` (2005).

use super::timed::{self, TimedChapter};
use super::{MAX_MARKERS, Marker, clock};
use crate::text::{id3v2 as decoded, split_id3v2};
use base::units::SampleRate;

/// The largest number of chapters: a list counts them with one byte.
pub(crate) const MAX_CHAPTERS: usize = 255;
/// The identifier of regions written here, before a number.
const REGION: &str = "rgn";
/// The identifier of places written here.
const PLACE: &str = "chp";
/// The units of time in a second.
const UNITS: u64 = 1000;

/// Collects chapters.
#[derive(Default)]
pub(crate) struct Chapters(Vec<TimedChapter>);

impl Chapters {
    /// Adds the contents of a `CHAP` frame of a tag of version 2.`version`.
    pub(crate) fn add(&mut self, version: u8, content: &[u8]) {
        if self.0.len() == MAX_MARKERS {
            return;
        }
        let (identifier, rest) = split_id3v2(0, content);
        let Some((times, mut rest)) = rest.split_at_checked(16) else { return };
        let be32 = |bytes: &[u8], at: usize| bytes[at..].first_chunk().copied().map_or(0, u32::from_be_bytes);
        let mut chapter = TimedChapter {
            is_region: identifier.starts_with(REGION.as_bytes()),
            start: be32(times, 0).into(),
            end: Some(be32(times, 4).into()),
            name: String::new(),
            note: String::new(),
        };
        // Frames within the frame.
        while let Some((head, after)) = rest.split_at_checked(10) {
            let size = match version {
                3 => be32(head, 4),
                _ => head[4..8].iter().fold(0, |size, byte| size << 7 | u32::from(byte & 0x7f)),
            };
            let size = (size as usize).min(after.len());
            let (frame, next) = after.split_at(size);
            // Compressed and encrypted frames are left out.
            let is_plain = if version == 3 { head[9] & 0xc0 == 0 } else { head[9] & 0x0c == 0 };
            if let (true, Some((encoding, text))) = (is_plain, frame.split_first()) {
                let text = || {
                    let (text, _) = split_id3v2(*encoding, text);
                    decoded(*encoding, &text[..text.len().min(2 * super::MAX_TEXT_BYTES)])
                };
                match &head[..4] {
                    b"TIT2" if chapter.name.is_empty() => chapter.name = text(),
                    b"TIT3" if chapter.note.is_empty() => chapter.note = text(),
                    _ => {}
                }
            }
            rest = next;
        }
        self.0.push(chapter);
    }

    /// Returns the markers of a file of `frames` frames.
    pub(crate) fn finish(self, rate: SampleRate, frames: u64) -> Vec<Marker> {
        timed::markers(self.0, UNITS, rate, frames)
    }
}

/// Returns the frames of a tag of version 2.3 or 2.4 for the first [`MAX_CHAPTERS`] markers; empty if there are none. A place ends
/// where the next marker begins, the last one at `frames`, the length of the file, if that is known.
pub(crate) fn frames(markers: &[Marker], rate: SampleRate, frames: Option<u64>, version: u8) -> Vec<u8> {
    let markers = &markers[..markers.len().min(MAX_CHAPTERS)];
    let mut out = Vec::new();
    if markers.is_empty() {
        return out;
    }
    let ms = |frame| clock::milliseconds(frame, rate).min(u64::from(u32::MAX)) as u32;
    let identifier = |index: usize, marker: &Marker| {
        let kind = if marker.end_frame.is_some() { REGION } else { PLACE };
        format!("{kind}{index}\0")
    };
    // Top level, ordered.
    let mut list = b"toc\0\x03".to_vec();
    list.push(markers.len() as u8);
    for (index, marker) in markers.iter().enumerate() {
        list.extend_from_slice(identifier(index, marker).as_bytes());
    }
    frame(&mut out, *b"CTOC", &list, version);
    for (index, marker) in markers.iter().enumerate() {
        let next = markers[index + 1..].iter().map(|next| next.start_frame).find(|next| *next > marker.start_frame);
        let end = marker.end_frame.or(next).or(frames).unwrap_or(marker.start_frame);
        let mut chapter = identifier(index, marker).into_bytes();
        chapter.extend_from_slice(&ms(marker.start_frame).to_be_bytes());
        chapter.extend_from_slice(&ms(end.max(marker.start_frame)).to_be_bytes());
        // Byte offsets are not used.
        chapter.extend_from_slice(&[0xff; 8]);
        for (id, text) in [(*b"TIT2", &marker.name), (*b"TIT3", &marker.note)] {
            if !text.is_empty() {
                frame(&mut chapter, id, &encoded(text, version), version);
            }
        }
        frame(&mut out, *b"CHAP", &chapter, version);
    }
    out
}

/// Returns the contents of a text frame: UTF-16 in version 2.3, which has no UTF-8.
fn encoded(text: &str, version: u8) -> Vec<u8> {
    if version > 3 {
        return std::iter::once(3).chain(text.bytes()).collect();
    }
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    std::iter::once(1).chain(units.flat_map(u16::to_le_bytes)).collect()
}

fn frame(out: &mut Vec<u8>, id: [u8; 4], content: &[u8], version: u8) {
    out.extend_from_slice(&id);
    let size = if version > 3 { synchsafe(content.len()) } else { (content.len() as u32).to_be_bytes() };
    out.extend_from_slice(&size);
    out.extend_from_slice(&[0, 0]);
    out.extend_from_slice(content);
}

/// Returns a size of up to 28 bits with 7 bits in each byte.
pub(crate) fn synchsafe(size: usize) -> [u8; 4] {
    [21, 14, 7, 0].map(|shift| (size >> shift & 0x7f) as u8)
}

/// Returns a version 2.4 tag with `frames` before those of `tag`, which is empty or such a tag without extended header.
pub(crate) fn tag_with(frames: &[u8], tag: &[u8]) -> Vec<u8> {
    if frames.is_empty() {
        return tag.to_vec();
    }
    let rest = tag.get(10..).unwrap_or_default();
    let mut out = b"ID3\x04\0\0".to_vec();
    out.extend_from_slice(&synchsafe(frames.len() + rest.len()));
    out.extend_from_slice(frames);
    out.extend_from_slice(rest);
    out
}
