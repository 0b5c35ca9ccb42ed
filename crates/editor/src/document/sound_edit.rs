//! Edits of a document's sound, and their effects on the edit list, the selection and the chains.

use std::ops::Range;

use serde::Deserialize;

use super::clip::{Clip, Crossfade};
use super::clip_edit::ClipEdit;
use super::edit_list::EditList;
use super::markers::shifted;
use super::moves::Moves;
use super::source::Source;
use super::tracks::{TrackChoice, TrackId, padded};
use super::{Document, FrameRange};
use audio::{AudioFormat, Marker, MarkerList};
use base::declared::TS;
use base::error::{Error, Result};
use base::units::SampleRate;
use dsp::measure::resample::converted_frames;
use effects::chain::edit::moved;

/// An undoable edit of a document's sound. It acts on the selection, or at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SoundEdit {
    /// Deletes the selection and closes the gap.
    Delete,
    /// Deletes the selection and leaves silence.
    Silence,
    /// Deletes all but the selection.
    Trim,
    /// Plays the selection backwards.
    Reverse,
    /// Inserts a copy of the selection after it.
    Duplicate,
    /// Cuts the clips at both ends of the selection, or at the cursor.
    Split,
    /// Joins the clips of the selection that continue one another, or all.
    Join,
    /// Inserts silence at the cursor, or in place of the selection.
    InsertSilence {
        /// The length in frames.
        frames: u64,
    },
    /// Inserts the copied sound at the cursor, or in place of the selection.
    Paste,
    /// Replaces the sound after the cursor with the copied sound, over the same length.
    PasteOver,
    /// Mixes the copied sound with the sound after the cursor. It is rendered, as are edits of some of the channels
    /// ([`Document::rendering`]).
    PasteMix,
    /// Moves the selection.
    Move {
        /// The frame, of the document as it is, before which the selection is put.
        to: u64,
    },
    /// Changes the level of the selection, or of everything.
    Gain {
        /// The change in decibels.
        db: f64,
    },
    /// Edits one clip, wherever the selection and the cursor are.
    Clip {
        /// Its number, from 0.
        clip: usize,
        /// The edit of the clip.
        edit: ClipEdit,
    },
}

/// A part of a document that was cut or copied.
#[derive(Clone, Debug, PartialEq)]
pub struct Excerpt {
    /// The format of the sources.
    pub format: AudioFormat,
    /// The recordings that the clips use.
    pub sources: Vec<Source>,
    /// The clips.
    pub edits: EditList,
    /// The markers that go with them, counted from the start.
    pub markers: MarkerList,
    /// The channels that were copied, by number and in order; `None` means all.
    pub channels: Option<Vec<usize>>,
}

impl Excerpt {
    /// Returns its markers at a rate, from frame `at` on and within `length` frames.
    pub(super) fn shifted_markers(&self, rate: SampleRate, at: u64, length: u64) -> Vec<Marker> {
        let markers = self.markers.at_rate(self.format.rate, rate);
        markers.iter().map(|marker| shifted(marker, |frame| at + frame.min(length))).collect()
    }
}

/// An edited document.
#[derive(Clone, Debug, PartialEq)]
pub struct Edited {
    /// The document after the edit.
    pub document: Document,
    /// The name of the edit in the history.
    pub label: &'static str,
    /// The cursor after the edit.
    pub cursor_frame: u64,
    /// Where the sound has gone; `None` if it is where it was.
    pub moves: Option<Moves>,
}

/// The longest document in frames: the largest number that JavaScript counts exactly.
const MAX_FRAMES: u64 = 1 << 53;

impl Document {
    /// Returns the part `range` with the sources that it uses. If it is to be cut, its markers go with it; a copy leaves
    /// them where they are.
    ///
    /// # Errors
    /// [`Error::Impossible`] for an empty part, and while the sum of several tracks is chosen.
    pub fn excerpt(&self, range: Range<u64>, cut: bool) -> Result<Excerpt> {
        if self.chosen() == Some(TrackChoice::Sum) {
            return Err(Error::impossible("Choose the track to copy from first."));
        }
        let markers = if cut { self.markers.within(&range).into() } else { MarkerList::default() };
        let mut edits = self.lane_edits().part(range);
        if edits.frames() == 0 {
            return Err(nothing_selected());
        }
        let mut sources: Vec<Source> = Vec::new();
        for clip in &mut edits.clips {
            clip.source =
                clip.source.and_then(|source| self.sources.get(source)).map(|source| place(&mut sources, source));
        }
        Ok(Excerpt { format: self.format()?, sources, edits, markers, channels: self.channels.clone() })
    }

