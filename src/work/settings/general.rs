//! The settings of the program.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::analyser::AnalyserSettings;
use super::library::LibrarySettings;
use super::loudness::LoudnessSettings;
use super::models::ModelSettings;
use super::recording::RecordingSettings;
use super::spectrogram::SpectrogramSettings;
use super::stems::StemsSettings;
use crate::audio::encode::{Dither, FileFormat, LossySettings, SampleFormat};
use crate::device::DeviceRequest;
use crate::document::{Crossfade, FadeShape};
use crate::units::SampleRate;
use crate::work::export::ExportSettings;
use base::declared::TS;

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
    #[ts(inline)]
    pub joins: JoinSettings,
    /// The keys of the window's commands.
    pub keys: KeySettings,
    /// The formats in which times are shown.
    pub time_formats: TimeFormats,
    /// The actions of the wheel over the lanes.
    pub wheel: WheelSettings,
    /// The snapping of what is dragged along the time axis.
    pub snap: SnapSettings,
    /// The settings of the last export.
    pub export: ExportSettings,
    /// The settings of spectrograms.
    #[ts(inline)]
    pub spectrogram: SpectrogramSettings,
    /// The settings of the analyser.
    pub analyser: AnalyserSettings,
    /// The settings of loudness over time.
    pub loudness: LoudnessSettings,
    /// The settings of recording and live sound.
    pub recording: RecordingSettings,
    /// The settings of the library.
    pub library: LibrarySettings,
    /// The settings of separating into stems.
    #[ts(inline)]
    pub stems: StemsSettings,
    /// The folders of models and the licences that were confirmed. The window does not see them.
    #[serde(skip_serializing_if = "ModelSettings::is_empty")]
    #[ts(skip)]
    pub models: ModelSettings,
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
            keys: KeySettings::default(),
            time_formats: TimeFormats::default(),
            wheel: WheelSettings::default(),
            snap: SnapSettings::default(),
            export: ExportSettings::plain(FileFormat::Wav, SampleFormat::Int24, Dither::Tpdf, LossySettings::default()),
            spectrogram: SpectrogramSettings::default(),
            analyser: AnalyserSettings::default(),
            loudness: LoudnessSettings::default(),
            recording: RecordingSettings::default(),
            library: LibrarySettings::default(),
            stems: StemsSettings::default(),
            models: ModelSettings::default(),
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

    /// Returns the cross-fade at a sample rate.
    pub fn crossfade(&self, rate: SampleRate) -> Crossfade {
        Crossfade { frames: rate.frames_from_seconds(self.crossfade_ms / 1000.0), shape: self.shape }
    }
}

impl Default for JoinSettings {
    fn default() -> Self {
        Self { crossfade_ms: 5.0, shape: FadeShape::EqualPower }
    }
}

/// The keys of the window's commands that differ from the defaults. Key files have the same form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct KeySettings {
    /// The version of this form.
    pub version: u32,
    /// The keys of commands, by the command's name; an empty list removes all keys. Commands that this version does not
    /// know are kept.
    pub commands: BTreeMap<String, Vec<String>>,
}

impl Default for KeySettings {
    fn default() -> Self {
        Self { version: Self::VERSION, commands: BTreeMap::new() }
    }
}

/// How a time is written, and how a bare number typed in its place is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TimeFormat {
    /// As the time ruler counts.
    Ruler,
    /// Hours, minutes, seconds and milliseconds.
    Clock,
    /// Seconds.
    Seconds,
    /// Samples.
    Samples,
    /// Bars and beats, at the tempo of the time ruler.
    Beats,
    /// Film frames, 24 per second.
    #[serde(rename = "film_24")]
    Film24,
    /// Film frames, 25 per second.
    #[serde(rename = "film_25")]
    Film25,
    /// Film frames, 30000/1001 per second, counted without gaps.
    #[serde(rename = "film_29_97")]
    Film2997,
    /// Film frames, 30000/1001 per second, in drop-frame time code: two frame numbers are skipped in each minute except
    /// every tenth.
    #[serde(rename = "film_29_97_drop")]
    Film2997Drop,
    /// Film frames, 30 per second.
    #[serde(rename = "film_30")]
    Film30,
}

/// The time formats of the read-outs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct TimeFormats {
    /// The clock of the transport.
    pub clock: TimeFormat,
    /// Start, end and length of the selection.
    pub selection: TimeFormat,
    /// The positions of the cursor and the pointer.
    pub cursor: TimeFormat,
}

impl Default for TimeFormats {
    fn default() -> Self {
        Self { clock: TimeFormat::Clock, selection: TimeFormat::Ruler, cursor: TimeFormat::Clock }
    }
}

/// The actions of the wheel over the lanes, by the key that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct WheelSettings {
    /// Without a key.
    pub plain: WheelAction,
    /// With Ctrl, or Command on a Mac.
    pub ctrl: WheelAction,
    /// With Shift.
    pub shift: WheelAction,
}

impl Default for WheelSettings {
    fn default() -> Self {
        Self { plain: WheelAction::Scroll, ctrl: WheelAction::Zoom, shift: WheelAction::Scroll }
    }
}

/// An action of the wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum WheelAction {
    /// Scrolls in time.
    Scroll,
    /// Zooms in time, at the pointer.
    Zoom,
}

/// The places to which dragged selections, clips and markers snap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SnapSettings {
    /// Whether snapping is on.
    pub on: bool,
    /// To the edges of clips.
    pub clips: bool,
    /// To markers and the ends of regions.
    pub markers: bool,
    /// To the marks of the time ruler.
    pub ruler: bool,
    /// To beats at the tempo of the time ruler.
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
    /// The system's language if the window supports it, otherwise English.
    #[serde(rename = "system")]
    System,
    #[serde(rename = "en")]
    English,
    #[serde(rename = "de")]
    German,
}
