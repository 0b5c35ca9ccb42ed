//! Loudness over time.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::playback::Side;

/// How loudness over time is shown.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LoudnessSettings {
    /// Whether its lane is shown.
    pub lane: bool,
    /// The loudness aimed at, in LUFS.
    pub target_lufs: f64,
}

impl Default for LoudnessSettings {
    fn default() -> Self {
        Self { lane: false, target_lufs: -23.0 }
    }
}

impl LoudnessSettings {
    /// The same with every value inside its range.
    #[must_use]
    pub fn checked(mut self) -> Self {
        let lufs = if self.target_lufs.is_nan() { Self::default().target_lufs } else { self.target_lufs };
        self.target_lufs = lufs.clamp(-60.0, 0.0);
        self
    }
}

/// Which part of a curve is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
pub struct LoudnessQuery {
    /// Which side of the document.
    pub side: Side,
    /// The curve that is known to the asker; 0 for none.
    pub generation: u32,
    /// The first point that is not known yet.
    pub from: u32,
}

/// How far a curve is.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct LoudnessView {
    /// Another number is another curve.
    pub generation: u32,
    /// The share of the work that is done, 0..1; what effects ask of the whole signal is part of it.
    pub share: f64,
    /// Points there are, ten a second.
    pub points: usize,
    /// Whether that is all.
    pub finished: bool,
    /// Why it could not be measured.
    pub failure: Option<String>,
}