    /// Edits the sound of the track in front, or of all tracks if the sum is chosen. `copied` is the sound last cut or
    /// copied. Joins get the given cross-fade. Repairs and other effects that act on a part of the recording move with
    /// the sound they belong to. So do markers, unless only one of several tracks is edited.
    pub fn edited(
        &self,
        edit: SoundEdit,
        cursor_frame: u64,
        copied: Option<&Excerpt>,
        crossfade: Crossfade,
    ) -> Result<Edited> {
        self.check_channels(edit, copied)?;
        match self.chosen() {
            None => self.edited_lane(edit, cursor_frame, copied, crossfade),
            Some(TrackChoice::Track(_)) => {
                let markers = self.markers.clone();
                let edited = self.edited_track(edit, cursor_frame, copied, crossfade)?;
                let mut document = Self { markers, ..edited.document };
                document.fit();
                Ok(Edited { document, moves: None, ..edited })
            }
            Some(TrackChoice::Sum) => self.edited_tracks(edit, cursor_frame, crossfade),
        }
    }

    /// Refuses what cannot be said by clips, and what cannot be done to some of the channels.
    fn check_channels(&self, edit: SoundEdit, copied: Option<&Excerpt>) -> Result<()> {
        let is_rendered = match edit {
            SoundEdit::PasteMix => true,
            SoundEdit::Delete
            | SoundEdit::Silence
            | SoundEdit::Reverse
            | SoundEdit::PasteOver
            | SoundEdit::Gain { .. } => self.channels.is_some(),
            // Clips span all channels, and are edited as such.
            SoundEdit::Clip { .. } => false,
            _ if self.channels.is_some() => {
                return Err(Error::impossible(
                    "Only some of the channels are selected, and the others must not move. Select all channels first.",
                ));
            }
            _ => false,
        };
        let takes_copy = matches!(edit, SoundEdit::Paste | SoundEdit::PasteOver);
        let is_picked = takes_copy && copied.is_some_and(|copied| copied.channels.is_some());
        if is_rendered || is_picked {
            return Err(Error::Internal("this edit has to be rendered".into()));
        }
        Ok(())
    }

    /// Edits the track in front as if it were as long as the document. Silence left over at its end is removed.
    fn edited_track(
        &self,
        edit: SoundEdit,
        cursor_frame: u64,
        copied: Option<&Excerpt>,
        crossfade: Crossfade,
    ) -> Result<Edited> {
        let is_padded = self.edits.frames() < self.frames();
        let long = Self { edits: self.lane_edits().into_owned(), ..self.clone() };
        let mut edited = long.edited_lane(edit, cursor_frame, copied, crossfade)?;
        if is_padded {
            edited.document.edits.end_silence();
        }
        Ok(edited)
    }

    /// Applies the same edit to all tracks, so that they stay in time with each other.
    fn edited_tracks(&self, edit: SoundEdit, cursor_frame: u64, crossfade: Crossfade) -> Result<Edited> {
        if matches!(edit, SoundEdit::Paste | SoundEdit::PasteOver | SoundEdit::PasteMix) {
            return Err(Error::impossible("Choose the track to paste into first."));
        }
        // Tracks have different clips.
        if matches!(edit, SoundEdit::Clip { .. }) {
            return Err(Error::impossible("Choose the track of the clip first."));
        }
        let front = self.tracks.front;
        let ids: Vec<TrackId> = self.tracks().map(|track| track.strip.id).collect();
        let mut next = self.clone();
        let mut last: Option<Edited> = None;
        let mut refused = None;
        for id in &ids {
            next.choose(TrackChoice::Track(*id))?;
            next.selection = self.selection;
            // All tracks are padded to the length that the longest had before.
            let long = Self { edits: padded(&next.edits, self.frames()).into_owned(), ..next.clone() };
            let is_padded = long.edits != next.edits;
            match long.edited_lane(edit, cursor_frame, None, crossfade) {
                Ok(mut edited) => {
                    if is_padded {
                        edited.document.edits.end_silence();
                    }
                    next = edited.document.clone();
                    last = Some(edited);
                }
                // A track may have nothing to split or join.
                Err(error) => refused = Some(error),
            }
        }
        let Some(edited) = last else { return Err(refused.unwrap_or_else(nothing_selected)) };
        next.choose(TrackChoice::Track(ids[front]))?;
        next.choose(TrackChoice::Sum)?;
        next.markers = self.markers.clone();
        let (before, after) = (self.frames(), next.frames());
        if let Some(moves) = &edited.moves {
            let of = |range: Range<u64>| moves.of(&range);
            let rate = self.format()?.rate;
            next.chain = moved(&self.chain, rate, (before, after), of)?;
            next.resting = moved(&self.resting, rate, (before, after), of)?;
            next.markers = self.markers.moved(moves, before, after);
        }
        next.selection = edited.document.selection;
        next.fit();
        Ok(Edited { document: next, ..edited })
    }

