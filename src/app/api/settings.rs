//! The settings of the program.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::export::ExportSettings;
use super::library::LibrarySettings;
use super::loudness::LoudnessSettings;
use super::monitor::AnalyserSettings;
use super::recording::RecordingSettings;
use super::spectrogram::SpectrogramSettings;
use crate::audio::encode::{Dither, FileFormat, LossySettings, SampleFormat};
use crate::device::DeviceRequest;
use crate::document::FadeShape;

/// The settings, shared by the window and the command line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Settings {
    /// The colour theme of the window.
    pub theme: Theme,
    /// The language of the window. The command line and the core's own messages are English.
    pub language: Language,
    /// The device on which work runs.
    pub device: DeviceRequest,
    /// The audio output's handle; null follows the system's default.
    pub output: Option<String>,
    /// Whether to mute the output and stop playback when the signal is far beyond full scale: a sample above +20 dB, or
    /// an RMS above +6 dB over 100 ms. Independently of this setting, `NaN` and infinite samples become silence, and
    /// the output never exceeds full scale.
    pub mute_when_too_loud: bool,
    /// Whether Space pauses, so that playback resumes where it was, instead of stopping, after which it starts at the
    /// cursor.
    pub space_pauses: bool,
    /// The limit of the disk cache for waveforms, and separately of the one for spectrogram tiles, in MiB.
    pub cache_mib: u32,
    /// Whether a project is saved with the history of its document.
    pub project_history: bool,
    /// How clips are joined by edits.
    pub joins: JoinSettings,
    /// Where what is dragged over time snaps.
    pub snap: SnapSettings,
    /// The settings of the last export.
    pub export: ExportSettings,
    /// The settings of spectrograms.
    pub spectrogram: SpectrogramSettings,
    /// The settings of the analyser.
    pub analyser: AnalyserSettings,
    /// The settings of loudness over time.
    pub loudness: LoudnessSettings,
    /// The settings of recording and live sound.
    pub recording: RecordingSettings,
    /// The settings of the library.
    pub library: LibrarySettings,
    /// How often each effect was added, by its name in the notation. The window lists the most used first.
    pub effect_uses: BTreeMap<String, u32>,
    /// The sizes of panes in pixels, by name; used only by the window.
    pub panes: BTreeMap<String, f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            language: Language::System,
            device: DeviceRequest::Auto,
            output: None,
            mute_when_too_loud: true,
            space_pauses: false,
            cache_mib: 256,
            project_history: false,
            joins: JoinSettings::default(),
            snap: SnapSettings::default(),
            export: ExportSettings::plain(FileFormat::Wav, SampleFormat::Int24, Dither::Tpdf, LossySettings::default()),
            spectrogram: SpectrogramSettings::default(),
            analyser: AnalyserSettings::default(),
            loudness: LoudnessSettings::default(),
            recording: RecordingSettings::default(),
            library: LibrarySettings::default(),
            effect_uses: BTreeMap::new(),
            panes: BTreeMap::new(),
        }
    }
}

/// How edits join clips whose sound does not continue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct JoinSettings {
    /// The length of the cross-fade in milliseconds; 0 joins the plain samples.
    pub crossfade_ms: f64,
    /// The shape of the cross-fade.
    pub shape: FadeShape,
}

impl JoinSettings {
    /// The longest cross-fade in milliseconds.
    pub const MAX_MS: f64 = 1000.0;
}

impl Default for JoinSettings {
    fn default() -> Self {
        Self { crossfade_ms: 5.0, shape: FadeShape::EqualPower }
    }
}

/// Where selections, clips and markers snap while they are dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SnapSettings {
    /// Whether they snap.
    pub on: bool,
    /// To the edges of clips.
    pub clips: bool,
    /// To markers and the ends of regions.
    pub markers: bool,
    /// To the marks of the time ruler.
    pub ruler: bool,
    /// To beats, of the tempo that the time ruler has.
    pub beats: bool,
    /// To zero crossings, where nothing else is near.
    pub zero_crossings: bool,
}

impl Default for SnapSettings {
    fn default() -> Self {
        Self { on: false, clips: true, markers: true, ruler: true, beats: false, zero_crossings: false }
    }
}

/// The colour theme of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum Theme {
    System,
    Dark,
    Light,
    Contrast,
}

/// The language of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "their own names")]
pub enum Language {
    /// The system's, if the window has it, else English.
    #[serde(rename = "system")]
    System,
    #[serde(rename = "en")]
    English,
    #[serde(rename = "de")]
    German,
}
