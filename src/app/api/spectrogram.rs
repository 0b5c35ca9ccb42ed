//! Spectrograms: how they are analysed and shown, and what is read out of them.

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

/// How energy is told apart in time and frequency.
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

/// Which mixtures of the channels are shown, one lane each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum LaneChannels {
    #[default]
    Each,
    Mix,
    MidSide,
}

/// How a spectrogram is analysed; a change makes its picture anew.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SpectrogramAnalysis {
    /// How energy is told apart in time and frequency.
    pub method: SpectrogramMethod,
    /// Bins of an octave, of the constant-Q transform alone: 12 to 96.
    pub bins_per_octave: u32,
    /// The window function.
    pub window: WindowName,
    /// Frames of a window, a power of two from 64 to 65536.
    pub window_frames: u32,
    /// How many times longer the transform is: 1, 2, 4 or 8.
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

/// The colours of a spectrogram.
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

/// How the processed side is shown beside the original.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum SpectrogramCompare {
    #[default]
    Off,
    Wipe,
    Difference,
}

/// What the time ruler counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum TimeRuler {
    #[default]
    Time,
    Samples,
    Beats,
}

/// What the frequency ruler says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum FrequencyRuler {
    #[default]
    Hz,
    Notes,
}

/// How a spectrogram is shown: a lookup in the view, never a recomputation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SpectrogramDisplay {
    /// Its colours.
    pub colours: ColourMap,
    /// Added to every level, in dB.
    pub gain_db: f64,
    /// From the darkest to the brightest colour, which is 0 dB, in dB.
    pub range_db: f64,
    /// 0 shows the waveform alone, 1 the spectrogram alone.
    pub blend: f64,
    /// The lanes.
    pub channels: LaneChannels,
    /// The processed side beside the original.
    pub compare: SpectrogramCompare,
    /// What the time ruler counts.
    pub time_ruler: TimeRuler,
    /// What the frequency ruler says.
    pub frequency_ruler: FrequencyRuler,
    /// Beats per minute, for the ruler of bars and beats.
    pub bpm: f64,
    /// Beats in a bar.
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

/// Spectrograms in the settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SpectrogramSettings {
    /// How they are analysed.
    pub analysis: SpectrogramAnalysis,
    /// How they are shown.
    pub display: SpectrogramDisplay,
}

/// An analysis for a purpose.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SpectrogramPreset {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// One line of help.
    pub help: String,
    /// How it analyses.
    pub analysis: SpectrogramAnalysis,
    /// The gain that goes with it, in dB.
    pub gain_db: f64,
    /// The range that goes with it, in dB.
    pub range_db: f64,
}

/// Which part of a spectrogram: see `view::spectrogram` for what the numbers mean.
#[derive(Clone, Copy, Debug, Deserialize, TS)]
pub struct SpectrogramTile {
    /// How it is analysed.
    pub analysis: SpectrogramAnalysis,
    /// The lanes of the picture.
    pub channels: LaneChannels,
    /// Which of them.
    pub lane: usize,
    /// The recording as it is, or through the chain.
    pub side: Side,
    /// A column is 2 to this power frames wide.
    pub level: u32,
    /// Which tile along time.
    pub column_tile: u64,
    /// The frequency axis has 256 times 2 to this power rows.
    pub row_level: u32,
    /// The lowest of the row tiles asked for.
    pub row_tile: u32,
    /// How many of them.
    pub row_tiles: u32,
    /// A number of the window's own, by which `cancel_tiles` names it.
    pub request: u32,
}

/// What the spectrum is at a place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct SpectrumAt {
    /// The level there in dB re a full-scale sine; null for silence.
    pub db: Option<f64>,
    /// The frequency of the spectral peak nearest to it.
    pub peak_hz: f64,
    /// The level of that peak; null for silence.
    pub peak_db: Option<f64>,
    /// The phase of that peak at the frame, in radians; 0 is a cosine's crest.
    pub phase_rad: Option<f64>,
}

/// A file format of pictures and their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum PictureFormat {
    Png,
    Npy,
}

/// Levels of a part of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct RegionLevels {
    /// Sample peak in dBFS; null for silence.
    pub peak_db: Option<f64>,
    /// RMS in dBFS (a full-scale square wave is 0); null for silence.
    pub rms_db: Option<f64>,
    /// Loudness in LUFS (ITU-R BS.1770, gated); null where it is too short or too quiet.
    pub lufs: Option<f64>,
    /// The centre of gravity of its power spectrum; null for silence.
    pub centre_hz: Option<f64>,
}

/// A recording in words and figures.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct Description {
    /// In a few sentences.
    pub text: String,
    /// Length in seconds.
    pub duration_s: f64,
    /// Integrated loudness in LUFS; null for silence.
    pub loudness_lufs: Option<f64>,
    /// Sample peak in dBFS; null for silence.
    pub peak_db: Option<f64>,
    /// The strongest frequencies of its mean spectrum, the strongest first.
    pub dominant_hz: Vec<f64>,
    /// Ranges of half a second and more below -60 dBFS.
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
