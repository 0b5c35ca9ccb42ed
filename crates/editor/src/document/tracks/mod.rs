//! The tracks of a document.
//!
//! One track is in front: its edit list and racks are stored in the document itself, so every edit and view applies to
//! that track. Choosing another track swaps the two. The sum can be chosen instead of a track; the racks of the
//! document are then those that all tracks go through together.

mod content;
mod edit;
mod mix;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Clip, ContentKey, Document, EditList, Rack};
use audio::AudioFormat;
use base::declared::TS;
use base::error::{Error, Result};
use effects::Permission;
use effects::chain::Chain;

use base::stem::StemKind;
pub use content::StemPreset;
pub use edit::TrackEdit;
pub use mix::{Mix, MixMeasurements, MixPart, MixReader, MixRender, OpenSource};

/// The most tracks of a document.
pub const MAX_TRACKS: usize = 64;

/// The range of a track's gain in dB.
pub const GAIN_DB: std::ops::RangeInclusive<f64> = -60.0..=24.0;

/// The number of colours that tracks have.
pub const COLOURS: u8 = 8;

/// A handle of a track within its document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TrackId(pub u32);

base::declared_as!(TrackId, u32);

/// A choice: a track, or the sum of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TrackChoice {
    /// A track: it is edited and shown in full, and the rack is that of the track.
    Track(TrackId),
    /// The sum of all tracks: it is shown, and the rack is the one that all tracks go through.
    Sum,
}

/// The name of a track and how it is heard in the sum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TrackStrip {
    /// The handle.
    pub id: TrackId,
    /// The name.
    pub name: String,
    /// The number of its colour, below [`COLOURS`].
    #[serde(default)]
    pub colour: u8,
    /// The gain in dB, after its rack.
    #[serde(default)]
    pub gain_db: f64,
    /// The balance between the first two channels: -1 is left, 0 centre, 1 right.
    #[serde(default)]
    pub pan: f64,
    /// Whether it is silent in the sum.
    #[serde(default)]
    pub mute: bool,
    /// Whether only tracks with this set are heard in the sum.
    #[serde(default)]
    pub solo: bool,
    /// The content, if it is a stem of a recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub content: Option<StemKind>,
}

impl TrackStrip {
    /// Creates a track with default settings.
    pub const fn new(id: TrackId, name: String, colour: u8) -> Self {
        Self { id, name, colour, gain_db: 0.0, pan: 0.0, mute: false, solo: false, content: None }
    }

    /// Checks values from a file or the window.
    pub fn check(&self) -> Result<()> {
        if !GAIN_DB.contains(&self.gain_db) {
            let allowed = format!("{} to {} dB", GAIN_DB.start(), GAIN_DB.end());
            return Err(Error::invalid("gain of a track", format!("{} dB", self.gain_db), allowed));
        }
        if !(-1.0..=1.0).contains(&self.pan) {
            return Err(Error::invalid("pan of a track", self.pan.to_string(), "-1 (left) to 1 (right)"));
        }
        if self.colour >= COLOURS {
            return Err(Error::invalid("colour of a track", self.colour.to_string(), format!("0 to {}", COLOURS - 1)));
        }
        Ok(())
    }
}

/// The two racks of a track, or of the sum.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Racks {
    /// The chain of the active rack.
    pub chain: Chain,
    /// The active rack.
    #[serde(default)]
    pub rack: Rack,
    /// The chain of the other rack.
    #[serde(default)]
    pub resting: Chain,
}

/// A track that is not in front, or the strip of the one that is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Track {
    pub strip: TrackStrip,
    /// Empty for the track in front, whose edit list is the document's.
    #[serde(default)]
    pub edits: EditList,
    /// Empty for the track in front while it is chosen.
    #[serde(default)]
    pub racks: Racks,
}

/// The tracks of a document, apart from the parts stored in the document itself. Empty for a document of one plain
/// track.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tracks {
    pub(super) list: Vec<Track>,
    /// The index of the track in front.
    #[serde(default)]
    pub(super) front: usize,
    /// Whether the sum is chosen.
    #[serde(default)]
    pub(super) on_sum: bool,
    /// The racks of the sum; empty while it is chosen.
    #[serde(default)]
    pub(super) sum: Racks,
}

/// A track with its parts.
#[derive(Clone, Debug)]
pub struct TrackParts<'a> {
    /// Its name and how it is heard.
    pub strip: &'a TrackStrip,
    /// Its edit list.
    pub edits: &'a EditList,
    /// The chain of its active rack.
    pub chain: &'a Chain,
    /// The chain of its other rack.
    pub resting: &'a Chain,
    /// Its active rack.
    pub rack: Rack,
}

impl Tracks {
    /// Returns whether the document is one track without a header.
    pub fn is_plain(&self) -> bool {
        self.list.is_empty()
    }
}

