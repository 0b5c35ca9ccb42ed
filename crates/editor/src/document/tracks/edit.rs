//! Edits of the tracks themselves. Each is one undo step.

use std::ops::Range;

use serde::Deserialize;

use super::{
    COLOURS, MAX_TRACKS, Racks, StemPreset, Track, TrackChoice, TrackId, TrackStrip, Tracks, no_tracks, padded,
};
use crate::document::{Crossfade, Document, EditList, Excerpt, FrameRange};
use base::declared::TS;
use base::error::{Error, Result};

/// An edit of the tracks of a document.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TrackEdit {
    /// Adds an empty track at the end and chooses it.
    Add,
    /// Adds a copy of a track behind it and chooses it.
    Duplicate {
        /// The track.
        track: TrackId,
    },
    /// Removes a track. The last one stays.
    Delete {
        /// The track.
        track: TrackId,
    },
    /// Renames a track.
    Rename {
        /// The track.
        track: TrackId,
        /// The new name.
        name: String,
    },
    /// Changes the colour of a track.
    Colour {
        /// The track.
        track: TrackId,
        /// The number of the colour.
        colour: u8,
    },
    /// Changes the gain of a track.
    Gain {
        /// The track.
        track: TrackId,
        /// The gain in dB.
        db: f64,
    },
    /// Changes the balance of a track.
    Pan {
        /// The track.
        track: TrackId,
        /// -1 (left) to 1 (right).
        pan: f64,
    },
    /// Silences a track in the sum, or not.
    Mute {
        /// The track.
        track: TrackId,
        /// Whether it is silent.
        on: bool,
    },
    /// Turns solo of a track on or off. Only tracks with solo are heard if any has it.
    Solo {
        /// The track.
        track: TrackId,
        /// Whether it is heard alone.
        on: bool,
    },
    /// Sets mute, solo, gain and pan of all stems for a purpose.
    Stems {
        /// The purpose.
        preset: StemPreset,
    },
    /// Moves a track to another place in the order.
    Move {
        /// The track.
        track: TrackId,
        /// The new index.
        to: usize,
    },
    /// Moves a part of the track in front to another track, replacing the sound there. Leaves silence behind.
    Send {
        /// The other track.
        track: TrackId,
        /// The frame at which it begins there.
        at: u64,
        /// The part; null for the selection.
        range: Option<FrameRange>,
    },
}

impl Document {
    /// Applies an edit of the tracks. Returns the document and the edit's name.
    pub fn with_tracks(&self, edit: &TrackEdit, crossfade: Crossfade) -> Result<(Self, &'static str)> {
        let mut next = self.clone();
        next.begin_tracks();
        let label = match edit {
            TrackEdit::Add => {
                let strip = next.fresh_strip(None)?;
                next.insert(Track { strip, edits: EditList::default(), racks: Racks::default() }, None)?;
                "Add track"
            }
            TrackEdit::Duplicate { track } => {
                let index = next.index_of(*track)?;
                let parts = next.track(*track)?;
                let racks = Racks { chain: parts.chain.clone(), rack: parts.rack, resting: parts.resting.clone() };
                let (edits, former) = (parts.edits.clone(), parts.strip.clone());
                let strip = TrackStrip { solo: false, ..former.clone() };
                let fresh = next.fresh_strip(Some(format!("{} (copy)", former.name)))?;
                let strip = TrackStrip { id: fresh.id, name: fresh.name, colour: fresh.colour, ..strip };
                next.insert(Track { strip, edits, racks }, Some(index + 1))?;
                "Duplicate track"
            }
            TrackEdit::Delete { track } => {
                next.delete_track(*track)?;
                "Delete track"
            }
            TrackEdit::Rename { track, name } => {
                let name = name.trim();
                if name.is_empty() {
                    return Err(Error::invalid("name of a track", "nothing", "one character or more"));
                }
                name.clone_into(&mut next.strip(*track)?.name);
                "Rename track"
            }
            TrackEdit::Colour { track, colour } => {
                next.strip(*track)?.colour = *colour;
                "Change track colour"
            }
            TrackEdit::Gain { track, db } => {
                next.strip(*track)?.gain_db = *db;
                "Change track gain"
            }
            TrackEdit::Pan { track, pan } => {
                next.strip(*track)?.pan = *pan;
                "Change track pan"
            }
            TrackEdit::Mute { track, on } => {
                next.strip(*track)?.mute = *on;
                if *on { "Mute track" } else { "Unmute track" }
            }
            TrackEdit::Solo { track, on } => {
                next.strip(*track)?.solo = *on;
                if *on { "Solo track" } else { "End solo" }
            }
            TrackEdit::Stems { preset } => {
                next.set_stem_preset(*preset)?;
                "Hear stems"
            }
            TrackEdit::Move { track, to } => {
                next.move_track(*track, *to)?;
                "Move track"
            }
            TrackEdit::Send { track, at, range } => {
                next.send(*track, *at, *range, crossfade)?;
                "Move to track"
            }
        };
        next.check_tracks()?;
        next.fit();
        Ok((next, label))
    }

    /// Adds a recording as a track at the end. The choice of track is unchanged.
    pub fn with_recording(&self, name: String, excerpt: &Excerpt) -> Result<Self> {
        let mut next = self.clone();
        next.begin_tracks();
        let edits = next.adopted(excerpt)?;
        let strip = next.fresh_strip(Some(name))?;
        next.tracks.list.push(Track { strip, edits, racks: Racks::default() });
        next.check_tracks()?;
        Ok(next)
    }

