//! Open documents: their contents, visible range and selection.

use serde::{Deserialize, Serialize};

use crate::audio::{Layout, Marker};
use crate::chain::Chain;
use crate::document::{
    Band, Crossfade, Document, DocumentMarker, FrameRange, MarkerId, Rack, TrackChoice, TrackParts, TrackStrip,
};
use crate::error::Failure;
use base::declared::TS;

/// The least level zoom: a lane shows 12 dB over full scale.
pub const LEAST_LEVEL_ZOOM: f64 = 0.25;
/// The greatest level zoom: a lane shows levels up to -96 dBFS.
pub const MOST_LEVEL_ZOOM: f64 = 65_536.0;

/// The handle of an open document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DocumentId(pub u32);

base::declared_as!(DocumentId, u32);

/// A document as the window shows it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DocumentView {
    /// The handle.
    pub id: DocumentId,
    /// The name: that of its project file, otherwise that of its first recording.
    pub name: String,
    /// Whether it was changed since its project file was saved; null if it was not saved as one.
    pub project_changed: Option<bool>,
    /// The recordings that it is made of.
    pub sources: Vec<SourceView>,
    /// The sample rate in Hz.
    pub rate: u32,
    /// The number of channels of the sources.
    pub channels: usize,
    /// The speaker layout of more than two channels; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub layout: Option<Layout>,
    /// The length in frames.
    pub frames: u64,
    /// The chain.
    pub chain: Chain,
    /// The chain as text.
    pub chain_text: String,
    /// Why the chain cannot run, such as a cutoff above half the sample rate.
    pub chain_problem: Option<Failure>,
    /// Files named by a chain of this document that the user has not allowed yet. None of them is read until then.
    pub asked_files: Vec<String>,
    /// The length of the chain's output relative to the recording, if effects stretch time; otherwise 1.
    pub length_ratio: f64,
    /// Which of the two racks holds the chain.
    pub rack: Rack,
    /// The chain of the other rack, as text.
    pub resting_text: String,
    /// The selected frames.
    pub selection: Option<FrameRange>,
    /// The selected frequencies; null for all.
    pub band: Option<Band>,
    /// The channels that edits of the selection act on, by number; null for all.
    pub channels_selected: Option<Vec<usize>>,
    /// The cursor's frame, from which playback starts.
    pub cursor_frame: u64,
    /// The visible range of the lanes.
    pub view: ViewRange,
    /// The magnification of levels: 1 if full scale fills a lane.
    pub level_zoom: f64,
    /// The label of the edit that undo would revert.
    pub undo: Option<String>,
    /// The label of the edit that redo would repeat.
    pub redo: Option<String>,
    /// The progress of the waveform, and problems in reading it.
    pub waveform: WaveformView,
    /// Counts changes of chain, selection and edit list.
    pub revision: u64,
    /// Counts changes of the sound before the chain, after which every picture of it is outdated.
    pub sound: u64,
    /// The frames at which one clip ends and the next begins.
    pub joins: Vec<u64>,
    /// The tracks in order; empty for a document of one plain track.
    pub tracks: Vec<TrackView>,
    /// The track to which the fields above belong, or the sum; null for a plain document.
    pub chosen: Option<TrackChoice>,
    /// Whether it has more than one clip, or one with gain or fades.
    pub arranged: bool,
    /// A key that changes with the markers; empty if there are none.
    pub markers: String,
}

/// A track as the window shows it.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct TrackView {
    /// Its name and how it is heard.
    #[serde(flatten)]
    pub strip: TrackStrip,
    /// The length in frames; the document is as long as its longest track.
    pub frames: u64,
    /// The number of channels of its recordings.
    pub channels: usize,
    /// The number of effects in its rack that are on.
    pub effects: usize,
    /// A key that changes with its sound before its rack.
    pub sound: String,
}

