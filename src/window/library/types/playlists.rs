//! Playlists of the library's tracks.

use serde::Serialize;

use base::declared::TS;

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
