//! Documents: sources, edit list, markers, chain, selection, history, and the session on disk.

mod channels;
mod clip;
mod clip_edit;
mod converted;
mod edit_list;
mod history;
mod join;
mod markers;
mod moves;
mod opening;
mod processing;
pub mod project;
mod racks;
mod reader;
mod rendering;
pub mod session;
mod sound_edit;
mod source;
mod state;
mod takes;
mod tracks;
mod zero_crossing;

pub use clip::{Clip, Crossfade, Fade, FadeShape};
pub use clip_edit::{ClipEdit, ClipEdited};
pub use converted::converted;
pub use edit_list::EditList;
pub use history::{History, MAX_STEPS, Step};
pub use join::Join;
pub use markers::{DocumentMarker, DocumentMarkers, MarkerEdit, MarkerId};
pub use moves::Moves;
pub use opening::{document_of, open_files, open_source, source_of};
pub use project::{Project, ProjectFile};
pub use racks::Rack;
pub use reader::DocumentReader;
pub use rendering::Rendering;
pub use sound_edit::{Edited, Excerpt, SoundEdit};
pub use source::{ClockSpeed, ContentKey, FileStamp, Source, SourceState, SourceSummary};
pub use takes::{TakePlace, TakeTrack};
pub use tracks::{
    MAX_TRACKS, Mix, MixMeasurements, MixPart, MixReader, MixRender, OpenSource, Racks, StemPreset, TrackChoice,
    TrackEdit, TrackId, TrackParts, TrackStrip, Tracks,
};
pub use zero_crossing::nearest_zero_crossing;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use audio::{AudioFormat, AudioReader};
use base::declared::TS;
use base::error::Result;
use effects::chain::Chain;

/// A document: recordings, an edit list over them, and the chain that processes the result. Undo and redo apply to all
/// of it together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The name of a document that the program put together from several recordings; empty for the others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The source recordings.
    pub sources: Vec<Source>,
    /// The edit list over the sources.
    pub edits: EditList,
    /// The chain of the active rack.
    pub chain: Chain,
    /// The active rack, which is audible and editable.
    #[serde(default)]
    pub rack: Rack,
    /// The chain of the other rack, for comparison.
    #[serde(default)]
    pub resting: Chain,
    /// The selected frames of the document; the end is exclusive.
    #[serde(default)]
    pub selection: Option<FrameRange>,
    /// The selected frequencies; `None` means all.
    #[serde(default)]
    pub band: Option<Band>,
    /// The channels that edits of the selection act on, by number and in order; `None` means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<usize>>,
    /// The markers and regions.
    #[serde(default, skip_serializing_if = "DocumentMarkers::is_empty")]
    pub markers: DocumentMarkers,
    /// The tracks beside the one in front, whose edit list and racks are the fields above.
    #[serde(default, skip_serializing_if = "Tracks::is_plain")]
    pub tracks: Tracks,
}

/// A frequency band, `low_hz < high_hz`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(rename = "FrequencyBand")]
pub struct Band {
    /// The lower edge in Hz.
    pub low_hz: f64,
    /// The upper edge in Hz.
    pub high_hz: f64,
}

/// A half-open range of frames, `start < end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FrameRange {
    /// The first frame.
    pub start: u64,
    /// The frame after the last frame.
    pub end: u64,
}

impl From<Range<u64>> for FrameRange {
    fn from(Range { start, end }: Range<u64>) -> Self {
        Self { start, end }
    }
}

impl Document {
    /// Creates a document of one whole recording with an empty chain and without markers.
    pub fn of_source(source: Source) -> Self {
        let frames = source.summary.frames;
        Self {
            title: String::new(),
            sources: vec![source],
            edits: EditList { clips: vec![Clip::whole(0, frames)] },
            chain: Chain::default(),
            rack: Rack::A,
            resting: Chain::default(),
            selection: None,
            band: None,
            channels: None,
            markers: DocumentMarkers::default(),
            tracks: Tracks::default(),
        }
    }

    /// Returns the format of the chosen track or the sum: the rate of the first source, and the channels of the track
    /// or the sum.
    pub fn format(&self) -> Result<AudioFormat> {
        if self.chosen() == Some(TrackChoice::Sum) { self.format_of_sum() } else { self.format_of(&self.edits) }
    }

    /// Returns whether the document is a single recording, whole and unchanged.
    pub fn is_whole(&self) -> bool {
        self.tracks.is_plain()
            && matches!((&*self.sources, &*self.edits.clips), ([source], [clip]) if source.clock.is_nominal() && *clip == Clip::whole(0, source.summary.frames))
    }

    /// Returns the length in frames: that of the longest track.
    pub fn frames(&self) -> u64 {
        self.tracks().map(|track| track.edits.frames()).fold(self.edits.frames(), u64::max)
    }

    /// Returns the lengths of the sources in frames of the document, whose rate they are converted to.
    pub fn source_frames(&self) -> Vec<u64> {
        let rate = self.format().ok().map(|format| format.rate);
        let frames = |source: &Source| rate.map_or(source.summary.frames, |rate| source.frames_at(rate));
        self.sources.iter().map(frames).collect()
    }

    /// Creates a reader of the signal before the chain, of the track in front. `open` opens a source. Sources of another
    /// format are converted.
    pub fn reader(&self, open: impl FnMut(&Source) -> Result<Box<dyn AudioReader>>) -> Result<DocumentReader> {
        DocumentReader::of_sources(&self.sources, open, &self.lane_edits(), self.format_of(&self.edits)?)
    }

    /// Returns a key of the signal before the chain, for caching data that is computed from it. It covers the contents
    /// of the sources, the sizes and modification times of their files, and the edit list.
    pub fn content_key(&self) -> ContentKey {
        ContentKey::of_edits(&self.lane_edits(), &self.sources)
    }
}
