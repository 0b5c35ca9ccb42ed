//! The types that cross the border between the core and a window: what commands take and give, and events.
//!
//! TypeScript declarations of all of them are generated into `ui/src/bindings`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::chain::{Chain, NodeId};
use crate::device::{DeviceReport, DeviceRequest};
use crate::effects::{Purpose, Scale, Unit, Value};
use crate::error::{Failure, NotationError};

/// The handle of an open document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct DocumentId(pub u32);

/// The handle of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct JobId(pub u32);

/// The handle of a file that the user chose to write to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct TargetId(pub u32);

/// What the window needs to begin.
#[derive(Clone, Debug, Serialize, TS)]
pub struct Startup {
    /// This program's version.
    pub version: String,
    /// The settings.
    pub settings: Settings,
    /// Documents of the last session, in the order of their tabs.
    pub documents: Vec<DocumentView>,
    /// The one in front.
    pub active: Option<DocumentId>,
    /// Every effect with its parameters.
    pub effects: Vec<EffectView>,
    /// Recent files, the latest first.
    pub recent: Vec<RecentFile>,
    /// What to tell the user at once: a session that could not be read, a missing file.
    pub notices: Vec<Notice>,
}

/// A document as the window shows it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DocumentView {
    /// Its handle.
    pub id: DocumentId,
    /// Its name, of its first source.
    pub name: String,
    /// The recordings it is made of.
    pub sources: Vec<SourceView>,
    /// Frames per second.
    pub rate: u32,
    /// Channels of its sources.
    pub channels: usize,
    /// Length in frames.
    pub frames: u64,
    /// The chain.
    pub chain: Chain,
    /// The chain as text.
    pub chain_text: String,
    /// Why the chain cannot run as it is, such as a cutoff above half the rate.
    pub chain_problem: Option<Failure>,
    /// Selected frames.
    pub selection: Option<Selection>,
    /// The cursor's frame, from which playback begins.
    pub cursor_frame: u64,
    /// What the lanes show.
    pub view: ViewRange,
    /// What undo would undo.
    pub undo: Option<String>,
    /// What redo would redo.
    pub redo: Option<String>,
    /// Counts every change of chain, selection or edit list.
    pub revision: u64,
}

/// A recording that a document is made of.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SourceView {
    /// The file's name, without its folder.
    pub name: String,
    /// The folder, to tell files of one name apart; for reading only.
    pub folder: String,
    /// Container: "WAV".
    pub format: String,
    /// Codec: "PCM 16 bit".
    pub codec: String,
    /// Seconds.
    pub duration_s: f64,
    /// Tags by name.
    pub tags: BTreeMap<String, String>,
    /// What is wrong with the file though it can be used.
    pub warnings: Vec<String>,
    /// Why it cannot be read now (moved, changed); its document keeps its place.
    pub missing: Option<String>,
}

/// A range of frames, the end excluded; `start < end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Selection {
    /// First frame.
    pub start: u64,
    /// One past the last frame.
    pub end: u64,
}

/// The visible part of a document, in frames; fractions matter at high zoom.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ViewRange {
    /// Left edge.
    pub start: f64,
    /// Right edge.
    pub end: f64,
}

/// An effect as the window lists it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct EffectView {
    /// The name in the notation.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// Where it stands in the list.
    pub purpose: Purpose,
    /// One line of help.
    pub summary: String,
    /// Full documentation in Markdown.
    pub documentation: String,
    /// Its parameters.
    pub parameters: Vec<ParameterView>,
}

/// A parameter as the window shows it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ParameterView {
    /// The name in the notation.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// One line of help.
    pub help: String,
    /// What values it takes.
    pub control: ControlView,
}

/// The control of a parameter.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs, reason = "as in effects::ParameterKind")]
pub enum ControlView {
    Number { unit: Unit, min: f64, max: f64, initial: f64, scale: Scale },
    Choice { options: Vec<String>, initial: String },
    File,
}

