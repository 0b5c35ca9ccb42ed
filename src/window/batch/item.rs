//! An input of the batch page.

use std::path::{Path, PathBuf};

use super::types::{BatchItem, BatchItemState};
use crate::audio::Tags;
use crate::error::{Failure, Result};
use crate::progress::Progress;
use crate::window::workspace::open_document::file_name;
use crate::work::export::ExportResult;

/// An input and the facts known about it.
pub struct Item {
    pub id: u32,
    pub path: PathBuf,
    /// The file's folder relative to the given folder.
    pub folder: PathBuf,
    /// The result of inspecting the file; `None` before that.
    pub facts: Option<Result<FileFacts, Failure>>,
    /// The output path, or the reason for its absence; `None` while the name is unknown.
    pub target: Option<Result<PathBuf, Failure>>,
    pub exists: bool,
    pub state: BatchItemState,
    pub failure: Option<Failure>,
    pub result: Option<ExportResult>,
    pub progress: Progress,
    /// Whether the window does not have the current state yet.
    pub is_news: bool,
}

/// The facts about a file that names and the list need. Cover images are not kept.
pub struct FileFacts {
    pub kind: String,
    pub duration_s: f64,
    pub tags: Tags,
    pub warnings: Vec<String>,
}

impl Item {
    pub fn new(id: u32, path: PathBuf, folder: PathBuf) -> Self {
        Self {
            id,
            path,
            folder,
            facts: None,
            target: None,
            exists: false,
            state: BatchItemState::Waiting,
            failure: None,
            result: None,
            progress: Progress::new(),
            is_news: true,
        }
    }

    /// Resets the item to its state before a run.
    pub fn reset(&mut self) {
        self.state = BatchItemState::Waiting;
        self.failure = None;
        self.result = None;
        self.progress = Progress::new();
        self.is_news = true;
    }

    /// Returns what prevents the output from being written, as far as it is known in advance.
    pub fn fault(&self) -> Option<&Failure> {
        let unreadable = self.facts.as_ref().and_then(|facts| facts.as_ref().err());
        unreadable.or_else(|| self.target.as_ref().and_then(|target| target.as_ref().err()))
    }

    /// Returns the item as the window shows it.
    pub fn view(&self, output: Option<&Path>) -> BatchItem {
        let facts = self.facts.as_ref().and_then(|facts| facts.as_ref().ok());
        let target = self.target.as_ref().and_then(|target| target.as_ref().ok());
        let below = |target: &PathBuf| {
            let below = output.and_then(|output| target.strip_prefix(output).ok()).unwrap_or(target);
            below.display().to_string()
        };
        let reading = self.progress.snapshot();
        let running = reading.done.min(reading.total) as f64 / reading.total.max(1) as f64;
        BatchItem {
            id: self.id,
            name: file_name(&self.path),
            folder: self.path.parent().map_or_else(String::new, |folder| folder.display().to_string()),
            kind: facts.map(|facts| facts.kind.clone()),
            duration_s: facts.map(|facts| facts.duration_s),
            target: target.map(below),
            exists: self.exists,
            state: self.state,
            share: match self.state {
                BatchItemState::Waiting | BatchItemState::Failed => 0.0,
                BatchItemState::Running => running,
                BatchItemState::Done | BatchItemState::Skipped => 1.0,
            },
            failure: self.failure.clone().or_else(|| self.fault().cloned()),
            result: self.result.clone(),
            warnings: facts.map(|facts| facts.warnings.clone()).unwrap_or_default(),
        }
    }
}
