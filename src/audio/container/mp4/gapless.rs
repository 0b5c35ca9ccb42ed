//! Determines the part of a track that is heard, from the iTunes item or the edit list.

use super::boxes::{Mp4Box, children, find};
use crate::audio::decode::Trim;
use crate::audio::source::FileWindow;
use crate::error::Result;

/// Returns the part of `raw_frames` that is heard; `None` if the file does not state one.
pub(super) fn read(
    window: &mut FileWindow,
    movie: Mp4Box,
    trak: Mp4Box,
    timescale: u32,
    rate_hz: u32,
    raw_frames: u64,
) -> Result<Option<Trim>> {
    if let Some(trim) = itunes_note(window, movie)?.filter(|trim| trim.delay + trim.frames <= raw_frames + 4096) {
        return Ok(Some(trim));
    }
    edit_list(window, movie, trak, timescale, rate_hz, raw_frames)
}

/// Reads `iTunSMPB`: delay, padding and length as hexadecimal text in a free-form item.
fn itunes_note(window: &mut FileWindow, movie: Mp4Box) -> Result<Option<Trim>> {
    let mut at = movie;
    for kind in [*b"udta", *b"meta", *b"ilst"] {
        let Some(mut found) = find(window, at, kind)? else { return Ok(None) };
        if kind == *b"meta" {
            found.start += 4;
        }
        at = found;
    }
    for item in children(window, at)?.into_iter().filter(|item| item.kind == *b"----") {
        let Some(name) = find(window, item, *b"name")? else { continue };
        if window.bytes(name.start + 4, 8)? != b"iTunSMPB" {
            continue;
        }
        let Some(data) = find(window, item, *b"data")? else { continue };
        let text = String::from_utf8_lossy(window.bytes(data.start + 8, 128)?).into_owned();
        let fields: Vec<u64> =
            text.split_whitespace().take(4).filter_map(|field| u64::from_str_radix(field, 16).ok()).collect();
        if let [_, delay, _, frames] = fields[..]
            && frames > 0
            && delay < 1 << 20
            && frames < 1 << 48
        {
            return Ok(Some(Trim { delay, frames }));
        }
    }
    Ok(None)
}

/// Reads the first non-empty edit of the edit list.
fn edit_list(
    window: &mut FileWindow,
    movie: Mp4Box,
    trak: Mp4Box,
    timescale: u32,
    rate_hz: u32,
    raw_frames: u64,
) -> Result<Option<Trim>> {
    let Some(edits) = find(window, trak, *b"edts")? else { return Ok(None) };
    let Some(list) = find(window, edits, *b"elst")? else { return Ok(None) };
    let movie_scale = match find(window, movie, *b"mvhd")? {
        Some(header) => {
            let long = window.array::<1>(header.start)? == Some([1]);
            window.be32(header.start + if long { 20 } else { 12 })?.unwrap_or(0)
        }
        None => 0,
    };
    let long = window.array::<1>(list.start)? == Some([1]);
    let count = window.be32(list.start + 4)?.unwrap_or(0).min(1024);
    let bytes = if long { 20 } else { 12 };
    for edit in 0..u64::from(count) {
        let at = list.start + 8 + edit * bytes;
        if at + bytes > list.end {
            break;
        }
        let (duration, time) = if long {
            (window.be64(at)?.unwrap_or(0), window.be64(at + 8)?.unwrap_or(0).cast_signed())
        } else {
            let time = window.be32(at + 4)?.unwrap_or(0).cast_signed();
            (u64::from(window.be32(at)?.unwrap_or(0)), i64::from(time))
        };
        let Ok(time) = u64::try_from(time) else { continue };
        let delay = super::frames_from_ticks(time, timescale, rate_hz);
        if delay >= raw_frames {
            continue;
        }
        let left = raw_frames - delay;
        if movie_scale == 0 || duration == 0 {
            return Ok(Some(Trim { delay, frames: left }));
        }
        let frames = super::frames_from_ticks(duration, movie_scale, rate_hz);
        // The edit's length is in ticks of the movie, often milliseconds. A difference of about one tick is rounding;
        // the sample table is then more accurate.
        let tick = u64::from(rate_hz.div_ceil(movie_scale)) + 1;
        return Ok(Some(Trim { delay, frames: if frames + tick >= left { left } else { frames } }));
    }
    Ok(None)
}
