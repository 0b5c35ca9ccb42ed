//! Which tracks are like one, and why.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::tracks::TrackItem;
use crate::app::api::documents::DocumentId;

/// What others are to be like.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each carries what it is named after")]
pub enum LikeWhat {
    /// A track of the library.
    Track { track: i64 },
    /// A recording that is open in the editor; it is listened to first.
    Document { document: DocumentId },
}

/// A track that is like the one asked for.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SimilarItem {
    /// The track.
    pub track: TrackItem,
    /// 1 for equal, 0 for as far as the library is wide or farther.
    pub score: f64,
    /// Every dimension that counted, the largest share of the distance first.
    pub contributions: Vec<ContributionView>,
}

/// What a dimension adds to a distance.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ContributionView {
    /// The dimension's name.
    pub dimension: String,
    /// The value of the track asked for.
    pub asked: Option<f64>,
    /// The value of the track found.
    pub found: Option<f64>,
    /// Its share of the squared distance; all shares sum to 1, or are 0 where the distance is.
    pub share: f64,
}
