//! Chapters of MP4 files: a text track that the audio track names (`tref` with `chap`), otherwise Nero's list `chpl`.
//!
//! Sources: Apple's specification of `QuickTime` files, chapter lists; for `chpl`, which has no specification, files of the programs
//! that write it: version and flags, four reserved bytes in version 1, a count of one byte, then for each chapter its
//! start in units of 100 ns, the length of its name in one byte, and the name.

use super::{MAX_MARKERS, MAX_TEXT_BYTES, Marker, scaled};
use crate::container::mp4::boxes::{Mp4Box, children, find};
use crate::source::FileWindow;
use crate::text::{utf8_or_latin1, utf16};
use base::error::Result;
use base::units::SampleRate;

/// The units of `chpl` in a second.
const NERO_UNITS: u64 = 10_000_000;

/// Reads the chapters of the movie.
pub(crate) fn read(window: &mut FileWindow, movie: Mp4Box, rate: SampleRate) -> Result<Vec<Marker>> {
    let tracks: Vec<Mp4Box> =
        children(window, movie)?.into_iter().filter(|child| child.kind == *b"trak").take(64).collect();
    for track in &tracks {
        let Some(references) = find(window, *track, *b"tref")? else { continue };
        let Some(chapters) = find(window, references, *b"chap")? else { continue };
        for index in 0..(chapters.bytes() / 4).min(16) {
            let Some(wanted) = window.be32(chapters.start + 4 * index)? else { break };
            for other in &tracks {
                if track_id(window, *other)? == Some(wanted) {
                    let found = text_track(window, *other, rate)?;
                    if !found.is_empty() {
                        return Ok(found);
                    }
                }
            }
        }
    }
    let Some(user) = find(window, movie, *b"udta")? else { return Ok(Vec::new()) };
    let Some(list) = find(window, user, *b"chpl")? else { return Ok(Vec::new()) };
    nero(window, list, rate)
}

fn nero(window: &mut FileWindow, list: Mp4Box, rate: SampleRate) -> Result<Vec<Marker>> {
    let mut markers = Vec::new();
    let version = window.array::<1>(list.start)?.map_or(0, |[version]| version);
    let mut at = list.start + if version == 0 { 4 } else { 8 };
    let count = window.array::<1>(at)?.map_or(0, |[count]| count);
    at += 1;
    for _ in 0..count {
        let (Some(start), Some([length])) = (window.be64(at)?, window.array::<1>(at + 8)?) else { break };
        let length = u64::from(length);
        if at + 9 + length > list.end {
            break;
        }
        let name = utf8_or_latin1(window.bytes(at + 9, length as usize)?);
        markers.push(Marker::point(scaled(start, u64::from(rate.hz()), NERO_UNITS), name));
        at += 9 + length;
    }
    Ok(markers)
}

/// Returns the number of a track. The header is longer in version 1.
fn track_id(window: &mut FileWindow, track: Mp4Box) -> Result<Option<u32>> {
    let Some(header) = find(window, track, *b"tkhd")? else { return Ok(None) };
    let is_long = window.array::<1>(header.start)? == Some([1]);
    window.be32(header.start + if is_long { 20 } else { 12 })
}

/// Reads the samples of a text track: each is a length of two bytes and a text, for as long as its duration.
fn text_track(window: &mut FileWindow, track: Mp4Box, rate: SampleRate) -> Result<Vec<Marker>> {
    let mut markers = Vec::new();
    let Some(media) = find(window, track, *b"mdia")? else { return Ok(markers) };
    let Some(header) = find(window, media, *b"mdhd")? else { return Ok(markers) };
    let is_long = window.array::<1>(header.start)? == Some([1]);
    let timescale = window.be32(header.start + if is_long { 20 } else { 12 })?.unwrap_or(0);
    let Some(information) = find(window, media, *b"minf")? else { return Ok(markers) };
    let Some(table) = find(window, information, *b"stbl")? else { return Ok(markers) };
    if timescale == 0 {
        return Ok(markers);
    }
    let offsets = sample_offsets(window, table)?;
    let durations = durations(window, table, offsets.len())?;
    let mut ticks = 0u64;
    let end = window.source().bytes();
    for (offset, duration) in offsets.into_iter().zip(durations) {
        if offset >= end {
            break;
        }
        let length = window.array::<2>(offset)?.map_or(0, u16::from_be_bytes);
        let bytes = window.bytes(offset + 2, usize::from(length).min(MAX_TEXT_BYTES))?;
        let name = match bytes {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => utf16(bytes, true),
            _ => utf8_or_latin1(bytes),
        };
        markers.push(Marker::point(scaled(ticks, u64::from(rate.hz()), u64::from(timescale)), name));
        ticks = ticks.saturating_add(u64::from(duration));
    }
    Ok(markers)
}

