//! The edit list: clips in order, and the effects of cutting, pasting and moving.
//!
//! No operation reads a sample: its time depends only on the number of clips. Where an operation puts two clips side by
//! side that do not continue one another, the second gets the given cross-fade.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::clip::{Clip, Crossfade};
use super::join::Join;
use base::error::{Error, Result};

/// The edit list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EditList {
    /// The clips, in order.
    pub clips: Vec<Clip>,
}

impl EditList {
    /// Returns the total length of all clips in frames.
    pub fn frames(&self) -> u64 {
        self.clips.iter().map(Clip::frames).sum()
    }

    /// Returns the index of the clip at `frame` of the document, and the document frame at which it begins. `None`
    /// beyond the end.
    pub fn clip_at(&self, frame: u64) -> Option<(usize, u64)> {
        let mut begins = 0;
        for (index, clip) in self.clips.iter().enumerate() {
            if frame < begins + clip.frames() {
                return Some((index, begins));
            }
            begins += clip.frames();
        }
        None
    }

    /// Checks every clip and the sum of their lengths.
    pub fn check(&self, source_frames: &[u64]) -> Result<()> {
        let mut frames = 0u64;
        for clip in &self.clips {
            clip.check(source_frames)?;
            frames = frames
                .checked_add(clip.frames())
                .ok_or_else(|| Error::invalid("length of the edit list", "more", format!("{} frames", u64::MAX)))?;
        }
        Ok(())
    }

    /// Returns frames `range` as a separate edit list, without the part beyond the end.
    #[must_use]
    pub fn part(&self, range: Range<u64>) -> Self {
        let mut clips = Vec::new();
        let mut begins = 0;
        for clip in &self.clips {
            let ends = begins + clip.frames();
            let (from, to) = (range.start.max(begins), range.end.min(ends));
            if from < to {
                clips.push(clip.part(from - begins, to - begins));
            }
            begins = ends;
        }
        // The first clip has no clip before it to cross-fade with.
        if let Some(first) = clips.first_mut() {
            first.crossfade = Crossfade::NONE;
        }
        Self { clips }
    }

    /// Replaces frames `range` by `material`, and closes or makes the gap that the lengths leave.
    pub fn replace(&mut self, range: Range<u64>, material: Self, crossfade: Crossfade) {
        if range.is_empty() && material.frames() == 0 {
            return;
        }
        let mut joined = Joined { clips: Vec::with_capacity(self.clips.len() + material.clips.len() + 2), crossfade };
        let first = self.clips.first().map_or(Crossfade::NONE, |clip| clip.crossfade);
        joined.add(self.part(0..range.start));
        if let Some(kept) = joined.clips.first_mut() {
            kept.crossfade = first;
        }
        joined.add(material);
        joined.add(self.part(range.end..u64::MAX));
        self.clips = joined.clips;
    }

    /// Deletes frames `range` and closes the gap.
    pub fn delete(&mut self, range: Range<u64>, crossfade: Crossfade) {
        self.replace(range, Self::default(), crossfade);
    }

    /// Deletes frames `range` and leaves silence.
    pub fn silence(&mut self, range: Range<u64>, crossfade: Crossfade) {
        let end = range.end.min(self.frames());
        if range.start < end {
            let silence = Self { clips: vec![Clip::silence(end - range.start)] };
            self.replace(range.start..end, silence, crossfade);
        }
    }

    /// Inserts `material` at a frame, at most at the end.
    pub fn insert(&mut self, at: u64, material: Self, crossfade: Crossfade) {
        let at = at.min(self.frames());
        self.replace(at..at, material, crossfade);
    }

    /// Deletes all but frames `range`.
    pub fn trim(&mut self, range: Range<u64>) {
        *self = self.part(range);
    }

    /// Plays frames `range` backwards.
    pub fn reverse(&mut self, range: Range<u64>, crossfade: Crossfade) {
        let mut part = self.part(range.clone());
        // A join's cross-fade belongs to the clip after it, which becomes the one before it.
        let joins: Vec<Crossfade> = part.clips.iter().map(|clip| clip.crossfade).collect();
        part.clips.reverse();
        for (index, clip) in part.clips.iter_mut().enumerate() {
            clip.reversed = clip.source.is_some() && !clip.reversed;
            std::mem::swap(&mut clip.fade_in, &mut clip.fade_out);
            clip.crossfade = if index == 0 { Crossfade::NONE } else { joins[joins.len() - index] };
        }
        self.replace(range, part, crossfade);
    }

