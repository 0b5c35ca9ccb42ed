//! Markers of WAV files: the chunk `cue ` with positions, and the list `adtl` with names (`labl`), comments (`note`) and
//! the lengths of regions (`ltxt`); and the loops of the chunk `smpl`, which are regions without a name of their own.
//!
//! Sources: Microsoft and IBM, "Multimedia programming interface and data specifications 1.0" (1991), and Microsoft,
//! "New multimedia data types and data techniques" (1994) for `smpl`. In RF64 the chunks are the same (EBU Tech 3306).

use std::collections::HashMap;

use super::{MAX_MARKERS, MAX_TEXT_BYTES, Marker};
use crate::text::utf8_or_latin1;

/// The size of a cue point in bytes.
const POINT_BYTES: usize = 24;
/// The bytes of a `cue ` chunk that are read.
pub(crate) const MAX_CUE_BYTES: usize = 4 + POINT_BYTES * MAX_MARKERS;
/// The bytes of one part of an `adtl` list that are read.
pub(crate) const MAX_PART_BYTES: usize = 20 + MAX_TEXT_BYTES;

/// The size of a `smpl` chunk before its loops, and of a loop.
const SMPL_HEAD_BYTES: usize = 36;
const LOOP_BYTES: usize = 24;
/// The maximum number of loops of a file.
const MAX_LOOPS: usize = 1024;
/// The bytes of a `smpl` chunk that are read.
pub(crate) const MAX_SMPL_BYTES: usize = SMPL_HEAD_BYTES + MAX_LOOPS * LOOP_BYTES;
/// The byte of a `smpl` chunk at which the number of loops is.
const LOOP_COUNT_AT: usize = 28;
/// The name of the region of a loop.
const LOOP_NAME: &str = "Loop";

/// Collects markers from the chunks of a file, which may come in any order.
#[derive(Default)]
pub(crate) struct Cues {
    points: Vec<(u32, u64)>,
    loops: Vec<Marker>,
    texts: HashMap<u32, Texts>,
}

#[derive(Default)]
struct Texts {
    name: Option<String>,
    note: Option<String>,
    frames: Option<u32>,
    /// The text of an `ltxt`, which some programs write instead of a `labl`.
    region: Option<String>,
}

impl Cues {
    /// Adds the contents of a `cue ` chunk. Only whole points that are there are read, whatever the count says.
    pub(crate) fn add_points(&mut self, bytes: &[u8]) {
        let Some((count, rest)) = bytes.split_first_chunk::<4>() else { return };
        let count = u32::from_le_bytes(*count) as usize;
        for point in rest.chunks_exact(POINT_BYTES).take(count) {
            if self.points.len() == MAX_MARKERS {
                return;
            }
            // The position of the play order, bytes 4 to 7, is used only by playlists. The sample offset counts frames.
            let (id, offset) = (le32(point, 0), le32(point, 20));
            self.points.push((id, u64::from(offset)));
        }
    }

    /// Adds a part of an `adtl` list.
    pub(crate) fn add_text(&mut self, id: [u8; 4], bytes: &[u8]) {
        let Some((point, rest)) = bytes.split_first_chunk::<4>() else { return };
        let point = u32::from_le_bytes(*point);
        if self.texts.len() >= MAX_MARKERS && !self.texts.contains_key(&point) {
            return;
        }
        let texts = self.texts.entry(point).or_default();
        match &id {
            // The first of several texts for one point counts.
            b"labl" => texts.name = texts.name.take().or_else(|| Some(text(rest))),
            b"note" => texts.note = texts.note.take().or_else(|| Some(text(rest))),
            b"ltxt" if rest.len() >= 4 => {
                texts.frames = texts.frames.or(Some(le32(rest, 0)));
                texts.region = texts.region.take().or_else(|| rest.get(16..).map(text));
            }
            _ => {}
        }
    }

    /// Adds the contents of a `smpl` chunk.
    pub(crate) fn add_loops(&mut self, bytes: &[u8]) {
        let room = MAX_LOOPS - self.loops.len();
        self.loops.extend(loops(bytes).take(room).filter_map(loop_region));
    }

    /// Returns the loops, apart from the other markers.
    pub(crate) fn take_loops(&mut self) -> Vec<Marker> {
        std::mem::take(&mut self.loops)
    }

    /// Returns the markers without the loops.
    pub(crate) fn finish(mut self) -> Vec<Marker> {
        let markers = self.points.into_iter().map(|(id, start)| {
            // Of several points with one number, the first has its texts.
            let texts = self.texts.remove(&id).unwrap_or_default();
            let name = texts.name.filter(|name| !name.is_empty()).or(texts.region).unwrap_or_default();
            let end = start + u64::from(texts.frames.unwrap_or(0));
            Marker { note: texts.note.unwrap_or_default(), ..Marker::region(start, end, name) }
        });
        markers.collect()
    }
}