/// One undoable change of a document. Edits of one `gesture` (one drag of a knob) are one step of undo.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Edit {
    /// Adds an effect with its initial values: after a node, or at the end.
    AddEffect {
        /// Its name in the notation.
        effect: String,
        /// The node after which it comes.
        after: Option<NodeId>,
    },
    /// Takes a node away.
    Remove {
        /// Which.
        node: NodeId,
    },
    /// Moves a node within the chain.
    Move {
        /// Which.
        node: NodeId,
        /// The group it goes to; none is the chain itself.
        parent: Option<NodeId>,
        /// Its place there once it is gone from its old one.
        index: usize,
    },
    /// Copies a node to the place behind it.
    Duplicate {
        /// Which.
        node: NodeId,
    },
    /// Sets a parameter.
    SetArgument {
        /// Of which node.
        node: NodeId,
        /// The parameter's name.
        name: String,
        /// Its new value.
        value: Value,
        /// The drag it belongs to.
        gesture: Option<u32>,
    },
    /// Passes a node over, or not.
    SetBypass {
        /// Which.
        node: NodeId,
        /// Whether it is passed over.
        bypass: bool,
    },
    /// Sets wet against dry.
    SetMix {
        /// Of which node.
        node: NodeId,
        /// The share of the node's output, 0..1.
        mix: f64,
        /// The drag it belongs to.
        gesture: Option<u32>,
    },
    /// Names a node, or takes its name away.
    SetLabel {
        /// Which.
        node: NodeId,
        /// Its name.
        label: Option<String>,
    },
    /// Gives an effect its initial values again.
    Reset {
        /// Which.
        node: NodeId,
    },
    /// Replaces the whole chain by a text; nodes that are found again keep their identity.
    SetChainText {
        /// The notation.
        text: String,
    },
    /// Replaces the chain, or one node of it, by a preset.
    LoadPreset {
        /// The preset.
        preset: String,
        /// The node to replace.
        node: Option<NodeId>,
    },
}

/// Magnitude responses for the plot.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ResponseView {
    /// Frequencies in hertz, evenly spaced in ratio.
    pub frequency_hz: Vec<f64>,
    /// The whole chain in decibels; null where it is silent (minus infinity).
    pub chain_db: Vec<Option<f64>>,
    /// Each linear effect in decibels.
    pub nodes: Vec<NodeResponse>,
}

/// The magnitude response of one node.
#[derive(Clone, Debug, Serialize, TS)]
pub struct NodeResponse {
    /// Which.
    pub node: NodeId,
    /// In decibels.
    pub db: Vec<Option<f64>>,
}

/// What each node costs and where it runs.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ChainReport {
    /// Where previews run, and why.
    pub preview: DeviceReport,
    /// Where an export would run, and why.
    pub export: DeviceReport,
    /// Node by node.
    pub nodes: Vec<NodeReport>,
    /// Frames by which the chain lags; compensated in playback and export.
    pub latency_frames: u64,
}

/// What one node costs.
#[derive(Clone, Debug, Serialize, TS)]
pub struct NodeReport {
    /// Which.
    pub node: NodeId,
    /// Measured speed as a multiple of real time on the preview's device; none while not measured.
    pub times_real_time: Option<f64>,
}

/// Level of a range, measured.
#[derive(Clone, Debug, Serialize, TS)]
pub struct RangeLevels {
    /// Sample peak in dBFS; null for silence.
    pub peak_db: Option<f64>,
    /// RMS in dBFS (a full-scale square wave is 0); null for silence.
    pub rms_db: Option<f64>,
}

/// Which of the two is heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// A: the recording as it is.
    Original,
    /// B: through the chain.
    #[default]
    Processed,
}

/// What playback is doing.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TransportView {
    /// The document that is played.
    pub document: Option<DocumentId>,
    /// Whether sound is going out.
    pub playing: bool,
    /// The frame that is heard now, in the document's own frames.
    pub frame: u64,
    /// Whether the selection is repeated.
    pub looping: bool,
    /// Which side is heard.
    pub side: Side,
    /// Whether both sides are brought to the same loudness.
    pub matched: bool,
    /// The gain on the processed side that matches them, once measured.
    pub matched_gain_db: Option<f64>,
    /// Whether what is known of the whole signal (matched loudness, normalise) is out of date and being measured.
    pub stale: bool,
    /// Times the output ran dry since playback began.
    pub underruns: u64,
    /// The output that is used.
    pub output: Option<OutputView>,
    /// Why nothing is heard.
    pub problem: Option<String>,
    /// Milliseconds from the last change of the chain until it was heard.
    pub heard_after_ms: Option<f64>,
}