    /// Edits the sound of the edit list in the document itself.
    fn edited_lane(
        &self,
        edit: SoundEdit,
        cursor_frame: u64,
        copied: Option<&Excerpt>,
        crossfade: Crossfade,
    ) -> Result<Edited> {
        let frames = self.frames();
        let selection = self.selection.map(|range| range.start..range.end.min(frames));
        let selected = || selection.clone().filter(|range| !range.is_empty()).ok_or_else(nothing_selected);
        let cursor = cursor_frame.min(frames);
        let here = selection.clone().unwrap_or(cursor..cursor);
        let mut next = self.clone();
        // The selection and the cursor after the edit.
        let (selection, cursor_frame);
        let mut pasted = Vec::new();
        let (label, moves) = match edit {
            SoundEdit::Delete => {
                let range = selected()?;
                next.edits.delete(range.clone(), crossfade);
                (selection, cursor_frame) = (None, range.start);
                ("Delete", Some(Moves::replaced(range, 0)))
            }
            SoundEdit::Silence => {
                let range = selected()?;
                next.edits.silence(range.clone(), crossfade);
                (selection, cursor_frame) = (self.selection, range.start);
                ("Silence", None)
            }
            SoundEdit::Trim => {
                let range = selected()?;
                next.edits.trim(range.clone());
                (selection, cursor_frame) = (None, 0);
                ("Trim", Some(Moves::trimmed(range)))
            }
            SoundEdit::Reverse => {
                let range = selection_or_all(&here, frames);
                next.edits.reverse(range.clone(), crossfade);
                (selection, cursor_frame) = (self.selection, range.start);
                ("Reverse", Some(Moves::reversed(range)))
            }
            SoundEdit::Duplicate => {
                let range = selected()?;
                let (copy, length) = (self.edits.part(range.clone()), range.end - range.start);
                next.edits.insert(range.end, copy, crossfade);
                (selection, cursor_frame) = (Some((range.end..range.end + length).into()), range.end);
                ("Duplicate", Some(Moves::replaced(range.end..range.end, length)))
            }
            SoundEdit::Split => {
                let at_start = next.edits.split(here.start);
                let at_end = next.edits.split(here.end);
                if !at_start && !at_end {
                    return Err(Error::impossible("There is nothing to split here. Put the cursor into a clip."));
                }
                (selection, cursor_frame) = (self.selection, cursor);
                ("Split", None)
            }
            SoundEdit::Join => {
                next.edits.join(selection_or_all(&here, frames));
                if next.edits == self.edits {
                    return Err(Error::impossible(
                        "There is nothing to join here. Only clips whose sound continues can be joined.",
                    ));
                }
                (selection, cursor_frame) = (self.selection, cursor);
                ("Join", None)
            }
            SoundEdit::InsertSilence { frames: length } => {
                check_length(length)?;
                let silence = EditList { clips: vec![Clip::silence(length)] };
                next.edits.replace(here.clone(), silence, crossfade);
                (selection, cursor_frame) = (Some((here.start..here.start + length).into()), here.start);
                ("Insert silence", Some(Moves::replaced(here, length)))
            }
            SoundEdit::Paste | SoundEdit::PasteOver => {
                let excerpt = copied.ok_or_else(nothing_copied)?;
                let copied = next.adopted(excerpt)?;
                let length = copied.frames();
                let over = here.start..(here.start + length).min(frames);
                let (label, range) = if edit == SoundEdit::Paste { ("Paste", here) } else { ("Paste over", over) };
                next.edits.replace(range.clone(), copied, crossfade);
                pasted.extend(excerpt.shifted_markers(self.format()?.rate, range.start, length));
                (selection, cursor_frame) = (Some((range.start..range.start + length).into()), range.start);
                (label, Some(Moves::replaced(range, length)))
            }
            SoundEdit::PasteMix => return Err(Error::Internal("a mix has to be rendered".into())),
            SoundEdit::Move { to } => {
                let range = selected()?;
                let to = to.min(frames);
                next.edits.move_to(range.clone(), to, crossfade);
                let moves =
                    if range.contains(&to) || to == range.end { None } else { Some(Moves::moved(range.clone(), to)) };
                let moved = moves.as_ref().and_then(|moves| moves.of(&range)).unwrap_or(range);
                cursor_frame = moved.start;
                selection = Some(moved.into());
                ("Move", moves)
            }
            SoundEdit::Gain { db } => {
                next.edits.change_gain(selection_or_all(&here, frames), db);
                (selection, cursor_frame) = (self.selection, cursor);
                ("Change gain", None)
            }
            SoundEdit::Clip { clip, edit } => {
                let edited = next.edits.edit_clip(clip, edit, &self.source_frames(), crossfade)?;
                (selection, cursor_frame) = if let ClipEdit::Move { .. } = edit {
                    (Some(edited.range.clone().into()), edited.range.start)
                } else if let Some(moves) = &edited.moves {
                    (self.selection.and_then(|range| moves.of(&(range.start..range.end))).map(Into::into), cursor)
                } else {
                    (self.selection, cursor)
                };
                (edited.label, edited.moves)
            }
        };
        next.check()?;
        let after = next.frames();
        check_length(after)?;
        next.selection = selection.filter(|range: &FrameRange| range.start < range.end);
        next.band = next.band.filter(|_| next.selection.is_some());
        if let (Some(moves), Ok(format)) = (&moves, self.format()) {
            let of = |range: Range<u64>| moves.of(&range);
            next.chain = moved(&self.chain, format.rate, (frames, after), of)?;
            next.resting = moved(&self.resting, format.rate, (frames, after), of)?;
            next.markers = self.markers.moved(moves, frames, after).with(&pasted);
        }
        Ok(Edited { document: next, label, cursor_frame: cursor_frame.min(after), moves })
    }

