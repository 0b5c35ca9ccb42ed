//! Auditions of one track or of two aligned tracks.

use serde::{Deserialize, Serialize};

use base::declared::TS;

/// One of the tracks of an audition.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, TS)]
pub struct AuditionTrack {
    /// A track of the library.
    pub track: i64,
    /// The position in the track at which the common time starts, in seconds of the track; negative if the track starts
    /// later.
    pub offset_s: f64,
    /// The playback speed, which also changes the pitch; 1 is unchanged. A copy that plays 2 % faster than the other
    /// track stays aligned with it at `1 / 1.02`.
    #[serde(default = "as_it_is")]
    #[ts(as = "Option<f64>", optional)]
    pub speed: f64,
}

fn as_it_is() -> f64 {
    1.0
}

/// The current audition: one track, or two aligned tracks.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct AuditionView {
    /// The track on side A.
    pub a: i64,
    /// The track on side B.
    pub b: Option<i64>,
    /// The sample rate of the common time in Hz. The transport's frame and `seek` count in it.
    pub rate: u32,
    /// The length of the common time in seconds.
    pub duration_s: f64,
    /// The current position in the common time, in seconds.
    pub at_s: f64,
}
