//! Copies of one recording, and what was decided about them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::page::OriginView;
use super::tracks::TrackItem;

/// Tracks that are the same recording.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DuplicatesView {
    /// Groups of two tracks and more.
    pub groups: Vec<DuplicateGroup>,
    /// Tracks that were looked at.
    pub tracks: usize,
    /// Pairs that were compared.
    pub compared: usize,
    /// Whether the library has changed since.
    pub outdated: bool,
}

/// Tracks that are one recording.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DuplicateGroup {
    /// The tracks, the best copy first.
    pub members: Vec<DuplicateItem>,
    /// Bytes of all but the best copy.
    pub spare_bytes: u64,
}

/// A track of a group.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DuplicateItem {
    /// The track.
    pub track: TrackItem,
    /// How alike it is to the group's reference, 0 to 1.
    pub score: f64,
    /// Seconds of both that lie over each other.
    pub overlap_s: f64,
    /// Where in this track the best copy's beginning lies, in seconds; negative where this track begins later.
    pub offset_s: f64,
    /// How much faster this track plays than the best copy.
    pub speed: f64,
    /// Whether its audio is that of another of the group to the last bit.
    pub exact: bool,
    /// Whether it is the copy to keep.
    pub best: bool,
    /// Why it stands where it stands among the copies.
    pub reasons: Vec<String>,
    /// What its bandwidth says of where it comes from.
    pub origin: Option<OriginView>,
    /// What the user decided about it and the best copy.
    pub decision: Option<Decision>,
}

/// What the user decided about two tracks that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// They are the same recording.
    Same,
    /// They are not, and are not shown together again.
    Different,
    /// They are the same, and both are to stay.
    KeepBoth,
}