/// Returns the loops of a `smpl` chunk that are there, whatever its count says.
fn loops(smpl: &[u8]) -> impl Iterator<Item = &[u8]> {
    let count = le32(smpl, LOOP_COUNT_AT) as usize;
    smpl.get(SMPL_HEAD_BYTES..).unwrap_or_default().chunks_exact(LOOP_BYTES).take(count)
}

/// Returns the region of a loop, whose last frame is played; `None` if it ends before it begins.
fn loop_region(one: &[u8]) -> Option<Marker> {
    let (start, last) = (u64::from(le32(one, 8)), u64::from(le32(one, 12)));
    (start <= last).then(|| Marker::region(start, last + 1, LOOP_NAME))
}

/// Returns the contents of a `smpl` chunk without the loops whose regions are not among `markers`. What may follow the
/// loops is kept.
pub(crate) fn smpl_with(smpl: &[u8], markers: &[Marker]) -> Vec<u8> {
    let is_kept = |one: &&[u8]| {
        loop_region(one).is_none_or(|region| {
            let ends = (region.start_frame, region.end_frame);
            markers.iter().any(|marker| (marker.start_frame, marker.end_frame) == ends)
        })
    };
    let kept: Vec<&[u8]> = loops(smpl).filter(is_kept).collect();
    let Some((head, rest)) = smpl.split_at_checked(SMPL_HEAD_BYTES) else { return smpl.to_vec() };
    let (mut head, count) = (head.to_vec(), loops(smpl).count());
    head[LOOP_COUNT_AT..LOOP_COUNT_AT + 4].copy_from_slice(&(kept.len() as u32).to_le_bytes());
    [head, kept.concat(), rest[count * LOOP_BYTES..].to_vec()].concat()
}

fn le32(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk()).copied().map_or(0, u32::from_le_bytes)
}

/// Returns the text up to a zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    utf8_or_latin1(&bytes[..end.min(MAX_TEXT_BYTES)])
}

/// Returns the chunks `cue ` and `LIST` with these markers, each of even length; empty if there are none. Markers beyond
/// 2^32 frames are left out. Texts are UTF-8.
pub(crate) fn chunks(markers: &[Marker]) -> Vec<u8> {
    let there: Vec<(&Marker, u32)> = markers
        .iter()
        .filter_map(|marker| Some((marker, u32::try_from(marker.start_frame).ok()?)))
        .take(MAX_MARKERS)
        .collect();
    if there.is_empty() {
        return Vec::new();
    }
    let mut points = (there.len() as u32).to_le_bytes().to_vec();
    let mut list = b"adtl".to_vec();
    for (id, (marker, start)) in (1u32..).zip(&there) {
        points.extend_from_slice(&id.to_le_bytes());
        points.extend_from_slice(&start.to_le_bytes());
        points.extend_from_slice(b"data");
        points.extend_from_slice(&[0; 8]);
        points.extend_from_slice(&start.to_le_bytes());
        let mut labl = id.to_le_bytes().to_vec();
        labl.extend_from_slice(marker.name.as_bytes());
        labl.push(0);
        chunk(&mut list, *b"labl", &labl);
        if !marker.note.is_empty() {
            let mut note = id.to_le_bytes().to_vec();
            note.extend_from_slice(marker.note.as_bytes());
            note.push(0);
            chunk(&mut list, *b"note", &note);
        }
        if let Some(end) = marker.end_frame {
            let frames = end.saturating_sub(u64::from(*start)).min(u64::from(u32::MAX)) as u32;
            let mut ltxt = id.to_le_bytes().to_vec();
            ltxt.extend_from_slice(&frames.to_le_bytes());
            ltxt.extend_from_slice(b"rgn ");
            // Country, language, dialect and code page are not given.
            ltxt.extend_from_slice(&[0; 8]);
            chunk(&mut list, *b"ltxt", &ltxt);
        }
    }
    let mut out = Vec::with_capacity(points.len() + list.len() + 16);
    chunk(&mut out, *b"cue ", &points);
    chunk(&mut out, *b"LIST", &list);
    out
}

fn chunk(out: &mut Vec<u8>, id: [u8; 4], content: &[u8]) {
    out.extend_from_slice(&id);
    out.extend_from_slice(&(content.len() as u32).to_le_bytes());
    out.extend_from_slice(content);
    out.resize(out.len() + content.len() % 2, 0);
}
