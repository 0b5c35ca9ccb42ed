//! Many files through one chain, as the window's page has it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::export::{ExportResult, ExportSettings, JobId};
use crate::error::Failure;

/// What the page shows.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BatchView {
    /// The inputs, in the order in which they are worked through.
    pub items: Vec<BatchItem>,
    /// What is done to them.
    pub settings: BatchSettings,
    /// How it all stands.
    pub status: BatchStatus,
}

/// How a batch stands.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct BatchStatus {
    /// Where it is in its life.
    pub phase: BatchPhase,
    /// The job that it runs as, for its progress.
    pub job: Option<JobId>,
    /// The chain that the files go through, as text.
    pub chain: String,
    /// Where the outputs go, for reading only; none before a folder was chosen.
    pub output: Option<String>,
    /// How many files are worked on at once.
    pub jobs: u32,
    /// What is wrong with the chain that was chosen.
    pub chain_problem: Option<String>,
    /// What is wrong with the names.
    pub template_problem: Option<String>,
    /// Inputs of which nothing is known yet: they are being looked at.
    pub unread: u32,
    /// Why the whole of the last run could not be done.
    pub failure: Option<Failure>,
}

/// Where a batch is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum BatchPhase {
    /// Nothing was begun.
    #[default]
    Idle,
    /// Files are worked on.
    Running,
    /// No more files are begun until it goes on.
    Paused,
    /// All are through.
    Finished,
    /// It was stopped before.
    Cancelled,
}

/// One input.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BatchItem {
    /// Its handle.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Its folder, for reading only.
    pub folder: String,
    /// What it is: "WAV, 48 kHz, stereo"; none before it was looked at.
    pub kind: Option<String>,
    /// Its length.
    pub duration_s: Option<f64>,
    /// Its output, below the output folder; none while the name is not known.
    pub target: Option<String>,
    /// Whether a file stands there.
    pub exists: bool,
    /// How it stands.
    pub state: BatchItemState,
    /// How much of it is done, 0 to 1.
    pub share: f64,
    /// Why it failed, or would.
    pub failure: Option<Failure>,
    /// What was written.
    pub result: Option<ExportResult>,
    /// What is damaged or left out in the input.
    pub warnings: Vec<String>,
}

/// How an input stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum BatchItemState {
    #[default]
    Waiting,
    Running,
    Done,
    /// It was finished by an earlier run.
    Skipped,
    Failed,
}

/// What is done to the inputs; kept for the next start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct BatchSettings {
    /// What they go through.
    pub chain: BatchChain,
    /// How they are written; the range means nothing here.
    pub export: ExportSettings,
    /// Whether each has its own sample format, where the output's has it, instead of one for all.
    pub own_bits: bool,
    /// The outputs' names below their folder.
    pub template: String,
    /// Whether files that stand there may be replaced.
    pub overwrite: bool,
    /// Whether a list of what is finished is kept beside the outputs, and what it has is skipped.
    pub resume: bool,
    /// Files at once; none is the usual number.
    pub jobs: Option<u16>,
}

/// What the files of a batch go through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BatchChain {
    /// The rack of the document in front, as it is when the batch begins.
    Rack,
    /// A stored chain.
    Preset {
        /// Its name.
        name: String,
    },
    /// Nothing: the files are only converted.
    None,
}
