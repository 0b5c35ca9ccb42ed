//! Edits of one clip: its position, edges, fades and gain, and the transition from the clip before it.

use std::ops::Range;

use serde::Deserialize;

use super::clip::{Clip, Crossfade, Fade, FadeShape};
use super::edit_list::EditList;
use super::moves::Moves;
use base::declared::TS;
use base::error::{Error, Result};

/// An edit of one clip.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ClipEdit {
    /// Moves the clip. The place that it leaves closes up, and what follows its new place makes room.
    Move {
        /// The frame, of the document as it is, before which the clip is put.
        to: u64,
    },
    /// Moves the clip's start within its source. Its other end stays where it is.
    Start {
        /// The frames by which the start moves: positive makes the clip shorter, negative longer.
        by: i64,
        /// Whether all later clips move along. If not, the clip leaves silence behind and covers what it is moved over.
        closes: bool,
    },
    /// Moves the clip's end within its source.
    End {
        /// The frames by which the end moves: negative makes the clip shorter, positive longer.
        by: i64,
        /// As for the start. At the end of a document the length always changes.
        closes: bool,
    },
    /// Sets the length of the fade-in.
    FadeIn {
        /// The length in frames, at most the part of the clip before the fade-out.
        frames: u64,
    },
    /// Sets the length of the fade-out.
    FadeOut {
        /// The length in frames, at most the part of the clip after the fade-in.
        frames: u64,
    },
    /// Removes both fades.
    NoFades,
    /// Sets the gain.
    Gain {
        /// The gain in decibels.
        db: f64,
    },
    /// Sets the cross-fade from the clip before.
    Crossfade {
        /// The length in frames; 0 joins the plain samples.
        frames: u64,
        /// The shape.
        shape: FadeShape,
    },
}

/// An edge of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    Start,
    End,
}

/// The result of an edit of a clip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipEdited {
    /// The name of the edit in the history.
    pub label: &'static str,
    /// Where the sound has gone; `None` if it is where it was.
    pub moves: Option<Moves>,
    /// Where the clip is now.
    pub range: Range<u64>,
}

impl EditList {
    /// Returns the frames of the document that clip number `index` occupies; `None` if there is no such clip.
    pub fn clip_range(&self, index: usize) -> Option<Range<u64>> {
        let clip = self.clips.get(index)?;
        let start: u64 = self.clips.iter().take(index).map(Clip::frames).sum();
        Some(start..start + clip.frames())
    }

    /// Edits clip number `index`, which must not be silence. New joins get the given cross-fade.
    pub fn edit_clip(
        &mut self,
        index: usize,
        edit: ClipEdit,
        source_frames: &[u64],
        crossfade: Crossfade,
    ) -> Result<ClipEdited> {
        let is_sound = self.clips.get(index).is_some_and(|clip| clip.source.is_some());
        let is_join = matches!(edit, ClipEdit::Crossfade { .. });
        let Some(range) = self.clip_range(index).filter(|_| is_sound || is_join) else {
            return Err(Error::impossible("There is no clip here. Put the cursor into a clip."));
        };
        let edited = |label, moves, range| Ok(ClipEdited { label, moves, range });
        match edit {
            ClipEdit::Move { to } => {
                let to = to.min(self.frames());
                if range.contains(&to) || to == range.end {
                    return edited("Move clip", None, range);
                }
                self.move_to(range.clone(), to, crossfade);
                let moves = Moves::moved(range.clone(), to);
                let range = moves.of(&range).unwrap_or(range);
                edited("Move clip", Some(moves), range)
            }
            ClipEdit::Start { by, closes } => {
                let (moves, range) = self.move_edge(index, Edge::Start, by, closes, source_frames, crossfade);
                edited("Trim clip", moves, range)
            }
            ClipEdit::End { by, closes } => {
                let (moves, range) = self.move_edge(index, Edge::End, by, closes, source_frames, crossfade);
                edited("Trim clip", moves, range)
            }
            ClipEdit::FadeIn { frames } => {
                let clip = &mut self.clips[index];
                clip.fade_in = Fade::over(frames.min(clip.frames().saturating_sub(clip.fade_out.length())));
                edited("Fade clip in", None, range)
            }
            ClipEdit::FadeOut { frames } => {
                let clip = &mut self.clips[index];
                clip.fade_out = Fade::over(frames.min(clip.frames().saturating_sub(clip.fade_in.length())));
                edited("Fade clip out", None, range)
            }
            ClipEdit::NoFades => {
                (self.clips[index].fade_in, self.clips[index].fade_out) = (Fade::NONE, Fade::NONE);
                edited("Remove clip fades", None, range)
            }
            ClipEdit::Gain { db } => {
                self.clips[index].gain_db = db;
                edited("Clip gain", None, range)
            }
            ClipEdit::Crossfade { frames, shape } => {
                let before = index.checked_sub(1).and_then(|before| self.clips.get(before));
                if before.is_none_or(|before| before.continues_in(&self.clips[index])) {
                    return Err(Error::impossible("There is nothing to cross-fade here: the sound continues."));
                }
                let frames = frames.min(self.frames());
                self.clips[index].crossfade = Crossfade { frames, shape };
                edited("Cross-fade", None, range)
            }
        }
    }

