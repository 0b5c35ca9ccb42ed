//! Playlists of the library's tracks.

use serde::{Deserialize, Serialize};

use base::declared::TS;

use super::tracks::TrackListQuery;
use crate::library::answers::PlaylistChoice;

/// A request for a playlist.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
pub struct PlaylistRequest {
    /// The query that selects the candidate tracks, and the order of its table.
    pub query: TrackListQuery,
    /// The IDs to which the candidates are limited; `None` for all tracks of the query.
    pub tracks: Option<Vec<i64>>,
    /// How tracks are chosen from the candidates.
    pub choice: PlaylistChoice,
    /// The greatest number of tracks; `None` for no limit.
    pub count: Option<usize>,
    /// Whether the tracks are ordered for mixing, by tempo and key. Unless all were chosen, the first one stays first.
    pub mixed: bool,
}

/// The tracks of a playlist.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct PlaylistView {
    /// The IDs of its tracks in their order.
    pub tracks: Vec<i64>,
    /// The length of all tracks whose length is known, in seconds.
    pub duration_s: f64,
    /// The number of chosen tracks that are left out, because they could not be analysed.
    pub left_out: usize,
    /// The cost of the change from each track to the next in a mix; empty for another order. 0.5 is a fifth, the
    /// relative key, or 3 % of tempo; an unknown key or tempo costs 1.
    pub changes: Vec<f64>,
}