    /// Moves frames `range` to `to`, a frame of the document before the move. A place within the range changes nothing.
    pub fn move_to(&mut self, range: Range<u64>, to: u64, crossfade: Crossfade) {
        let range = range.start..range.end.min(self.frames());
        if range.is_empty() || range.contains(&to) || to == range.end {
            return;
        }
        let part = self.part(range.clone());
        let length = range.end - range.start;
        self.delete(range.clone(), crossfade);
        self.insert(if to > range.end { to - length } else { to }, part, crossfade);
    }

    /// Cuts the clip at `frame` in two that sound as before. Returns whether there is a clip to cut.
    pub fn split(&mut self, frame: u64) -> bool {
        match self.clip_at(frame) {
            Some((index, begins)) if begins < frame => {
                let clip = &self.clips[index];
                let parts = [clip.part(0, frame - begins), clip.part(frame - begins, clip.frames())];
                self.clips.splice(index..=index, parts);
                true
            }
            _ => false,
        }
    }

    /// Joins neighbouring clips within frames `range` that continue one another.
    pub fn join(&mut self, range: Range<u64>) {
        let mut joined: Vec<Clip> = Vec::with_capacity(self.clips.len());
        let mut begins = 0;
        for clip in self.clips.drain(..) {
            let is_inside = range.start <= begins && begins <= range.end;
            begins += clip.frames();
            let both = joined.last().and_then(|last| last.joined(&clip)).filter(|_| is_inside);
            if both.is_some() {
                joined.pop();
            }
            joined.push(both.unwrap_or(clip));
        }
        self.clips = joined;
    }

    /// Changes the gain of frames `range` by `db`.
    pub fn change_gain(&mut self, range: Range<u64>, db: f64) {
        self.split(range.start);
        self.split(range.end);
        let mut begins = 0;
        for clip in &mut self.clips {
            if clip.source.is_some() && range.contains(&begins) {
                clip.gain_db += db;
            }
            begins += clip.frames();
        }
    }

    /// Returns whether there is more than one clip, or one with gain or fades.
    pub fn is_arranged(&self) -> bool {
        self.clips.len() > 1 || self.clips.iter().any(|clip| !clip.is_level())
    }

    /// Returns the cross-fade at the start of each clip, as it is heard.
    pub fn crossfades(&self, source_frames: &[u64]) -> Vec<Join> {
        let joins = self.clips.windows(2).map(|pair| Join::between(&pair[0], &pair[1], source_frames));
        std::iter::once(Join::default()).take(self.clips.len()).chain(joins).collect()
    }

    /// Returns the smallest range around `range` that can be cut out without changing a cross-fade outside it.
    pub(super) fn around_fades(&self, range: Range<u64>, source_frames: &[u64]) -> Range<u64> {
        let joins = self.crossfades(source_frames);
        let mut starts = vec![0];
        starts.extend(self.clips.iter().scan(0, |end, clip| {
            *end += clip.frames();
            Some(*end)
        }));
        // A cross-fade takes at most half of a clip, so the rest of a cut clip must not be too short for it.
        let fades: Vec<(Range<u64>, Range<u64>)> = joins
            .iter()
            .zip(&starts)
            .filter(|(join, _)| join.before + join.after > 0)
            .map(|(join, &at)| {
                let kept = at.saturating_sub(2 * join.before)..at.saturating_add(2 * join.after);
                (at.saturating_sub(join.before)..at + join.after, kept)
            })
            .collect();
        let Range { mut start, mut end } = range;
        for (fade, kept) in fades.iter().rev() {
            if fade.start < start && start < kept.end.max(fade.end + 1) {
                start = fade.start;
            }
        }
        for (fade, kept) in &fades {
            if kept.start.min(fade.start.saturating_sub(1)) < end && end < fade.end {
                end = fade.end;
            }
        }
        start..end
    }

    /// Removes silence at the end.
    pub(super) fn end_silence(&mut self) {
        while self.clips.pop_if(|clip| clip.source.is_none()).is_some() {}
    }

    /// Returns the frames at which one clip ends and the next begins, in order.
    pub fn joins(&self) -> Vec<u64> {
        let mut ends: Vec<u64> = self
            .clips
            .iter()
            .map(Clip::frames)
            .scan(0, |end, frames| {
                *end += frames;
                Some(*end)
            })
            .collect();
        ends.pop();
        ends
    }
}

/// Clips being concatenated.
struct Joined {
    clips: Vec<Clip>,
    crossfade: Crossfade,
}

impl Joined {
    fn add(&mut self, part: EditList) {
        for (index, mut clip) in part.clips.into_iter().filter(|clip| clip.frames() > 0).enumerate() {
            if let (0, Some(last)) = (index, self.clips.last_mut()) {
                clip.crossfade = if last.continues_in(&clip) { Crossfade::NONE } else { self.crossfade };
            }
            self.clips.push(clip);
        }
    }
}