impl TrackView {
    /// Returns the view of a track of a document.
    pub(crate) fn of(track: &TrackParts<'_>, document: &Document) -> Self {
        Self {
            strip: track.strip.clone(),
            frames: track.edits.frames(),
            channels: document.channels_of(track.edits),
            effects: track.chain.nodes.iter().filter(|node| !node.bypass).count(),
            sound: document.sound_key_of(track.edits),
        }
    }
}

/// A clip of a document as the window shows it.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct ClipView {
    /// The number of its source; null for silence.
    pub source: Option<usize>,
    /// The length in frames.
    pub frames: u64,
    /// The gain in dB.
    pub gain_db: f64,
    /// The length of the fade-in in frames.
    pub fade_in: u64,
    /// The length of the fade-out in frames.
    pub fade_out: u64,
    /// Whether it is played backwards.
    pub reversed: bool,
    /// The frames of the source before the clip, by which its start can be extended.
    pub before: u64,
    /// The frames of the source after the clip, by which its end can be extended.
    pub after: u64,
    /// The cross-fade from the previous clip, as set.
    #[ts(inline)]
    pub crossfade: Crossfade,
    /// Whether it continues the sound of the previous clip, so that nothing is cross-faded.
    pub continues: bool,
    /// The frames before its start over which it is cross-faded with the previous clip.
    pub fades_before: u64,
    /// The frames after its start over which it is cross-faded with the previous clip.
    pub fades_after: u64,
}

/// A marker or region as the window shows it.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct MarkerView {
    /// The number.
    pub id: MarkerId,
    /// The frame of the marker, or the first one of the region.
    pub start_frame: u64,
    /// The frame after the region; null for a marker without an end.
    pub end_frame: Option<u64>,
    /// The name; may be empty.
    pub name: String,
    /// A comment, which some file formats store; may be empty.
    pub note: String,
}

impl From<&DocumentMarker> for MarkerView {
    fn from(DocumentMarker { id, marker }: &DocumentMarker) -> Self {
        let Marker { start_frame, end_frame, name, note, .. } = marker.clone();
        Self { id: *id, start_frame, end_frame, name, note }
    }
}

/// The progress of a waveform, and problems in reading it.
#[derive(Clone, Debug, Default, Serialize, TS)]
pub struct WaveformView {
    /// The share of the document that is drawn exactly, 0..=1.
    pub exact_share: f64,
    /// Ranges that could not be decoded and are silent; the list is complete once everything is exact.
    pub damage: Vec<FrameRange>,
    /// Why reading stopped early.
    pub failure: Option<String>,
}

/// A recording that a document is made of.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SourceView {
    /// The file name without its folder.
    pub name: String,
    /// The whole path, for display only.
    pub path: String,
    /// Problems in the file that do not prevent its use.
    pub warnings: Vec<String>,
    /// Why it cannot be read now (moved, changed); its document keeps its place.
    pub missing: Option<String>,
}

/// The visible part of a document in frames; fractions matter at high zoom.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViewRange {
    /// The left edge.
    pub start: f64,
    /// The right edge.
    pub end: f64,
}

base::declared_as!(ViewRange, FrameRange);

/// A recently opened file.
#[derive(Clone, Debug, Serialize, TS)]
pub struct RecentFile {
    /// The handle.
    pub id: u32,
    /// The file name.
    pub name: String,
    /// The folder, for display only.
    pub folder: String,
}

/// The result of opening several files.
#[derive(Clone, Debug, Serialize, TS)]
pub struct Opened {
    /// Documents that were opened or already open.
    pub documents: Vec<DocumentView>,
    /// Files that could not be opened.
    pub failures: Vec<FileFailure>,
    /// The name of the last closed document, which can be reopened.
    pub last_closed: Option<String>,
}

/// Why a file could not be opened or moved.
#[derive(Clone, Debug, Serialize, TS)]
pub struct FileFailure {
    /// The file's name.
    pub name: String,
    /// The reason.
    pub failure: Failure,
}

/// The handle of a file that the user chose to write to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TargetId(pub u32);

base::declared_as!(TargetId, u32);

/// The handle of a picture that the user chose as a cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CoverId(pub u32);

base::declared_as!(CoverId, u32);
