//! The batch page: the list of inputs, the settings, and the work as a job.
//!
//! ```text
//! dialogs, drops -> list -> looked at in the background (facts) -> names (targets) -> run as a job -> events, report
//!                   `-> kept on disk, so that a batch that was interrupted is there at the next start
//! ```

#![allow(clippy::result_large_err, reason = "failures are kept with their files for the list, not handed up")]

pub mod commands;
mod facts;
mod item;
mod list;
mod report;
mod run;
mod stored;
mod targets;
pub mod types;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

pub use stored::checked;

use self::item::Item;
use self::stored::StoredBatch;
use self::types::{BatchChain, BatchItemState, BatchPhase, BatchSettings, BatchStatus, BatchView};
use super::jobs::Jobs;
use super::workspace::Workspace;
use crate::chain::Chain;
use crate::device::DeviceRequest;
use crate::error::{Error, Failure, Result};
use crate::files::{Protected, Protection};
use crate::lock::lock;
use crate::window::event::Event;
use crate::window::jobs::JobId;
use crate::window::moment::Moment;
use crate::work::batch::inputs::Input;
use crate::work::batch::run::{Hold, usual_jobs};
use crate::work::export::{ExportSettings, read_by_projects};
use crate::work::settings::Settings;

/// The batch page.
pub struct BatchPage {
    workspace: Arc<Workspace>,
    jobs: Arc<Jobs>,
    state: Mutex<Option<State>>,
    /// Whether dropped files are added to the batch because its page is shown.
    takes_drops: AtomicBool,
}

impl BatchPage {
    /// Creates the page. The stored batch is read on first use.
    pub fn new(workspace: Arc<Workspace>, jobs: Arc<Jobs>) -> Self {
        Self { workspace, jobs, state: Mutex::default(), takes_drops: AtomicBool::new(false) }
    }

    /// Whether dropped files are added to the batch.
    pub fn takes_drops(&self) -> bool {
        self.takes_drops.load(Ordering::Relaxed)
    }
}

impl BatchPage {
    /// Adds the files of the batch to those that no output may overwrite: its inputs, the files that projects among
    /// them read, and those that its chain reads.
    pub fn protecting(&self, protected: Protected) -> Protected {
        let (inputs, choice) = {
            let state = self.locked();
            let inputs: Vec<PathBuf> = state.items.iter().map(|item| item.path.clone()).collect();
            (inputs, state.settings.chain.clone())
        };
        // A chain that no longer exists reads no files. The rack's chain belongs to an open document.
        let chain = match choice {
            BatchChain::Preset { name } => self.workspace.preset_chain(&name).unwrap_or_default(),
            BatchChain::None | BatchChain::Rack => Chain::default(),
        };
        let read = read_by_projects(&inputs);
        protected
            .and(Protection::BatchInput, inputs)
            .and(Protection::ReadByProject, read)
            .and(Protection::ReadByBatch, chain.named_files())
    }
}

/// The list of inputs, the settings and the state of the run.
struct State {
    items: Vec<Item>,
    settings: BatchSettings,
    output: Option<PathBuf>,
    phase: BatchPhase,
    job: Option<JobId>,
    hold: Arc<Hold>,
    /// The device request from the settings, as of the last check of the chain.
    device: DeviceRequest,
    chain: std::result::Result<String, String>,
    template_problem: Option<String>,
    failure: Option<Failure>,
    /// Whether a thread is inspecting inputs.
    reading: bool,
    next: u32,
}

impl State {
    /// Restores a stored batch.
    fn new(kept: StoredBatch) -> Self {
        let mut state = Self {
            items: Vec::new(),
            settings: kept.settings,
            output: kept.output.map(|output| output.0),
            phase: BatchPhase::Idle,
            job: None,
            hold: Arc::default(),
            device: DeviceRequest::default(),
            chain: Ok(String::new()),
            template_problem: None,
            failure: None,
            reading: false,
            next: 1,
        };
        state.add(kept.inputs.into_iter().map(|input| Input { path: input.path.0, folder: input.folder.0 }));
        state
    }

