//! Finding similar tracks, and why they are similar.

use serde::{Deserialize, Serialize};

use super::tracks::TrackItem;
use crate::library::questions::similar::Contribution;
use crate::window::workspace::types::DocumentId;
use base::declared::TS;

/// The reference of a similarity search.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each carries what it is named after")]
pub enum LikeWhat {
    /// A track of the library.
    Track { track: i64 },
    /// A document that is open in the editor; it is analysed first.
    Document { document: DocumentId },
}

/// A track that is similar to the reference.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SimilarItem {
    /// The track.
    pub track: TrackItem,
    /// The similarity: 1 for equal features, 0 for a distance at least as large as the library's spread.
    pub score: f64,
    /// Every dimension that was compared, the largest share of the distance first.
    pub contributions: Vec<Contribution>,
}
