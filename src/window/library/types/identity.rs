//! Identifying clips.

use serde::{Deserialize, Serialize};

use super::tracks::TrackItem;
use crate::document::FrameRange;
use crate::library::answers::ClipPlace;
use crate::window::workspace::types::DocumentId;
use base::declared::TS;

/// The source of a clip to identify.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each carries what it is named after")]
pub enum ClipSource {
    /// A file that the user chooses.
    File,
    /// An open document, or a part of it.
    Document { document: DocumentId, range: Option<FrameRange> },
    /// The default audio input, for some seconds.
    Microphone { seconds: f64 },
}

/// The result of identifying a clip.
#[derive(Clone, Debug, Serialize, TS)]
pub struct IdentifiedView {
    /// The description of the clip.
    pub clip: String,
    /// The duration in seconds.
    pub duration_s: f64,
    /// The peak level in dBFS. A very low level means that the microphone picked up nothing.
    pub peak_db: Option<f64>,
    /// Matching tracks, best first.
    pub tracks: Vec<IdentityView>,
    /// The number of tracks that were searched.
    pub asked: usize,
    /// The number of tracks whose landmarks could not be searched, because another version of this program analysed
    /// them. Their Chromaprint items are searched.
    pub outdated: usize,
}

/// A track that matches a clip.
#[derive(Clone, Debug, Serialize, TS)]
pub struct IdentityView {
    /// The track.
    pub track: TrackItem,
    /// The position and speed of the clip in the track.
    #[serde(flatten)]
    pub place: ClipPlace,
}