    /// Adds inputs that are not in the list yet.
    fn add(&mut self, inputs: impl IntoIterator<Item = Input>) {
        let mut known: HashSet<PathBuf> = self.items.iter().map(|item| item.path.clone()).collect();
        for input in inputs {
            if known.insert(input.path.clone()) {
                self.items.push(Item::new(self.next, input.path, input.folder));
                self.next += 1;
            }
        }
    }

    fn is_running(&self) -> bool {
        matches!(self.phase, BatchPhase::Running | BatchPhase::Paused)
    }

    /// Checks that no run is active.
    fn at_rest(&self) -> Result<()> {
        if !self.is_running() {
            return Ok(());
        }
        Err(Error::impossible("The batch is running. Cancel it before you change it."))
    }

    fn item(&self, id: u32) -> Result<&Item> {
        let found = self.items.iter().find(|item| item.id == id);
        found.ok_or_else(|| Error::NotFound { what: "input", name: id.to_string() })
    }

    fn status(&self) -> BatchStatus {
        BatchStatus {
            moment: Moment::next(),
            phase: self.phase,
            job: self.job,
            chain: self.chain.clone().unwrap_or_default(),
            output: self.output.as_ref().map(|folder| folder.display().to_string()),
            jobs: self.settings.jobs.map_or_else(|| usual_jobs(&self.device), usize::from) as u32,
            chain_problem: self.chain.clone().err(),
            template_problem: self.template_problem.clone(),
            unread: self.items.iter().filter(|item| item.facts.is_none()).count() as u32,
            failure: self.failure.clone(),
        }
    }

    fn view(&mut self) -> BatchView {
        self.items.iter_mut().for_each(|item| item.is_news = false);
        let folder = self.output.as_deref();
        let items = self.items.iter().map(|item| item.view(folder)).collect();
        BatchView { items, settings: self.settings.clone(), status: self.status() }
    }
}

/// The locked batch state. [`BatchPage::locked`] always creates it with `Some` inside.
struct LockedState<'a>(MutexGuard<'a, Option<State>>);

impl std::ops::Deref for LockedState<'_> {
    type Target = State;

    #[allow(clippy::expect_used, reason = "made with a state, by `locked` alone")]
    fn deref(&self) -> &State {
        self.0.as_ref().expect("a state")
    }
}

impl std::ops::DerefMut for LockedState<'_> {
    #[allow(clippy::expect_used, reason = "made with a state, by `locked` alone")]
    fn deref_mut(&mut self) -> &mut State {
        self.0.as_mut().expect("a state")
    }
}

impl BatchPage {
    /// Locks the batch and reads it from disk on first use. The app's state lock is not held meanwhile.
    fn locked(&self) -> LockedState<'_> {
        let settings = self.workspace.state().settings.clone();
        let mut state = lock(&self.state);
        if state.is_none() {
            let kept = stored::read(self.workspace.directories.data(), &settings);
            *state = Some(State::new(kept));
        }
        LockedState(state)
    }

    /// Sends the window everything that changed since the last event.
    fn tell_batch(&self, state: &mut State) {
        let folder = state.output.clone();
        let news = state.items.iter_mut().filter(|item| item.is_news || item.state == BatchItemState::Running);
        let items = news
            .map(|item| {
                item.is_news = false;
                item.view(folder.as_deref())
            })
            .collect();
        self.workspace.host.emit(Event::BatchItems { items, status: state.status() });
    }

    /// Writes the batch to disk. A failure is only logged.
    fn keep_batch(&self, state: &State) {
        if let Err(error) = stored::write(self.workspace.directories.data(), state) {
            tracing::warn!("the batch was not kept: {error}");
        }
    }
}

/// Returns the settings of a first batch: the active rack, the settings of the last export, and the inputs' names.
fn first_settings(settings: &Settings) -> BatchSettings {
    BatchSettings {
        chain: BatchChain::Rack,
        export: ExportSettings { range: None, gain_db: 0.0, ..settings.export.clone() },
        own_bits: true,
        template: "{folder}/{name}.{ext}".to_owned(),
        overwrite: false,
        resume: true,
        jobs: None,
    }
}
