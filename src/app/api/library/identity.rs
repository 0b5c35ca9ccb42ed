//! What a clip is.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::tracks::TrackItem;
use crate::app::api::documents::{DocumentId, Selection};

/// Where a clip comes from that is to be identified.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each carries what it is named after")]
pub enum ClipSource {
    /// A file that the user is asked for.
    File,
    /// A recording that is open in the editor, or a part of it.
    Document { document: DocumentId, range: Option<Selection> },
    /// The system's sound input, for some seconds.
    Microphone { seconds: f64 },
}

/// What a clip is of.
#[derive(Clone, Debug, Serialize, TS)]
pub struct IdentifiedView {
    /// What the clip was.
    pub clip: String,
    /// Its length in seconds.
    pub duration_s: f64,
    /// Its level: a microphone that hears nothing says so.
    pub peak_db: Option<f64>,
    /// Tracks that it is of, the best first.
    pub tracks: Vec<IdentityView>,
    /// Tracks that were asked.
    pub asked: usize,
    /// Tracks that an earlier version of this program analysed and that were not asked.
    pub outdated: usize,
}

/// A track that a clip is of.
#[derive(Clone, Debug, Serialize, TS)]
pub struct IdentityView {
    /// The track.
    pub track: TrackItem,
    /// 1 for the same, 0 for no more alike than any two.
    pub score: f64,
    /// Where in the track the clip begins, in seconds.
    pub offset_s: f64,
    /// How much of the clip is in the track, in seconds.
    pub overlap_s: f64,
    /// How much faster the clip plays than the track.
    pub speed: f64,
    /// How much higher it sounds, in semitones.
    pub pitch_semitones: f64,
}
