//! Spectrograms: analysis and display settings, tiles and read-outs.

use serde::{Deserialize, Serialize};

use crate::audio::Lanes;
use crate::document::FrameRange;
use crate::playback::Side;
use crate::view::colours::ColourMap;
use crate::view::spectrogram::{Analysis, TileSpec};
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

/// A spectrogram preset for a particular purpose.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SpectrogramPreset {
    /// The name.
    pub name: &'static str,
    /// The displayed name.
    pub title: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// The analysis settings.
    pub analysis: Analysis,
    /// The matching display gain, in dB.
    pub gain_db: f64,
    /// The matching display range, in dB.
    pub range_db: f64,
}

/// A run of spectrogram tiles of one side of a document.
#[derive(Clone, Copy, Debug, Deserialize, TS)]
pub struct SpectrogramTile {
    /// The tiles.
    #[serde(flatten)]
    pub spec: TileSpec,
    /// The side: original or processed.
    pub side: Side,
    /// A request number chosen by the window, with which `cancel_tiles` can cancel it.
    pub request: u32,
}

/// A file format for spectrogram images or values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum PictureFormat {
    Png,
    Npy,
}

/// The levels of a part of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct RegionLevels {
    /// Sample peak in dBFS; null for silence.
    pub peak_db: Option<f64>,
    /// RMS in dBFS (a full-scale square wave is 0); null for silence.
    pub rms_db: Option<f64>,
    /// Integrated loudness in LUFS (ITU-R BS.1770, gated); null if the part is too short or too quiet.
    pub lufs: Option<f64>,
    /// The centroid of the power spectrum in Hz; null for silence.
    pub centre_hz: Option<f64>,
}

/// A description of a recording in words and figures.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct Description {
    /// The description in a few sentences.
    pub text: String,
    /// The duration in seconds.
    pub duration_s: f64,
    /// Integrated loudness in LUFS; null for silence.
    pub loudness_lufs: Option<f64>,
    /// Sample peak in dBFS; null for silence.
    pub peak_db: Option<f64>,
    /// The strongest frequencies of the mean spectrum in Hz, strongest first.
    pub dominant_hz: Vec<f64>,
    /// Ranges of at least 0.5 s below -60 dBFS.
    pub silences: Vec<FrameRange>,
}
