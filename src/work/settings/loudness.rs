//! The settings of the loudness lane.

use serde::{Deserialize, Serialize};

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
