//! Documents: what is open, what of it is shown and selected.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::chain::Chain;
use crate::document::Rack;
use crate::error::Failure;

/// The handle of an open document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct DocumentId(pub u32);

/// A document as the window shows it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DocumentView {
    /// Its handle.
    pub id: DocumentId,
    /// Its name, of its first source.
    pub name: String,
    /// The recordings it is made of.
    pub sources: Vec<SourceView>,
    /// Frames per second.
    pub rate: u32,
    /// Channels of its sources.
    pub channels: usize,
    /// Length in frames.
    pub frames: u64,
    /// The chain.
    pub chain: Chain,
    /// The chain as text.
    pub chain_text: String,
    /// Why the chain cannot run as it is, such as a cutoff above half the rate.
    pub chain_problem: Option<Failure>,
    /// Files that a chain of this document reads and the user has not allowed yet. Until then none of them is read.
    pub asked_files: Vec<String>,
    /// The length of what comes out of the chain over that of the recording, where effects stretch time; else 1.
    pub length_ratio: f64,
    /// Which of the two racks the chain is.
    pub rack: Rack,
    /// The chain of the other rack, as text.
    pub resting_text: String,
    /// Selected frames.
    pub selection: Option<Selection>,
    /// The frequencies that are selected with them; none is all.
    pub band: Option<FrequencyBand>,
    /// The cursor's frame, from which playback begins.
    pub cursor_frame: u64,
    /// What the lanes show.
    pub view: ViewRange,
    /// What undo would undo.
    pub undo: Option<String>,
    /// What redo would redo.
    pub redo: Option<String>,
    /// How far its waveform is, and what its reading met.
    pub waveform: WaveformView,
    /// Counts every change of chain, selection or edit list.
    pub revision: u64,
}

/// How far a waveform is, and what its reading met.
#[derive(Clone, Debug, Default, Serialize, TS)]
pub struct WaveformView {
    /// The share of the document that is drawn exactly, 0..1.
    pub exact_share: f64,
    /// What could not be decoded and is silent; known in whole when everything is exact.
    pub damage: Vec<Selection>,
    /// What ended the reading before its time.
    pub failure: Option<String>,
}

/// A recording that a document is made of.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SourceView {
    /// The file's name, without its folder.
    pub name: String,
    /// The folder, to tell files of one name apart; for reading only.
    pub folder: String,
    /// Container: "WAV".
    pub format: String,
    /// Codec: "PCM 16 bit".
    pub codec: String,
    /// Seconds.
    pub duration_s: f64,
    /// Tags by name.
    pub tags: BTreeMap<String, String>,
    /// What is wrong with the file though it can be used.
    pub warnings: Vec<String>,
    /// Why it cannot be read now (moved, changed); its document keeps its place.
    pub missing: Option<String>,
}

/// A band of frequencies, `low_hz < high_hz`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct FrequencyBand {
    /// Its lower edge in hertz.
    pub low_hz: f64,
    /// Its upper edge.
    pub high_hz: f64,
}

/// A range of frames, the end excluded; `start < end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Selection {
    /// First frame.
    pub start: u64,
    /// One past the last frame.
    pub end: u64,
}

/// The visible part of a document, in frames; fractions matter at high zoom.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ViewRange {
    /// Left edge.
    pub start: f64,
    /// Right edge.
    pub end: f64,
}

/// Level of a range, measured.
#[derive(Clone, Debug, Serialize, TS)]
pub struct RangeLevels {
    /// Sample peak in dBFS; null for silence.
    pub peak_db: Option<f64>,
    /// RMS in dBFS (a full-scale square wave is 0); null for silence.
    pub rms_db: Option<f64>,
}

/// A file opened before.
#[derive(Clone, Debug, Serialize, TS)]
pub struct RecentFile {
    /// Its handle.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Its folder, for reading only.
    pub folder: String,
}

/// What opening several files gave.
#[derive(Clone, Debug, Serialize, TS)]
pub struct Opened {
    /// Documents opened, or found open already.
    pub documents: Vec<DocumentView>,
    /// Files that could not be opened.
    pub failures: Vec<OpenFailure>,
}

/// Why a file could not be opened.
#[derive(Clone, Debug, Serialize, TS)]
pub struct OpenFailure {
    /// The file's name.
    pub name: String,
    /// Why.
    pub failure: Failure,
}
