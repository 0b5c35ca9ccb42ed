//! Loudness over time, as the window queries and shows it.

use serde::{Deserialize, Serialize};

use crate::playback::Side;
use crate::view::loudness::TrackState;
use base::declared::TS;

/// The settings of the loudness lane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LoudnessSettings {
    /// Whether the lane is shown.
    pub lane: bool,
    /// The target loudness in LUFS.
    pub target_lufs: f64,
}

impl Default for LoudnessSettings {
    fn default() -> Self {
        Self { lane: false, target_lufs: -23.0 }
    }
}

impl LoudnessSettings {
    /// Returns the settings with every value clamped to its range.
    #[must_use]
    pub fn checked(mut self) -> Self {
        let lufs = if self.target_lufs.is_nan() { Self::default().target_lufs } else { self.target_lufs };
        self.target_lufs = lufs.clamp(-60.0, 0.0);
        self
    }
}

/// The part of a loudness curve to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
pub struct LoudnessQuery {
    /// The side of the document.
    pub side: Side,
    /// The generation of the curve that the caller has; 0 for none.
    pub generation: u32,
    /// The first point that the caller does not have yet.
    pub from: u32,
}

/// The progress of a loudness curve.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct LoudnessView {
    /// The generation of the curve. Another value means another curve.
    pub generation: u32,
    /// The progress of its measurement.
    #[serde(flatten)]
    pub state: TrackState,
}
