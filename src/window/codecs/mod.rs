//! The grid of codecs in the window: recordings, settings, the run as a job, and its results.
//!
//! ```text
//! dialogs -> recordings ┐
//! settings, folder ─────┴> codec_grid::run as a job -> files in the folder, and results for the window
//! ```

pub mod commands;
mod grid;
mod run;
pub mod types;
mod view;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use self::types::CodecsSettings;
use super::compare::ComparePage;
use super::jobs::Jobs;
use super::workspace::Workspace;
use crate::codec_grid::{Input, Results, usual_measures};
use crate::codecs::split_words;
use crate::error::{Error, Failure, Result};
use crate::lock::lock;
use crate::window::jobs::{JobId, JobState};

/// The codecs of a first grid: a low and a usual rate of each kind, and the control.
const FIRST_CODECS: &str = "opus:32,64,96,128 vorbis:q0,q2,q5 flac";

/// The codec grid.
pub struct CodecsPage {
    workspace: Arc<Workspace>,
    jobs: Arc<Jobs>,
    compare: Arc<ComparePage>,
    state: Mutex<State>,
}

struct State {
    recordings: Vec<Recording>,
    next: u32,
    settings: CodecsSettings,
    output: Option<PathBuf>,
    phase: Option<JobState>,
    job: Option<JobId>,
    failure: Option<Failure>,
    results: Option<Arc<Results>>,
}

struct Recording {
    id: u32,
    input: Input,
}

impl CodecsPage {
    /// Creates an empty grid.
    pub fn new(workspace: Arc<Workspace>, jobs: Arc<Jobs>, compare: Arc<ComparePage>) -> Self {
        let settings = CodecsSettings {
            codecs: FIRST_CODECS.to_owned(),
            measures: usual_measures().iter().map(|measure| measure.name.to_owned()).collect(),
            keeps_decoded: true,
        };
        let state = State {
            recordings: Vec::new(),
            next: 1,
            settings,
            output: None,
            phase: None,
            job: None,
            failure: None,
            results: None,
        };
        Self { workspace, jobs, compare, state: Mutex::new(state) }
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    /// Checks that no run is active.
    fn at_rest(&self) -> Result<()> {
        if self.phase == Some(JobState::Running) {
            return Err(Error::impossible("The codecs are running. Cancel them before you change anything."));
        }
        Ok(())
    }

    /// Returns the words of the codecs' text.
    fn words(&self) -> Vec<String> {
        split_words(&self.settings.codecs)
    }
}
