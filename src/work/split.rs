//! Cuts a recording into parts: at its markers, its regions, its silences, or given times.

use std::ops::Range;

use crate::audio::{AudioBuffer, AudioReader, Marker, MarkerList};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::units::{SampleRate, gain_from_db};

/// The maximum number of parts.
pub const MAX_PARTS: usize = 9999;
/// The number of frames to read at once in the search for silence.
const BLOCK: usize = 65_536;

/// A part of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitPart {
    /// The frames.
    pub frames: Range<u64>,
    /// The name of the marker or region at its start; empty if there is none.
    pub name: String,
    /// Who performs there, if that marker says it.
    pub performer: String,
}

impl SplitPart {
    /// Creates the part that a marker names.
    fn of(marker: &Marker, frames: Range<u64>) -> Self {
        Self { frames, name: marker.name.clone(), performer: marker.performer.clone() }
    }

    /// Creates a part that no marker names.
    fn unnamed(frames: Range<u64>) -> Self {
        Self::of(&Marker::default(), frames)
    }
}

/// The conditions of a silence between two parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    /// The highest level of a silent frame in dBFS: no sample of any channel exceeds it.
    pub threshold_db: f64,
    /// The shortest silence, in frames, at which the recording is cut.
    pub gap_frames: u64,
    /// The silence that a part keeps on either side, in frames. Each of two neighbours keeps at most half of the gap
    /// between them.
    pub padding_frames: u64,
}

/// Returns the parts between the markers, where the first part starts at the beginning of the recording. Regions are
/// ignored.
///
/// # Errors
/// [`Error::Impossible`] if there is no such marker, or for more than [`MAX_PARTS`].
pub fn at_markers(markers: &MarkerList, frames: u64) -> Result<Vec<SplitPart>> {
    let places: Vec<_> = markers.iter().filter(|marker| marker.end_frame.is_none()).collect();
    if places.is_empty() {
        return Err(Error::impossible("The recording has no markers to be split at. Give them by --import."));
    }
    cut(places.into_iter().cloned(), frames)
}

/// Returns a part for each region. Regions may overlap.
///
/// # Errors
/// [`Error::Impossible`] if there is no region, or for more than [`MAX_PARTS`].
pub fn at_regions(markers: &MarkerList, frames: u64) -> Result<Vec<SplitPart>> {
    let regions = markers.iter().filter_map(|marker| {
        let end = marker.end_frame?.min(frames);
        (marker.start_frame < end).then(|| SplitPart::of(marker, marker.start_frame..end))
    });
    let regions: Vec<SplitPart> = regions.take(MAX_PARTS + 1).collect();
    if regions.is_empty() {
        return Err(Error::impossible(
            "The recording has no regions. Split it at its markers, or give regions by --import.",
        ));
    }
    checked(regions)
}

/// Returns the parts between given frames.
///
/// # Errors
/// [`Error::Invalid`] for a frame beyond the recording; [`Error::Impossible`] for more than [`MAX_PARTS`].
pub fn at_frames(starts: &[u64], frames: u64, rate: SampleRate) -> Result<Vec<SplitPart>> {
    if let Some(beyond) = starts.iter().find(|start| **start >= frames) {
        let time = |frame| format!("{:.3} s", rate.seconds_from_frames(frame));
        let allowed = format!("before the end of the recording, {}", time(frames));
        return Err(Error::invalid("time to split at", time(*beyond), allowed));
    }
    let mut starts = starts.to_vec();
    starts.sort_unstable();
    cut(starts.into_iter().map(|start| Marker::point(start, String::new())), frames)
}

/// Returns the parts that are not silent. Reads the whole recording; progress counts its frames.
///
/// # Errors
/// [`Error::Impossible`] if the whole recording is silent, or for more than [`MAX_PARTS`].
pub fn at_silence(source: &mut dyn AudioReader, gate: Gate, progress: &Progress) -> Result<Vec<SplitPart>> {
    let threshold = gain_from_db(gate.threshold_db) as f32;
    let total = source.frames();
    progress.set_total(total);
    source.seek(0)?;
    let mut block = AudioBuffer::default();
    let mut sounds: Vec<Range<u64>> = Vec::new();
    let mut at = 0;
    loop {
        source.read(&mut block, BLOCK)?;
        if block.is_empty() {
            break;
        }
        for frame in 0..block.frames() {
            if !block.iter().any(|channel| channel[frame].abs() > threshold) {
                continue;
            }
            let here = at + frame as u64;
            let count = sounds.len();
            match sounds.last_mut() {
                Some(last) if here - last.end < gate.gap_frames.max(1) => last.end = here + 1,
                _ if count > MAX_PARTS => return Err(too_many()),
                _ => sounds.push(here..here + 1),
            }
        }
        at += block.frames() as u64;
        progress.advance(block.frames() as u64)?;
    }
    if sounds.is_empty() {
        let level = gate.threshold_db;
        return Err(Error::impossible(format!(
            "The recording is silent: nothing exceeds {level} dBFS. Lower --threshold."
        )));
    }
    let parts = (0..sounds.len()).map(|index| {
        let sound = &sounds[index];
        let before = index.checked_sub(1).map_or(sound.start, |before| (sound.start - sounds[before].end) / 2);
        let after = sounds.get(index + 1).map_or(total - sound.end, |next| (next.start - sound.end).div_ceil(2));
        let start = sound.start - gate.padding_frames.min(before);
        SplitPart::unnamed(start..sound.end + gate.padding_frames.min(after))
    });
    checked(parts.collect())
}

