//! The settings of the analyser.

use serde::{Deserialize, Serialize};

use crate::audio::Lanes;
use crate::design::WindowName;
use crate::measure::analyser::{Averaging, Hold};
use base::declared::TS;

/// The slope that the analyser adds relative to 1 kHz.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub enum AnalyserSlope {
    /// 0 dB per octave: a sine reads its level, and white noise rises by 3 dB per octave.
    #[default]
    #[serde(rename = "0")]
    Flat,
    /// 3 dB per octave: pink noise is flat.
    #[serde(rename = "3")]
    Pink,
    /// 4.5 dB per octave: most mixes are roughly flat.
    #[serde(rename = "4.5")]
    Mix,
}

impl AnalyserSlope {
    /// Returns the slope in decibels per octave.
    pub fn db_per_octave(self) -> f64 {
        match self {
            Self::Flat => 0.0,
            Self::Pink => 3.0,
            Self::Mix => 4.5,
        }
    }
}

/// The analyser's settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct AnalyserSettings {
    /// Whether the analyser is open.
    pub open: bool,
    /// The window function.
    pub window: WindowName,
    /// The window length in frames: 2048, 4096, 8192 or 16384.
    pub window_frames: u32,
    /// How spectra are averaged.
    pub averaging: Averaging,
    /// Whether and how peaks are held.
    pub hold: Hold,
    /// The lanes that have a spectrum.
    pub channels: Lanes,
    /// The slope added to the spectrum.
    pub slope: AnalyserSlope,
    /// The level at the bottom of the plot, in dB.
    pub low_db: f64,
    /// The level at the top of the plot, in dB.
    pub high_db: f64,
}

impl Default for AnalyserSettings {
    fn default() -> Self {
        Self {
            open: false,
            window: WindowName::Hann,
            window_frames: 4096,
            averaging: Averaging::Fast,
            hold: Hold::Off,
            channels: Lanes::Mix,
            slope: AnalyserSlope::Flat,
            low_db: -96.0,
            high_db: 0.0,
        }
    }
}

impl AnalyserSettings {
    /// Returns the settings with every value valid; invalid ones are replaced by defaults.
    #[must_use]
    pub fn checked(mut self) -> Self {
        let usual = Self::default();
        if !matches!(self.window_frames, 2048 | 4096 | 8192 | 16_384) {
            self.window_frames = usual.window_frames;
        }
        let in_order = self.low_db >= -180.0 && self.high_db <= 24.0 && self.high_db - self.low_db >= 12.0;
        if !in_order {
            (self.low_db, self.high_db) = (usual.low_db, usual.high_db);
        }
        self
    }
}
