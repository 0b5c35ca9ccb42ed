//! Hearing one track, or two laid over each other.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One of the two that an audition lets hear.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, TS)]
pub struct AuditionTrack {
    /// A track of the library.
    pub track: i64,
    /// Where in it the common time begins, in the track's own seconds; negative where it comes in later.
    pub offset_s: f64,
    /// How fast it is played, pitch and all: 1 as it is. A copy that plays 2 % faster than the other track lies over it
    /// from beginning to end at `1 / 1.02`.
    #[serde(default = "as_it_is")]
    #[ts(as = "Option<f64>", optional)]
    pub speed: f64,
}

fn as_it_is() -> f64 {
    1.0
}

/// What is auditioned: one track, or two that are laid over each other.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct AuditionView {
    /// The track on side A.
    pub a: i64,
    /// The track on side B.
    pub b: Option<i64>,
    /// Frames of their common time a second, in which the transport's frame and `seek` count.
    pub rate: u32,
    /// Their common time's length in seconds.
    pub duration_s: f64,
    /// The common time that is heard now.
    pub at_s: f64,
}
