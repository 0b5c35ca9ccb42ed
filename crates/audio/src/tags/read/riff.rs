//! Tags of WAV files: an `ID3v2` chunk and a RIFF INFO list; and their markers.

use super::collect::Collected;
use super::id3v2;
use super::limits::{MAX_CHUNK_BYTES, MAX_FIELD_BYTES};
use crate::container::wav::data_size;
use crate::markers::riff::{MAX_CUE_BYTES, MAX_PART_BYTES, MAX_SMPL_BYTES};
use crate::source::FileWindow;
use crate::tags::chunks;
use crate::tags::fields::{FIELDS, Field, TagKind, field};
use crate::text::utf8_or_latin1;
use base::error::Result;
use base::units::SampleRate;

/// The maximum number of chunks in a file.
const MAX_CHUNKS: usize = 10_000;
/// The maximum number of parts of a list of markers: a name, a comment and a length for each.
const MAX_MARKER_PARTS: usize = 3 * crate::markers::MAX_MARKERS;

/// A chunk: its identifier and the byte range of its contents.
#[derive(Clone, Copy)]
struct Chunk {
    id: [u8; 4],
    start: u64,
    end: u64,
}

/// Reads the tags of a RIFF file, and its chunks about the recording, whose times count at `rate`.
pub(super) fn read(window: &mut FileWindow, rate: SampleRate, collected: &mut Collected) -> Result<()> {
    let end = window.source().bytes();
    let chunks = chunks_in(window, 12, end, MAX_CHUNKS, true)?;
    for chunk in &chunks {
        if chunks::row(chunk.id).is_some() {
            let bytes = (chunk.end - chunk.start).min(MAX_CHUNK_BYTES as u64 + 1) as usize;
            collected.add_chunk(chunk.id, rate, window.bytes(chunk.start, bytes)?.to_vec());
        } else if !chunks::is_of_the_file(chunk.id) {
            collected.not_kept("chunk", &chunk.id);
        }
    }
    // ID3 comes first because it has pictures and long texts.
    for chunk in chunks.iter().filter(|chunk| matches!(&chunk.id, b"ID3 " | b"id3 ")) {
        id3v2::read(window, chunk.start, collected)?;
    }
    collected.next_tag();
    for points in chunks.iter().filter(|chunk| &chunk.id == b"cue ") {
        let bytes = (points.end.saturating_sub(points.start)).min(MAX_CUE_BYTES as u64) as usize;
        collected.markers.cues.add_points(window.bytes(points.start, bytes)?);
    }
    for smpl in chunks.iter().filter(|chunk| &chunk.id == b"smpl") {
        let bytes = (smpl.end.saturating_sub(smpl.start)).min(MAX_SMPL_BYTES as u64) as usize;
        collected.markers.cues.add_loops(window.bytes(smpl.start, bytes)?);
    }
    for list in chunks.iter().filter(|chunk| chunk.id.eq_ignore_ascii_case(b"LIST")) {
        match window.array(list.start)?.as_ref() {
            Some(b"adtl") => {
                for part in chunks_in(window, list.start + 4, list.end, MAX_MARKER_PARTS, false)? {
                    let bytes = (part.end.saturating_sub(part.start)).min(MAX_PART_BYTES as u64) as usize;
                    collected.markers.cues.add_text(part.id, window.bytes(part.start, bytes)?);
                }
                continue;
            }
            Some(b"INFO") => {}
            _ => continue,
        }
        for item in chunks_in(window, list.start + 4, list.end, MAX_CHUNKS, false)? {
            if !collected.part() {
                return Ok(());
            }
            let bytes = (item.end - item.start).min(MAX_FIELD_BYTES as u64 + 4) as usize;
            let value = utf8_or_latin1(window.bytes(item.start, bytes)?);
            match field(TagKind::Info, &String::from_utf8_lossy(&item.id)) {
                Some(field) if shares_a_frame(field, collected) => {}
                Some(field) => collected.add(field.name(), &value),
                None => collected.not_kept("part of INFO", &item.id),
            }
        }
    }
    Ok(())
}

/// Returns whether the `ID3v2` chunk has the field under the name of another one, with which it shares a frame.
fn shares_a_frame(field: &Field, collected: &Collected) -> bool {
    let is_other = |other: &&Field| field.id3.is_some() && other.id3 == field.id3 && other.name() != field.name();
    FIELDS.iter().filter(is_other).any(|other| collected.has(other.name()))
}

/// Returns the chunks in `at..end`, up to `most` of them; `is_file` says that they are those of the file itself.
fn chunks_in(window: &mut FileWindow, mut at: u64, end: u64, most: usize, is_file: bool) -> Result<Vec<Chunk>> {
    let (mut found, mut long_data) = (Vec::new(), None);
    let is_long = matches!(&window.array::<4>(0)?, Some([_, b'F' | b'W', b'6', b'4']));
    while found.len() < most && at + 8 <= end {
        let (Some(id), Some(size)) = (window.array::<4>(at)?, window.array::<4>(at + 4)?) else { break };
        let mut size = u64::from(u32::from_le_bytes(size));
        match &id {
            // RF64 stores the size of its data here (EBU Tech 3306).
            b"ds64" => long_data = window.array::<8>(at + 16)?.map(u64::from_le_bytes),
            b"data" if is_file => {
                size = data_size(window, at + 8, size as u32, is_long, long_data, u32::from_le_bytes)?.bytes;
            }
            _ => {}
        }
        let start = at + 8;
        let chunk_end = start.saturating_add(size);
        found.push(Chunk { id, start, end: chunk_end.min(end) });
        at = chunk_end.saturating_add(size & 1);
    }
    Ok(found)
}
