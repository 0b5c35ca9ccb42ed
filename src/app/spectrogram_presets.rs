//! Spectrogram presets for particular purposes.

use super::App;
use super::api::{FrequencyScale, SpectrogramAnalysis, SpectrogramMethod, SpectrogramPreset, WindowName};
use crate::error::Result;

struct Factory {
    name: &'static str,
    title: &'static str,
    help: &'static str,
    method: SpectrogramMethod,
    window: WindowName,
    window_frames: u32,
    padding: u32,
    scale: FrequencyScale,
    gain_db: f64,
    range_db: f64,
}

const FACTORY: &[Factory] = &[
    Factory {
        name: "music",
        title: "Music",
        help: "Low notes apart from each other, high ones in their rhythm: long windows below, short ones above.",
        method: SpectrogramMethod::MultiResolution,
        window: WindowName::Hann,
        window_frames: 4096,
        padding: 2,
        scale: FrequencyScale::Log,
        gain_db: 10.0,
        range_db: 100.0,
    },
    Factory {
        name: "speech",
        title: "Speech, formants",
        help: "Short windows: the pulses of the voice and the movement of its formants.",
        method: SpectrogramMethod::Fourier,
        window: WindowName::Gaussian,
        window_frames: 512,
        padding: 4,
        scale: FrequencyScale::Mel,
        gain_db: 20.0,
        range_db: 70.0,
    },
    Factory {
        name: "voice_pitch",
        title: "Speech, pitch",
        help: "Longer windows: the partials of the voice one by one.",
        method: SpectrogramMethod::Fourier,
        window: WindowName::Hann,
        window_frames: 2048,
        padding: 2,
        scale: FrequencyScale::Mel,
        gain_db: 15.0,
        range_db: 80.0,
    },
    Factory {
        name: "birds",
        title: "Birds",
        help: "Fast calls at high frequencies, linear in hertz.",
        method: SpectrogramMethod::Fourier,
        window: WindowName::Hann,
        window_frames: 512,
        padding: 2,
        scale: FrequencyScale::Linear,
        gain_db: 20.0,
        range_db: 80.0,
    },
    Factory {
        name: "mains_hum",
        title: "Mains hum",
        help: "Very long windows: steady tones a few hertz apart, and their harmonics.",
        method: SpectrogramMethod::Fourier,
        window: WindowName::BlackmanHarris,
        window_frames: 32_768,
        padding: 2,
        scale: FrequencyScale::Log,
        gain_db: 20.0,
        range_db: 120.0,
    },
    Factory {
        name: "clicks",
        title: "Clicks and edits",
        help: "The shortest windows: where exactly something happens.",
        method: SpectrogramMethod::Fourier,
        window: WindowName::Hann,
        window_frames: 128,
        padding: 4,
        scale: FrequencyScale::Linear,
        gain_db: 20.0,
        range_db: 90.0,
    },
    Factory {
        name: "codec",
        title: "Lossy codecs",
        help: "Where the top of the spectrum was cut away, linear in hertz over a wide range.",
        method: SpectrogramMethod::Fourier,
        window: WindowName::BlackmanHarris,
        window_frames: 2048,
        padding: 1,
        scale: FrequencyScale::Linear,
        gain_db: 0.0,
        range_db: 130.0,
    },
];

impl App {
    #[allow(clippy::unnecessary_wraps, clippy::unused_self, reason = "commands are the app's methods and give results")]
    pub(super) fn spectrogram_presets(&self) -> Result<Vec<SpectrogramPreset>> {
        let preset = |factory: &Factory| SpectrogramPreset {
            name: factory.name.to_owned(),
            title: factory.title.to_owned(),
            help: factory.help.to_owned(),
            analysis: SpectrogramAnalysis {
                method: factory.method,
                window: factory.window,
                window_frames: factory.window_frames,
                padding: factory.padding,
                scale: factory.scale,
                ..SpectrogramAnalysis::default()
            },
            gain_db: factory.gain_db,
            range_db: factory.range_db,
        };
        Ok(FACTORY.iter().map(preset).collect())
    }
}
