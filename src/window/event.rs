//! Events, and the data of the start.

use serde::Serialize;

use crate::audio::encode::FileFormat;
use crate::device::DeviceReport;
use crate::playback::Side;
use crate::window::batch::types::{BatchItem, BatchStatus, BatchView};
use crate::window::compare::types::{CompareSound, CompareView};
use crate::window::devices::types::DevicesView;
use crate::window::jobs::JobView;
use crate::window::library::types::{LibraryCounts, LibraryView, ScanView};
use crate::window::playback::types::{Meters, TransportView};
use crate::window::recording::types::{LeftRecordingView, RecordingView};
use crate::window::stems::types::StemsQueue;
use crate::window::workspace::types::{DocumentId, DocumentView, Opened, RecentFile, WaveformView};
use crate::work::effects::EffectView;
use crate::work::settings::Settings;
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
    /// The formats to export to. The command `editor.encoder_problem` says whether this system has the encoder.
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
    /// The loudness curve of one side of a document has new points or is complete. Another generation is another curve.
    Loudness { document: DocumentId, side: Side, generation: u32 },
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
