//! Collects the markers of an audio file from the places where its container has them.

use std::collections::HashSet;

use super::timed::{self, TimedChapter};
use super::{Marker, MarkerList, aiff, chapters, id3, matroska, riff};
use base::units::SampleRate;

/// The markers found so far.
#[derive(Default)]
pub(crate) struct FoundMarkers {
    /// Those of WAV chunks.
    pub cues: riff::Cues,
    /// Those of AIFF chunks.
    pub aiff: aiff::AiffMarks,
    /// Those of Vorbis comments.
    pub chapters: chapters::Chapters,
    /// Those of `ID3v2` tags.
    pub id3: id3::Chapters,
    /// Those of a FLAC CUESHEET block.
    pub cuesheet: Vec<Marker>,
    /// Those of an MP4.
    pub mp4: Vec<Marker>,
    /// Those of a Matroska file, in nanoseconds.
    pub matroska: Vec<TimedChapter>,
}

impl FoundMarkers {
    /// Returns the markers of a recording of `frames` frames. Where a file has them in several places, the more exact one
    /// counts; loops are added to the others. Those beyond the end of the recording are left out, and regions are cut to it.
    pub(crate) fn finish(mut self, rate: SampleRate, frames: u64) -> MarkerList {
        let chapters = self.chapters.finish(rate);
        let loops = self.cues.take_loops();
        let mut found = self.cues.finish();
        if found.is_empty() {
            found = self.aiff.finish();
        }
        if found.is_empty() {
            found = merged(self.cuesheet, chapters, rate);
        }
        if found.is_empty() {
            found = self.id3.finish(rate, frames);
        }
        if found.is_empty() {
            found = self.mp4;
        }
        if found.is_empty() {
            found = timed::markers(self.matroska, matroska::UNITS, rate, frames);
        }
        // Programs also write the regions of loops as such.
        let ends = |marker: &Marker| (marker.start_frame, marker.end_frame);
        let known: HashSet<_> = found.iter().map(ends).collect();
        found.extend(loops.into_iter().filter(|one| !known.contains(&ends(one))));
        MarkerList::from(found).within(0..frames, frames)
    }
}

/// Returns chapters at the exact frames of the tracks, if each is within a millisecond of its track; the chapters alone
/// if they differ, because they have names; the tracks alone if there are no chapters.
fn merged(mut tracks: Vec<Marker>, mut chapters: Vec<Marker>, rate: SampleRate) -> Vec<Marker> {
    if chapters.is_empty() {
        return tracks;
    }
    tracks.sort_by_key(|marker| marker.start_frame);
    chapters.sort_by_key(|marker| marker.start_frame);
    let tolerance = u64::from(rate.hz().div_ceil(1000));
    let pair = |(track, chapter): (&Marker, &Marker)| track.start_frame.abs_diff(chapter.start_frame) <= tolerance;
    if tracks.len() != chapters.len() || !tracks.iter().zip(&chapters).all(pair) {
        return chapters;
    }
    let exact = |(track, chapter): (Marker, Marker)| Marker { start_frame: track.start_frame, ..chapter };
    tracks.into_iter().zip(chapters).map(exact).collect()
}
