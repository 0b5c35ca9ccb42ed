//! Determines the parts of a track that are heard, from the iTunes item or the edit list.

use super::boxes::{Mp4Box, children, find};
use crate::decode::Trim;
use crate::source::FileWindow;
use base::error::Result;

/// The maximum number of edits.
const MAX_EDITS: u64 = 1024;
/// The longest duration that edits can add to a track, in seconds. A small file could claim any.
const MAX_ADDED_S: u64 = 24 * 3600;

/// A part of a track that is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// This many frames of silence.
    Silence(u64),
    /// A part of the track's sound.
    Sound(Trim),
}

/// The units of times in a track.
#[derive(Clone, Copy)]
pub(super) struct Scales {
    /// Ticks of the track per second.
    pub track: u32,
    /// Frames per second.
    pub rate_hz: u32,
    /// The number of frames in all packets.
    pub raw_frames: u64,
}

/// Returns the parts of a track that are heard. A file that does not state any is heard from `delay` on.
pub(super) fn read(
    window: &mut FileWindow,
    movie: Mp4Box,
    trak: Mp4Box,
    scales: Scales,
    delay: u64,
    warnings: &mut Vec<String>,
) -> Result<Vec<Heard>> {
    let raw_frames = scales.raw_frames;
    let edits = edits(window, movie, trak)?;
    let note = itunes_note(window, movie)?.filter(|trim| trim.delay + trim.frames <= raw_frames + 4096);
    // The item states delay and padding more accurately, but knows of no other edits.
    if edits.len() < 2
        && let Some(Trim { delay, frames }) = note
    {
        let frames = raw_frames.saturating_sub(delay).min(frames);
        return Ok(vec![Heard::Sound(Trim { delay, frames })]);
    }
    let heard = heard(&edits, scales, warnings);
    if heard.iter().any(|part| matches!(part, Heard::Sound(_))) {
        return Ok(heard);
    }
    Ok(vec![Heard::Sound(Trim { delay, frames: raw_frames.saturating_sub(delay) })])
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

/// An edit: a part of the movie's time.
#[derive(Clone, Copy, Debug)]
struct Edit {
    /// The duration in ticks of the movie; 0 for all that is left.
    duration: u64,
    /// Ticks of the movie per second.
    movie_scale: u32,
    /// Where it begins in the track, in the track's ticks; negative for silence.
    time: i64,
    /// The speed as 16.16 fixed point.
    rate: u32,
}

/// Reads the edit list.
fn edits(window: &mut FileWindow, movie: Mp4Box, trak: Mp4Box) -> Result<Vec<Edit>> {
    let mut found = Vec::new();
    let Some(edits) = find(window, trak, *b"edts")? else { return Ok(found) };
    let Some(list) = find(window, edits, *b"elst")? else { return Ok(found) };
    let movie_scale = match find(window, movie, *b"mvhd")? {
        Some(header) => {
            let long = window.array::<1>(header.start)? == Some([1]);
            window.be32(header.start + if long { 20 } else { 12 })?.unwrap_or(0)
        }
        None => 0,
    };
    let long = window.array::<1>(list.start)? == Some([1]);
    let count = u64::from(window.be32(list.start + 4)?.unwrap_or(0)).min(MAX_EDITS);
    let bytes = if long { 20 } else { 12 };
    for edit in 0..count {
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
        let rate = window.be32(at + bytes - 4)?.unwrap_or(0);
        found.push(Edit { duration, movie_scale, time, rate });
    }
    Ok(found)
}

/// Places the edits one after the other. Edits at another speed, and those that add more than a day, are left out with
/// a warning.
fn heard(edits: &[Edit], scales: Scales, warnings: &mut Vec<String>) -> Vec<Heard> {
    let Scales { rate_hz, raw_frames, .. } = scales;
    let most = raw_frames.saturating_add(MAX_ADDED_S * u64::from(rate_hz));
    let (mut parts, mut ticks, mut total) = (Vec::new(), 0u64, 0u64);
    let (mut left_out, mut left_out_frames) = (0, 0u64);
    for (number, edit) in edits.iter().enumerate() {
        // Ends are rounded, not lengths, so that rounding does not add up.
        let movie_frames = |ticks: u64| match edit.movie_scale {
            0 => 0,
            scale => super::frames_from_ticks(ticks, scale, rate_hz),
        };
        let before = movie_frames(ticks);
        ticks = ticks.saturating_add(edit.duration);
        let length = movie_frames(ticks).saturating_sub(before);
        let Ok(time) = u64::try_from(edit.time) else {
            if total.saturating_add(length) > most {
                (left_out, left_out_frames) = (left_out + 1, left_out_frames.saturating_add(length));
            } else if length > 0 {
                parts.push(Heard::Silence(length));
                total += length;
            }
            continue;
        };
        let delay = super::frames_from_ticks(time, scales.track, rate_hz);
        let left = raw_frames.saturating_sub(delay);
        // The edit's length is in ticks of the movie, often milliseconds. A difference of about one tick is rounding;
        // the sample table is then more accurate.
        let tick = u64::from(rate_hz.div_ceil(edit.movie_scale.max(1))) + 1;
        let is_open = edit.movie_scale == 0 || (edit.duration == 0 && number + 1 == edits.len());
        let frames = if is_open || length.saturating_add(tick) >= left { left } else { length };
        // Some writers leave the speed of their only edit at 0.
        let is_plain = edit.rate == 1 << 16 || (edit.rate == 0 && edits.len() == 1);
        if !is_plain || total.saturating_add(frames) > most {
            (left_out, left_out_frames) = (left_out + 1, left_out_frames.saturating_add(length));
        } else if frames > 0 {
            parts.push(Heard::Sound(Trim { delay, frames }));
            total += frames;
        } else if length > 0 {
            (left_out, left_out_frames) = (left_out + 1, left_out_frames.saturating_add(length));
        }
    }
    if left_out > 0 {
        let seconds = left_out_frames as f64 / f64::from(rate_hz.max(1));
        warnings.push(format!(
            "{left_out} of {} edits of the track ({seconds:.3} s) are left out: they have another speed, are beyond its \
             sound, or add more than a day.",
            edits.len()
        ));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALES: Scales = Scales { track: 1000, rate_hz: 8000, raw_frames: 80_000 };

    fn edit(duration: u64, time: i64) -> Edit {
        Edit { duration, movie_scale: 600, time, rate: 1 << 16 }
    }

    fn sound(delay: u64, frames: u64) -> Heard {
        Heard::Sound(Trim { delay, frames })
    }

    #[test]
    fn edits_follow_one_another_as_the_list_says() {
        let mut warnings = Vec::new();
        let list = [edit(600, 1000), edit(300, -1), edit(1200, 500), edit(600, 1000)];
        let found = heard(&list, SCALES, &mut warnings);
        assert_eq!(found, [sound(8000, 8000), Heard::Silence(4000), sound(4000, 16_000), sound(8000, 8000)]);
        assert!(warnings.is_empty(), "{warnings:?}");
        // Ten edits of a third of a tick too much each are as long as all together.
        let thirds = [Edit { movie_scale: 1000, ..edit(333, 0) }; 10];
        let total: u64 = heard(&thirds, SCALES, &mut warnings)
            .iter()
            .map(|part| match part {
                Heard::Silence(frames) => *frames,
                Heard::Sound(trim) => trim.frames,
            })
            .sum();
        assert_eq!(total, 3330 * 8);
    }

    #[test]
    fn what_is_left_out_is_told() {
        for (list, part) in [
            (vec![edit(600, 0), Edit { rate: 2 << 16, ..edit(600, 0) }], "1 of 2 edits of the track (1.000 s)"),
            (vec![Edit { rate: 0, ..edit(1200, 0) }, edit(600, 0)], "1 of 2 edits of the track (2.000 s)"),
            (vec![edit(1 << 40, -1), edit(600, 0)], "1 of 2 edits"),
            (vec![edit(600, 20_000), edit(600, 0)], "1 of 2 edits of the track (1.000 s)"),
            (vec![edit(6000, 0); 10_000], "of 10000 edits"),
        ] {
            let mut warnings = Vec::new();
            let found = heard(&list, SCALES, &mut warnings);
            assert!(found.contains(&sound(0, 8000)) || found.len() > 1, "{found:?}");
            assert!(warnings.len() == 1 && warnings[0].contains(part), "{warnings:?}");
        }
    }
}
