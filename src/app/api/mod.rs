//! The types that cross the boundary between the core and a window: command arguments and results, and events.
//!
//! TypeScript declarations of all of them are generated into `ui/src/bindings`.

mod batch;
mod blind;
mod chain;
mod codecs;
mod compare;
mod devices;
mod documents;
mod export;
mod library;
mod loudness;
mod models;
mod moment;
mod monitor;
mod playback;
mod recording;
mod settings;
mod spectrogram;
mod stems;

pub use batch::{BatchChain, BatchItem, BatchItemState, BatchPhase, BatchSettings, BatchStatus, BatchView};
pub use blind::{
    BlindFormat, BlindOdds, BlindSession, BlindSound, BlindTestWish, BlindTrial, BlindView, BlindWish, PassageWish,
};
pub use chain::{
    ChainCheck, ChainReport, Edit, EffectView, GroupKind, NodeReport, NodeResponse, PresetView, ResponseView,
};
pub use codecs::{
    CodecFamily, CodecsCategory, CodecsCell, CodecsFailure, CodecsMeasure, CodecsPhase, CodecsRecording, CodecsResults,
    CodecsRow, CodecsSettings, CodecsValue, CodecsView,
};
pub use compare::{
    CompareAlignment, CompareBetter, CompareCurve, CompareFormat, CompareMeasure, CompareReading, CompareSound,
    CompareState, CompareTimeline, CompareValue, CompareVersion, CompareView, ComparisonHeard,
};
pub use devices::{DeviceView, DevicesView, LastJob};
pub use documents::{
    ClipView, CopiedView, DocumentId, DocumentView, LEAST_LEVEL_ZOOM, MOST_LEVEL_ZOOM, MarkerView, OpenFailure, Opened,
    ProjectView, RangeLevels, RecentFile, SourceView, TrackView, ViewRange, WaveformView,
};
pub use export::{
    ChosenCover, CoverEdit, CoverId, ExportForecast, ExportPlan, ExportResult, ExportSettings, ExportTags,
    ExportTarget, JobId, JobPurpose, JobState, JobView, LoudnessTarget, RoundedSamples, StageSeconds, TagEdits,
    TargetId,
};
pub use library::{
    AuditionTrack, AuditionView, BinFailure, BinOutcome, ClipSource, CoverView, DuplicateGroup, DuplicateItem,
    DuplicatesView, ExportedTracks, IdentifiedView, IdentityView, InHandView, LibraryColumn, LibraryCounts,
    LibraryFolderPlace, LibrarySettings, LibraryView, LikeWhat, PlaylistChoice, PlaylistRequest, PlaylistView,
    QueryCompletions, ScanPhase, ScanTime, ScanView, SimilarItem, TagAction, TagFileView, TagRequest, TagRunView,
    TagWriteView, TrackItem, TrackListQuery, TrackPage, TrackPageView, TrackProblem, WatchView,
};
pub use loudness::{LoudnessQuery, LoudnessSettings, LoudnessView};
pub use models::{ModelFolder, ModelKindView, ModelProblem, ModelRow, ModelSettings, ModelsView};
pub use moment::Moment;
pub use monitor::{AnalyserSettings, AnalyserSlope, MonitorQuery};
pub use playback::{Meters, NodeReduction, TrackLevel, TransportView};
pub use recording::{
    LeftRecordingView, LiveRecords, OffsetView, OntoEnd, OntoView, RecordingEnd, RecordingOffset, RecordingSample,
    RecordingSettings, RecordingView,
};
pub use settings::{
    ImportedKeys, JoinSettings, KeySettings, Language, Settings, SnapSettings, Theme, TimeFormat, TimeFormats,
    WheelAction, WheelSettings,
};
pub use spectrogram::{
    Description, FrequencyRuler, PictureFormat, RegionLevels, SpectrogramCompare, SpectrogramDisplay,
    SpectrogramPreset, SpectrogramSettings, SpectrogramTile, TimeRuler,
};
pub use stems::{
    StemsHeard, StemsModel, StemsOutlook, StemsQueue, StemsRunning, StemsSettings, StemsSource, StemsTask,
    StemsWaiting, StemsWish,
};

use serde::Serialize;

use crate::audio::encode::FileFormat;
use crate::device::DeviceReport;
use crate::playback::Side;
use base::declared::TS;

/// The data that the window needs at startup.
#[derive(Clone, Debug, Serialize, TS)]
pub struct Startup {
    /// The program's version.
    pub version: String,
    /// The settings.
    pub settings: Settings,
    /// The documents of the last session in tab order.
    pub documents: Vec<DocumentView>,
    /// The active document.
    pub active: Option<DocumentId>,
    /// Every effect with its parameters.
    pub effects: Vec<EffectView>,
    /// Recent files, the latest first.
    pub recent: Vec<RecentFile>,
    /// The name of the last closed document, which can be reopened.
    pub last_closed: Option<String>,
    /// The formats to export to. The command `encoder_problem` says whether this system has the encoder.
    pub export_formats: Vec<FileFormat>,
    /// Recordings that a crash left.
    pub left_recordings: Vec<LeftRecordingView>,
    /// Notices to show at startup: a session that could not be read, a missing file.
    pub notices: Vec<Notice>,
}

/// A message to the user.
#[derive(Clone, Debug, Serialize, TS)]
pub struct Notice {
    /// The severity.
    pub level: NoticeLevel,
    /// The text: what happened, why, and what to do.
    pub message: String,
    /// The document that it refers to.
    pub document: Option<DocumentId>,
}

/// The severity of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum NoticeLevel {
    Info,
    Warning,
    Error,
}

/// An event that the core sends to the window.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each carries what it is named after")]
pub enum Event {
    /// Files were dropped on the window or passed on by a second instance of the program.
    Opened { opened: Opened },
    /// A document changed without a command.
    Document { document: DocumentView },
    /// The waveform of one side of a document was refined.
    Peaks { document: DocumentId, side: Side, waveform: WaveformView },
    /// The playback state changed; 30 times a second while playing.
    Transport { transport: TransportView, meters: Meters },
    /// Recording or live sound changed; 15 times a second while an input is open.
    Recording { recording: RecordingView },
    /// A job made progress or ended.
    Job { job: JobView },
    /// The comparison of versions changed: a version was added or compared, or the work made progress.
    Compare { compare: CompareView },
    /// The waveform of a version or a difference was refined.
    ComparePeaks { sound: CompareSound, waveform: WaveformView },
    /// Inputs were dropped on the batch page.
    Batch { batch: BatchView },
    /// Inputs or the status of the batch changed; four times a second while it runs.
    BatchItems { items: Vec<BatchItem>, status: BatchStatus },
    /// The loudness curve of one side of a document has new points or is complete.
    Loudness { document: DocumentId, side: Side, loudness: LoudnessView },
    /// The scan of the library started, made progress or ended; four times a second while it runs.
    Scan { scan: ScanView, counts: LibraryCounts },
    /// Tracks, folders or decisions of the library changed; at most once a second.
    LibraryChanged { library: LibraryView },
    /// Devices, their speeds or the reason for the one in use changed.
    Devices { devices: DevicesView },
    /// Spectrograms are computed on a different device than before.
    SpectrogramDevice { device: DeviceReport },
    /// The queue of separations changed; at most ten times a second as stems are computed.
    Stems { queue: StemsQueue },
    /// A message to the user.
    Notice { notice: Notice },
}
