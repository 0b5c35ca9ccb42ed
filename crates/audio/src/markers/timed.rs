//! Chapters that have a start and an end each, as markers.

use super::{Marker, scaled};
use base::units::SampleRate;

/// A chapter as stored in a file, in units of its format.
pub(crate) struct TimedChapter {
    /// Whether it is known to be a region.
    pub is_region: bool,
    pub start: u64,
    /// The end; `None` if the file does not state it.
    pub end: Option<u64>,
    pub name: String,
    pub note: String,
}

/// Returns the markers of a recording of `frames` frames. `units` are those of the chapters in a second. A chapter that
/// ends where the next one begins, or with the recording, is a place, unless it is known to be a region; others are
/// regions. Times that differ by a millisecond are the same. The end of the recording, which other programs know less
/// exactly, may differ by 100 ms and a tenth of the chapter.
pub(super) fn markers(mut chapters: Vec<TimedChapter>, units: u64, rate: SampleRate, frames: u64) -> Vec<Marker> {
    chapters.sort_by_key(|chapter| chapter.start);
    let same = units / 1000;
    let file_end = scaled(frames, units, u64::from(rate.hz()));
    let starts: Vec<u64> = chapters.iter().map(|chapter| chapter.start).collect();
    let frame = |time: u64| scaled(time, u64::from(rate.hz()), units);
    let markers = chapters.into_iter().enumerate().map(|(index, chapter)| {
        let TimedChapter { is_region, start, end, name, note } = chapter;
        let next = starts.get(index + 1);
        let meets = |end: u64| {
            let near = (units / 10).min(end.saturating_sub(start) / 10).max(same);
            next.is_some_and(|next| next.abs_diff(end) <= same) || end.saturating_add(near) >= file_end
        };
        let end = end.filter(|end| is_region || !meets(*end)).unwrap_or(start);
        Marker { note, ..Marker::region(frame(start), frame(end), name) }
    });
    markers.collect()
}