    /// Checks the edit list against the sources.
    fn check(&self) -> Result<()> {
        self.edits.check(&self.source_frames())
    }

    /// Adds the sources of a copy, and returns its clips with their places among the document's, at its rate.
    pub(super) fn adopted(&mut self, copied: &Excerpt) -> Result<EditList> {
        let (from, to) = (copied.format.rate, self.format()?.rate);
        let mut edits = copied.edits.clone();
        for clip in &mut edits.clips {
            let source = clip.source.and_then(|source| copied.sources.get(source));
            clip.source = source.map(|source| place(&mut self.sources, source));
        }
        if from != to {
            let lengths = self.source_frames();
            edits.clips.iter_mut().for_each(|clip| clip.convert(|frames| converted_frames(frames, from, to), &lengths));
        }
        Ok(edits)
    }
}

/// Returns the index of a source in the list, to which it is added if it is not there.
pub(super) fn place(sources: &mut Vec<Source>, wanted: &Source) -> usize {
    let is_same = |known: &Source| {
        (&known.path, &known.content_key, known.clock) == (&wanted.path, &wanted.content_key, wanted.clock)
    };
    sources.iter().position(is_same).unwrap_or_else(|| {
        sources.push(wanted.clone());
        sources.len() - 1
    })
}

pub(super) fn check_length(frames: u64) -> Result<()> {
    if frames <= MAX_FRAMES {
        return Ok(());
    }
    Err(Error::Limit {
        what: "the length of a document in frames".into(),
        got: frames.to_string(),
        limit: MAX_FRAMES.to_string(),
    })
}

fn selection_or_all(selection: &Range<u64>, frames: u64) -> Range<u64> {
    if selection.is_empty() { 0..frames } else { selection.clone() }
}

pub(super) fn nothing_selected() -> Error {
    Error::impossible("Select a part of the recording first.")
}

pub(super) fn nothing_copied() -> Error {
    Error::impossible("Nothing has been copied yet. Select a part and copy it first.")
}