/// Cuts at places, which are sorted. The part before the first one has no name. Empty parts are left out.
fn cut(places: impl Iterator<Item = Marker>, frames: u64) -> Result<Vec<SplitPart>> {
    let mut parts = Vec::new();
    let mut begin = Marker::default();
    for next in places.chain([Marker::point(frames, String::new())]) {
        let (start, end) = (begin.start_frame.min(frames), next.start_frame.min(frames));
        if end > start {
            parts.push(SplitPart::of(&begin, start..end));
        }
        if parts.len() > MAX_PARTS {
            break;
        }
        begin = next;
    }
    checked(parts)
}

fn checked(parts: Vec<SplitPart>) -> Result<Vec<SplitPart>> {
    if parts.len() > MAX_PARTS { Err(too_many()) } else { Ok(parts) }
}

fn too_many() -> Error {
    Error::impossible(format!("The recording would be split into more than {MAX_PARTS} parts."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::MemoryReader;

    fn ranges(parts: &[SplitPart]) -> Vec<(u64, u64, &str)> {
        parts.iter().map(|part| (part.frames.start, part.frames.end, part.name.as_str())).collect()
    }

    #[test]
    fn markers_and_regions_are_parts() {
        let list = MarkerList::from(vec![
            Marker::point(10, "a"),
            Marker::region(15, 90, "r"),
            Marker::point(40, "b"),
            Marker::point(40, "b again"),
            Marker::point(100, "end"),
        ]);
        let parts = at_markers(&list, 100).unwrap();
        assert_eq!(ranges(&parts), [(0, 10, ""), (10, 40, "a"), (40, 100, "b again")]);
        assert_eq!(ranges(&at_regions(&list, 80).unwrap()), [(15, 80, "r")]);
        let none = MarkerList::default();
        assert!(at_markers(&none, 100).is_err() && at_regions(&none, 100).is_err());
        let many: MarkerList = (0..10_050).map(|frame| Marker::point(frame, "")).collect::<Vec<_>>().into();
        assert!(at_markers(&many, 20_000).is_err());
        let rate = SampleRate::new(1000).unwrap();
        assert_eq!(ranges(&at_frames(&[50, 0, 20], 60, rate).unwrap()), [(0, 20, ""), (20, 50, ""), (50, 60, "")]);
        let late = "Time to split at must be before the end of the recording, 0.060 s, not 0.070 s.";
        assert_eq!(at_frames(&[70], 60, rate).unwrap_err().to_string(), late);
    }

    #[test]
    fn silence_is_between_the_parts() {
        let mut samples = vec![vec![0.0f32; 200_000]; 2];
        samples[0][1000..2000].fill(0.5);
        samples[1][2050..2100].fill(-0.5);
        samples[0][100_000] = 0.002;
        samples[1][199_990..].fill(0.0005);
        let rate = SampleRate::new(48_000).unwrap();
        let mut reader = MemoryReader::new(rate, AudioBuffer::from_channels(samples));
        let gate = |gap_frames, padding_frames| Gate { threshold_db: -60.0, gap_frames, padding_frames };
        let progress = Progress::new();
        let parts = at_silence(&mut reader, gate(51, 100), &progress).unwrap();
        assert_eq!(ranges(&parts), [(900, 2200, ""), (99_900, 100_101, "")]);
        // A gap of 50 frames cuts too, and is shared.
        let parts = at_silence(&mut reader, gate(50, 100), &progress).unwrap();
        assert_eq!(ranges(&parts), [(900, 2025, ""), (2025, 2200, ""), (99_900, 100_101, "")]);
        let quiet = Gate { threshold_db: 0.0, ..gate(50, 0) };
        assert!(at_silence(&mut reader, quiet, &progress).is_err());
    }
}
