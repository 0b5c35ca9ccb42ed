//! What is seen of what is heard: the analyser, the stereo image, loudness.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::spectrogram::{LaneChannels, WindowName};

/// How spectra are averaged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum AnalyserAveraging {
    /// Each as it is.
    Off,
    /// Exponentially, with 125 ms.
    #[default]
    Fast,
    /// Exponentially, with 1 s.
    Slow,
}

/// What becomes of peaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum AnalyserHold {
    /// They are not held.
    #[default]
    Off,
    /// They stand for a second, then fall.
    Decay,
    /// They stand until they are reset.
    UntilReset,
}

/// What is added for every octave above 1 kHz.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub enum AnalyserSlope {
    /// Nothing: white noise rises by 3 dB an octave in equal shares of an octave, a sine reads its level.
    #[default]
    #[serde(rename = "0")]
    Flat,
    /// 3 dB: pink noise is level.
    #[serde(rename = "3")]
    Pink,
    /// 4.5 dB: most mixes are about level.
    #[serde(rename = "4.5")]
    Mix,
}

impl AnalyserSlope {
    /// In decibels an octave.
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
    /// Whether it is open.
    pub open: bool,
    /// The window function.
    pub window: WindowName,
    /// Frames of a window: 2048, 4096, 8192 or 16384.
    pub window_frames: u32,
    /// How spectra are averaged.
    pub averaging: AnalyserAveraging,
    /// Whether peaks are held.
    pub hold: AnalyserHold,
    /// Which mixtures of the channels have a spectrum.
    pub channels: LaneChannels,
    /// What is added for every octave.
    pub slope: AnalyserSlope,
    /// The level at the foot of the plot.
    pub low_db: f64,
    /// The level at its top.
    pub high_db: f64,
}

impl Default for AnalyserSettings {
    fn default() -> Self {
        Self {
            open: false,
            window: WindowName::Hann,
            window_frames: 4096,
            averaging: AnalyserAveraging::Fast,
            hold: AnalyserHold::Off,
            channels: LaneChannels::Mix,
            slope: AnalyserSlope::Flat,
            low_db: -96.0,
            high_db: 0.0,
        }
    }
}

impl AnalyserSettings {
    /// The same with every value inside its range.
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

/// What is asked of the monitor, every time it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, TS)]
pub struct MonitorQuery {
    /// The window function.
    pub window: WindowName,
    /// Frames of a window.
    pub window_frames: u32,
    /// How spectra are averaged.
    pub averaging: AnalyserAveraging,
    /// Whether peaks are held.
    pub hold: AnalyserHold,
    /// Which mixtures of the channels have a spectrum.
    pub channels: LaneChannels,
    /// What is added for every octave.
    pub slope: AnalyserSlope,
    /// Which pair of the output's channels is looked at, from 0.
    pub pair: u32,
    /// The frequency of the first point.
    pub from_hz: f64,
    /// The frequency of the last point.
    pub to_hz: f64,
    /// Points along the frequency axis.
    pub points: u32,
}

/// What of the monitor begins anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum MonitorPart {
    /// The analyser's held peaks.
    Peaks,
    /// Integrated loudness, its range and the true peak.
    Loudness,
}
