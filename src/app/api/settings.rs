//! Settings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::export::{Dither, ExportBits, ExportFormat, ExportSettings};
use super::library::LibrarySettings;
use super::loudness::LoudnessSettings;
use super::monitor::AnalyserSettings;
use super::spectrogram::SpectrogramSettings;
use crate::device::DeviceRequest;

/// Settings shared by window and command line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Settings {
    /// The window's colours.
    pub theme: Theme,
    /// Where work runs.
    pub device: DeviceRequest,
    /// The sound output's handle; none follows the system's default.
    pub output: Option<String>,
    /// Mutes the sound output and stops playback when the sound rises far beyond full scale: a sample above +20 dB, or an
    /// RMS above +6 dB over 100 ms. Without it, too, samples that are not a number are silence, and none goes out beyond
    /// full scale.
    pub mute_when_too_loud: bool,
    /// Disk space for the waveforms of recordings opened before, in MiB.
    pub cache_mib: u32,
    /// The last export's settings.
    pub export: ExportSettings,
    /// Spectrograms.
    pub spectrogram: SpectrogramSettings,
    /// The analyser of what is heard.
    pub analyser: AnalyserSettings,
    /// Loudness over time.
    pub loudness: LoudnessSettings,
    /// The library.
    pub library: LibrarySettings,
    /// How often each effect was added, by its name in the notation; the window lists the most used first.
    pub effect_uses: BTreeMap<String, u32>,
    /// Sizes of panes in pixels, by name; kept for the window.
    pub panes: BTreeMap<String, f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            device: DeviceRequest::Auto,
            output: None,
            mute_when_too_loud: true,
            cache_mib: 256,
            export: ExportSettings {
                format: ExportFormat::Wav,
                bits: ExportBits::Int24,
                dither: Dither::Tpdf,
                range: None,
                rate: None,
                tail: false,
                lossy: crate::audio::encode::LossySettings::default(),
                loudness: None,
            },
            spectrogram: SpectrogramSettings::default(),
            analyser: AnalyserSettings::default(),
            loudness: LoudnessSettings::default(),
            library: LibrarySettings::default(),
            effect_uses: BTreeMap::new(),
            panes: BTreeMap::new(),
        }
    }
}

/// The window's colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum Theme {
    System,
    Dark,
    Light,
    Contrast,
}
