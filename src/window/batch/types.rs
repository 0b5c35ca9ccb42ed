//! The batch page: many files through one chain.

use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::window::jobs::JobId;
use crate::window::moment::Moment;
use crate::work::export::{ExportResult, ExportSettings};
use base::declared::TS;

/// The contents of the batch page.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BatchView {
    /// The inputs in processing order.
    pub items: Vec<BatchItem>,
    /// The settings for all inputs.
    pub settings: BatchSettings,
    /// The status of the batch.
    pub status: BatchStatus,
}

/// The status of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct BatchStatus {
    /// When this view was taken.
    pub moment: Moment,
    /// The phase.
    pub phase: BatchPhase,
    /// The job that runs the batch and reports its progress.
    pub job: Option<JobId>,
    /// The chain that the files go through, as text.
    pub chain: String,
    /// The output folder, for display only; null before a folder was chosen.
    pub output: Option<String>,
    /// The number of files processed at once.
    pub jobs: u32,
    /// The error in the selected chain.
    pub chain_problem: Option<String>,
    /// The error in the template of the output names.
    pub template_problem: Option<String>,
    /// The number of inputs that are still being inspected.
    pub unread: u32,
    /// Why the last run failed as a whole.
    pub failure: Option<Failure>,
}

/// The phase of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum BatchPhase {
    /// Not started.
    #[default]
    Idle,
    /// Files are being processed.
    Running,
    /// No more files are started until the batch is resumed.
    Paused,
    /// All files have been processed.
    Finished,
    /// The batch was cancelled before it finished.
    Cancelled,
}

/// An input of a batch.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BatchItem {
    /// The handle.
    pub id: u32,
    /// The file name.
    pub name: String,
    /// The folder, for display only.
    pub folder: String,
    /// The format, such as "WAV, 48 kHz, stereo"; null before the file was inspected.
    pub kind: Option<String>,
    /// The duration in seconds.
    pub duration_s: Option<f64>,
    /// The output path below the output folder; null while it is not known.
    pub target: Option<String>,
    /// Whether the output file already exists.
    pub exists: bool,
    /// The state of this input.
    pub state: BatchItemState,
    /// The share that is done, 0..=1.
    pub share: f64,
    /// Why it failed or would fail.
    pub failure: Option<Failure>,
    /// The result of the export.
    pub result: Option<ExportResult>,
    /// Damage in the input, and parts that were left out.
    pub warnings: Vec<String>,
}

/// The state of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum BatchItemState {
    #[default]
    Waiting,
    Running,
    Done,
    /// Finished by an earlier run.
    Skipped,
    Failed,
}

/// The settings of a batch, which are kept between sessions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct BatchSettings {
    /// The chain that the files go through.
    pub chain: BatchChain,
    /// The export settings. The range is ignored.
    pub export: ExportSettings,
    /// Whether each output keeps the sample format of its input, if the output format supports it, instead of one
    /// format for all.
    pub own_bits: bool,
    /// The template of the output paths below the output folder.
    pub template: String,
    /// Whether existing files may be replaced.
    pub overwrite: bool,
    /// Whether to keep a list of finished files beside the outputs and skip the files in it.
    pub resume: bool,
    /// The number of files to process at once; null for the default.
    pub jobs: Option<u16>,
}

/// The chain of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BatchChain {
    /// The rack of the active document, as it is when the batch starts.
    Rack,
    /// A stored chain.
    Preset {
        /// The preset's name.
        name: String,
    },
    /// No chain: the files are only converted.
    None,
}