/// Returns the entries of a table of 32-bit numbers that follow the first `skip` bytes of a box, as far as they are
/// there.
fn numbers(window: &mut FileWindow, table: Mp4Box, skip: u64, count: u64) -> Result<Vec<u32>> {
    let there = table.end.saturating_sub(table.start.saturating_add(skip)) / 4;
    let mut numbers = Vec::new();
    for index in 0..count.min(there) {
        let Some(number) = window.be32(table.start + skip + 4 * index)? else { break };
        numbers.push(number);
    }
    Ok(numbers)
}

/// Returns the byte offset of each sample.
fn sample_offsets(window: &mut FileWindow, table: Mp4Box) -> Result<Vec<u64>> {
    let most = MAX_MARKERS as u64;
    let sizes_box = find(window, table, *b"stsz")?;
    let runs_box = find(window, table, *b"stsc")?;
    let (chunks_box, is_wide) = match find(window, table, *b"co64")? {
        Some(found) => (Some(found), true),
        None => (find(window, table, *b"stco")?, false),
    };
    let (Some(sizes_box), Some(runs_box), Some(chunks_box)) = (sizes_box, runs_box, chunks_box) else {
        return Ok(Vec::new());
    };
    let constant = window.be32(sizes_box.start + 4)?.unwrap_or(0);
    let count = u64::from(window.be32(sizes_box.start + 8)?.unwrap_or(0)).min(most);
    let sizes = if constant == 0 { numbers(window, sizes_box, 12, count)? } else { vec![constant; count as usize] };
    let chunk_count = u64::from(window.be32(chunks_box.start + 4)?.unwrap_or(0)).min(most);
    let words = numbers(window, chunks_box, 8, if is_wide { 2 * chunk_count } else { chunk_count })?;
    let chunks: Vec<u64> = if is_wide {
        words.chunks_exact(2).map(|pair| u64::from(pair[0]) << 32 | u64::from(pair[1])).collect()
    } else {
        words.into_iter().map(u64::from).collect()
    };
    let run_count = u64::from(window.be32(runs_box.start + 4)?.unwrap_or(0)).min(most);
    let runs = numbers(window, runs_box, 8, 3 * run_count)?;
    let mut runs = runs.chunks_exact(3).map(|run| (run[0], run[1])).peekable();
    let (mut offsets, mut sizes, mut per_chunk) = (Vec::new(), sizes.into_iter(), 0);
    for (number, chunk) in (1u32..).zip(chunks) {
        while let Some((_, count)) = runs.next_if(|(first, _)| *first <= number) {
            per_chunk = count;
        }
        let mut at = chunk;
        for _ in 0..per_chunk {
            let Some(size) = sizes.next() else { return Ok(offsets) };
            offsets.push(at);
            at = at.saturating_add(u64::from(size));
        }
    }
    Ok(offsets)
}

/// Returns the durations of up to `count` samples in ticks.
fn durations(window: &mut FileWindow, table: Mp4Box, count: usize) -> Result<Vec<u32>> {
    let mut durations = Vec::new();
    let Some(times) = find(window, table, *b"stts")? else { return Ok(durations) };
    let runs = u64::from(window.be32(times.start + 4)?.unwrap_or(0)).min(MAX_MARKERS as u64);
    for run in numbers(window, times, 8, 2 * runs)?.chunks_exact(2) {
        let here = (run[0] as usize).min(count - durations.len());
        durations.extend(std::iter::repeat_n(run[1], here));
    }
    Ok(durations)
}
