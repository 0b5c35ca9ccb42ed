//! The types that cross the border between the core and a window: what commands take and give, and events.
//!
//! TypeScript declarations of all of them are generated into `ui/src/bindings`.

mod batch;
mod chain;
mod devices;
mod documents;
mod export;
mod library;
mod loudness;
mod monitor;
mod playback;
mod settings;
mod spectrogram;

pub use batch::{BatchChain, BatchItem, BatchItemState, BatchPhase, BatchSettings, BatchStatus, BatchView};
pub use chain::{
    ChainCheck, ChainReport, ControlView, Edit, EffectView, GroupKind, NodeReport, NodeResponse, ParameterView,
    PresetView, ResponseView, UsedWith,
};
pub use devices::{DeviceView, DevicesView, LastJob};
pub use documents::{
    DocumentId, DocumentView, FrequencyBand, OpenFailure, Opened, RangeLevels, RecentFile, Selection, SourceView,
    ViewRange, WaveformView,
};
pub use export::{
    Dither, ExportBits, ExportFormat, ExportResult, ExportSettings, ExportTarget, JobId, JobPurpose, JobState, JobView,
    LoudnessTarget, StageSeconds, TargetId,
};
pub use library::{
    AuditionTrack, AuditionView, BinFailure, BinOutcome, ClipSource, ContributionView, CoverView, Decision,
    DimensionView, DuplicateGroup, DuplicateItem, DuplicatesView, ExportedTracks, FolderView, IdentifiedView,
    IdentityView, InHandView, LibraryColumn, LibraryCounts, LibrarySettings, LibraryTrackState, LibraryView, LikeWhat,
    OriginKind, OriginView, QueryCompletion, QueryCompletions, ScanPhase, ScanTime, ScanView, SeriesView, SimilarItem,
    SortBy, TrackItem, TrackListQuery, TrackPage, TrackPageView, TrackProblem, WatchView,
};
pub use loudness::{LoudnessQuery, LoudnessSettings, LoudnessView};
pub use monitor::{AnalyserAveraging, AnalyserHold, AnalyserSettings, AnalyserSlope, MonitorPart, MonitorQuery};
pub use playback::{Meters, NodeReduction, OutputView, Side, TransportView};
pub use settings::{Settings, Theme};
pub use spectrogram::{
    ColourMap, Description, FrequencyRuler, FrequencyScale, LaneChannels, PictureFormat, RegionLevels,
    SpectrogramAnalysis, SpectrogramCompare, SpectrogramDisplay, SpectrogramMethod, SpectrogramPreset,
    SpectrogramSettings, SpectrogramTile, SpectrumAt, TimeRuler, WindowName,
};

use serde::Serialize;
use ts_rs::TS;

use crate::device::DeviceReport;

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
    /// The formats that this build exports to.
    pub export_formats: Vec<ExportFormat>,
    /// What to tell the user at once: a session that could not be read, a missing file.
    pub notices: Vec<Notice>,
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
    /// A document stands otherwise though no command changed it.
    Document { document: DocumentView },
    /// The waveform of a document became finer.
    Peaks { document: DocumentId, waveform: WaveformView },
    /// Playback moved or changed; 30 times a second while playing.
    Transport { transport: TransportView, meters: Meters },
    /// A job moved or ended.
    Job { job: JobView },
    /// Inputs were dropped on the batch.
    Batch { batch: BatchView },
    /// Inputs of the batch, or the whole of it, stand otherwise; four times a second while it runs.
    BatchItems { items: Vec<BatchItem>, status: BatchStatus },
    /// The loudness of one side of a document is known further, or in whole.
    Loudness { document: DocumentId, side: Side, loudness: LoudnessView },
    /// The scan of the library moved, began or ended; four times a second while it runs.
    Scan { scan: ScanView, counts: LibraryCounts },
    /// Tracks, folders or decisions of the library changed; at most once a second.
    LibraryChanged { library: LibraryView },
    /// Devices, their speeds or the reason for the one in use changed.
    Devices { devices: DevicesView },
    /// Spectrograms are made elsewhere than before.
    SpectrogramDevice { device: DeviceReport },
    /// Something to tell.
    Notice { notice: Notice },
}