/// A sound output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct OutputView {
    /// Its handle, for the settings.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its rate.
    pub rate: u32,
    /// Its channels.
    pub channels: usize,
}

/// Levels of what is heard, over the last 50 ms or so.
#[derive(Clone, Debug, Default, Serialize, TS)]
pub struct Meters {
    /// Sample peak of each channel in dBFS; null for silence.
    pub peak_db: Vec<Option<f64>>,
    /// RMS of each channel in dBFS; null for silence.
    pub rms_db: Vec<Option<f64>>,
    /// Samples beyond full scale since playback began.
    pub clipped: u64,
}

/// How to write an export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ExportSettings {
    /// The file format.
    pub format: ExportFormat,
    /// The sample format.
    pub bits: ExportBits,
    /// What is done against the distortion of rounding.
    pub dither: Dither,
    /// Frames to export; none is the whole.
    pub range: Option<Selection>,
    /// The rate to convert to; none is the document's own.
    pub rate: Option<u32>,
    /// Whether declared tails (reverb, delay) are appended.
    pub tail: bool,
}

/// A file format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum ExportFormat {
    Wav,
    Flac,
}

/// A sample format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "their own names")]
pub enum ExportBits {
    #[serde(rename = "16")]
    Int16,
    #[serde(rename = "24")]
    Int24,
    #[serde(rename = "32")]
    Int32,
    #[serde(rename = "f32")]
    Float32,
}

/// What is done against the distortion of rounding to integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Dither {
    /// Rounding alone.
    None,
    /// Triangular noise of two steps.
    Tpdf,
    /// Triangular noise, shaped to where the ear is least keen.
    Shaped,
}

/// A file that the user chose to write to.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ExportTarget {
    /// Its handle.
    pub id: TargetId,
    /// Its name.
    pub name: String,
    /// Its folder, for reading only.
    pub folder: String,
}

/// What an export did.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ExportResult {
    /// The file's name.
    pub name: String,
    /// Its folder, for reading only.
    pub folder: String,
    /// Frames written.
    pub frames: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Samples beyond full scale, which were cut to it.
    pub clipped: u64,
    /// Sample peak in dBFS before cutting; null for silence.
    pub peak_db: Option<f64>,
    /// Where it ran, and why.
    pub device: DeviceReport,
    /// Where the time went.
    pub seconds: StageSeconds,
    /// What was not as wished: tags that could not be kept, damaged parts.
    pub warnings: Vec<String>,
}

/// Wall time in which each stage was busy, in seconds. Stages overlap, so that they may add up to more than the total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "each is its stage")]
pub struct StageSeconds {
    pub decode: f64,
    pub upload: f64,
    pub kernels: f64,
    pub readback: f64,
    pub encode: f64,
    pub total: f64,
}

/// A job as the window shows it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct JobView {
    /// Its handle.
    pub id: JobId,
    /// What it does: "Export speech.wav".
    pub title: String,
    /// How it stands.
    pub state: JobState,
    /// Done so far, in frames.
    pub done: u64,
    /// To do; 0 while not known.
    pub total: u64,
    /// Frames per second.
    pub rate: f64,
    /// Seconds left.
    pub remaining_s: Option<f64>,
    /// What came of it.
    pub result: Option<ExportResult>,
    /// Why it failed.
    pub failure: Option<Failure>,
}

/// How a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum JobState {
    Running,
    Done,
    Failed,
    Cancelled,
}

