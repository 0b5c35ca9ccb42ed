//! Spectrograms: analysis and display settings, tiles and read-outs.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::documents::Selection;
use super::playback::Side;

/// A window function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names; `design::Window` says what they are")]
pub enum WindowName {
    #[default]
    Hann,
    Hamming,
    Blackman,
    BlackmanHarris,
    Nuttall,
    Flattop,
    Kaiser,
    Gaussian,
    Bartlett,
    Parzen,
    Bohman,
    Barthann,
    Rectangular,
}

impl WindowName {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Hann,
        Self::Hamming,
        Self::Blackman,
        Self::BlackmanHarris,
        Self::Nuttall,
        Self::Flattop,
        Self::Kaiser,
        Self::Gaussian,
        Self::Bartlett,
        Self::Parzen,
        Self::Bohman,
        Self::Barthann,
        Self::Rectangular,
    ];
}

/// The analysis method of a spectrogram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names; `view::spectrogram::Method` says what they are")]
pub enum SpectrogramMethod {
    #[default]
    Fourier,
    MultiResolution,
    Reassigned,
    ConstantQ,
}

/// A frequency axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names; `design::FrequencyScale` has the formulas")]
pub enum FrequencyScale {
    Linear,
    Log,
    #[default]
    Mel,
    Bark,
    Erb,
}

/// The lanes that are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum LaneChannels {
    #[default]
    Each,
    Mix,
    MidSide,
}

/// The analysis settings of a spectrogram. Changing them recomputes the picture.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SpectrogramAnalysis {
    /// The analysis method.
    pub method: SpectrogramMethod,
    /// The bins per octave of the constant-Q transform, 12..=96; ignored by the other methods.
    pub bins_per_octave: u32,
    /// The window function.
    pub window: WindowName,
    /// The window length in frames, a power of two from 64 to 65536.
    pub window_frames: u32,
    /// The zero-padding factor of the transform: 1, 2, 4 or 8.
    pub padding: u32,
    /// The frequency axis.
    pub scale: FrequencyScale,
}

impl Default for SpectrogramAnalysis {
    fn default() -> Self {
        Self {
            method: SpectrogramMethod::Fourier,
            bins_per_octave: 36,
            window: WindowName::Hann,
            window_frames: 2048,
            padding: 1,
            scale: FrequencyScale::Mel,
        }
    }
}

/// The colour map of a spectrogram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum ColourMap {
    Viridis,
    Magma,
    Inferno,
    Cividis,
    Grey,
    #[default]
    Undertone,
}

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
    pub channels: LaneChannels,
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
            channels: LaneChannels::default(),
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
    pub analysis: SpectrogramAnalysis,
    /// The display settings.
    pub display: SpectrogramDisplay,
}

/// A spectrogram preset for a particular purpose.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SpectrogramPreset {
    /// The name.
    pub name: String,
    /// The displayed name.
    pub title: String,
    /// One line of help.
    pub help: String,
    /// The analysis settings.
    pub analysis: SpectrogramAnalysis,
    /// The matching display gain, in dB.
    pub gain_db: f64,
    /// The matching display range, in dB.
    pub range_db: f64,
}

/// A run of spectrogram tiles; `view::spectrogram` defines the indices.
#[derive(Clone, Copy, Debug, Deserialize, TS)]
pub struct SpectrogramTile {
    /// The analysis settings.
    pub analysis: SpectrogramAnalysis,
    /// The lanes of the picture.
    pub channels: LaneChannels,
    /// The index of the lane.
    pub lane: usize,
    /// The side: original or processed.
    pub side: Side,
    /// The zoom level along time: a column is `2^level` frames wide.
    pub level: u32,
    /// The index of the tile along time.
    pub column_tile: u64,
    /// The zoom level along frequency: the axis has `256 * 2^row_level` rows.
    pub row_level: u32,
    /// The lowest requested row tile.
    pub row_tile: u32,
    /// The number of requested row tiles.
    pub row_tiles: u32,
    /// A request number chosen by the window, with which `cancel_tiles` can cancel it.
    pub request: u32,
}

/// The spectrum at a point of a spectrogram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct SpectrumAt {
    /// The level there in dB relative to a full-scale sine; null for silence.
    pub db: Option<f64>,
    /// The frequency of the nearest spectral peak, in Hz.
    pub peak_hz: f64,
    /// The level of that peak in dB; null for silence.
    pub peak_db: Option<f64>,
    /// The phase of that peak at the frame, in radians; 0 is the maximum of a cosine.
    pub phase_rad: Option<f64>,
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
    pub silences: Vec<Selection>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_know_of_no_method_are_read_as_the_plain_one() {
        let stored = r#"{ "window": "nuttall", "window_frames": 1024, "padding": 2, "scale": "log" }"#;
        let read: SpectrogramAnalysis = serde_json::from_str(stored).unwrap();
        assert_eq!((read.method, read.bins_per_octave), (SpectrogramMethod::Fourier, 36));
        assert_eq!((read.window, read.window_frames), (WindowName::Nuttall, 1024));
        let stored = r#"{ "method": "constant_q", "bins_per_octave": 24 }"#;
        let read: SpectrogramAnalysis = serde_json::from_str(stored).unwrap();
        assert_eq!((read.method, read.bins_per_octave), (SpectrogramMethod::ConstantQ, 24));
        assert!(serde_json::from_str::<SpectrogramAnalysis>(r#"{ "method": "wavelet" }"#).is_err());
    }
}