impl Document {
    /// Returns the tracks in order. A plain document has only itself.
    pub fn tracks(&self) -> impl Iterator<Item = TrackParts<'_>> {
        let Tracks { front, on_sum, .. } = self.tracks;
        self.tracks.list.iter().enumerate().map(move |(index, track)| {
            let is_front = index == front;
            let edits = if is_front { &self.edits } else { &track.edits };
            let track_racks = (&track.racks.chain, &track.racks.resting, track.racks.rack);
            let (chain, resting, rack) =
                if is_front && !on_sum { (&self.chain, &self.resting, self.rack) } else { track_racks };
            TrackParts { strip: &track.strip, edits, chain, resting, rack }
        })
    }

    /// Returns the track with this handle.
    pub fn track(&self, id: TrackId) -> Result<TrackParts<'_>> {
        self.tracks().find(|track| track.strip.id == id).ok_or_else(|| unknown(id))
    }

    /// Returns the chosen track or the sum; `None` for a plain document.
    pub fn chosen(&self) -> Option<TrackChoice> {
        if self.tracks.on_sum {
            return Some(TrackChoice::Sum);
        }
        self.tracks.list.get(self.tracks.front).map(|track| TrackChoice::Track(track.strip.id))
    }

    /// Returns the track in front, also while the sum is chosen; `None` for a plain document.
    pub fn front_track(&self) -> Option<TrackId> {
        self.tracks.list.get(self.tracks.front).map(|track| track.strip.id)
    }

    /// Returns whether every track has the same recordings and edits as in another state, disregarding racks, with the
    /// same track in front.
    pub fn sounds_like(&self, other: &Self) -> bool {
        let tracks = |document: &Self| -> Vec<(TrackId, EditList)> {
            document.tracks().map(|track| (track.strip.id, track.edits.clone())).collect()
        };
        (&self.edits, &self.sources, self.tracks.front) == (&other.edits, &other.sources, other.tracks.front)
            && tracks(self) == tracks(other)
    }

    /// Returns the racks that all tracks go through together.
    pub fn sum_racks(&self) -> (&Chain, &Chain, Rack) {
        if self.tracks.on_sum {
            return (&self.chain, &self.resting, self.rack);
        }
        let Racks { chain, resting, rack } = &self.tracks.sum;
        (chain, resting, *rack)
    }

    /// Returns the last chain before the output: that of the sum, or of a plain document.
    pub fn whole_chain(&self) -> &Chain {
        if self.tracks.is_plain() { &self.chain } else { self.sum_racks().0 }
    }

    /// Returns the chains of all racks of the document, also of tracks that are not chosen.
    pub fn all_chains(&self) -> impl Iterator<Item = &Chain> {
        let others = self.tracks.list.iter().map(|track| &track.racks).chain([&self.tracks.sum]);
        [&self.chain, &self.resting].into_iter().chain(others.flat_map(|racks| [&racks.chain, &racks.resting]))
    }

    /// Chooses a track or the sum. Returns `false` if it is chosen already.
    pub fn choose(&mut self, choice: TrackChoice) -> Result<bool> {
        if self.chosen() == Some(choice) {
            return Ok(false);
        }
        let index = match choice {
            TrackChoice::Sum if self.tracks.is_plain() => return Err(no_tracks()),
            TrackChoice::Sum => self.tracks.front,
            TrackChoice::Track(id) => self.index_of(id)?,
        };
        self.put_back();
        self.tracks.front = index;
        self.tracks.on_sum = choice == TrackChoice::Sum;
        self.take_out();
        self.fit_channels();
        Ok(true)
    }

    /// Gives a document with sources these tracks.
    pub(super) fn of_tracks(
        mut self,
        tracks: Vec<(TrackStrip, EditList, Racks)>,
        sum: Racks,
        chosen: Option<TrackChoice>,
    ) -> Result<Self> {
        let made = tracks.into_iter().map(|(strip, edits, racks)| Track { strip, edits, racks });
        self.tracks = Tracks { list: made.collect(), front: 0, on_sum: false, sum };
        if self.tracks.is_plain() {
            return Err(Error::invalid("number of tracks", "0", format!("1 to {MAX_TRACKS}")));
        }
        self.take_out();
        if let Some(choice) = chosen {
            self.choose(choice)?;
        }
        Ok(self)
    }

    /// Puts the edit list and the racks of the document back to the track or sum that they are of.
    fn put_back(&mut self) {
        let racks = Racks {
            chain: std::mem::take(&mut self.chain),
            rack: self.rack,
            resting: std::mem::take(&mut self.resting),
        };
        let edits = std::mem::take(&mut self.edits);
        let Tracks { list, front, on_sum, sum } = &mut self.tracks;
        let Some(track) = list.get_mut(*front) else { return };
        track.edits = edits;
        *(if *on_sum { sum } else { &mut track.racks }) = racks;
    }

    /// Takes the edit list and the racks of the track or sum that is chosen.
    fn take_out(&mut self) {
        let Tracks { list, front, on_sum, sum } = &mut self.tracks;
        let Some(track) = list.get_mut(*front) else { return };
        self.edits = std::mem::take(&mut track.edits);
        let racks = std::mem::take(if *on_sum { sum } else { &mut track.racks });
        Racks { chain: self.chain, rack: self.rack, resting: self.resting } = racks;
    }

    fn index_of(&self, id: TrackId) -> Result<usize> {
        self.tracks.list.iter().position(|track| track.strip.id == id).ok_or_else(|| unknown(id))
    }

    /// Returns the edit list of the track in front, with silence up to the end of the longest track.
    pub fn lane_edits(&self) -> Cow<'_, EditList> {
        padded(&self.edits, self.frames())
    }

    /// Returns the format of the signal of an edit list: the rate of the document, and the most channels of the
    /// recordings that it uses.
    pub(super) fn format_of(&self, edits: &EditList) -> Result<AudioFormat> {
        let first = self.sources.first().ok_or_else(|| Error::impossible("The document has no recording."))?;
        let format = first.summary.format;
        if self.tracks.is_plain() {
            return Ok(format);
        }
        let used = edits.clips.iter().filter_map(|clip| self.sources.get(clip.source?));
        // The first of the recordings with the most channels determines the layout.
        let widest =
            used.map(|source| source.summary.format).reduce(|a, b| if b.channels > a.channels { b } else { a });
        Ok(widest.map_or(format, |widest| widest.with_rate(format.rate)))
    }

    /// Returns the format of the sum: that of the widest track, and at least two channels.
    pub(super) fn format_of_sum(&self) -> Result<AudioFormat> {
        let format = self.format_of(&self.edits)?;
        let tracks = self.tracks().filter_map(|track| self.format_of(track.edits).ok());
        Ok(tracks.fold(
            format.with_channels(2),
            |widest, track| if track.channels > widest.channels { track } else { widest },
        ))
    }

    fn chains(&self) -> impl Iterator<Item = &Chain> {
        let others = self.tracks.list.iter().map(|track| &track.racks).chain([&self.tracks.sum]);
        [&self.chain, &self.resting].into_iter().chain(others.flat_map(|racks| [&racks.chain, &racks.resting]))
    }

    fn chains_mut(&mut self) -> impl Iterator<Item = &mut Chain> {
        let others = self.tracks.list.iter_mut().map(|track| &mut track.racks).chain([&mut self.tracks.sum]);
        let others = others.flat_map(|racks| [&mut racks.chain, &mut racks.resting]);
        [&mut self.chain, &mut self.resting].into_iter().chain(others)
    }

    /// Returns the document with every chain changed by `change`.
    pub fn with_chains(mut self, change: impl Fn(Chain) -> Result<Chain>) -> Result<Self> {
        for chain in self.chains_mut() {
            *chain = change(std::mem::take(chain))?;
        }
        Ok(self)
    }

    /// Returns whether its chains are allowed nothing that `permission` does not allow.
    pub fn is_within(&self, permission: &Permission) -> bool {
        self.chains().all(|chain| chain.permission().is_within(permission))
    }

    /// Returns the document with nothing allowed to its chains that `permission` does not allow.
    #[must_use]
    pub fn limited_to(mut self, permission: &Permission) -> Self {
        for chain in self.chains_mut() {
            *chain = std::mem::take(chain).limited_to(permission);
        }
        self
    }

    /// Returns the number of channels of an edit list; 0 without recordings.
    pub fn channels_of(&self, edits: &EditList) -> usize {
        self.format_of(edits).map_or(0, |format| format.channels)
    }

    /// Returns a key of the sound of an edit list in this document.
    pub fn sound_key_of(&self, edits: &EditList) -> String {
        ContentKey::of_edits(&padded(edits, self.frames()), &self.sources).as_str().to_owned()
    }

    /// Checks the tracks of a stored document against its sources.
    pub(super) fn check_tracks(&self) -> Result<()> {
        let Tracks { list, front, on_sum, .. } = &self.tracks;
        if list.len() > MAX_TRACKS {
            return Err(Error::invalid("number of tracks", list.len().to_string(), format!("up to {MAX_TRACKS}")));
        }
        if if list.is_empty() { *front > 0 || *on_sum } else { *front >= list.len() } {
            return Err(Error::invalid("chosen track", front.to_string(), format!("below {}", list.len())));
        }
        let lengths = self.source_frames();
        for (index, track) in list.iter().enumerate() {
            track.strip.check()?;
            track.edits.check(&lengths)?;
            if list[..index].iter().any(|other| other.strip.id == track.strip.id) {
                return Err(Error::invalid("handles of the tracks", track.strip.id.0.to_string(), "one of each"));
            }
        }
        Ok(())
    }
}

/// Returns an edit list with silence up to `frames`.
pub(super) fn padded(edits: &EditList, frames: u64) -> Cow<'_, EditList> {
    let length = edits.frames();
    if length >= frames {
        return Cow::Borrowed(edits);
    }
    let mut edits = edits.clone();
    edits.clips.push(Clip::silence(frames - length));
    Cow::Owned(edits)
}

fn unknown(id: TrackId) -> Error {
    Error::NotFound { what: "track", name: id.0.to_string() }
}

fn no_tracks() -> Error {
    Error::impossible("The document has only one track.")
}
