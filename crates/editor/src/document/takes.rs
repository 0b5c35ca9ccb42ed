//! Takes: recordings that are put onto a track at the place where they were played to.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Document;
use super::clip::{Clip, Crossfade, Fade};
use super::edit_list::EditList;
use super::sound_edit::place;
use super::source::Source;
use super::tracks::{TrackChoice, TrackId, padded};
use base::declared::TS;
use base::error::{Error, Result};

/// The track that a take is put onto.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TakeTrack {
    /// The track in front, replacing the sound there.
    Front,
    /// A new track below all others.
    New,
}

/// Consecutive frames of a take in a document. Both positions are counted at the document's rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakePlace {
    /// The first frame in the document.
    pub at: u64,
    /// The first frame of the take.
    pub from: u64,
    /// Their number.
    pub frames: u64,
}

impl TakePlace {
    /// Returns the frame of the document after the last.
    pub fn end(&self) -> u64 {
        self.at + self.frames
    }
}

impl Document {
    /// Returns the document as heard while frames `range` of the track in front are re-recorded: they are silent. Its
    /// length is unchanged.
    #[must_use]
    pub fn while_recorded(&self, range: Range<u64>, crossfade: Crossfade) -> Self {
        let mut next = self.clone();
        next.edits.silence(range, crossfade);
        next
    }

    /// Puts parts of a take onto the track in front, or the one with the handle `track`, replacing the sound there. The
    /// cross-fades lie within the parts: no sample before the first or after the last is changed.
    ///
    /// # Errors
    /// [`Error::Impossible`] if no part has frames.
    pub fn with_take(
        &self,
        take: &Source,
        places: &[TakePlace],
        track: Option<TrackId>,
        crossfade: Crossfade,
    ) -> Result<Self> {
        let mut next = self.clone();
        if let Some(track) = track {
            next.choose(TrackChoice::Track(track))?;
        }
        next.lay(take, places, crossfade)?;
        Ok(next)
    }

    /// Puts parts of a take onto a new track of this name, which is chosen.
    ///
    /// # Errors
    /// [`Error::Limit`] beyond [`super::MAX_TRACKS`] tracks; [`Error::Impossible`] if no part has frames.
    pub fn with_take_as_track(
        &self,
        name: String,
        take: &Source,
        places: &[TakePlace],
        crossfade: Crossfade,
    ) -> Result<Self> {
        let mut next = self.with_empty_track(name)?;
        next.lay(take, places, crossfade)?;
        Ok(next)
    }

    fn lay(&mut self, take: &Source, places: &[TakePlace], crossfade: Crossfade) -> Result<()> {
        if places.iter().all(|place| place.frames == 0) {
            return Err(Error::impossible("Nothing was recorded that belongs into the document."));
        }
        let source = place(&mut self.sources, take);
        let lengths = self.source_frames();
        // Consecutive parts are joined once, within the sound that they replace.
        for run in places.chunk_by(|one, next| one.end() == next.at) {
            let clips = run.iter().filter(|place| place.frames > 0).enumerate().map(|(index, place)| Clip {
                start_frame: place.from,
                end_frame: place.from + place.frames,
                crossfade: if index == 0 { Crossfade::NONE } else { crossfade },
                ..Clip::whole(source, 0)
            });
            let material = EditList { clips: clips.collect() };
            if let Some(first) = run.first().filter(|_| material.frames() > 0) {
                self.edits = padded(&self.edits, first.at).into_owned();
                self.edits.lay_within(first.at, material, crossfade, &lengths);
            }
        }
        self.edits.check(&lengths)?;
        self.fit();
        Ok(())
    }
}

