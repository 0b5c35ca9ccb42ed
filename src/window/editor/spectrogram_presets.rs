//! Spectrogram presets for particular purposes.

use serde::Serialize;

use crate::design::{FrequencyScale, Window};
use crate::error::Result;
use crate::view::spectrogram::{Analysis, Method};
use crate::window::App;
use base::declared::TS;

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

/// The settings that the presets do not change.
const USUAL: Analysis = Analysis {
    method: Method::Fourier,
    bins_per_octave: 36,
    window: Window::Hann,
    size: 2048,
    padding: 2,
    scale: FrequencyScale::Linear,
};

const FACTORY: [SpectrogramPreset; 7] = [
    SpectrogramPreset {
        name: "music",
        title: "Music",
        help: "Low notes apart from each other, high ones in their rhythm: long windows below, short ones above.",
        analysis: Analysis { method: Method::MultiResolution, size: 4096, scale: FrequencyScale::Log, ..USUAL },
        gain_db: 10.0,
        range_db: 100.0,
    },
    SpectrogramPreset {
        name: "speech",
        title: "Speech, formants",
        help: "Short windows: the pulses of the voice and the movement of its formants.",
        analysis: Analysis {
            window: Window::Gaussian { sigma: 0.28 },
            size: 512,
            padding: 4,
            scale: FrequencyScale::MelHtk,
            ..USUAL
        },
        gain_db: 20.0,
        range_db: 70.0,
    },
    SpectrogramPreset {
        name: "voice_pitch",
        title: "Speech, pitch",
        help: "Longer windows: the partials of the voice one by one.",
        analysis: Analysis { scale: FrequencyScale::MelHtk, ..USUAL },
        gain_db: 15.0,
        range_db: 80.0,
    },
    SpectrogramPreset {
        name: "birds",
        title: "Birds",
        help: "Fast calls at high frequencies, linear in hertz.",
        analysis: Analysis { size: 512, ..USUAL },
        gain_db: 20.0,
        range_db: 80.0,
    },
    SpectrogramPreset {
        name: "mains_hum",
        title: "Mains hum",
        help: "Very long windows: steady tones a few hertz apart, and their harmonics.",
        analysis: Analysis { window: Window::BlackmanHarris, size: 32_768, scale: FrequencyScale::Log, ..USUAL },
        gain_db: 20.0,
        range_db: 120.0,
    },
    SpectrogramPreset {
        name: "clicks",
        title: "Clicks and edits",
        help: "The shortest windows: where exactly something happens.",
        analysis: Analysis { size: 128, padding: 4, ..USUAL },
        gain_db: 20.0,
        range_db: 90.0,
    },
    SpectrogramPreset {
        name: "codec",
        title: "Lossy codecs",
        help: "Where the top of the spectrum was cut away, linear in hertz over a wide range.",
        analysis: Analysis { window: Window::BlackmanHarris, padding: 1, ..USUAL },
        gain_db: 0.0,
        range_db: 130.0,
    },
];

impl App {
    #[allow(clippy::unnecessary_wraps, clippy::unused_self, reason = "commands are the app's methods and give results")]
    pub(in crate::window) fn spectrogram_presets(&self) -> Result<Vec<SpectrogramPreset>> {
        Ok(FACTORY.to_vec())
    }
}
