//! Duplicates of a recording, and the user's decisions about them.

use serde::Serialize;

use super::tracks::TrackItem;
use crate::library::Decision;
use crate::library::encodings::Verdict;
use crate::library::questions::duplicates::Agreement;
use base::declared::TS;

/// The result of a search for duplicates.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DuplicatesView {
    /// Groups of two or more tracks that are the same recording, the best copy first. Those whose other copies take the
    /// most space come first.
    pub groups: Vec<Vec<DuplicateItem>>,
    /// The number of tracks that were searched.
    pub tracks: usize,
    /// The number of pairs that were compared.
    pub compared: usize,
    /// Whether the library has changed since the search.
    pub outdated: bool,
}

/// A track of a group.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DuplicateItem {
    /// The track.
    pub track: TrackItem,
    /// The similarity to the group's reference, and the alignment with the best copy.
    #[serde(flatten)]
    pub agreement: Agreement,
    /// Whether its audio is bit-identical to that of another track of the group.
    pub exact: bool,
    /// Whether it is the copy to keep.
    pub best: bool,
    /// The reasons for its rank among the copies.
    pub reasons: Vec<String>,
    /// The origin that its bandwidth suggests.
    pub origin: Option<Verdict>,
    /// The user's decision about this track and the best copy.
    pub decision: Option<Decision>,
}