impl EditList {
    /// Replaces the sound at `at` with `material` of the same length, or appends it at the end. The joins are within
    /// it, so that the sound before and after is unchanged.
    fn lay_within(&mut self, at: u64, mut material: Self, crossfade: Crossfade, source_frames: &[u64]) {
        let (frames, end) = (material.frames(), self.frames());
        let fade = crossfade.frames.min(frames / 2);
        let half = fade / 2;
        let range = at..at + frames;
        let mut join = Crossfade { frames: 2 * half, ..crossfade };
        // The join is half a fade inside, so that the fade begins at the edge and not before it.
        let mut from = range.start;
        if range.start > 0 && range.start + half <= end {
            from += half;
        } else if range.start > 0 {
            // No sound continues there that could fade out, nor at the other end.
            join = Crossfade::NONE;
            if let Some(first) = material.clips.first_mut() {
                first.fade_in = Fade::over(fade.min(first.frames()));
            }
        }
        let mut to = range.end;
        if range.end < end {
            if self.goes_on(range.end - half..range.end, half, source_frames) {
                to -= half;
            } else if let Some(last) = material.clips.last_mut() {
                // A clip that begins at the edge, or just before it, has nothing to fade in with.
                last.fade_out = Fade::over(fade.min(last.frames()));
            }
        }
        let inner = material.part(from - range.start..to - range.start);
        let is_faded_out = range.end < end && to == range.end;
        self.replace(from..to, inner, join);
        if is_faded_out {
            // It begins as it did.
            if let Some((index, _)) = self.clip_at(to) {
                self.clips[index].crossfade = Crossfade::NONE;
            }
        }
    }