/// A device as the panel shows it. Numbers that were not measured are null.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DeviceView {
    /// `cpu` or `gpu:N`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// "Vulkan", "Metal", "DX12", "OpenGL"; "Rust" for the CPU.
    pub backend: String,
    /// Driver and version.
    pub driver: String,
    /// "cpu", "discrete", "integrated", "virtual" or "software".
    pub kind: String,
    /// Capability tier, "full" or "basic"; none for the CPU and for adapters that cannot be used.
    pub tier: Option<String>,
    /// Why it cannot be used.
    pub problem: Option<String>,
    /// Host to device, bytes per second.
    pub upload_bytes_s: Option<f64>,
    /// Device to host, bytes per second.
    pub readback_bytes_s: Option<f64>,
    /// Device memory read and written by a copy kernel, bytes per second.
    pub memory_bytes_s: Option<f64>,
    /// Order-8 cascade, samples per second.
    pub cascade_samples_s: Option<f64>,
    /// Limits by name, for reading.
    pub limits: BTreeMap<String, String>,
}

/// All that the device panel shows.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DevicesView {
    /// What the user asks for.
    pub request: DeviceRequest,
    /// The CPU and every adapter.
    pub devices: Vec<DeviceView>,
    /// What previews of the active document run on, and why.
    pub preview: DeviceReport,
    /// What the last job ran on, and why.
    pub last_job: Option<LastJob>,
    /// Buffers taken from the pool again.
    pub pool_hits: u64,
    /// Buffers that had to be made.
    pub pool_misses: u64,
}

/// What the last job ran on.
#[derive(Clone, Debug, Serialize, TS)]
pub struct LastJob {
    /// Where, and why.
    pub device: DeviceReport,
    /// Where the time went.
    pub seconds: StageSeconds,
}

/// A file opened before.
#[derive(Clone, Debug, Serialize, TS)]
pub struct RecentFile {
    /// Its handle.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Its folder, for reading only.
    pub folder: String,
}

/// A stored chain.
#[derive(Clone, Debug, Serialize, TS)]
pub struct PresetView {
    /// Its name, unique.
    pub name: String,
    /// The chain as text.
    pub text: String,
    /// Whether it came with the program; such a one can neither be changed nor deleted.
    pub factory: bool,
    /// Why it cannot be used.
    pub problem: Option<String>,
}

/// What opening several files gave.
#[derive(Clone, Debug, Serialize, TS)]
pub struct Opened {
    /// Documents opened, or found open already.
    pub documents: Vec<DocumentView>,
    /// Files that could not be opened.
    pub failures: Vec<OpenFailure>,
}

/// Why a file could not be opened.
#[derive(Clone, Debug, Serialize, TS)]
pub struct OpenFailure {
    /// The file's name.
    pub name: String,
    /// Why.
    pub failure: Failure,
}

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
    /// Disk space for the waveforms of recordings opened before, in MiB.
    pub cache_mib: u32,
    /// The last export's settings.
    pub export: ExportSettings,
    /// Sizes of panes in pixels, by name; kept for the window.
    pub panes: BTreeMap<String, f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            device: DeviceRequest::Auto,
            output: None,
            cache_mib: 256,
            export: ExportSettings {
                format: ExportFormat::Wav,
                bits: ExportBits::Int24,
                dither: Dither::Tpdf,
                range: None,
                rate: None,
                tail: false,
            },
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

/// Something to tell the user.
#[derive(Clone, Debug, Serialize, TS)]
pub struct Notice {
    /// How grave.
    pub level: NoticeLevel,
    /// What happened, why, what to do.
    pub message: String,
    /// The document it is about.
    pub document: Option<DocumentId>,
}

/// How grave a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum NoticeLevel {
    Info,
    Warning,
    Error,
}

/// What the core says of its own accord.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each carries what it is named after")]
pub enum Event {
    /// Files were dropped on the window or handed over by a second start.
    Opened { opened: Opened },
    /// A document changed other than by a command of the window's.
    Document { document: DocumentView },
    /// The waveform of a document became finer: this share of it is exact.
    Peaks { document: DocumentId, exact_share: f64 },
    /// Playback moved or changed; 30 times a second while playing.
    Transport { transport: TransportView, meters: Meters },
    /// A job moved or ended.
    Job { job: JobView },
    /// Devices, their speeds or the reason for the one in use changed.
    Devices { devices: DevicesView },
    /// Something to tell.
    Notice { notice: Notice },
}

/// Whether a text is a chain.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ChainCheck {
    /// What is wrong, and where.
    pub problem: Option<NotationError>,
}
