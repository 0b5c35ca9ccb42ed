//! The settings of spectrograms.

use serde::{Deserialize, Serialize};

use crate::audio::Lanes;
use crate::view::colours::ColourMap;
use crate::view::spectrogram::Analysis;
use base::declared::TS;

/// How the processed side is compared with the original.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum SpectrogramCompare {
    #[default]
    Off,
    Wipe,
    Difference,
}

/// The unit of the time ruler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum TimeRuler {
    #[default]
    Time,
    Samples,
    Beats,
}

/// The unit of the frequency ruler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum FrequencyRuler {
    #[default]
    Hz,
    Notes,
}

/// The display settings of a spectrogram. They only change a lookup in the view and never recompute the spectrogram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SpectrogramDisplay {
    /// The colour map.
    pub colours: ColourMap,
    /// The gain added to every level, in dB.
    pub gain_db: f64,
    /// The range from the darkest to the brightest colour, in dB. The brightest is 0 dB.
    pub range_db: f64,
    /// The blend of waveform and spectrogram: 0 shows only the waveform, 1 only the spectrogram.
    pub blend: f64,
    /// The lanes that are shown.
    pub channels: Lanes,
    /// How the processed side is compared with the original.
    pub compare: SpectrogramCompare,
    /// The unit of the time ruler.
    pub time_ruler: TimeRuler,
    /// The unit of the frequency ruler.
    pub frequency_ruler: FrequencyRuler,
    /// The tempo of the bars-and-beats ruler, in beats per minute.
    pub bpm: f64,
    /// The number of beats per bar.
    pub beats_per_bar: u32,
}

impl Default for SpectrogramDisplay {
    fn default() -> Self {
        Self {
            colours: ColourMap::default(),
            gain_db: 20.0,
            range_db: 90.0,
            blend: 0.0,
            channels: Lanes::default(),
            compare: SpectrogramCompare::default(),
            time_ruler: TimeRuler::default(),
            frequency_ruler: FrequencyRuler::default(),
            bpm: 120.0,
            beats_per_bar: 4,
        }
    }
}

/// The spectrogram part of the settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SpectrogramSettings {
    /// The analysis settings.
    pub analysis: Analysis,
    /// The display settings.
    pub display: SpectrogramDisplay,
}