    /// Returns whether one clip has all of `range` and `before` frames of material before it.
    fn goes_on(&self, range: Range<u64>, before: u64, source_frames: &[u64]) -> bool {
        if range.is_empty() {
            return true;
        }
        let Some((index, begins)) = self.clip_at(range.start) else { return false };
        let clip = &self.clips[index];
        let material = if clip.source.is_none() { u64::MAX } else { clip.before(source_frames) };
        begins + clip.frames() > range.end && material.saturating_add(range.start - begins) >= before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{ClockSpeed, ContentKey, FileStamp, SourceSummary};
    use audio::{AudioBuffer, AudioFormat, AudioReader, MemoryReader};
    use base::units::SampleRate;

    const RATE: u32 = 8_000;
    const FADE: Crossfade = Crossfade { frames: 40, shape: super::super::FadeShape::EqualPower };

    fn source(name: &str, rate: u32, frames: u64) -> Source {
        let format = AudioFormat::new(SampleRate::new(rate).unwrap(), 1);
        let summary = SourceSummary { format, frames, container: "WAV".into(), codec: String::new() };
        Source {
            path: name.into(),
            summary,
            content_key: ContentKey::of_parts([name]),
            stamp: FileStamp::default(),
            clock: ClockSpeed::NOMINAL,
        }
    }

    fn sample(name: &str, frame: u64) -> f32 {
        let offset = if name == "take" { 0.5 } else { 0.0 };
        offset + (frame % 4_096) as f32 / 16_384.0
    }

    /// The samples of the track in front.
    fn heard(document: &Document) -> Vec<f32> {
        let open = |source: &Source| -> Result<Box<dyn AudioReader>> {
            let name = source.path.to_str().unwrap();
            let samples = (0..source.summary.frames).map(|frame| sample(name, frame)).collect();
            Ok(Box::new(MemoryReader::new(source.summary.format.rate, AudioBuffer::from_channels(vec![samples]))))
        };
        let mut reader = document.reader(open).unwrap();
        let mut all = AudioBuffer::default();
        reader.read(&mut all, usize::MAX).unwrap();
        all.channel(0).to_vec()
    }

    fn document() -> Document {
        Document::of_source(source("old", RATE, 4_000))
    }

    fn laid(document: &Document, places: &[TakePlace]) -> Document {
        document.with_take(&source("take", RATE, 3_000), places, None, FADE).unwrap()
    }

    #[test]
    fn a_take_replaces_its_place_and_no_sample_outside_is_changed() {
        let before = heard(&document());
        for (at, frames) in [(1_000, 500), (1_000, 30), (0, 700), (3_500, 500), (20, 3_000), (3_999, 1)] {
            let (at, frames) = (at as u64, frames as u64);
            let document = laid(&document(), &[TakePlace { at, from: 0, frames }]);
            let after = heard(&document);
            let (from, to) = (at as usize, (at + frames) as usize);
            assert_eq!(after.len(), before.len(), "{at}");
            assert_eq!(after[..from], before[..from], "before {at}");
            assert_eq!(after[to..], before[to..], "after {at} + {frames}");
            for frame in (from + 40)..to.saturating_sub(40) {
                assert_eq!(after[frame], sample("take", frame as u64 - at), "{frame} of {at}");
            }
            if frames > 100 && at > 0 {
                let first = after[from] - before[from];
                assert!(first.abs() < 0.1, "faded in at {at}: {first}");
            }
        }
    }

    #[test]
    fn takes_again_over_the_same_part_leave_the_rest_alone_too() {
        let before = heard(&document());
        let mut document = document();
        for from in [0, 100, 700, 2_500] {
            document = laid(&document, &[TakePlace { at: 1_000, from, frames: 500 }]);
            let after = heard(&document);
            assert_eq!((&after[..1_000], &after[1_500..]), (&before[..1_000], &before[1_500..]), "from {from}");
            assert_eq!(after[1_250], sample("take", from + 250));
        }
        // The next part begins where this one ends, and one ends within it.
        for (at, frames) in [(1_500, 300), (1_200, 300), (700, 300), (900, 585)] {
            let before = heard(&document);
            document = laid(&document, &[TakePlace { at, from: 200, frames }]);
            let after = heard(&document);
            let (from, to) = (at as usize, (at + frames) as usize);
            assert_eq!(after[..from], before[..from], "before {at}");
            // A clip with few frames left has shorter fades.
            assert_eq!(after[to + 80..], before[to + 80..], "after {at}");
        }
    }

    #[test]
    fn beyond_the_end_the_document_grows_and_gaps_of_the_take_keep_what_was_there() {
        let after = heard(&laid(&document(), &[TakePlace { at: 3_900, from: 10, frames: 1_000 }]));
        assert_eq!(after.len(), 4_900);
        assert_eq!(after[4_899], sample("take", 1_009));
        let after = heard(&laid(&document(), &[TakePlace { at: 5_000, from: 0, frames: 100 }]));
        assert_eq!((after.len(), after[4_500]), (5_100, 0.0));
        let places = [TakePlace { at: 1_000, from: 0, frames: 200 }, TakePlace { at: 1_400, from: 500, frames: 200 }];
        let (before, after) = (heard(&document()), heard(&laid(&document(), &places)));
        assert_eq!(after[1_200..1_400], before[1_200..1_400]);
        assert_eq!((after[1_100], after[1_500]), (sample("take", 100), sample("take", 600)));
        // Parts that follow one another are cross-faded.
        let places = [TakePlace { at: 1_000, from: 0, frames: 200 }, TakePlace { at: 1_200, from: 900, frames: 200 }];
        let after = heard(&laid(&document(), &places));
        assert_eq!((after[1_100], after[1_300]), (sample("take", 100), sample("take", 1_000)));
        assert!((after[1_200] - after[1_199]).abs() < 0.05);
        assert!(document().with_take(&source("take", RATE, 10), &[], None, FADE).is_err());
    }

    #[test]
    fn a_take_becomes_a_track_of_its_own_at_its_place() {
        let place = TakePlace { at: 1_000, from: 20, frames: 500 };
        let take = source("take", RATE, 3_000);
        let document = document().with_take_as_track("Take".into(), &take, &[place], FADE).unwrap();
        let names: Vec<String> = document.tracks().map(|track| track.strip.name.clone()).collect();
        assert_eq!(names, ["old", "Take"]);
        let front = document.front_track().unwrap();
        assert_eq!(document.track(front).unwrap().strip.name, "Take");
        assert_eq!(document.edits.frames(), 1_500);
        let after = heard(&document);
        assert_eq!((after[999], after[1_250]), (0.0, sample("take", 270)));
        // Another rate is counted at the document's.
        let take = source("take", 2 * RATE, 6_000);
        let other =
            self::document().with_take(&take, &[TakePlace { at: 0, from: 0, frames: 3_000 }], None, FADE).unwrap();
        assert_eq!(other.frames(), 4_000);
    }

    #[test]
    fn what_is_recorded_anew_is_silent_meanwhile() {
        let document = document().while_recorded(1_000..2_000, Crossfade::NONE);
        let after = heard(&document);
        assert_eq!(after.len(), 4_000);
        assert!(after[1_000..2_000].iter().all(|&sample| sample == 0.0) && after[999] != 0.0 && after[2_000] != 0.0);
    }
}