    /// Moves an edge of a sounding clip, as far as its source reaches and while at least one frame is left.
    fn move_edge(
        &mut self,
        index: usize,
        edge: Edge,
        by: i64,
        closes: bool,
        source_frames: &[u64],
        crossfade: Crossfade,
    ) -> (Option<Moves>, Range<u64>) {
        let range = self.clip_range(index).unwrap_or_default();
        let mut clip = self.clips[index].clone();
        let shortest = clip.frames().saturating_sub(1);
        let (shrinks, by) = (if edge == Edge::Start { by > 0 } else { by < 0 }, by.unsigned_abs());
        // Nothing is before the beginning that could be covered.
        let room = if edge == Edge::Start && !closes { range.start } else { u64::MAX };
        let by = match (shrinks, edge) {
            (true, _) => by.min(shortest),
            (false, Edge::Start) => by.min(clip.before(source_frames)).min(room),
            (false, Edge::End) => by.min(clip.after(source_frames)),
        };
        if by == 0 {
            return (None, range);
        }
        // A clip that is played backwards begins at the end of its range.
        match (edge == Edge::Start) != clip.reversed {
            true if shrinks => clip.start_frame += by,
            true => clip.start_frame -= by,
            false if shrinks => clip.end_frame -= by,
            false => clip.end_frame += by,
        }
        let is_last = index + 1 == self.clips.len();
        let closes = closes || (edge == Edge::End && is_last);
        let silence = Clip::silence(if shrinks && !closes { by } else { 0 });
        let covered = if shrinks || closes { 0 } else { by };
        let (replaced, material, now) = match edge {
            Edge::Start => (range.start - covered..range.end, vec![silence, clip.clone()], {
                let start = if closes { range.start } else { range.end - clip.frames() };
                start..start + clip.frames()
            }),
            Edge::End => (
                range.start..range.end + covered,
                vec![clip.clone(), silence],
                range.start..range.start + clip.frames(),
            ),
        };
        let before = self.clips[index].crossfade;
        let after = self.clips.get(index + 1).map_or(Crossfade::NONE, |next| next.crossfade);
        // A moved edge keeps the length and shape that were set for its join; the other edge stays as it is.
        let made = |join: Crossfade, moved: Edge| if edge == moved && join.frames == 0 { crossfade } else { join };
        let (at_start, at_end) = (made(before, Edge::Start), made(after, Edge::End));
        self.replace(replaced, Self { clips: material }, crossfade);
        self.join_at(now.start, at_start);
        self.join_at(now.end, at_end);
        self.merge_silence();
        let moves = match (edge, shrinks) {
            _ if !closes => None,
            (Edge::Start, true) => Some(Moves::replaced(range.start..range.start + by, 0)),
            (Edge::Start, false) => Some(Moves::replaced(range.start..range.start, by)),
            (Edge::End, true) => Some(Moves::replaced(range.end - by..range.end, 0)),
            (Edge::End, false) => Some(Moves::replaced(range.end..range.end, by)),
        };
        (moves, now)
    }

    /// Gives the join at `frame` a cross-fade, unless the sound continues there.
    fn join_at(&mut self, frame: u64, crossfade: Crossfade) {
        let Some((index, _)) = self.clip_at(frame).filter(|&(index, begins)| index > 0 && begins == frame) else {
            return;
        };
        let continues = self.clips[index - 1].continues_in(&self.clips[index]);
        self.clips[index].crossfade = if continues { Crossfade::NONE } else { crossfade };
    }

    /// Makes one clip of neighbouring silences.
    fn merge_silence(&mut self) {
        let mut merged: Vec<Clip> = Vec::with_capacity(self.clips.len());
        for clip in self.clips.drain(..) {
            match merged.last_mut() {
                Some(last) if last.source.is_none() && clip.source.is_none() => last.end_frame += clip.frames(),
                _ => merged.push(clip),
            }
        }
        self.clips = merged;
    }
}