    /// Adds an empty track of this name at the end and chooses it.
    pub(in crate::document) fn with_empty_track(&self, name: String) -> Result<Self> {
        let mut next = self.clone();
        next.begin_tracks();
        let strip = next.fresh_strip(Some(name))?;
        next.insert(Track { strip, edits: EditList::default(), racks: Racks::default() }, None)?;
        Ok(next)
    }

    /// Gives a plain document a list of one track, which is in front.
    fn begin_tracks(&mut self) {
        if !self.tracks.is_plain() {
            return;
        }
        let source = self.sources.first().and_then(|source| source.path.file_stem());
        let name = source.map_or_else(|| "Track 1".to_owned(), |name| name.to_string_lossy().into_owned());
        let strip = TrackStrip::new(TrackId(1), name, 0);
        self.tracks.list.push(Track { strip, edits: EditList::default(), racks: Racks::default() });
    }

    /// Makes a document plain again if its only track is heard unchanged.
    fn end_tracks(&mut self) {
        let Tracks { list, sum, on_sum, .. } = &self.tracks;
        let [track] = list.as_slice() else { return };
        let strip = &track.strip;
        let is_neutral = strip.gain_db == 0.0 && strip.pan == 0.0 && !strip.mute && *sum == Racks::default();
        let is_narrow = self.format().is_ok_and(|format| {
            self.sources.first().is_some_and(|source| source.summary.format.channels == format.channels)
        });
        if is_neutral && is_narrow && !on_sum {
            self.tracks = Tracks::default();
        }
    }

    fn fresh_strip(&self, name: Option<String>) -> Result<TrackStrip> {
        let list = &self.tracks.list;
        if list.len() >= MAX_TRACKS {
            return Err(Error::Limit {
                what: "the number of tracks".into(),
                got: (list.len() + 1).to_string(),
                limit: MAX_TRACKS.to_string(),
            });
        }
        let id = list.iter().map(|track| track.strip.id.0).max().map_or(Some(1), |id| id.checked_add(1));
        let id = id.ok_or_else(|| Error::Internal("no handle is left for a track".into()))?;
        let name = name.unwrap_or_else(|| format!("Track {}", list.len() + 1));
        // A colour that the fewest tracks have.
        let uses = |colour: u8| list.iter().filter(|track| track.strip.colour == colour).count();
        let colour = (0..COLOURS).min_by_key(|colour| uses(*colour)).unwrap_or_default();
        Ok(TrackStrip::new(TrackId(id), name, colour))
    }

    fn strip(&mut self, id: TrackId) -> Result<&mut TrackStrip> {
        let index = self.index_of(id)?;
        Ok(&mut self.tracks.list[index].strip)
    }

    /// Inserts a track and chooses it.
    fn insert(&mut self, track: Track, at: Option<usize>) -> Result<()> {
        let id = track.strip.id;
        let front = self.tracks.list.get(self.tracks.front).map(|track| track.strip.id);
        let at = at.unwrap_or(self.tracks.list.len());
        self.tracks.list.insert(at, track);
        self.tracks.front = front.map_or(Ok(0), |front| self.index_of(front))?;
        self.choose(TrackChoice::Track(id)).map(drop)
    }

    fn delete_track(&mut self, id: TrackId) -> Result<()> {
        let index = self.index_of(id)?;
        if self.tracks.list.len() == 1 {
            return Err(no_tracks());
        }
        let on_sum = self.tracks.on_sum;
        if self.tracks.front == index {
            let next = if index + 1 < self.tracks.list.len() { index + 1 } else { index - 1 };
            self.choose(TrackChoice::Track(self.tracks.list[next].strip.id))?;
            if on_sum {
                self.choose(TrackChoice::Sum)?;
            }
        }
        self.tracks.list.remove(index);
        if self.tracks.front > index {
            self.tracks.front -= 1;
        }
        self.end_tracks();
        Ok(())
    }

    fn move_track(&mut self, id: TrackId, to: usize) -> Result<()> {
        let index = self.index_of(id)?;
        let front = self.tracks.list[self.tracks.front].strip.id;
        let track = self.tracks.list.remove(index);
        self.tracks.list.insert(to.min(self.tracks.list.len()), track);
        self.tracks.front = self.index_of(front)?;
        Ok(())
    }

    /// Moves a part of the track in front, or its selection, to another one, and chooses that.
    fn send(&mut self, id: TrackId, at: u64, part: Option<FrameRange>, crossfade: Crossfade) -> Result<()> {
        let range = part.or(self.selection).map(|range| range.start..range.end.min(self.frames()));
        let range = range.filter(|range| !range.is_empty());
        let range = range.ok_or_else(|| Error::impossible("Select a part of the recording first."))?;
        if self.chosen() == Some(TrackChoice::Sum) {
            return Err(Error::impossible("Choose the track that the part is moved from first."));
        }
        if part.is_none() && self.channels.is_some() {
            return Err(Error::impossible("Only some of the channels are selected. Select all channels first."));
        }
        let length = range.end - range.start;
        let part = self.edits.part(range.clone());
        self.edits.silence(range, crossfade);
        self.choose(TrackChoice::Track(id))?;
        let to = at..at.saturating_add(length);
        self.edits = padded(&self.edits, to.end).into_owned();
        self.edits.replace(to.clone(), padded(&part, length).into_owned(), crossfade);
        self.selection = Some(to.into());
        Ok(())
    }

    /// Fits the selection and the markers to the length.
    pub(in crate::document) fn fit(&mut self) {
        let frames = self.frames();
        let within = |range: FrameRange| Range { start: range.start.min(frames), end: range.end.min(frames) };
        self.selection = self.selection.map(within).filter(|range| !range.is_empty()).map(FrameRange::from);
        self.band = self.band.filter(|_| self.selection.is_some());
        self.fit_channels();
        self.markers = self.markers.fitted(frames);
    }
}
